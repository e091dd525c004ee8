"""Where a rule holds: inside or outside of some definitions, or only in code that has something."""

from collections.abc import Iterator
from typing import NamedTuple

from fieldguide.source_code.names.defined import CALLABLES, CONTAINERS, Definition
from fieldguide.toolsets.architecture.rules.checking.globs import name_matcher
from fieldguide.toolsets.architecture.rules.checking.hits import find_hits
from fieldguide.toolsets.architecture.rules.code.source import SourceCode
from fieldguide.toolsets.architecture.rules.pattern import CallCheck, Check, Condition, ImportCheck, Place


class Region(NamedTuple):
    """A definition that a rule wants something of: where it is named, and all its parts."""

    anchor: int
    name: str
    spans: tuple[tuple[int, int], ...]

    def holds(self, index: int) -> bool:
        """Whether a place lies in one of the parts."""
        return any(start <= index < end for start, end in self.spans)


def is_inside(place: Place, index: int, code: SourceCode) -> bool:
    """Whether a place lies in a class and in a function with such names, so far as either is asked for."""
    around = list(code.enclosures.around(index))
    in_class = not place.classes or any(_class_fits(place, each) for each in around)
    return in_class and (not place.functions or any(_function_fits(place, each) for each in around))


def is_inside_any(place: Place, index: int, code: SourceCode) -> bool:
    """Whether a place lies in a class or in a function with such a name."""
    return any(_class_fits(place, each) or _function_fits(place, each) for each in code.enclosures.around(index))


def regions(place: Place, code: SourceCode) -> list[Region]:
    """The functions with such names, or else the classes; a class with the methods that are written elsewhere."""
    if place.functions:
        return [
            Region(each.name_start, each.name, ((each.start, each.end),))
            for each in code.definitions
            if _function_fits(place, each) and (not place.classes or is_inside(place, each.name_start, code))
        ]
    found: dict[str, Region] = {}
    for each in code.definitions:
        name = each.owner or each.name
        if _class_fits(place, each):
            known = found.get(name) or Region(each.name_start, name, ())
            found[name] = known._replace(spans=(*known.spans, (each.start, each.end)))
    return list(found.values())


def condition_place(condition: Condition, code: SourceCode) -> int | None:
    """Where the code has the first thing that a condition asks for; None unless it has all."""
    places = [next(iter(each), None) for each in _wanted(condition, code)]
    return None if any(place is None for place in places) else next((place for place in places), 0)


def _wanted(condition: Condition, code: SourceCode) -> Iterator[Iterator[int]]:
    for place in (Place(classes=condition.classes), Place(functions=condition.functions)):
        if any(place):
            yield (region.anchor for region in regions(place, code))
    checks: list[Check] = [ImportCheck(condition.imports)] if condition.imports else []
    checks += [CallCheck(condition.calls)] if condition.calls else []
    checks += [condition.syntax] if condition.syntax else []
    for check in checks:
        yield (hit.start for hit in find_hits(check, code))


def _class_fits(place: Place, each: Definition) -> bool:
    if not place.classes or (each.kind not in CONTAINERS and not each.owner):
        return False
    return name_matcher(place.classes)(each.owner or each.name)


def _function_fits(place: Place, each: Definition) -> bool:
    return bool(place.functions) and each.kind in CALLABLES and name_matcher(place.functions)(each.name)
