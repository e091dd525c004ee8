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
    """A definition that a rule requires something of: where its name is, and the spans of all its parts."""

    anchor: int
    name: str
    spans: tuple[tuple[int, int], ...]

    def holds(self, index: int) -> bool:
        """Whether an index is in one of the parts."""
        return any(start <= index < end for start, end in self.spans)


def is_inside(place: DefinitionScope, index: int, code: SourceCode) -> bool:
    """Whether an index is in a class and in a function with such names, as far as the scope names either."""
    around = list(code.enclosures.around(index))
    if place.classes and not any(_class_fits(place, each) for each in around):
        return False
    return not place.functions or any(_function_fits(place, each) for each in around)


def is_inside_any(place: DefinitionScope, index: int, code: SourceCode) -> bool:
    """Whether an index is in a class or in a function with such a name."""
    return any(_class_fits(place, each) or _function_fits(place, each) for each in code.enclosures.around(index))


def find_regions(place: DefinitionScope, code: SourceCode) -> list[DefinitionRegion]:
    """The functions with such names, or else the classes; methods written outside of their class belong to it."""
    functions: list[DefinitionRegion] = []
    classes: dict[str, DefinitionRegion] = {}
    for each in code.definitions:
        span = (each.start, each.end)
        if place.functions:
            if _function_fits(place, each) and (not place.classes or is_inside(place, each.name_start, code)):
                functions.append(DefinitionRegion(each.name_start, each.name, (span,)))
        elif _class_fits(place, each):
            name = each.owner or each.name
            known = classes.get(name) or DefinitionRegion(each.name_start, name, ())
            classes[name] = known._replace(spans=(*known.spans, span))
    return functions or list(classes.values())


def find_condition(condition: RuleCondition, code: SourceCode) -> int | None:
    """The place of the first thing that a condition asks for; None unless the code has all of them."""
    places: list[int | None] = []
    for scope in (DefinitionScope(classes=condition.classes), DefinitionScope(functions=condition.functions)):
        if any(scope):
            regions = find_regions(scope, code)
            places.append(regions[0].anchor if regions else None)
    checks: list[Check] = []
    if condition.imports:
        checks.append(ImportCheck(condition.imports))
    if condition.calls:
        checks.append(CallCheck(condition.calls))
    if condition.syntax:
        checks.append(condition.syntax)
    places += [next((hit.start for hit in find_hits(check, code)), None) for check in checks]
    if None in places:
        return None
    return places[0] if places else 0


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
    """The rules to apply, and sentences about the rules and the code that are left out."""
    by_obstacle: dict[str, list[PatternRule]] = {}
    for rule in pattern.rules:
        by_obstacle.setdefault(_find_obstacle(rule, source), []).append(rule)
    applied = by_obstacle.pop("", [])
    sentences = [_sentence(obstacle, rules, source) for obstacle, rules in by_obstacle.items()]
    if not pattern.rules:
        sentences.append(NO_RULE)
    if source.has_long_lines:
        sentences.append(LONG_LINES)
    if source.broken_line is not None:
        sentences.append(f"The code does not parse as {source.language} from line {source.broken_line} on.")
    sentences += [
        f"{each.message[:MOST_SAID]} (line {each.document_line})" for each in pattern.problems[:MOST_PROBLEMS]
    ]
    if len(pattern.problems) > MOST_PROBLEMS:
        sentences.append(f"{len(pattern.problems) - MOST_PROBLEMS} more parts of the document can't be read as rules.")
    return applied, list(dict.fromkeys(sentences))


def _find_obstacle(rule: PatternRule, source: SourceCode) -> str:
    """The reason why a rule can't be applied, if any; every rule applies to empty code of no language."""
    language = source.language
    if source.is_blank and language is None:
        return ""
    if language is None and not can_check(rule.check, source):
        return "unknown language"
    is_spared = rule.spares_javascript and rule.languages and language == "javascript"
    if is_spared or not is_for_language(rule.languages, language):
        return "other language"
    path = source.known_path
    if path is not None:
        if rule.files and not compile_globs(rule.files)(path):
            return "other file"
        if rule.except_files and compile_globs(rule.except_files)(path):
            return "other file"
    if not (source.is_blank or can_check(rule.check, source)):
        return "no tree"
    if rule.when is not None and find_condition(rule.when, source) is None:
        return "other code"
    return ""


def _sentence(obstacle: str, rules: list[PatternRule], source: SourceCode) -> str:
    if source.language is None:
        return NO_LANGUAGE
    if obstacle == "no tree" and source.language in GRAMMARS and source.root is None:
        return TOO_DEEP
    count = "1 rule was" if len(rules) == 1 else f"{len(rules)} rules were"
    languages = ", ".join(sorted({each for rule in rules for each in rule.languages}))
    names = ", ".join(f"`{rule.id}`" for rule in rules[:MOST_NAMED])
    if len(rules) > MOST_NAMED:
        names += ", …"
    reasons = {
        "other language": f"for {languages}, not for {source.language}",
        "other file": f"for other files than {source.known_path}",
        "other code": f"the code has nothing that {'it is' if len(rules) == 1 else 'they are'} about",
        "no tree": f"nothing that can be looked for in {source.language} ({names})",
    }
    return f"{count} not checked: {reasons[obstacle]}."


MOST_FINDINGS = 200
MOST_HITS = 1_000
PARSEABLE = "parseable"
MOST_ADVICE = 5
MOST_SUGGESTED_PROBLEMS = 10
MOST_LINES = 5
LONGEST_ADVICE = 160
NOTHING_CHECKED = "No rule of this pattern was checked: nothing here says that the code follows it."


def make_suggestions(
    pattern: PatternDocument, found: Sequence[tuple[Breach, str]], checked: int, remarks: Sequence[str]
) -> tuple[str, ...]:
    """Fixes by line first, then what kept the check from saying more, then the advice of the document."""
    suggestions: list[str] = []
    if not checked:
        suggestions.append(NOTHING_CHECKED)
    suggestions += _suggest_fixes(found[:MOST_FINDINGS])
    suggestions += remarks
    if len(found) > MOST_FINDINGS:
        suggestions.append(f"{len(found) - MOST_FINDINGS} more findings are not listed.")
    suggestions += _problems(pattern)
    for advice in pattern.advice[:MOST_ADVICE]:
        text = advice.text
        if len(text) > LONGEST_ADVICE:
            text = text[: LONGEST_ADVICE - 1] + "…"
        suggestions.append(f"The document also says (line {advice.document_line}): {text}")
    return tuple(dict.fromkeys(suggestions))


def _suggest_fixes(found: Sequence[tuple[Breach, str]]) -> Iterator[str]:
    """One line for each broken rule, with all its places."""
    by_rule: dict[str, list[tuple[Breach, str]]] = {}
    for finding, subject in found:
        if finding.rule != PARSEABLE:
            by_rule.setdefault(finding.rule, []).append((finding, subject))
    for places in by_rule.values():
        first, subject = places[0]
        lines = ", ".join(str(each.line) for each, _ in places[:MOST_LINES])
        more = f" and {len(places) - MOST_LINES} more" if len(places) > MOST_LINES else ""
        at = f" at `{subject}`" if subject else ""
        fix = " ".join((first.fix or first.description).split())
        if not fix.endswith((".", "!", "?")):
            fix += "."
        plural = "s" if len(places) > 1 else ""
        yield f"Line{plural} {lines}{more}: {fix} ({first.rule}{at}; pattern, line {first.document_line})"


def _problems(pattern: PatternDocument) -> Iterator[str]:
    for problem in pattern.problems[:MOST_SUGGESTED_PROBLEMS]:
        yield f"The pattern itself has a problem in line {problem.document_line}: {problem.message}"
    if len(pattern.problems) > MOST_SUGGESTED_PROBLEMS:
        yield f"The pattern has {len(pattern.problems) - MOST_SUGGESTED_PROBLEMS} more problems."


Found = list[tuple[Breach, str]]
"""Breaches, each with the code at its place."""


def make_report(
    pattern: PatternDocument, code: str, language: str | None = None, path: str | None = None
) -> CheckReport:
    """Check any text against a pattern."""
    snippet = unwrap_snippet(code.encode("utf-8", errors="replace").decode("utf-8"))
    stated = [name for name in (language, snippet.language) if name and name.strip()]
    detected = _detect_language(snippet.text, stated, path)
    source = SourceCode(prepare_snippet(snippet.text, detected), detected, path)
    rules, not_checked = select_rules(pattern, source)
    found: Found = [(each, "") for each in find_unparsed(source)]
    remarks: list[str] = []
    if stated and not canonical_language(stated[0]):
        taken = f"it was read as {detected}" if detected else "only rules about plain text were checked"
        remarks.append(f"The language {stated[0][:40]!r} is not known here; {taken}.")
    refused: list[str] = []
    for rule in rules:
        try:
            broken = find_breaches(rule, source)
        except InvalidSyntaxRule as error:
            refused.append(f"Rule `{rule.id}` can't be run on {source.language}: {error}.")
            continue
        found += broken
        if broken and rule.files and source.known_path is None:
            where = f"{', '.join(rule.files)} (line {rule.document_line})"
            remarks.append(
                f"Rule `{rule.id}` holds only in {where}. Put the path in a first comment to have that told apart."
            )
    ordered = sorted(dict(found).items(), key=lambda each: (each[0].line, each[0].rule))
    checked = len(rules) - len(refused)
    suggestions = make_suggestions(pattern, ordered, checked, remarks)
    findings = tuple(each for each, _ in ordered[:MOST_FINDINGS])
    return CheckReport(findings, suggestions, source.language, checked, (*not_checked, *refused))


def _detect_language(text: str, stated: Sequence[str], path: str | None) -> str | None:
    """The first known language of those stated, else that of the path, else the one that the text looks like."""
    for name in stated:
        known = canonical_language(name)
        if known:
            return known
    return (language_of(path) if path else None) or detect_language(text)


def find_unparsed(source: SourceCode) -> Iterator[Breach]:
    """A warning if the code does not parse."""
    if source.is_blank:
        return
    if source.root is None and source.language in GRAMMARS:
        yield Breach(PARSEABLE, TOO_DEEP, "warning", line=1, document_line=1)
    elif source.broken_line is not None:
        said = f"The code does not parse as {source.language} from line {source.broken_line} on; the rest was checked."
        yield Breach(PARSEABLE, said, "warning", line=source.broken_line, document_line=1)


def find_breaches(rule: PatternRule, source: SourceCode) -> Found:
    """The places where a text breaks a rule, at most one per line."""
    anchor = find_condition(rule.when, source) if rule.when else 0
    if anchor is None:
        return []
    is_required = getattr(rule.check, "is_required", False)
    hits = _find_missing(rule, source, anchor) if is_required else _find_forbidden(rule, source)
    by_line: dict[int, tuple[Breach, str]] = {}
    for hit in islice(hits, MOST_HITS):
        at = source.position(hit.start)
        end = source.position(max(hit.start, hit.end - 1))
        breach = Breach(
            rule.id, rule.message, rule.severity, at.line, rule.document_line, rule.fix, at.column, end.line
        )
        by_line.setdefault(at.line, (breach, hit.subject))
    return list(by_line.values())


def _find_forbidden(rule: PatternRule, source: SourceCode) -> Iterator[CheckHit]:
    for hit in find_hits(rule.check, source):
        if rule.inside and not is_inside(rule.inside, hit.start, source):
            continue
        if rule.outside and is_inside_any(rule.outside, hit.start, source):
            continue
        yield hit


def _find_missing(rule: PatternRule, source: SourceCode, anchor: int) -> Iterator[CheckHit]:
    """The definitions that lack what the rule requires of them; `anchor` if it requires it of the whole text."""
    hits = find_hits(rule.check, source)
    if rule.outside is not None:
        outside = rule.outside
        hits = (hit for hit in hits if not is_inside_any(outside, hit.start, source))
    there = [hit.start for hit in hits]
    if rule.inside is None:
        if not there:
            yield CheckHit(anchor, anchor, "")
        return
    for region in find_regions(rule.inside, source):
        if not any(map(region.holds, there)):
            yield CheckHit(region.anchor, region.anchor, region.name)
