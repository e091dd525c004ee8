"""Explains each rule in words, with what it catches in the project."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.kinds import language_of
from fieldguide.text.display import format_count
from fieldguide.text.errors import Misconfiguration
from fieldguide.text.globs import compile_globs
from fieldguide.text.near_names import suggest_names
from fieldguide.text.windows import cut_text
from fieldguide.toolsets.architecture.rules import declared_rules
from fieldguide.toolsets.architecture.rules.pattern import (
    CallCheck,
    DefinitionScope,
    EveryCheck,
    ImportCheck,
    MentionCheck,
    NamingCheck,
    PatternRule,
    RuleCondition,
    SyntaxCheck,
    TextCheck,
)
from fieldguide.toolsets.architecture.rules.project_check import (
    ChosenFiles,
    PatternFile,
    ProjectCheck,
    RuleBook,
    choose_files,
    is_about_language,
)
from fieldguide.toolsets.architecture.rules.syntax_patterns import find_written_pattern
from fieldguide.toolsets.architecture.rules.violations import Violation, is_named_by

LONGEST = 300


def describe_rule(rule: PatternRule) -> str:
    """How a rule is checked, as one sentence without its full stop."""
    return ", ".join([_named(rule) or _check(_for_its_languages(rule)), *_where(rule)])


def _named(rule: PatternRule) -> str | None:
    """A structure by its name, with what it is."""
    if not isinstance(rule.check, SyntaxCheck):
        return None
    for name in declared_rules.list_structures():
        structure = declared_rules.read_structure(name)
        if structure.check == rule.check:
            return f"no `{name}` ({structure.finds.rstrip('.')})"
    return None


def _for_its_languages(rule: PatternRule) -> Any:
    """The check of a rule, without what is only there for other languages."""
    if not isinstance(rule.check, SyntaxCheck):
        return rule.check
    own = {key: each for key, each in rule.check.by_language.items() if key in rule.languages}
    return rule.check._replace(by_language=own or rule.check.by_language)


def _check(check: Any) -> str:
    for kind, say in WORDED.items():
        if isinstance(check, kind):
            return str(say(check))
    return type(check).__name__


def _imports(check: ImportCheck) -> str:
    named = _either(check.globs)
    if check.is_required:
        return f"an import of {named} is required"
    return f"no import of {named} or of what lies below"


def _calls(check: CallCheck) -> str:
    named = _either(check.globs)
    return f"a call of {named} is required" if check.is_required else f"no call of {named}"


def _naming(check: NamingCheck) -> str:
    kinds = " and ".join(f"{kind} names" for kind in check.kinds)
    words = [f"{kinds} are"]
    if check.style:
        words.append(f"in {check.style}")
    if check.matches:
        words.append(f"like {_either(check.matches)}")
    if check.forbidden:
        words.append(f"not like {_either(check.forbidden)}")
    selection = zip(("named", "extending", "decorated with"), check.where, strict=True)
    where = [f"{word} {_either(globs)}" for word, globs in selection if globs]
    if where:
        words.append(f"(those {' and '.join(where)})")
    return " ".join(words)


def _text(check: TextCheck) -> str:
    parts = "the text" if len(set(check.parts)) == 3 else " and ".join(check.parts)
    said = f"the expression {_short(check.expression)}"
    return f"{said} is required in {parts}" if check.is_required else f"no match of {said} in {parts}"


def _mentions(check: MentionCheck) -> str:
    return f"no mention of {_either(check.names)} in code"


def _syntax(check: SyntaxCheck) -> str:
    ways = dict.fromkeys(_syntax_rule(rule.get("rule"), language) for language, rule in check.by_language.items())
    said = " or ".join(list(ways)[:2])
    return f"a match of {said} is required" if check.is_required else f"no match of {said}"


def _syntax_rule(rule: Any, language: str) -> str:
    """What ast-grep is asked for: a pattern as it was written, anything else as its rule."""
    given = cast("dict[str, Any]", rule) if isinstance(rule, dict) else {}
    ways: Any = given["any"] if [*given] == ["any"] else [given]
    patterns = {
        find_written_pattern(cast("dict[str, Any]", way).get("pattern"), language)
        for way in ways
        if isinstance(way, dict) and [*cast("dict[str, Any]", way)] == ["pattern"]
    }
    if len(patterns) == 1 and (pattern := patterns.pop()) is not None:
        return f"the ast-grep pattern {_short(pattern.strip())}"
    return f"the ast-grep rule {_short(json.dumps(rule, ensure_ascii=False))}"


def _every(check: EveryCheck) -> str:
    return "; ".join(map(_check, check.checks))


WORDED: dict[type, Any] = {
    ImportCheck: _imports,
    CallCheck: _calls,
    NamingCheck: _naming,
    TextCheck: _text,
    MentionCheck: _mentions,
    SyntaxCheck: _syntax,
    EveryCheck: _every,
}


def _where(rule: PatternRule) -> Iterator[str]:
    if rule.languages:
        yield f"in {' and '.join(rule.languages)}"
    if rule.files:
        yield f"in files {_either(rule.files)}"
    if rule.except_files:
        yield f"but not in {_either(rule.except_files)}"
    if rule.inside:
        yield f"inside of {_place(rule.inside)}"
    if rule.outside:
        yield f"outside of {_place(rule.outside)}"
    if rule.when:
        yield f"where the file has {_place(rule.when)}"


def _place(place: DefinitionScope | RuleCondition) -> str:
    named = [("a class", place.classes), ("a function", place.functions)]
    if isinstance(place, RuleCondition):
        named += [("an import of", place.imports), ("a call of", place.calls)]
    said = [f"{word} {_either(globs)}" for word, globs in named if globs]
    if isinstance(place, RuleCondition) and place.syntax:
        said.append(_syntax(place.syntax).removeprefix("no match of "))
    return " and ".join(said)


def _either(globs: Iterable[str]) -> str:
    return " or ".join(f"`{glob}`" for glob in globs)


def _short(text: str) -> str:
    return f"`{cut_text(' '.join(text.split()), LONGEST)}`"


FIRST_PLACES = 3
WHY_ADVICE = "no sentence of it names code in a way that leaves nothing to judge, so people and agents read it"


@dataclass(frozen=True, slots=True)
class RuleExplanation:
    """A rule: how it is checked, where it looked, and what it caught."""

    rule: PatternRule
    document: str
    files: int
    violations: Sequence[Violation]
    suppressed: int

    def lines(self) -> list[str]:
        """The explanation as text."""
        rule = self.rule
        origin = "declared" if rule.origin == "front-matter" else "read from prose"
        hits = format_count(len(self.violations), "hit")
        if self.suppressed:
            hits += f", {self.suppressed} suppressed"
        lines = [
            f"{rule.id} ({rule.severity}, {origin}, {self.document}:{rule.document_line})",
            f"  {rule.message}",
            f"  Checked: {describe_rule(rule)}.",
            f"  Here: {hits} in {format_count(self.files, 'file')} looked at.",
        ]
        lines += [f"    {each.path}:{each.line}" for each in self.violations[:FIRST_PLACES]]
        if len(self.violations) > FIRST_PLACES:
            lines.append(f"    and {len(self.violations) - FIRST_PLACES} more")
        return lines

    def as_json(self) -> dict[str, Any]:
        """The same for scripts, with every place."""
        rule = self.rule
        return {
            "rule": rule.id,
            "message": rule.message,
            "severity": rule.severity,
            "origin": rule.origin,
            "document": self.document,
            "documentLine": rule.document_line,
            "checked": describe_rule(rule),
            "languages": list(rule.languages),
            "files": self.files,
            "hits": len(self.violations),
            "suppressed": self.suppressed,
            "places": [f"{each.path}:{each.line}" for each in self.violations],
        }


def select_named(documents: Sequence[PatternFile], words: Sequence[str]) -> tuple[list[PatternFile], frozenset[str]]:
    """The documents and the rules that some words name; every document where there are none."""
    patterns = {document.pattern.name for document in documents}
    rules = {name for document in documents for name in _rule_names(document)}
    unknown = [word for word in words if word not in patterns | rules]
    if unknown:
        near = suggest_names(unknown[0], sorted(patterns | rules))
        known = ", ".join(sorted(patterns))
        raise Misconfiguration(f"There is no pattern or rule {unknown[0]!r}.{near} The patterns are {known}.")
    named = frozenset(words)
    chosen = [each for each in documents if not words or named & {each.pattern.name, *_rule_names(each)}]
    return chosen, named - patterns


def _rule_names(document: PatternFile) -> set[str]:
    rules = document.pattern.rules
    return {rule.id for rule in rules} | {f"{document.pattern.name}/{rule.id}" for rule in rules}


def explain_rules(
    project: ConfinedFolder, documents: Sequence[PatternFile], wanted: frozenset[str]
) -> list[RuleExplanation]:
    """Each rule of the documents, or those that are wanted, with what it catches."""
    if not any(document.pattern.rules for document in documents):
        return []
    book = RuleBook(documents)
    if wanted:
        for name in list(book.rules):
            if not any(is_named_by(word, name) for word in wanted):
                del book.rules[name]
    chosen = choose_files(project, ())
    outcome = ProjectCheck(project, book).outcome(chosen, None)
    explanations: list[RuleExplanation] = []
    for name, rule in book.rules.items():
        violations = [each for each in outcome.violations if each.rule.id == name]
        suppressed = sum(each.violation.rule.id == name for each in outcome.suppressed)
        document = book.known[name].document
        explanations.append(RuleExplanation(rule, document, _files(rule, chosen), violations, suppressed))
    return explanations


def format_advice(document: PatternFile) -> list[str]:
    """What of a document is no rule, with its lines."""
    advice = document.pattern.advice
    return [f"{document.path}:{each.document_line}: {' '.join(each.text.split())}" for each in advice]


def advice_to_json(advice: Sequence[str]) -> list[str]:
    """The advice for a person, and why it is none of the rules."""
    if not advice:
        return []
    return [f"Advice, no rules: {WHY_ADVICE}.", *(f"  {line}" for line in advice)]


def _files(rule: PatternRule, chosen: ChosenFiles) -> int:
    """How many files a rule looks at."""
    has_place = compile_globs(rule.files)
    is_spared = compile_globs(rule.except_files)
    return sum(
        is_about_language(rule, language_of(path)) and (not rule.files or has_place(path)) and not is_spared(path)
        for path in chosen.paths
    )
