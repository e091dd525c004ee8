"""Code against a pattern: every rule that holds for it, and what each one finds."""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from fieldguide.globbing import matcher
from fieldguide.source_code.languages import language_of
from fieldguide.source_code.parsing import GRAMMARS
from fieldguide.toolsets.architecture.rules.checking.hits import Hit, InvalidSyntaxRule, can_check, find_hits
from fieldguide.toolsets.architecture.rules.checking.scopes import condition_place, is_inside, is_inside_any, regions
from fieldguide.toolsets.architecture.rules.checking.suggestions import Outcome, suggest
from fieldguide.toolsets.architecture.rules.code.languages import canonical_language, detect_language, is_for
from fieldguide.toolsets.architecture.rules.code.snippets import prepared, unwrap
from fieldguide.toolsets.architecture.rules.code.source import SourceCode
from fieldguide.toolsets.architecture.rules.pattern import Breach, Check, Pattern, Report, Rule

MOST_FINDINGS = 200
MOST_HITS = 1_000
PARSEABLE = "parseable"


class _Told(NamedTuple):
    """The language that counts, and what there is to say about the one that was named."""

    language: str | None
    remarks: tuple[str, ...] = ()


def check_code(pattern: Pattern, code: str, language: str | None = None, path: str | None = None) -> Report:
    """Check a text against a pattern; whatever the text is, there is a report."""
    snippet = unwrap(code.encode("utf-8", errors="replace").decode("utf-8"))
    if not snippet.text.strip():
        empty = Breach(PARSEABLE, "There is no code to check.", "warning", line=1, document_line=1)
        return Report((empty,), suggest(Outcome(pattern, (), 0)), None, 0)
    told = _language(snippet.text, [language, snippet.language], path)
    source = SourceCode(prepared(snippet.text, told.language), told.language, path)
    remarks = [*told.remarks, *_limits(source)]
    found: list[tuple[Breach, str]] = [(each, "") for each in _unparsed(source)]
    checked = 0
    for rule in _rules_for(pattern, source):
        try:
            broken = find_breaches(rule, source)
            found += broken
            checked += 1
            remarks += _doubts(rule, source, is_broken=bool(broken))
        except InvalidSyntaxRule as error:
            remarks.append(f"Rule `{rule.id}` can't be run on {source.language}: {error}.")
    kept = sorted(dict(found).items(), key=lambda each: (each[0].line, each[0].rule))
    outcome = Outcome(pattern, tuple(kept), checked, source.language, tuple(remarks), most=MOST_FINDINGS)
    return Report(tuple(each for each, _ in kept[:MOST_FINDINGS]), suggest(outcome), source.language, checked)


def _language(text: str, stated: list[str | None], path: str | None) -> _Told:
    """The language that was named, else that of the fence or the file, else the one that the text looks like."""
    named = next((name for name in stated if name and name.strip()), None)
    known = next((found for name in stated if name and (found := canonical_language(name))), None)
    known = known or (language_of(path) if path else None)
    detected = known or detect_language(text)
    remarks: tuple[str, ...] = ()
    if named and not canonical_language(named):
        taken = f"it was read as {detected}" if detected else "only rules about plain text were checked"
        remarks = (f"The language {named[:40]!r} is not known here; {taken}.",)
    return _Told(detected, remarks)


def _limits(source: SourceCode) -> Iterator[str]:
    if source.language is None:
        yield "The language could not be told: only rules about plain text were checked. Name it in `language`."
    elif source.has_long_lines:
        yield "A line is so long that only what comes first was checked. Is the code minified?"
    elif source.language not in GRAMMARS:
        yield f"No parser for {source.language} is used here: only rules about plain text were checked."


def _unparsed(source: SourceCode) -> Iterator[Breach]:
    if source.root is None and source.language in GRAMMARS:
        said = "The code is nested too deeply, or too far from code, to be parsed; only its plain text was checked."
        yield Breach(PARSEABLE, said, "warning", line=1, document_line=1)
    elif source.broken_line is not None:
        said = f"The code does not parse as {source.language} from line {source.broken_line} on; the rest was checked."
        yield Breach(PARSEABLE, said, "warning", line=source.broken_line, document_line=1)


def _rules_for(pattern: Pattern, source: SourceCode) -> Iterator[Rule]:
    path = source.known_path
    for rule in pattern.rules:
        if not is_for(rule.languages, source.language) or not can_check(rule.check, source):
            continue
        if rule.spares_javascript and rule.languages and source.language == "javascript":
            continue
        if path and rule.files and not matcher(rule.files)(path):
            continue
        if path and rule.except_files and matcher(rule.except_files)(path):
            continue
        yield rule


def _doubts(rule: Rule, source: SourceCode, *, is_broken: bool) -> Iterator[str]:
    """What depends on where the code lies, when nobody says where that is."""
    at = f"(line {rule.document_line})"
    if is_broken and rule.files and source.known_path is None:
        where = ", ".join(rule.files)
        yield f"Rule `{rule.id}` holds only in {where} {at}. Put the path in a first comment to have that told apart."


def find_breaches(rule: Rule, source: SourceCode) -> list[tuple[Breach, str]]:
    """Where a text breaks a rule, and what stands there."""
    anchor = condition_place(rule.when, source) if rule.when else 0
    if anchor is None:
        return []
    hits = _missing(rule, source, anchor) if _is_required(rule.check) else _present(rule, source)
    by_line: dict[int, tuple[Breach, str]] = {}
    for hit in islice(hits, MOST_HITS):
        finding = _finding(rule, hit, source)
        by_line.setdefault(finding.line, (finding, hit.subject))
    return list(by_line.values())


def _is_required(check: Check) -> bool:
    return getattr(check, "is_required", False)


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
