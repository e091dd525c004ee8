"""Resolves names of Ruby by enclosing modules, ancestors and the whole project.

Anything may be opened again anywhere, so a class is all definitions of its name. What a receiver is, is rarely plain;
where it is not, nothing is told, and the uses of a name stay candidates.
"""

from collections.abc import Sequence

from fieldguide.code.symbols.facts import CALLABLE, CLASS, CONSTANT, MODULE, SymbolDefinition
from fieldguide.code.symbols.resolvers.resolver import SymbolResolver
from fieldguide.code.symbols.resolvers.rules import (
    DefinitionPlace,
    EvaluatingResolver,
    LanguageRules,
    ResolvedValue,
    walk_nearest_first,
)
from fieldguide.code.symbols.resolvers.view import FileShape, SymbolView, covers

MOST_FILES = 100
MOST_ANCESTORS = 40
OWNERS = frozenset((CLASS, MODULE))
CONSTANTS = OWNERS | {CONSTANT}


class RubyNames(EvaluatingResolver):
    """Answers for one question."""

    deepest = 12
    most_steps = 200_000

    def __init__(self, view: SymbolView) -> None:
        super().__init__(view)
        self._opened: dict[DefinitionPlace, Sequence[DefinitionPlace]] = {}
        self._constants: dict[str, Sequence[DefinitionPlace]] = {}

    def alternatives(self, expression: str) -> Sequence[str]:
        """A value that is one of several is not plain."""
        return (expression,)

    def step(self, value: ResolvedValue, step: str, path: str, within: int, line: int) -> Sequence[ResolvedValue]:
        """A call, a new object or a member."""
        if step == "()":
            return [value] if value.is_object else []
        if step == "new":
            return [each._replace(is_object=True) for each in self._resolved(value)]
        return [] if step == "[]" else self.member(value, step)

    def outside(self, path: str, name: str) -> Sequence[DefinitionPlace]:
        """A constant of the project."""
        return self._constant(name) if name[:1].isupper() else ()

    def in_scope(self, shape: FileShape, scope: int, name: str, line: int) -> Sequence[DefinitionPlace]:
        """A definition of the scope; in a class or a module its members."""
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

    def owners(self, path: str, within: int) -> Sequence[DefinitionPlace]:
        """The innermost class or module around a place."""
        shape = self._view.shape(path)
        found = [place for place in shape.chain(within) if shape.definitions[place].kind in OWNERS] if shape else []
        return [DefinitionPlace(path, place) for place in found[:1]]

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

    def member(self, value: ResolvedValue, name: str) -> Sequence[ResolvedValue]:
        """What a name means that is taken out of a value."""
        found: list[DefinitionPlace] = []
        for each in self._resolved(value):
            definition = self._view.definition(*each.at) if each.at else None
            if each.at is not None and definition is not None and definition.kind in OWNERS:
                found += self.members(each.at, name)
        return [ResolvedValue(at) for at in dict.fromkeys(found)]

    def members(self, at: DefinitionPlace, name: str) -> Sequence[DefinitionPlace]:
        """The members of a name that a class has, in any of its parts, or the nearest of what is above it."""
        for each in walk_nearest_first(at, self._above, MOST_ANCESTORS):
            own = [found for part in self._parts(each) for found in self.written(part, name)]
            if own:
                return own
        return ()

    def _above(self, at: DefinitionPlace) -> list[DefinitionPlace]:
        """What is above a class in any of its parts."""
        return [base for part in self._parts(at) for base in self.bases(part) if base is not None]

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
