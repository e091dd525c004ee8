"""Good and bad examples: what the bad one has and the good one lacks becomes a rule, where that is unambiguous."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fieldguide.toolsets.architecture.rules.error_structures import (
    BARE_EXCEPT,
    BROAD_CATCH,
    EMPTY_CATCH,
    PANIC,
    THROWN_GENERIC,
)
from fieldguide.toolsets.architecture.rules.examples import Example, is_verdict_heading
from fieldguide.toolsets.architecture.rules.hits import can_check, find_hits
from fieldguide.toolsets.architecture.rules.likeness import is_telling, shape_of, units_of
from fieldguide.toolsets.architecture.rules.pattern import CallCheck, Check, ImportCheck, LikenessCheck, Rule, Severity
from fieldguide.toolsets.architecture.rules.sections import anchor
from fieldguide.toolsets.architecture.rules.source import SourceCode
from fieldguide.toolsets.architecture.rules.sql_structures import SQL_CONCATENATION
from fieldguide.toolsets.architecture.rules.structures import (
    ANY_TYPE,
    CONSOLE,
    FIELD_INJECTED,
    MADE_DEPENDENCY,
    MUTABLE_DEFAULT,
    SECRET,
    WILDCARD_IMPORT,
)

SHOWN = (
    EMPTY_CATCH,
    BARE_EXCEPT,
    MUTABLE_DEFAULT,
    SQL_CONCATENATION,
    WILDCARD_IMPORT,
    FIELD_INJECTED,
    SECRET,
    ANY_TYPE,
    CONSOLE,
    THROWN_GENERIC,
    PANIC,
    BROAD_CATCH,
    MADE_DEPENDENCY,
)
IMPLIED: tuple[Check, ...] = (BROAD_CATCH, BARE_EXCEPT)
"""What an example of something narrower often is as well."""
MOST_BAD = 100


class _Pair(NamedTuple):
    bad: Example
    source: SourceCode
    good: list[SourceCode]


def rules_of_examples(
    examples: Sequence[Example], told: set[tuple[str, ...]], pitfalls: set[tuple[str, ...]]
) -> Iterator[Rule]:
    """The rules that bad examples show, for sections whose words gave none (`told` names those that did)."""
    for pair in _pairs(examples):
        topic = topic_of(pair.bad.headings)
        if topic in told:
            continue
        heading = topic[-1] if topic else "Bad example"
        severity: Severity = "error" if topic in pitfalls else "warning"
        for number, check in enumerate(_checks(pair)):
            yield Rule(
                f"{anchor(heading)[:50].strip('-')}-example" + (f"-{number + 1}" if number else ""),
                f"{heading.rstrip('.')}: the document shows this as a bad example.",
                check,
                pair.bad.line,
                severity=severity,
                languages=() if not isinstance(check, LikenessCheck) else (check.language,),
                origin="prose",
            )


def topic_of(headings: tuple[str, ...]) -> tuple[str, ...]:
    """The headings that an example stands under, without those that only say `Bad` or `Good`."""
    kept = headings
    while len(kept) > 1 and is_verdict_heading(kept[-1]):
        kept = kept[:-1]
    return kept


def _pairs(examples: Sequence[Example]) -> Iterator[_Pair]:
    good: dict[tuple[tuple[str, ...], str | None], list[SourceCode]] = {}
    for each in examples:
        if each.verdict == "good":
            good.setdefault((topic_of(each.headings), each.language), []).append(SourceCode(each.code, each.language))
    for bad in [each for each in examples if each.verdict == "bad"][:MOST_BAD]:
        source = SourceCode(bad.code, bad.language)
        if source.root is not None:
            yield _Pair(bad, source, good.get((topic_of(bad.headings), bad.language), []))


def _checks(pair: _Pair) -> Iterator[Check]:
    shown = [check for check in SHOWN if _is_only_bad(check, pair)]
    if shown and all(other in IMPLIED for other in shown[1:]):
        yield shown[0]
        return
    found = _called(pair) if pair.good and not shown else None
    if found:
        yield found
    yield from _reappearing(pair)


def _is_only_bad(check: Check, pair: _Pair) -> bool:
    if not can_check(check, pair.source) or not any(True for _ in find_hits(check, pair.source)):
        return False
    return not any(any(True for _ in find_hits(check, good)) for good in pair.good)


def _called(pair: _Pair) -> Check | None:
    """The one function of a module, or the one import, that only the bad example has."""
    modules = {name.rpartition(".")[2] for each in pair.source.imports for name in each.names}
    calls = {call.names[-1] for call in pair.source.calls if _is_outside(call.names, modules)}
    calls -= {name for good in pair.good for call in good.calls for name in call.names}
    imports = {each.names[0] for each in pair.source.imports}
    imports -= {name for good in pair.good for each in good.imports for name in each.names}
    if len(calls) == 1:
        return CallCheck(tuple(calls))
    return ImportCheck(tuple(imports)) if len(imports) == 1 and not calls else None


def _is_outside(names: tuple[str, ...], modules: set[str]) -> bool:
    """Whether a callee is known outside of the example: it was imported, or belongs to a class."""
    written = names[0].removeprefix("new ")
    head = written.partition(".")[0]
    is_static = "." in written and written[:1].isupper() and "(" not in written
    is_imported = head in modules or (len(names) > 1 and head not in ("self", "this"))
    return is_static or is_imported


def _reappearing(pair: _Pair) -> Iterator[Check]:
    root, language = pair.source.root, pair.source.grammar
    if root is None or language is None or pair.source.broken_line is not None:
        return
    good = {shape_of(unit) for each in pair.good if each.root for unit in units_of(each.root)}
    for unit in units_of(root):
        shape = shape_of(unit)
        if is_telling(shape) and shape not in good:
            yield LikenessCheck(language, unit.kind(), shape)
