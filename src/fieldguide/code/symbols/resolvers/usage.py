"""Finds the uses of a symbol; a use that can't be resolved is a candidate with a confidence.

The uses of the name that can be resolved are the best witnesses: where `get` means something of others nine times out
of ten, it will do so where nobody can tell, too. A few clues about the place say how far to trust them.
"""

import posixpath
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from fieldguide.code.symbols.facts import (
    CALL,
    CALLABLE,
    EXPORTED,
    FIELD,
    IMPORT,
    IMPORTED,
    TYPES,
    UNTOLD,
    SymbolDefinition,
    SymbolReference,
)
from fieldguide.code.symbols.resolvers.inheritance import find_same
from fieldguide.code.symbols.resolvers.resolver import SymbolResolver
from fieldguide.code.symbols.resolvers.rules import DefinitionPlace, ResolvedValue
from fieldguide.code.symbols.resolvers.view import SymbolView

WITNESSES = 2.0
"""As many resolved uses as what is believed beforehand counts for: that one of two such uses is the project's."""
FAR = 0.6
UNFIT = 0.3
BARE = 0.2
"""What is left of a confidence in a file that has nothing to do with the definition's, in a role that does not fit its
kind, and for a bare name that scopes and imports do not explain."""
MOST = 0.9


class ResolutionCounts(NamedTuple):
    """How the uses of a name with something before it were resolved."""

    ours: int
    resolved: int
    alike: int
    """How many definitions of the project have the name."""


class Clues(NamedTuple):
    """What speaks for or against one use."""

    is_bare: bool
    is_same_file: bool
    is_same_folder: bool
    is_imported: bool
    """Whether the file imports the file of the definition."""
    fits_role: bool
    """Whether what is called can be called, and what is not, need not be."""


def collect_clues(
    view: SymbolView, at: tuple[str, int], path: str, each: SymbolReference, importers: set[str]
) -> Clues:
    """The clues of one use."""
    definition = view.definition(*at)
    kind = definition.kind if definition else ""
    fits = kind in CALLABLE | TYPES if each.role == CALL else kind == FIELD or kind not in CALLABLE
    is_same_folder = posixpath.dirname(path) == posixpath.dirname(at[0])
    return Clues(not each.receiver, path == at[0], is_same_folder, path in importers, fits)


def estimate_confidence(counted: ResolutionCounts, clues: Clues) -> float:
    """A number between 0 and 1."""
    believed = 0.5 / max(counted.alike, 1)
    score = (counted.ours + WITNESSES * believed) / (counted.resolved + WITNESSES)
    score *= 1.0 if clues.is_same_file or clues.is_same_folder or clues.is_imported else FAR
    score *= (1.0 if clues.fits_role else UNFIT) * (BARE if clues.is_bare else 1.0)
    return round(min(score, MOST), 2)


def explain_confidence(counted: ResolutionCounts, clues: Clues) -> str:
    """What speaks for it, in words."""
    said = ["the only definition of this name" if counted.alike <= 1 else f"one of {counted.alike} definitions of it"]
    if counted.resolved:
        said.append(f"{counted.ours} of {counted.resolved} uses that can be resolved mean it")
    if clues.is_same_file:
        said.append("same file")
    elif clues.is_same_folder:
        said.append("same folder")
    if clues.is_imported:
        said.append("imports its file")
    return ", ".join(said)


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
LIKELY = 0.9
THROUGH_PACKAGE = "its type goes through a function or type of a package"
LEAST_CONFIDENCE = 0.05


class ResolvedUse(NamedTuple):
    """A use of a symbol."""

    path: str
    line: int
    column: int
    role: str
    within: int
    confidence: float
    is_certain: bool
    reason: str


def find_uses(resolver: SymbolResolver, at: DefinitionPlace) -> list[ResolvedUse]:
    """Who uses a definition: what is certain first, by place, then candidates by their confidence."""
    shape = resolver.view.shape(at.path)
    definition = resolver.view.definition(*at)
    if shape is None or definition is None:
        return []
    group = set(find_same(resolver, at))
    own_way = resolver.own_way(at.path)
    told = {each for each in group if _is_told(resolver, each, at)} | set(own_way.kin(at, group) if own_way else ())
    found = [_defining(resolver, each) for each in sorted(told - {at})]
    found += _Search(resolver, at, group).run(definition.name)
    found.sort(key=lambda each: (not each.is_certain, -each.confidence, each.path, each.line, each.column))
    return found


def find_certain_uses(
    resolver: SymbolResolver, at: DefinitionPlace, is_looked_at: Callable[[str], bool], most: int
) -> Iterator[ResolvedUse]:
    """Uses that certainly mean a definition, one after the other; of the nearest files so many uses are resolved."""
    definition = resolver.view.definition(*at)
    if definition is not None:
        search = _Search(resolver, at, set(find_same(resolver, at)))
        yield from search.run_certain(definition.name, is_looked_at, most)


def count_reach(resolver: SymbolResolver, at: DefinitionPlace) -> tuple[int, int]:
    """How many files of those that have a symbol's name are looked at for its uses, and of how many."""
    definition = resolver.view.definition(*at)
    if definition is None:
        return 0, 0
    search = _Search(resolver, at, {at})
    most = _most_files(search.alike(definition.name))
    known = len(resolver.view.using(definition.name, MOST_KNOWN))
    return min(known, most), known


class _Search:
    def __init__(self, resolver: SymbolResolver, at: DefinitionPlace, group: set[DefinitionPlace]) -> None:
        self._resolver = resolver
        self._view = resolver.view
        self._at = at
        self._group = group
        self._name = ""
        self._own_way = resolver.own_way(at.path)
        self._others: list[str] = list(self._own_way.other_names(at)) if self._own_way else []

    def run(self, name: str) -> Iterator[ResolvedUse]:
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

    def run_certain(self, name: str, is_looked_at: Callable[[str], bool], most: int) -> Iterator[ResolvedUse]:
        """The certain uses of a name, and of the other names that imports give it."""
        self._name = name
        names = [name]
        resolved = 0
        for each in names:  # imports that are met add to them
            files = filter(is_looked_at, self._files(each, MOST_FILES_OF_OTHER_NAMES))
            for path in sorted(files, key=lambda path: path != self._at.path):
                for use in self._view.uses(path, each):
                    resolved += 1
                    if resolved > most:
                        return
                    if self._is_meant(path, use):
                        self._note_other_name(path, use)
                        yield _certain(path, use)
            names += [other for other in self._others if other not in names]

    def _uses(self, name: str, most: int) -> Iterator[tuple[str, SymbolReference]]:
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
            if path == self._at.path:
                place = 0
            elif path in importers:
                place = 1
            else:
                place = 2 if posixpath.dirname(path) == folder else 3
            return place, -len(posixpath.commonprefix((path, self._at.path))), path

        return sorted(sorted(paths, key=distance)[:most])

    def _named(self, name: str, alike: int) -> Iterator[ResolvedUse]:
        unsure: list[tuple[str, SymbolReference]] = []
        ours = resolved = count = 0
        for path, each in self._uses(name, _most_files(alike)):
            values = self._resolver.meant(path, each)
            is_ours = any(map(self._is_ours, values))
            if each.receiver and each.role != IMPORT:
                resolved = resolved + bool(values)
                ours = ours + is_ours
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
        yield from self._candidates(unsure, ResolutionCounts(ours, resolved, alike))

    def _candidates(
        self, unsure: list[tuple[str, SymbolReference]], counted: ResolutionCounts
    ) -> Iterator[ResolvedUse]:
        importers = self._view.importers(self._at.path) if unsure else set[str]()
        for path, each in unsure:
            clues = collect_clues(self._view, self._at, path, each, importers)
            sure = estimate_confidence(counted, clues)
            if sure >= LEAST_CONFIDENCE:
                told = explain_confidence(counted, clues)
                yield ResolvedUse(
                    path, each.line, each.column, each.role, each.within, sure, is_certain=False, reason=told
                )

    def _is_likely(self, path: str, each: SymbolReference, values: Sequence[ResolvedValue]) -> bool:
        own_way = self._resolver.own_way(path) if each.receiver and not any(value.at for value in values) else None
        return own_way is not None and any(map(self._is_ours, own_way.likely(path, each)))

    def _is_meant(self, path: str, each: SymbolReference) -> bool:
        return any(map(self._is_ours, self._resolver.meant(path, each)))

    def _is_ours(self, value: ResolvedValue) -> bool:
        if value.at is None or value.at in self._group:
            return value.at is not None
        return self._own_way is not None and not self._group.isdisjoint(self._own_way.same(value.at))

    def _note_other_name(self, path: str, each: SymbolReference) -> None:
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
            told = [shape.definitions[place] for place in shape.places(name)] if shape else []
            count += len({each.parent for each in told if each.kind not in UNTOLD})
        return count


def _most_files(alike: int) -> int:
    return MOST_FILES if alike <= FEW else MOST_FILES_OF_MANY


def _is_told(resolver: SymbolResolver, other: DefinitionPlace, at: DefinitionPlace) -> bool:
    """Whether another definition of a symbol is told among its uses; what overrides it is told elsewhere."""
    definition = resolver.view.definition(*other)
    asked = resolver.view.definition(*at)
    return (
        definition is not None
        and asked is not None
        and definition.kind not in UNTOLD
        and (definition.kind == FIELD or _is_beside(other, at, definition, asked))
    )


def _is_beside(
    other: DefinitionPlace, at: DefinitionPlace, definition: SymbolDefinition, asked: SymbolDefinition
) -> bool:
    return other.path == at.path and definition.parent == asked.parent


def _defining(resolver: SymbolResolver, at: DefinitionPlace) -> ResolvedUse:
    each = resolver.view.definition(*at)
    line, column, within = (each.line, each.column, each.parent) if each else (1, 0, -1)
    return ResolvedUse(at.path, line, column, DEFINE, within, 1.0, is_certain=True, reason="")


def _certain(path: str, each: SymbolReference) -> ResolvedUse:
    return ResolvedUse(path, each.line, each.column, each.role, each.within, 1.0, is_certain=True, reason="")
