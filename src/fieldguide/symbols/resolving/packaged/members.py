"""Members of classes: a class's own, then those of the classes above it, with the types that those are given."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fieldguide.symbols.facts import PARAMETER, TYPES, Definition
from fieldguide.symbols.resolving.packaged.wanted import INVOKED, VALUE, Want, fitting
from fieldguide.symbols.resolving.values import FOREIGN, At, Value, each_once

if TYPE_CHECKING:
    from fieldguide.symbols.resolving.packaged.way import PackagedWay

MOST_CLASSES = 60


class Members:
    """Answers for one question; what was found out is kept that long."""

    def __init__(self, way: "PackagedWay") -> None:
        self._way = way
        self._view = way.resolver.view
        self._above: dict[Value, list[Value | None]] = {}
        self._found: dict[tuple[Value, str, Want], Sequence[Value]] = {}

    def member(self, value: Value, name: str, want: Want) -> Sequence[Value]:
        """What a name means that is taken out of a class or an object; its owner tells the types it is given."""
        if value.at is None:
            return [FOREIGN]
        definition = self._view.definition(*value.at)
        if definition is None or definition.kind not in TYPES:
            return []
        key = (value, name, want)
        if key not in self._found:
            self._found[key] = []
            self._found[key] = self._nearest(value, name, want)
        return self._found[key]

    def own(self, at: At, name: str, want: Want) -> list[At]:
        """The members of a name that a class has itself."""
        shape = self._view.shape(at.path)
        if shape is None:
            return []
        return [At(at.path, place) for place in fitting(shape.definitions, shape.named(at.place, name), want)]

    def _nearest(self, value: Value, name: str, want: Want) -> Sequence[Value]:
        pending, seen = [value], {value.at}
        while pending and len(seen) <= MOST_CLASSES:
            each = pending.pop(0)
            own = self._own_in_parts(each.at, name, want)
            if own:
                return [Value(at, owner=each.at, arguments=each.arguments) for at in own]
            for base in self.above(each):
                if base is not None and base.at not in seen:
                    seen.add(base.at)
                    pending.append(base)
        return [FOREIGN]  # at least of the class that all others inherit from

    def _own_in_parts(self, at: At | None, name: str, want: Want) -> list[At]:
        return [found for part in self._way.parts(at) for found in self.own(part, name, want)] if at else []

    def above(self, value: Value) -> list[Value | None]:
        """The classes that a class inherits from, with their types; None for each that is of others."""
        key = Value(value.at, arguments=value.arguments)
        if key not in self._above:
            self._above[key] = []  # a class that inherits from itself inherits nothing
            parts = self._way.parts(value.at) if value.at else ()
            self._above[key] = [base for part in parts for base in self._named(part, key)]
        return self._above[key]

    def _named(self, at: At, value: Value) -> list[Value | None]:
        """The classes that one part of a class names as those above it."""
        definition = self._view.definition(*at)
        found: list[Value | None] = []
        for base in definition.bases if definition else ():
            said = self._way.types.told(at.path, base, definition.parent if definition else -1, value)
            found += [each._replace(is_object=False) for each in said if each.at != at] or [None]
        return found

    def result(self, value: Value) -> Sequence[Value]:
        """What a member, a local or a parameter holds, or gives when it is called."""
        if value.at is None:
            return [value]
        definition = self._view.definition(*value.at)
        if definition is None:
            return []
        if definition.kind in TYPES:
            return [value._replace(is_object=True)]
        given = Value(value.owner, arguments=value.arguments) if value.owner else None
        return self._way.types.held(value.at, definition, given)

    def invoked(self, value: Value, name: str) -> Sequence[Value]:
        """What calling a member gives, whichever of its overloads."""
        found = self.member(value, name, INVOKED)
        return each_once(result for each in found for result in self.result(each))

    def read(self, value: Value, name: str) -> Sequence[Value]:
        """What a member holds; a class in it is that class."""
        found: list[Value] = []
        for each in self.member(value, name, VALUE):
            definition = self._view.definition(*each.at) if each.at else None
            found += [each] if definition is None or definition.kind in TYPES else self.result(each)
        return each_once(found)

    def parameters(self, at: At) -> list[str]:
        """The names of the types that a class is given."""
        shape = self._view.shape(at.path)
        return [each.name for each in shape.definitions if _is_parameter(each, at.place)] if shape else []


def _is_parameter(definition: Definition, place: int) -> bool:
    return definition.parent == place and definition.kind == PARAMETER
