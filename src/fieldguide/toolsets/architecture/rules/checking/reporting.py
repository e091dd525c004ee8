"""Code against a pattern: every rule that holds for it, and what each one finds."""

from collections.abc import Iterator, Sequence
from itertools import islice

from fieldguide.source_code.detection import detect_language
from fieldguide.source_code.languages import canonical_language, language_of
from fieldguide.source_code.parsing import GRAMMARS
from fieldguide.toolsets.architecture.rules.checking.applicability import TOO_DEEP, applicable_rules
from fieldguide.toolsets.architecture.rules.checking.hits import Hit, InvalidSyntaxRule, find_hits
from fieldguide.toolsets.architecture.rules.checking.scopes import condition_place, is_inside, is_inside_any, regions
from fieldguide.toolsets.architecture.rules.checking.suggestions import Outcome, suggest
from fieldguide.toolsets.architecture.rules.code.snippets import prepared, unwrap
from fieldguide.toolsets.architecture.rules.code.source import SourceCode
from fieldguide.toolsets.architecture.rules.pattern import Breach, Pattern, Report, Rule

MOST_FINDINGS = 200
MOST_HITS = 1_000
PARSEABLE = "parseable"

Found = list[tuple[Breach, str]]
"""Breaches, each with what stands at its place."""


def check_code(pattern: Pattern, code: str, language: str | None = None, path: str | None = None) -> Report:
    """Check a text against a pattern; whatever the text is, there is a report."""
    snippet = unwrap(code.encode("utf-8", errors="replace").decode("utf-8"))
    stated = [name for name in (language, snippet.language) if name and name.strip()]
    spoken = _language(snippet.text, stated, path)
    source = SourceCode(prepared(snippet.text, spoken), spoken, path)
    rules, not_checked = applicable_rules(pattern, source)
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
    outcome = Outcome(pattern, tuple(kept), checked, tuple(remarks), MOST_FINDINGS)
    findings = tuple(each for each, _ in kept[:MOST_FINDINGS])
    return Report(findings, suggest(outcome), source.language, checked, (*not_checked, *refused))


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


def _doubts(rule: Rule, source: SourceCode) -> Iterator[str]:
    """What depends on where the code lies, when nobody says where that is."""
    if rule.files and source.known_path is None:
        where = f"{', '.join(rule.files)} (line {rule.document_line})"
        yield f"Rule `{rule.id}` holds only in {where}. Put the path in a first comment to have that told apart."


def find_breaches(rule: Rule, source: SourceCode) -> Found:
    """Where a text breaks a rule, and what stands there."""
    anchor = condition_place(rule.when, source) if rule.when else 0
    if anchor is None:
        return []
    hits = _missing(rule, source, anchor) if getattr(rule.check, "is_required", False) else _present(rule, source)
    by_line: dict[int, tuple[Breach, str]] = {}
    for hit in islice(hits, MOST_HITS):
        finding = _finding(rule, hit, source)
        by_line.setdefault(finding.line, (finding, hit.subject))
    return list(by_line.values())


def _present(rule: Rule, source: SourceCode) -> Iterator[Hit]:
    for hit in find_hits(rule.check, source):
        if rule.inside and not is_inside(rule.inside, hit.start, source):
            continue
        if rule.outside and is_inside_any(rule.outside, hit.start, source):
            continue
        yield hit


def _missing(rule: Rule, source: SourceCode, anchor: int) -> Iterator[Hit]:
    """Where something that is required is not: in each definition that the rule names, or in the text."""
    outside = rule.outside
    there = [hit for hit in find_hits(rule.check, source)
             if not (outside and is_inside_any(outside, hit.start, source))]  # fmt: skip
    if rule.inside is None:
        if not there:
            yield Hit(anchor, anchor, "")
        return
    for region in regions(rule.inside, source):
        if not any(region.holds(hit.start) for hit in there):
            yield Hit(region.anchor, region.anchor, region.name)


def _finding(rule: Rule, hit: Hit, source: SourceCode) -> Breach:
    at, end = source.position(hit.start), source.position(max(hit.start, hit.end - 1))
    return Breach(rule.id, rule.message, rule.severity, at.line, rule.document_line, rule.fix, at.column, end.line)
