"""Resolves names of Ruby by enclosing modules, ancestors and the whole project.

Anything may be opened again anywhere, so a class is all definitions of its name. What a receiver is, is rarely plain;
where it is not, nothing is told, and the uses of a name stay candidates.
"""

from collections.abc import Sequence
from functools import partial

from fieldguide.code.symbols.facts import (
    CALLABLE,
    CLASS,
    CONSTANT,
    INNER,
    MODULE,
    UNKNOWN,
    SymbolDefinition,
    SymbolReference,
)
from fieldguide.code.symbols.resolvers.resolver import SymbolResolver
from fieldguide.code.symbols.resolvers.rules import (
    DefinitionPlace,
    LanguageResolver,
    LanguageRules,
    ResolvedValue,
    deduplicate,
    split_expression_steps,
    walk_nearest_first,
)
from fieldguide.code.symbols.resolvers.view import FileShape, SymbolView, covers

DEEPEST = 12
MOST_STEPS = 200_000
_each_once = partial(deduplicate, most=12)
MOST_FILES = 100
MOST_ANCESTORS = 40
OWNERS = frozenset((CLASS, MODULE))
CONSTANTS = OWNERS | {CONSTANT}


class RubyNames(LanguageResolver):
    """Answers for one question."""

    def __init__(self, view: SymbolView) -> None:
        self._view = view
        self._depth = 0
        self._steps = 0
        self._opened: dict[DefinitionPlace, Sequence[DefinitionPlace]] = {}
        self._typed: dict[DefinitionPlace, Sequence[ResolvedValue]] = {}
        self._constants: dict[str, Sequence[DefinitionPlace]] = {}

    def meant(self, path: str, each: SymbolReference) -> Sequence[ResolvedValue]:
        """What a use of a name means; nothing where that can't be told."""
        if not each.receiver:
            return self._named(path, each.name, each.within, each.line)
        values = self.evaluated(path, each.receiver, each.within, each.line)
        return _each_once(found for value in values for found in self._member(value, each.name))

    def evaluated(self, path: str, expression: str, within: int, line: int = 0) -> Sequence[ResolvedValue]:
        """What an expression stands for at a place."""
        self._steps += 1
        if self._depth >= DEEPEST or self._steps > MOST_STEPS:
            return []
        self._depth += 1
        try:
            return self._path(path, split_expression_steps(expression), within, line)
        finally:
            self._depth -= 1

    def _path(self, path: str, steps: Sequence[str], within: int, line: int) -> Sequence[ResolvedValue]:
        if not steps or steps[0] == UNKNOWN:
            return []
        if steps[0] == "self":
            owner = self._owner(path, within)
            values: Sequence[ResolvedValue] = [ResolvedValue(owner, is_object=True)] if owner else []
        else:
            values = self._named(path, steps[0], within, line)
        for step in steps[1:]:
            values = _each_once(found for value in values for found in self._step(value, step))
        return values

    def _step(self, value: ResolvedValue, step: str) -> Sequence[ResolvedValue]:
        if step == "()":
            return [value] if value.is_object else []
        if step == "new":
            return [each._replace(is_object=True) for each in self._resolved(value)]
        return [] if step == "[]" else self._member(value, step)

    def _named(self, path: str, name: str, within: int, line: int) -> Sequence[ResolvedValue]:
        shape = self._view.shape(path)
        if shape is None:
            return []
        for scope in (*shape.chain(within), -1):
            if found := self._in_scope(shape, scope, name, line):
                return [ResolvedValue(each) for each in found]
        return [ResolvedValue(at) for at in self._constant(name)] if name[:1].isupper() else []

    def _in_scope(self, shape: FileShape, scope: int, name: str, line: int) -> Sequence[DefinitionPlace]:
        if scope >= 0 and shape.definitions[scope].kind in OWNERS:
            return self.members(DefinitionPlace(shape.path, scope), name)
        return [DefinitionPlace(shape.path, p) for p in shape.named(scope, name) if covers(shape.definitions[p], line)]

    def _constant(self, name: str) -> Sequence[DefinitionPlace]:
        """The one class, module or constant of a name in the project; it may be opened many times."""
        if name not in self._constants:
            everywhere = self._view.everywhere(name, MOST_FILES)
            found = [(shape, place) for shape, place in everywhere if shape.definitions[place].kind in CONSTANTS]
            is_one = len({shape.qualified(place) for shape, place in found}) == 1
            self._constants[name] = [DefinitionPlace(shape.path, place) for shape, place in found] if is_one else ()
        return self._constants[name]

    def _owner(self, path: str, within: int) -> DefinitionPlace | None:
        shape = self._view.shape(path)
        places = shape.chain(within) if shape else ()
        return next((DefinitionPlace(path, p) for p in places if shape and shape.definitions[p].kind in OWNERS), None)

    def _resolved(self, value: ResolvedValue) -> Sequence[ResolvedValue]:
        """What a value is: of a local or a field what its value says."""
        definition = self._view.definition(*value.at) if value.at else None
        if value.at is None or definition is None or value.is_object or definition.kind in OWNERS:
            return [value]
        return self._given(value.at, definition)

    def _given(self, at: DefinitionPlace, definition: SymbolDefinition) -> Sequence[ResolvedValue]:
        if definition.kind in CALLABLE or not definition.type.startswith("="):
            return []
        if at not in self._typed:
            self._typed[at] = ()  # a value that leads to itself leads nowhere
            told = self.evaluated(at.path, definition.type[1:], definition.scope, definition.line)
            self._typed[at] = [each for one in told for each in self._resolved(one)]
        return self._typed[at]

    def _member(self, value: ResolvedValue, name: str) -> Sequence[ResolvedValue]:
        found: list[DefinitionPlace] = []
        for each in self._resolved(value):
            definition = self._view.definition(*each.at) if each.at else None
            if each.at is not None and definition is not None and definition.kind in OWNERS:
                found += self.members(each.at, name)
        return [ResolvedValue(at) for at in dict.fromkeys(found)]

    def members(self, at: DefinitionPlace, name: str) -> Sequence[DefinitionPlace]:
        """The members of a name that a class has, in any of its parts, or the nearest of what is above it."""
        for each in walk_nearest_first(at, self._above, MOST_ANCESTORS):
            own = [found for part in self._parts(each) for found in self._written(part, name)]
            if own:
                return own
        return ()

    def _above(self, at: DefinitionPlace) -> list[DefinitionPlace]:
        """What is above a class in any of its parts."""
        return [base for part in self._parts(at) for base in self.bases(part) if base is not None]

    def _written(self, at: DefinitionPlace, name: str) -> list[DefinitionPlace]:
        shape = self._view.shape(at.path)
        if shape is None:
            return []
        places = shape.named(at.place, name)
        return [DefinitionPlace(at.path, place) for place in places if shape.definitions[place].kind not in INNER]

    def _parts(self, at: DefinitionPlace) -> Sequence[DefinitionPlace]:
        """A class wherever it is opened."""
        if at not in self._opened:
            shape = self._view.shape(at.path)
            definition = self._view.definition(*at)
            known = self._constant(definition.name) if definition else ()
            is_one = shape is not None and at in known
            self._opened[at] = known if is_one else (at,)
        return self._opened[at]

    def bases(self, at: DefinitionPlace) -> list[DefinitionPlace | None]:
        """The class above, and the modules that are included."""
        definition = self._view.definition(*at)
        told = definition.bases if definition else ()
        line, parent = (definition.line, definition.parent) if definition else (0, -1)
        return [value.at for base in told for value in self.evaluated(at.path, base, parent, line) if value.at != at]

    def group(self, at: DefinitionPlace) -> Sequence[DefinitionPlace] | None:
        """A class wherever it is opened is one, and so is a method that is defined again."""
        definition = self._view.definition(*at)
        if definition is None or definition.kind not in OWNERS:
            return None
        return [at, *(each for each in self._parts(at) if each != at)]


def make_ruby_resolver(resolver: SymbolResolver) -> RubyNames:
    """Ruby's own way of finding what names mean."""
    return RubyNames(resolver.view)


RULES = LanguageRules(own_way=make_ruby_resolver)
