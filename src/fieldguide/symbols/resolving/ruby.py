"""Ruby: constants by the modules around a place and in the whole project, and methods of the object itself.

Anything may be opened again anywhere, so a class is all definitions of its name. What a receiver is, is rarely plain;
where it is not, nothing is told, and the uses of a name stay candidates.
"""

from collections.abc import Sequence
from functools import partial

from fieldguide.symbols.facts import CALLABLE, CLASS, CONSTANT, INNER, MODULE, UNKNOWN, Definition, Reference
from fieldguide.symbols.resolving.nearness import nearest_first
from fieldguide.symbols.resolving.own_way import OwnWay
from fieldguide.symbols.resolving.resolver import Resolver
from fieldguide.symbols.resolving.rules import Rules
from fieldguide.symbols.resolving.values import (
    At,
    Value,
    each_once,
    steps_of,
)
from fieldguide.symbols.resolving.view import Shape, View
from fieldguide.symbols.resolving.visibility import covers

DEEPEST = 12
MOST_STEPS = 200_000
_each_once = partial(each_once, most=12)
MOST_FILES = 100
MOST_ANCESTORS = 40
OWNERS = frozenset((CLASS, MODULE))
CONSTANTS = OWNERS | {CONSTANT}


class RubyNames(OwnWay):
    """Answers for one question."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._depth = 0
        self._steps = 0
        self._opened: dict[At, Sequence[At]] = {}
        self._typed: dict[At, Sequence[Value]] = {}
        self._constants: dict[str, Sequence[At]] = {}

    def meant(self, path: str, each: Reference) -> Sequence[Value]:
        """What a use of a name means; nothing where that can't be told."""
        if not each.receiver:
            return self._named(path, each.name, each.within, each.line)
        values = self.evaluated(path, each.receiver, each.within, each.line)
        return _each_once(found for value in values for found in self._member(value, each.name))

    def evaluated(self, path: str, expression: str, within: int, line: int = 0) -> Sequence[Value]:
        """What an expression stands for at a place."""
        self._steps += 1
        if self._depth >= DEEPEST or self._steps > MOST_STEPS:
            return []
        self._depth += 1
        try:
            return self._path(path, steps_of(expression), within, line)
        finally:
            self._depth -= 1

    def _path(self, path: str, steps: Sequence[str], within: int, line: int) -> Sequence[Value]:
        if not steps or steps[0] == UNKNOWN:
            return []
        if steps[0] == "self":
            owner = self._owner(path, within)
            values: Sequence[Value] = [Value(owner, is_object=True)] if owner else []
        else:
            values = self._named(path, steps[0], within, line)
        for step in steps[1:]:
            values = _each_once(found for value in values for found in self._step(value, step))
        return values

    def _step(self, value: Value, step: str) -> Sequence[Value]:
        if step == "()":
            return [value] if value.is_object else []
        if step == "new":
            return [each._replace(is_object=True) for each in self._resolved(value)]
        return [] if step == "[]" else self._member(value, step)

    def _named(self, path: str, name: str, within: int, line: int) -> Sequence[Value]:
        shape = self._view.shape(path)
        if shape is None:
            return []
        for scope in (*shape.chain(within), -1):
            if found := self._in_scope(shape, scope, name, line):
                return [Value(each) for each in found]
        return [Value(at) for at in self._constant(name)] if name[:1].isupper() else []

    def _in_scope(self, shape: Shape, scope: int, name: str, line: int) -> Sequence[At]:
        if scope >= 0 and shape.definitions[scope].kind in OWNERS:
            return self.members(At(shape.path, scope), name)
        return [At(shape.path, p) for p in shape.named(scope, name) if covers(shape.definitions[p], line)]

    def _constant(self, name: str) -> Sequence[At]:
        """The one class, module or constant of a name in the project; it may be opened many times."""
        if name not in self._constants:
            everywhere = self._view.everywhere(name, MOST_FILES)
            found = [(shape, place) for shape, place in everywhere if shape.definitions[place].kind in CONSTANTS]
            is_one = len({shape.qualified(place) for shape, place in found}) == 1
            self._constants[name] = [At(shape.path, place) for shape, place in found] if is_one else ()
        return self._constants[name]

    def _owner(self, path: str, within: int) -> At | None:
        shape = self._view.shape(path)
        places = shape.chain(within) if shape else ()
        return next((At(path, p) for p in places if shape and shape.definitions[p].kind in OWNERS), None)

    def _resolved(self, value: Value) -> Sequence[Value]:
        """What a value is: of a local or a field what its value says."""
        definition = self._view.definition(*value.at) if value.at else None
        if value.at is None or definition is None or value.is_object or definition.kind in OWNERS:
            return [value]
        return self._given(value.at, definition)

    def _given(self, at: At, definition: Definition) -> Sequence[Value]:
        if definition.kind in CALLABLE or not definition.type.startswith("="):
            return []
        if at not in self._typed:
            self._typed[at] = ()  # a value that leads to itself leads nowhere
            told = self.evaluated(at.path, definition.type[1:], definition.scope, definition.line)
            self._typed[at] = [each for one in told for each in self._resolved(one)]
        return self._typed[at]

    def _member(self, value: Value, name: str) -> Sequence[Value]:
        found: list[At] = []
        for each in self._resolved(value):
            definition = self._view.definition(*each.at) if each.at else None
            if each.at is not None and definition is not None and definition.kind in OWNERS:
                found += self.members(each.at, name)
        return [Value(at) for at in dict.fromkeys(found)]

    def members(self, at: At, name: str) -> Sequence[At]:
        """The members of a name that a class has, in any of its parts, or the nearest of what is above it."""
        for each in nearest_first(at, self._above, MOST_ANCESTORS):
            own = [found for part in self._parts(each) for found in self._written(part, name)]
            if own:
                return own
        return ()

    def _above(self, at: At) -> list[At]:
        """What is above a class in any of its parts."""
        return [base for part in self._parts(at) for base in self.bases(part) if base is not None]

    def _written(self, at: At, name: str) -> list[At]:
        shape = self._view.shape(at.path)
        if shape is None:
            return []
        places = shape.named(at.place, name)
        return [At(at.path, place) for place in places if shape.definitions[place].kind not in INNER]

    def _parts(self, at: At) -> Sequence[At]:
        """A class wherever it is opened."""
        if at not in self._opened:
            shape, definition = self._view.shape(at.path), self._view.definition(*at)
            known = self._constant(definition.name) if definition else ()
            is_one = shape is not None and at in known
            self._opened[at] = known if is_one else (at,)
        return self._opened[at]

    def bases(self, at: At) -> list[At | None]:
        """The class above, and the modules that are included."""
        definition = self._view.definition(*at)
        told = definition.bases if definition else ()
        line, parent = (definition.line, definition.parent) if definition else (0, -1)
        return [value.at for base in told for value in self.evaluated(at.path, base, parent, line) if value.at != at]

    def group(self, at: At) -> Sequence[At] | None:
        """A class wherever it is opened is one, and so is a method that is defined again."""
        definition = self._view.definition(*at)
        if definition is None or definition.kind not in OWNERS:
            return None
        return [at, *(each for each in self._parts(at) if each != at)]


def own_way(resolver: Resolver) -> RubyNames:
    """Ruby's own way of finding what names mean."""
    return RubyNames(resolver.view)


RULES = Rules(own_way=own_way)
