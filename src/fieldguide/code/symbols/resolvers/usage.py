"""Finds the uses of a symbol; a use that can't be resolved is a candidate with a confidence.

The uses of the name that can be resolved are the best witnesses: where `get` means something of others nine times out
of ten, it will do so where nobody can tell, too. A few clues about the place say how far to trust them.
"""

import posixpath
from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from fieldguide.code.symbols import facts
from fieldguide.code.symbols.facts import SymbolReference
from fieldguide.code.symbols.resolvers.resolver import SymbolResolver, find_same
from fieldguide.code.symbols.resolvers.values import DefinitionPlace, ResolvedValue

WITNESSES = 2.0
"""As many resolved uses as what is believed beforehand counts for: that one of two such uses is the project's."""
FAR = 0.6
UNFIT = 0.3
BARE = 0.2
"""What is left of a confidence in a file that has nothing to do with the definition's, in a role that does not fit its
kind, and for a bare name that scopes and imports do not explain."""
MOST = 0.9


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
    name = resolver.view.at(at).name
    group = set(find_same(resolver, at))
    own_way = resolver.own_way(at.path)
    told = {each for each in group if _is_told(resolver, each, at)} | set(own_way.kin(at, group) if own_way else ())
    found = [_defining(resolver, each) for each in sorted(told - {at})]
    found += _Search(resolver, at, group).run(name)
    found.sort(key=lambda each: (not each.is_certain, -each.confidence, each.path, each.line, each.column))
    return found


def find_certain_uses(
    resolver: SymbolResolver, at: DefinitionPlace, is_looked_at: Callable[[str], bool], most: int
) -> Iterator[ResolvedUse]:
    """Uses that certainly mean a definition, one after the other; of the nearest files so many uses are resolved."""
    search = _Search(resolver, at, set(find_same(resolver, at)))
    yield from search.run_certain(resolver.view.at(at).name, is_looked_at, most)


def count_reach(resolver: SymbolResolver, at: DefinitionPlace) -> tuple[int, int]:
    """How many files of those that have a symbol's name are looked at for its uses, and of how many."""
    definition = resolver.view.at(at)
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
                if place not in seen and any(map(self._is_ours, self._resolver.meant(path, use))):
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
                    if any(map(self._is_ours, self._resolver.meant(path, use))):
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

        @cache
        def count_common(beginning: str) -> int:
            sizes = range(1, len(beginning) + 1)
            return bisect_left(sizes, 1, key=lambda size: not self._at.path.startswith(beginning[:size]))

        def distance(path: str) -> tuple[int, int, str]:
            above = path.rpartition("/")[0]
            if path == self._at.path:
                place = 0
            elif path in importers:
                place = 1
            else:
                place = 2 if above == folder else 3
            common = count_common(above)  # most files of a folder have that in common
            return place, -(common if common < len(above) else count_common(path)), path

        return sorted(sorted(paths, key=distance)[:most])

    def _named(self, name: str, alike: int) -> Iterator[ResolvedUse]:
        unsure: list[tuple[str, SymbolReference]] = []
        ours = resolved = count = 0
        for path, each in self._uses(name, _most_files(alike)):
            values = self._resolver.meant(path, each)
            is_ours = any(map(self._is_ours, values))
            if each.receiver and each.role != facts.IMPORT:
                resolved = resolved + bool(values)
                ours = ours + is_ours
            if is_ours:
                self._note_other_name(path, each)
                yield _certain(path, each)
            elif not values and len(unsure) < MOST_CANDIDATES:
                unsure.append((path, each))
            count += is_ours
            if count >= MOST_USES:
                break
        yield from self._candidates(unsure, (ours, resolved, alike))

    def _candidates(
        self, unsure: list[tuple[str, SymbolReference]], counted: tuple[int, int, int]
    ) -> Iterator[ResolvedUse]:
        importers = self._view.importers(self._at.path) if unsure else set[str]()
        kind = self._view.at(self._at).kind
        ours, resolved, alike = counted
        score = (ours + WITNESSES * 0.5 / max(alike, 1)) / (resolved + WITNESSES)
        said = ["the only definition of this name" if alike <= 1 else f"one of {alike} definitions of it"]
        if resolved:
            said.append(f"{ours} of {resolved} uses that can be resolved mean it")
        for path, each in unsure:
            reasons = list(said)
            if path == self._at.path:
                reasons.append("same file")
            elif posixpath.dirname(path) == posixpath.dirname(self._at.path):
                reasons.append("same folder")
            if path in importers:
                reasons.append("imports its file")
            # what is called can be called, and what is not, need not be
            fits = (
                kind in facts.CALLABLE | facts.TYPES
                if each.role == facts.CALL
                else kind == facts.FIELD or kind not in facts.CALLABLE
            )
            sure = score * (1.0 if len(reasons) > len(said) else FAR)
            sure *= (1.0 if fits else UNFIT) * (1.0 if each.receiver else BARE)
            sure = round(min(sure, MOST), 2)
            if sure >= LEAST_CONFIDENCE:
                reason = ", ".join(reasons)
                yield _certain(path, each)._replace(confidence=sure, is_certain=False, reason=reason)

    def _is_ours(self, value: ResolvedValue) -> bool:
        if value.at is None or value.at in self._group:
            return value.at is not None
        return self._own_way is not None and not self._group.isdisjoint(self._own_way.same(value.at))

    def _note_other_name(self, path: str, each: SymbolReference) -> None:
        """Remember the name that an import gives a symbol in place of its own."""
        if each.role != facts.IMPORT or not each.receiver:
            return
        for other in self._view.shape(path).definitions:
            is_same = other.kind in (facts.IMPORTED, facts.EXPORTED) and other.type == each.receiver
            if is_same and other.name not in (each.name, self._name, *self._others):
                self._others.append(other.name)

    def alike(self, name: str) -> int:
        """How many definitions of the project have a name; at most so many."""
        found = ((shape.path, shape.definitions[place]) for shape, place in self._view.everywhere(name, MOST_ALIKE))
        return len({(path, each.parent) for path, each in found if each.kind not in facts.UNTOLD})


def _most_files(alike: int) -> int:
    return MOST_FILES if alike <= FEW else MOST_FILES_OF_MANY


def _is_told(resolver: SymbolResolver, other: DefinitionPlace, at: DefinitionPlace) -> bool:
    """Whether another definition of a symbol is told among its uses; what overrides it is told elsewhere."""
    definition = resolver.view.at(other)
    if definition.kind in facts.UNTOLD:
        return False
    is_beside = other.path == at.path and definition.parent == resolver.view.at(at).parent
    return is_beside or definition.kind == facts.FIELD


def _defining(resolver: SymbolResolver, at: DefinitionPlace) -> ResolvedUse:
    each = resolver.view.at(at)
    return ResolvedUse(at.path, each.line, each.column, DEFINE, each.parent, 1.0, is_certain=True, reason="")


def _certain(path: str, each: SymbolReference) -> ResolvedUse:
    return ResolvedUse(path, each.line, each.column, each.role, each.within, 1.0, is_certain=True, reason="")
