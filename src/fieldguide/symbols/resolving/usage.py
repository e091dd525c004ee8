"""The uses of one symbol: every use of its name is resolved, and what can't be is a candidate with a confidence."""

import posixpath
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fieldguide.symbols.facts import EXPORTED, FIELD, IMPORT, IMPORTED, UNTOLD, Definition, Reference
from fieldguide.symbols.resolving.confidence import Counted, clues_of, confidence_of, reason_of
from fieldguide.symbols.resolving.families import same_as
from fieldguide.symbols.resolving.resolver import Resolver
from fieldguide.symbols.resolving.values import At, Value

DEFINE = "define"
MOST_KNOWN = 3_000
MOST_FILES = 1_000
MOST_FILES_OF_MANY = 150  # a name that many things have takes longer to resolve, and means one of them seldom
FEW = 3
MOST_USES = 5_000
MOST_OTHER_NAMES = 10
MOST_FILES_OF_OTHER_NAMES = 100
MOST_ALIKE = 50
MOST_CANDIDATES = 500
LIKELY, THROUGH_PACKAGE = 0.9, "its type goes through a function or type of a package"
LEAST_CONFIDENCE = 0.05


class Usage(NamedTuple):
    """A use of a symbol."""

    path: str
    line: int
    column: int
    role: str
    within: int
    confidence: float
    is_certain: bool
    reason: str


def uses_of_symbol(resolver: Resolver, at: At) -> list[Usage]:
    """Who uses a definition: what is certain first, by place, then candidates by their confidence."""
    shape = resolver.view.shape(at.path)
    definition = resolver.view.definition(*at)
    if shape is None or definition is None:
        return []
    group = set(same_as(resolver, at))
    own_way = resolver.own_way(at.path)
    told = {each for each in group if _is_told(resolver, each, at)} | set(own_way.kin(at, group) if own_way else ())
    found = [_defining(resolver, each) for each in sorted(told - {at})]
    found += _Search(resolver, at, group).run(definition.name)
    found.sort(key=lambda each: (not each.is_certain, -each.confidence, each.path, each.line, each.column))
    return found


def reach(resolver: Resolver, at: At) -> tuple[int, int]:
    """How many files of those that have a symbol's name are looked at for its uses, and of how many."""
    definition = resolver.view.definition(*at)
    if definition is None:
        return 0, 0
    search = _Search(resolver, at, {at})
    most = _most_files(search.alike(definition.name))
    known = len(resolver.view.using(definition.name, MOST_KNOWN))
    return min(known, most), known


class _Search:
    def __init__(self, resolver: Resolver, at: At, group: set[At]) -> None:
        self._resolver = resolver
        self._view = resolver.view
        self._at = at
        self._group = group
        self._name = ""
        self._own_way = resolver.own_way(at.path)
        self._others: list[str] = list(self._own_way.other_names(at)) if self._own_way else []

    def run(self, name: str) -> Iterator[Usage]:
        """The uses of a name, and of the other names that imports give it."""
        self._name = name
        alike = self.alike(name)
        seen: set[tuple[str, int, int]] = set()
        for each in self._named(name, alike):
            seen.add((each.path, each.line, each.column))
            yield each
        for number, other in enumerate(self._others):
            if number >= MOST_OTHER_NAMES:
                return
            for path, use in self._uses(other, MOST_FILES_OF_OTHER_NAMES):
                place = (path, use.line, use.column)
                if place not in seen and self._is_meant(path, use):
                    seen.add(place)
                    self._note_other_name(path, use)
                    yield _certain(path, use)

    def _uses(self, name: str, most: int) -> Iterator[tuple[str, Reference]]:
        for path in self._files(name, most):
            for each in self._view.uses(path, name):
                yield path, each

    def _files(self, name: str, most: int) -> list[str]:
        """The files that use a name; of very many those that are likeliest to mean this symbol: the nearest."""
        paths = [file.path for file in self._view.using(name, MOST_KNOWN)]
        if len(paths) <= most:
            return paths
        importers = self._view.importers(self._at.path)
        folder = posixpath.dirname(self._at.path)

        def distance(path: str) -> tuple[int, int, str]:
            is_beside = posixpath.dirname(path) == folder
            place = 0 if path == self._at.path else 1 if path in importers else 2 if is_beside else 3
            return place, -len(posixpath.commonprefix((path, self._at.path))), path

        return sorted(sorted(paths, key=distance)[:most])

    def _named(self, name: str, alike: int) -> Iterator[Usage]:
        unsure: list[tuple[str, Reference]] = []
        ours = resolved = count = 0
        for path, each in self._uses(name, _most_files(alike)):
            values = self._resolver.meant(path, each)
            is_ours = any(map(self._is_ours, values))
            if each.receiver and each.role != IMPORT:
                resolved, ours = resolved + bool(values), ours + is_ours
            if is_ours:
                self._note_other_name(path, each)
                yield _certain(path, each)
            elif self._is_likely(path, each, values):
                yield _certain(path, each)._replace(confidence=LIKELY, is_certain=False, reason=THROUGH_PACKAGE)
            elif not values and len(unsure) < MOST_CANDIDATES:
                unsure.append((path, each))
            count += is_ours
            if count >= MOST_USES:
                break
        yield from self._candidates(unsure, Counted(ours, resolved, alike))

    def _candidates(self, unsure: list[tuple[str, Reference]], counted: Counted) -> Iterator[Usage]:
        importers = self._view.importers(self._at.path) if unsure else set[str]()
        for path, each in unsure:
            clues = clues_of(self._view, self._at, path, each, importers)
            sure = confidence_of(counted, clues)
            if sure >= LEAST_CONFIDENCE:
                told = reason_of(counted, clues)
                yield Usage(path, each.line, each.column, each.role, each.within, sure, is_certain=False, reason=told)

    def _is_likely(self, path: str, each: Reference, values: Sequence[Value]) -> bool:
        own_way = self._resolver.own_way(path) if each.receiver and not any(value.at for value in values) else None
        return own_way is not None and any(map(self._is_ours, own_way.likely(path, each)))

    def _is_meant(self, path: str, each: Reference) -> bool:
        return any(map(self._is_ours, self._resolver.meant(path, each)))

    def _is_ours(self, value: Value) -> bool:
        if value.at is None or value.at in self._group:
            return value.at is not None
        return self._own_way is not None and not self._group.isdisjoint(self._own_way.same(value.at))

    def _note_other_name(self, path: str, each: Reference) -> None:
        """Remember the name that an import gives a symbol in place of its own."""
        shape = self._view.shape(path) if each.role == IMPORT and each.receiver else None
        for other in shape.definitions if shape else ():
            is_same = other.kind in (IMPORTED, EXPORTED) and other.type == each.receiver
            if is_same and other.name not in (each.name, self._name, *self._others):
                self._others.append(other.name)

    def alike(self, name: str) -> int:
        """How many definitions of the project have a name; at most so many."""
        count = 0
        for file in self._view.defining(name, MOST_ALIKE):
            shape = self._view.shape(file.path)
            told = [each for each in shape.definitions if each.name == name] if shape else []
            count += len({each.parent for each in told if each.kind not in UNTOLD})
        return count


def _most_files(alike: int) -> int:
    return MOST_FILES if alike <= FEW else MOST_FILES_OF_MANY


def _is_told(resolver: Resolver, other: At, at: At) -> bool:
    """Whether another definition of a symbol is told among its uses; what overrides it is told elsewhere."""
    definition, asked = resolver.view.definition(*other), resolver.view.definition(*at)
    return (
        definition is not None
        and asked is not None
        and definition.kind not in UNTOLD
        and (definition.kind == FIELD or _is_beside(other, at, definition, asked))
    )


def _is_beside(other: At, at: At, definition: Definition, asked: Definition) -> bool:
    return other.path == at.path and definition.parent == asked.parent


def _defining(resolver: Resolver, at: At) -> Usage:
    each = resolver.view.definition(*at)
    line, column, within = (each.line, each.column, each.parent) if each else (1, 0, -1)
    return Usage(at.path, line, column, DEFINE, within, 1.0, is_certain=True, reason="")


def _certain(path: str, each: Reference) -> Usage:
    return Usage(path, each.line, each.column, each.role, each.within, 1.0, is_certain=True, reason="")
