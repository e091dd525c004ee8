"""The call graph around a few definitions, resolved edge by edge when somebody follows it."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from fieldguide.code.symbols.facts import (
    CALL,
    CALLABLE,
    METHOD,
    READ,
    TYPES,
    UNTOLD,
    SymbolDefinition,
    SymbolReference,
)
from fieldguide.code.symbols.resolvers.inheritance import find_overridden, find_overriding
from fieldguide.code.symbols.resolvers.resolver import SymbolResolver
from fieldguide.code.symbols.resolvers.rules import DefinitionPlace, remember
from fieldguide.code.symbols.resolvers.usage import find_uses
from fieldguide.code.symbols.resolvers.view import FileShape, SymbolView
from fieldguide.files.kinds import language_of
from fieldguide.text.cancellation import Cancellation

CALLS = "call"
PASSED = "passed"
IMPLEMENTS = "implements"
MOST_EDGES = 60  # of one definition
MOST_CALLERS = 12
MOST_IMPLEMENTATIONS = 12
MOST_NAMESAKES = 2  # a call that can't be resolved leads to what has its name, where so few do
MOST_ALIKE = 12
SHORTEST_NAME = 4
CALLS_BY_NAME = ("ruby", "scala")  # languages in which the name of a function alone calls it


class CallEdge(NamedTuple):
    """A step from one definition to another: the line of the first that takes it, how, and whether it is certain."""

    source: DefinitionPlace
    target: DefinitionPlace
    line: int
    via: str = CALLS
    is_certain: bool = True


class CallGraph:
    """The graph as one question sees it; what was resolved is kept for that question."""

    def __init__(self, view: SymbolView, cancellation: Cancellation) -> None:
        self._view = view
        self._cancellation = cancellation
        self._resolver = SymbolResolver(view)

    @remember(())
    def calls(self, at: DefinitionPlace) -> list[CallEdge]:
        """The steps that a definition takes, in the order of its text, each target once."""
        self._cancellation.check()
        edges: dict[DefinitionPlace, CallEdge] = {}
        for edge in self._read_calls(at):
            known = edges.setdefault(edge.target, edge)
            if edge.is_certain and not known.is_certain:
                edges[edge.target] = edge
            if len(edges) >= MOST_EDGES:
                break
        edges.pop(at, None)
        return list(edges.values())

    @remember(())
    def callers(self, at: DefinitionPlace) -> list[CallEdge]:
        """The steps that lead to a definition: certain ones, and through what it implements."""
        self._cancellation.check()
        edges: dict[DefinitionPlace, CallEdge] = {}
        for edge in self._read_callers(at):
            edges.setdefault(edge.source, edge)
            if len(edges) >= MOST_CALLERS:
                break
        edges.pop(at, None)
        return list(edges.values())

    def definition(self, at: DefinitionPlace) -> SymbolDefinition | None:
        """A definition by its place."""
        return self._view.definition(*at)

    def qualified(self, at: DefinitionPlace) -> str:
        """The name of a definition with those around it."""
        shape = self._view.shape(at.path)
        return shape.qualified(at.place) if shape else ""

    def within(self, path: str, start: int, end: int) -> list[DefinitionPlace]:
        """The functions and types that begin among some lines of a file, and the innermost around the first.

        A type among them brings its functions along.
        """
        shape = self._view.shape(path)
        if shape is None:
            return []
        told = [(place, each) for place, each in enumerate(shape.definitions) if each.kind in CALLABLE | TYPES]
        inside = {place for place, each in told if start <= each.line <= end}
        around = [(each.line, place) for place, each in told if each.line <= start <= each.end_line]
        inside.update(place for _, place in sorted(around)[-1:])
        types = {place for place in inside if shape.definitions[place].kind in TYPES}
        members = (place for place, each in told if each.parent in types)
        return [DefinitionPlace(path, place) for place in sorted(inside.union(members))]

    def enclosing(self, path: str, within: int) -> DefinitionPlace | None:
        """The innermost function around a place, else the innermost type."""
        return self._view.around(path, within, CALLABLE) or self._view.around(path, within, TYPES)

    def _read_calls(self, at: DefinitionPlace) -> Iterator[CallEdge]:
        shape = self._view.shape(at.path)
        definition = self.definition(at)
        if shape is None or definition is None:
            return
        # the methods that do what a method of an interface only declares, or that override it
        overriding = find_overriding(self._resolver, at) if definition.kind == METHOD else []
        for target in overriding[:MOST_IMPLEMENTATIONS]:
            yield CallEdge(at, target, definition.line, IMPLEMENTS)
        if definition.kind in TYPES:
            return
        inside = self._uses_within(shape).get(at.place, ())
        names = {use.name for use in inside}
        for use in inside:
            if use.role in (CALL, READ):
                yield from self._follow(at, use, names)

    @remember(None)
    def _uses_within(self, shape: FileShape) -> Mapping[int, Sequence[SymbolReference]]:
        """The calls and reads of a file by each definition around them; sorted out once for all its definitions."""
        grouped: dict[int, list[SymbolReference]] = {}
        for use in self._view.all_uses(shape.path):
            for place in shape.chain(use.within):
                grouped.setdefault(place, []).append(use)
        return grouped

    def _follow(self, at: DefinitionPlace, use: SymbolReference, names: Collection[str]) -> Iterator[CallEdge]:
        targets = [value.at for value in self._resolver.meant(at.path, use) if value.at]
        via = CALLS if use.role == CALL or language_of(at.path) in CALLS_BY_NAME else PASSED
        for target in targets:
            found = self.definition(target)
            if found is not None and found.kind in (CALLABLE | TYPES if use.role == CALL else CALLABLE):
                yield CallEdge(at, target, use.line, via)
        if not targets and use.role == CALL and use.receiver and len(use.name) >= SHORTEST_NAME:
            for target in self._namesakes(use.name, names, language_of(at.path)):
                yield CallEdge(at, target, use.line, via, is_certain=False)

    def _namesakes(self, name: str, names: Collection[str], language: str | None) -> list[DefinitionPlace]:
        """What a call that can't be resolved may mean: the functions of its name, where they are few.

        Of many, those whose type the caller names.
        """
        found: list[DefinitionPlace] = []
        of_named_type: list[DefinitionPlace] = []
        for shape, place in self._view.everywhere(name, MOST_ALIKE):
            each = shape.definitions[place]
            if each.kind in CALLABLE and language_of(shape.path) == language:
                found.append(DefinitionPlace(shape.path, place))
                if each.parent >= 0 and shape.definitions[each.parent].name in names:
                    of_named_type.append(found[-1])
        return of_named_type or (found if len(found) <= MOST_NAMESAKES else [])

    def _read_callers(self, at: DefinitionPlace) -> Iterator[CallEdge]:
        definition = self.definition(at)
        if definition is None or definition.kind in UNTOLD:
            return
        for use in find_uses(self._resolver, at):
            source = self.enclosing(use.path, use.within) if use.is_certain and use.role in (CALL, READ) else None
            if source is not None:
                yield CallEdge(source, at, use.line, CALLS if use.role == CALL else PASSED)
        if definition.kind == METHOD:
            for declared in find_overridden(self._resolver, at)[:MOST_CALLERS]:
                line = self._view.definition(*declared)
                yield CallEdge(declared, at, line.line if line else 1, IMPLEMENTS)
