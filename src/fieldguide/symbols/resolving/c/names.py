"""What a use of a name means in C and C++, and what an expression stands for."""

from collections.abc import Sequence
from functools import partial

from fieldguide.symbols.facts import (
    ALIAS,
    CALLABLE,
    CLASS,
    ENUM,
    EXTENSION,
    INNER,
    MODULE,
    TYPES,
    UNKNOWN,
    Definition,
    Reference,
)
from fieldguide.symbols.resolving.c.linkage import Linkage
from fieldguide.symbols.resolving.nearness import nearest_first
from fieldguide.symbols.resolving.own_way import OwnWay
from fieldguide.symbols.resolving.values import (
    At,
    Value,
    alternatives_of,
    arguments_of,
    each_once,
    steps_of,
)
from fieldguide.symbols.resolving.view import Shape, View
from fieldguide.symbols.resolving.visibility import covers

DEEPEST = 16
_each_once = partial(each_once, most=12)
MOST_STEPS = 400_000
MOST_BASES = 30
OWNERS = TYPES | {EXTENSION}
MOST_FILES = 100


class CNames(OwnWay):
    """Answers for one question; what it found out is kept that long."""

    def __init__(self, view: View) -> None:
        self._view = view
        self.linkage = Linkage(view)
        self._typed: dict[At, Sequence[Value]] = {}
        self._extensions: dict[At, Sequence[At]] = {}
        self._depth = 0
        self._steps = 0

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
            parts = alternatives_of(expression)
            return _each_once(found for each in parts for found in self._path(path, steps_of(each), within, line))
        finally:
            self._depth -= 1

    def _path(self, path: str, steps: Sequence[str], within: int, line: int) -> Sequence[Value]:
        if not steps or steps[0] == UNKNOWN:
            return []
        if steps[0] == "self":
            values: Sequence[Value] = [Value(at, is_object=True) for at in self.owners(path, within)]
        else:
            values = self._named(path, steps[0], within, line)
        for step in steps[1:]:
            values = _each_once(found for value in values for found in self._step(path, value, step, within, line))
        return values

    def _step(self, path: str, value: Value, step: str, within: int, line: int) -> Sequence[Value]:
        if step.startswith("<"):
            given = tuple(tuple(self.evaluated(path, each, within, line)) for each in arguments_of(step))
            return [value._replace(arguments=given)]
        if step == "()":
            return self._resolved(value, is_called=True)
        if step == "[]":
            held = [each for inner in value.arguments for each in inner]
            return held or self._resolved(value)
        return self._member(value, step)

    def owners(self, path: str, within: int) -> Sequence[At]:
        """The class that a place is in, also by a method that stands outside of it."""
        shape = self._view.shape(path)
        for place in shape.chain(within) if shape else ():
            each = shape.definitions[place] if shape else None
            if each is not None and each.kind == EXTENSION:
                values = self.evaluated(path, each.type[1:], each.parent, each.line)
                return [value.at for value in values if value.at]
            if each is not None and each.kind == CLASS:
                return [At(path, place)]
        return []

    def _named(self, path: str, name: str, within: int, line: int) -> Sequence[Value]:
        """What a bare name means at a place."""
        shape = self._view.shape(path)
        if shape is None:
            return []
        for scope in (*shape.chain(within), -1):
            if found := self._in_scope(shape, scope, name, line):
                return [Value(at) for at in found]
        return [Value(at) for at in self.linkage.named(path, name)]

    def _in_scope(self, shape: Shape, scope: int, name: str, line: int) -> Sequence[At]:
        found = [p for p in shape.named(scope, name) if covers(shape.definitions[p], line)]
        if not found:
            return self._in_class(shape, scope, name)
        if scope >= 0 and shape.definitions[found[0]].kind in INNER:
            return [At(shape.path, max(found, key=lambda p: shape.definitions[p].line))]
        return [At(shape.path, place) for place in found]

    def _in_class(self, shape: Shape, scope: int, name: str) -> Sequence[At]:
        """A member of the class that a scope is, also by a method that stands outside of it."""
        if scope < 0 or shape.definitions[scope].kind not in OWNERS:
            return ()
        return [found for owner in self.owners(shape.path, scope) for found in self.members(owner, name)]

    def _resolved(self, value: Value, *, is_called: bool = False) -> Sequence[Value]:
        """What a value is: for a variable, a field or an alias what its type says, and for a call what comes back."""
        definition = self._view.definition(*value.at) if value.at else None
        if value.at is None or definition is None:
            return []
        if definition.kind in (CLASS, ENUM, MODULE) or (definition.kind in CALLABLE and not is_called):
            return [value]
        return self._told(value.at, definition)

    def _told(self, at: At, definition: Definition) -> Sequence[Value]:
        if at not in self._typed:
            self._typed[at] = ()  # a type that leads to itself leads nowhere
            if definition.type[:1] in (":", "="):
                values = self.evaluated(at.path, definition.type[1:], definition.scope, definition.line)
                found = [each for value in values if value.at != at for each in self._resolved(value)]
                self._typed[at] = [each._replace(is_object=definition.kind != ALIAS) for each in found]
        return self._typed[at]

    def _member(self, value: Value, name: str) -> Sequence[Value]:
        """What a name means that is taken out of a value."""
        found: list[At] = []
        for each in self._resolved(value):
            definition = self._view.definition(*each.at) if each.at else None
            if each.at is None or definition is None:
                continue
            if definition.kind == MODULE:
                found += self._in_namespace(each.at, definition, name)
            elif definition.kind in (CLASS, ENUM):
                found += self.members(each.at, name)
        return [Value(at) for at in dict.fromkeys(found)]

    def _in_namespace(self, at: At, definition: Definition, name: str) -> Sequence[At]:
        """A name in a namespace, which may be opened in many files."""
        found: list[At] = []
        for other in self.linkage.everywhere(name):
            each = self._view.definition(*other)
            above = self._view.definition(other.path, each.parent) if each else None
            if above is not None and above.name == definition.name:
                found.append(other)
        return found

    def members(self, at: At, name: str) -> Sequence[At]:
        """The members of a name that a class has, or the nearest of those that it inherits from."""
        for each in nearest_first(at, self._known_bases, MOST_BASES):
            own = [found for owner in (each, *self.extensions(each)) for found in self._written(owner, name)]
            if own:
                return own
        return []

    def _known_bases(self, at: At) -> list[At]:
        return [base for base in self.bases(at) if base is not None]

    def _written(self, at: At, name: str) -> list[At]:
        shape = self._view.shape(at.path)
        return [At(at.path, p) for p in (shape.named(at.place, name) if shape else ()) if _is_part(shape, p)]

    def extensions(self, at: At) -> Sequence[At]:
        """The methods of a class that stand outside of it."""
        if at not in self._extensions:
            self._extensions[at] = ()
            definition = self._view.definition(*at)
            everywhere = self._view.everywhere(definition.name, MOST_FILES) if definition else ()
            places = [At(shape.path, p) for shape, p in everywhere if shape.definitions[p].kind == EXTENSION]
            self._extensions[at] = [each for each in places if at in self.owners(*each)]
        return self._extensions[at]

    def bases(self, at: At) -> list[At | None]:
        """The classes that a class names."""
        definition = self._view.definition(*at)
        told = [(base.partition("<")[0], definition) for base in definition.bases] if definition else []
        values = [found for base, each in told for found in self.evaluated(at.path, base, each.parent, each.line)]
        return [each.at for value in values for each in self._resolved(value) if each.at]


def _is_part(shape: Shape | None, place: int) -> bool:
    return shape is not None and shape.definitions[place].kind not in INNER
