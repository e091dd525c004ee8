"""Checks code against a pattern: selects the rules that apply, finds breaches, and suggests fixes."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from fieldguide.code.detection import detect_language
from fieldguide.code.names import CALLABLES, CONTAINERS, DefinedName
from fieldguide.code.parsing import GRAMMARS
from fieldguide.files.kinds import canonical_language, language_of
from fieldguide.text.globs import compile_globs
from fieldguide.toolsets.architecture.rules.matching import (
    CheckHit,
    InvalidSyntaxRule,
    can_check,
    find_hits,
    make_name_matcher,
)
from fieldguide.toolsets.architecture.rules.pattern import (
    Breach,
    CallCheck,
    Check,
    CheckReport,
    DefinitionScope,
    ImportCheck,
    PatternDocument,
    PatternRule,
    RuleCondition,
    is_for_language,
)
from fieldguide.toolsets.architecture.rules.source_code import SourceCode, prepare_snippet, unwrap_snippet


class DefinitionRegion(NamedTuple):
    """A definition that a rule wants something of: where it is named, and all its parts."""

    anchor: int
    name: str
    spans: tuple[tuple[int, int], ...]

    def holds(self, index: int) -> bool:
        """Whether a place lies in one of the parts."""
        return any(start <= index < end for start, end in self.spans)


def is_inside(place: DefinitionScope, index: int, code: SourceCode) -> bool:
    """Whether a place lies in a class and in a function with such names, so far as either is asked for."""
    around = list(code.enclosures.around(index))
    in_class = not place.classes or any(_class_fits(place, each) for each in around)
    return in_class and (not place.functions or any(_function_fits(place, each) for each in around))


def is_inside_any(place: DefinitionScope, index: int, code: SourceCode) -> bool:
    """Whether a place lies in a class or in a function with such a name."""
    return any(_class_fits(place, each) or _function_fits(place, each) for each in code.enclosures.around(index))


def find_regions(place: DefinitionScope, code: SourceCode) -> list[DefinitionRegion]:
    """The functions with such names, or else the classes; a class with the methods that are written elsewhere."""
    if place.functions:
        return [
            DefinitionRegion(each.name_start, each.name, ((each.start, each.end),))
            for each in code.definitions
            if _function_fits(place, each) and (not place.classes or is_inside(place, each.name_start, code))
        ]
    found: dict[str, DefinitionRegion] = {}
    for each in code.definitions:
        name = each.owner or each.name
        if _class_fits(place, each):
            known = found.get(name) or DefinitionRegion(each.name_start, name, ())
            found[name] = known._replace(spans=(*known.spans, (each.start, each.end)))
    return list(found.values())


def find_condition(condition: RuleCondition, code: SourceCode) -> int | None:
    """Where the code has the first thing that a condition asks for; None unless it has all."""
    places = [next(iter(each), None) for each in _wanted(condition, code)]
    return None if any(place is None for place in places) else next((place for place in places), 0)


def _wanted(condition: RuleCondition, code: SourceCode) -> Iterator[Iterator[int]]:
    for place in (DefinitionScope(classes=condition.classes), DefinitionScope(functions=condition.functions)):
        if any(place):
            yield (region.anchor for region in find_regions(place, code))
    checks: list[Check] = [ImportCheck(condition.imports)] if condition.imports else []
    checks += [CallCheck(condition.calls)] if condition.calls else []
    checks += [condition.syntax] if condition.syntax else []
    for check in checks:
        yield (hit.start for hit in find_hits(check, code))


def _class_fits(place: DefinitionScope, each: DefinedName) -> bool:
    if not place.classes or (each.kind not in CONTAINERS and not each.owner):
        return False
    return make_name_matcher(place.classes)(each.owner or each.name)


def _function_fits(place: DefinitionScope, each: DefinedName) -> bool:
    return bool(place.functions) and each.kind in CALLABLES and make_name_matcher(place.functions)(each.name)


NO_RULE = "The document has no rule that a machine can check."
NO_LANGUAGE = "The language could not be told: only rules about plain text were checked. Name it in `language`."
TOO_DEEP = "The code is nested too deeply, or too far from code, to be parsed: only its plain text was checked."
LONG_LINES = "A line is so long that only what comes first was checked. Is the code minified?"

MOST_PROBLEMS = 20
MOST_NAMED = 5
MOST_SAID = 300


def select_rules(pattern: PatternDocument, source: SourceCode) -> tuple[list[PatternRule], list[str]]:
    """The rules to apply, and a sentence about each kind of rules, or of code, that is left out."""
    sorted_out: dict[str, list[PatternRule]] = {}
    for rule in pattern.rules:
        sorted_out.setdefault(_obstacle(rule, source), []).append(rule)
    applied = sorted_out.pop("", [])
    told = [NO_RULE] if not pattern.rules else [_sentence(each, rules, source) for each, rules in sorted_out.items()]
    if source.has_long_lines:
        told.append(LONG_LINES)
    if source.broken_line is not None:
        told.append(f"The code does not parse as {source.language} from line {source.broken_line} on.")
    told += [f"{each.message[:MOST_SAID]} (line {each.document_line})" for each in pattern.problems[:MOST_PROBLEMS]]
    if len(pattern.problems) > MOST_PROBLEMS:
        told.append(f"{len(pattern.problems) - MOST_PROBLEMS} more parts of the document can't be read as rules.")
    return applied, list(dict.fromkeys(told))


def _obstacle(rule: PatternRule, source: SourceCode) -> str:
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
    return "" if rule.when is None or find_condition(rule.when, source) is not None else "other code"


def _is_for(rule: PatternRule, language: str | None) -> bool:
    is_spared = rule.spares_javascript and rule.languages and language == "javascript"
    return is_for_language(rule.languages, language) and not is_spared


def _is_elsewhere(rule: PatternRule, path: str | None) -> bool:
    if path is None:
        return False
    is_named = not rule.files or compile_globs(rule.files)(path)
    return not is_named or bool(rule.except_files and compile_globs(rule.except_files)(path))


def _sentence(obstacle: str, rules: list[PatternRule], source: SourceCode) -> str:
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
        "no tree": f"nothing that can be looked for in {source.language} ({_named(rules)})",
    }
    return f"{count} not checked: {reasons[obstacle]}."


def _named(rules: list[PatternRule]) -> str:
    names = [f"`{rule.id}`" for rule in rules[:MOST_NAMED]]
    return ", ".join([*names, "…"] if len(rules) > MOST_NAMED else names)


MOST_ADVICE = 5
MOST_SUGGESTED_PROBLEMS = 10
MOST_LINES = 5
LONGEST_ADVICE = 160
NOTHING_CHECKED = "No rule of this pattern was checked: nothing here says that the code follows it."


class CheckedCode(NamedTuple):
    """Findings with what stood at their places, and how far the check got."""

    pattern: PatternDocument
    found: tuple[tuple[Breach, str], ...]
    checked: int
    remarks: tuple[str, ...]
    most: int


def make_suggestions(outcome: CheckedCode) -> tuple[str, ...]:
    """Concrete lines first, then what stands in the way, then advice."""
    nothing = () if outcome.checked else (NOTHING_CHECKED,)
    left = len(outcome.found) - outcome.most
    too_many = (f"{left} more findings are not listed.",) if left > 0 else ()
    pattern = outcome.pattern
    return tuple(
        dict.fromkeys(
            [*nothing, *_mending(outcome), *outcome.remarks, *too_many, *_problems(pattern), *_advice(pattern)]
        )
    )


def _mending(outcome: CheckedCode) -> Iterator[str]:
    """One line for each broken rule, with all its places."""
    by_rule: dict[str, list[tuple[Breach, str]]] = {}
    for finding, subject in outcome.found[: outcome.most]:
        if finding.rule != "parseable":
            by_rule.setdefault(finding.rule, []).append((finding, subject))
    for found in by_rule.values():
        first, subject = found[0]
        lines = ", ".join(str(each.line) for each, _ in found[:MOST_LINES])
        more = f" and {len(found) - MOST_LINES} more" if len(found) > MOST_LINES else ""
        place = f"Line{'s' if len(found) > 1 else ''} {lines}{more}"
        at = f" at `{subject}`" if subject else ""
        said = " ".join((first.fix or first.description).split())
        end = "" if said.endswith((".", "!", "?")) else "."
        yield f"{place}: {said}{end} ({first.rule}{at}; pattern, line {first.document_line})"


def _problems(pattern: PatternDocument) -> Iterator[str]:
    for problem in pattern.problems[:MOST_SUGGESTED_PROBLEMS]:
        yield f"The pattern itself has a problem in line {problem.document_line}: {problem.message}"
    if len(pattern.problems) > MOST_SUGGESTED_PROBLEMS:
        yield f"The pattern has {len(pattern.problems) - MOST_SUGGESTED_PROBLEMS} more problems."


def _advice(pattern: PatternDocument) -> Iterator[str]:
    for advice in pattern.advice[:MOST_ADVICE]:
        text = advice.text if len(advice.text) <= LONGEST_ADVICE else advice.text[: LONGEST_ADVICE - 1] + "…"
        yield f"The document also says (line {advice.document_line}): {text}"


MOST_FINDINGS = 200
MOST_HITS = 1_000
PARSEABLE = "parseable"

Found = list[tuple[Breach, str]]
"""Breaches, each with what stands at its place."""


def make_report(
    pattern: PatternDocument, code: str, language: str | None = None, path: str | None = None
) -> CheckReport:
    """Check a text against a pattern; whatever the text is, there is a report."""
    snippet = unwrap_snippet(code.encode("utf-8", errors="replace").decode("utf-8"))
    stated = [name for name in (language, snippet.language) if name and name.strip()]
    spoken = _language(snippet.text, stated, path)
    source = SourceCode(prepare_snippet(snippet.text, spoken), spoken, path)
    rules, not_checked = select_rules(pattern, source)
    found: Found = [(each, "") for each in find_unparsed(source)]
    remarks = list(_misnamed(stated, spoken))
    refused: list[str] = []
    for rule in rules:
        try:
            broken = find_breaches(rule, source)
            found += broken
            remarks += _doubts(rule, source) if broken else ()
        except InvalidSyntaxRule as error:
            refused.append(f"Rule `{rule.id}` can't be run on {source.language}: {error}.")
    kept = sorted(dict(found).items(), key=lambda each: (each[0].line, each[0].rule))
    checked = len(rules) - len(refused)
    outcome = CheckedCode(pattern, tuple(kept), checked, tuple(remarks), MOST_FINDINGS)
    findings = tuple(each for each, _ in kept[:MOST_FINDINGS])
    return CheckReport(findings, make_suggestions(outcome), source.language, checked, (*not_checked, *refused))


def _language(text: str, stated: Sequence[str], path: str | None) -> str | None:
    """The language that was named, else that of the fence or the file, else the one that the text looks like."""
    known = next((found for name in stated if (found := canonical_language(name))), None)
    return known or (language_of(path) if path else None) or detect_language(text)


def _misnamed(stated: Sequence[str], spoken: str | None) -> Iterator[str]:
    if stated and not canonical_language(stated[0]):
        taken = f"it was read as {spoken}" if spoken else "only rules about plain text were checked"
        yield f"The language {stated[0][:40]!r} is not known here; {taken}."


def find_unparsed(source: SourceCode) -> Iterator[Breach]:
    """That code does not parse, where that is so."""
    if source.is_blank:
        return
    if source.root is None and source.language in GRAMMARS:
        yield Breach(PARSEABLE, TOO_DEEP, "warning", line=1, document_line=1)
    elif source.broken_line is not None:
        said = f"The code does not parse as {source.language} from line {source.broken_line} on; the rest was checked."
        yield Breach(PARSEABLE, said, "warning", line=source.broken_line, document_line=1)


def _doubts(rule: PatternRule, source: SourceCode) -> Iterator[str]:
    """What depends on where the code lies, when nobody says where that is."""
    if rule.files and source.known_path is None:
        where = f"{', '.join(rule.files)} (line {rule.document_line})"
        yield f"Rule `{rule.id}` holds only in {where}. Put the path in a first comment to have that told apart."


def find_breaches(rule: PatternRule, source: SourceCode) -> Found:
    """Where a text breaks a rule, and what stands there."""
    anchor = find_condition(rule.when, source) if rule.when else 0
    if anchor is None:
        return []
    hits = _missing(rule, source, anchor) if getattr(rule.check, "is_required", False) else _present(rule, source)
    by_line: dict[int, tuple[Breach, str]] = {}
    for hit in islice(hits, MOST_HITS):
        finding = _finding(rule, hit, source)
        by_line.setdefault(finding.line, (finding, hit.subject))
    return list(by_line.values())


def _present(rule: PatternRule, source: SourceCode) -> Iterator[CheckHit]:
    for hit in find_hits(rule.check, source):
        if rule.inside and not is_inside(rule.inside, hit.start, source):
            continue
        if rule.outside and is_inside_any(rule.outside, hit.start, source):
            continue
        yield hit


def _missing(rule: PatternRule, source: SourceCode, anchor: int) -> Iterator[CheckHit]:
    """Where something that is required is not: in each definition that the rule names, or in the text."""
    outside = rule.outside
    there = [hit for hit in find_hits(rule.check, source)
             if not (outside and is_inside_any(outside, hit.start, source))]  # fmt: skip
    if rule.inside is None:
        if not there:
            yield CheckHit(anchor, anchor, "")
        return
    for region in find_regions(rule.inside, source):
        if not any(region.holds(hit.start) for hit in there):
            yield CheckHit(region.anchor, region.anchor, region.name)


def _finding(rule: PatternRule, hit: CheckHit, source: SourceCode) -> Breach:
    at = source.position(hit.start)
    end = source.position(max(hit.start, hit.end - 1))
    return Breach(rule.id, rule.message, rule.severity, at.line, rule.document_line, rule.fix, at.column, end.line)
