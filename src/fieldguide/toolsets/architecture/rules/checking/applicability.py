"""Which rules of a pattern can be applied to some code, and why the others can not."""

from fieldguide.globbing import matcher
from fieldguide.source_code.parsing import GRAMMARS
from fieldguide.toolsets.architecture.rules.checking.hits import can_check
from fieldguide.toolsets.architecture.rules.checking.scopes import condition_place
from fieldguide.toolsets.architecture.rules.code.languages import is_for
from fieldguide.toolsets.architecture.rules.code.source import SourceCode
from fieldguide.toolsets.architecture.rules.pattern import Pattern, Rule

NO_RULE = "The document has no rule that a machine can check."
NO_LANGUAGE = "The language could not be told: only rules about plain text were checked. Name it in `language`."
TOO_DEEP = "The code is nested too deeply, or too far from code, to be parsed: only its plain text was checked."
LONG_LINES = "A line is so long that only what comes first was checked. Is the code minified?"


def applicable_rules(pattern: Pattern, source: SourceCode) -> tuple[list[Rule], list[str]]:
    """The rules to apply, and a sentence about each kind of rules, or of code, that is left out."""
    sorted_out: dict[str, list[Rule]] = {}
    for rule in pattern.rules:
        sorted_out.setdefault(_obstacle(rule, source), []).append(rule)
    applied = sorted_out.pop("", [])
    told = [NO_RULE] if not pattern.rules else [_sentence(each, rules, source) for each, rules in sorted_out.items()]
    if source.has_long_lines:
        told.append(LONG_LINES)
    if source.broken_line is not None:
        told.append(f"The code does not parse as {source.language} from line {source.broken_line} on.")
    if pattern.problems:
        lines = ", ".join(dict.fromkeys(str(each.document_line) for each in pattern.problems))
        told.append(f"What the document has in line {lines[:100]} can't be read as a rule.")
    return applied, list(dict.fromkeys(told))


def _obstacle(rule: Rule, source: SourceCode) -> str:
    """What keeps a rule from being applied; nothing keeps any rule from code that is empty and in no language."""
    if source.is_blank and source.language is None:
        return ""
    if source.language is None and not can_check(rule.check, source):
        return "unknown language"
    if not _is_for(rule, source.language):
        return "other language"
    if _is_elsewhere(rule, source.known_path):
        return "other file"
    if not (source.is_blank or can_check(rule.check, source)):
        return "no tree"
    return "" if rule.when is None or condition_place(rule.when, source) is not None else "other code"


def _is_for(rule: Rule, language: str | None) -> bool:
    is_spared = rule.spares_javascript and rule.languages and language == "javascript"
    return is_for(rule.languages, language) and not is_spared


def _is_elsewhere(rule: Rule, path: str | None) -> bool:
    if path is None:
        return False
    is_named = not rule.files or matcher(rule.files)(path)
    return not is_named or bool(rule.except_files and matcher(rule.except_files)(path))


def _sentence(obstacle: str, rules: list[Rule], source: SourceCode) -> str:
    if source.language is None:
        return NO_LANGUAGE
    if obstacle == "no tree" and source.language in GRAMMARS and source.root is None:
        return TOO_DEEP
    count = "1 rule was" if len(rules) == 1 else f"{len(rules)} rules were"
    languages = ", ".join(sorted({each for rule in rules for each in rule.languages}))
    reasons = {
        "other language": f"for {languages}, not for {source.language}",
        "other file": f"for other files than {source.known_path}",
        "other code": f"the code has nothing that {'it is' if len(rules) == 1 else 'they are'} about",
        "no tree": f"nothing that can be looked for in {source.language}",
    }
    return f"{count} not checked: {reasons[obstacle]}."
