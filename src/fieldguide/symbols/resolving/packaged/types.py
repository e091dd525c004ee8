"""What types and values that are written stand for, step by step, with what their classes are given as types."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fieldguide.symbols.facts import PARAMETER, TYPES, UNKNOWN, Definition
from fieldguide.symbols.resolving.packaged.wanted import INVOKED, TYPED, VALUE
from fieldguide.symbols.resolving.values import (
    FOREIGN,
    At,
    Value,
    alternatives_of,
    arguments_of,
    as_objects,
    each_once,
    steps_of,
)

if TYPE_CHECKING:
    from fieldguide.symbols.resolving.packaged.way import PackagedWay

CALL, ELEMENT = "()", "[]"


class Types:
    """Answers for one question; what was found out is kept that long."""

    def __init__(self, way: "PackagedWay") -> None:
        self._way = way
        self._resolver = way.resolver
        self._held: dict[tuple[At, Value | None], Sequence[Value]] = {}

    def held(self, at: At, definition: Definition, given: Value | None) -> Sequence[Value]:
        """What a definition's type says that it holds or gives, where its class is given types."""
        key = (at, given if given and given.arguments else None)
        if key not in self._held and definition.type and self._resolver.may_go_on():
            self._held[key] = []  # a type that leads to itself leads nowhere
            sign, expression = definition.type[0], definition.type[1:]
            with self._resolver.deeper():
                if sign == "=":
                    self._held[key] = self.value(at.path, expression, definition.scope, definition.line)
                elif sign == ":":
                    told = self.told(at.path, expression, definition.scope, given)
                    self._held[key] = as_objects(told)
        return self._held.get(key, [])

    def told(self, path: str, expression: str, within: int, given: Value | None = None) -> Sequence[Value]:
        """The class that a type which is written means, with its own types; an object of it where that was given."""
        found: list[Value] = []
        for each in alternatives_of(expression):
            steps = steps_of(each)
            arguments: tuple[tuple[Value, ...], ...] = ()
            if steps and steps[-1].startswith("<"):
                parts = arguments_of(steps[-1])
                arguments = tuple(tuple(self.told(path, part, within, given)) for part in parts)
                steps = steps[:-1]
            values = self._class(path, [step for step in steps if step != CALL], within, given)
            found += [value._replace(arguments=arguments) if arguments else value for value in values]
        return each_once(found)

    def _class(self, path: str, names: list[str], within: int, given: Value | None) -> Sequence[Value]:
        if not self._may_begin(names):
            return []
        if len(names) == 1 and given is not None and (stood := self._given(names[0], given)) is not None:
            return stood
        with self._resolver.deeper():
            return self._written(path, names, within)

    def _written(self, path: str, names: list[str], within: int) -> Sequence[Value]:
        """`Foo`, `Foo.Bar`, or `a.b.Foo` with its package before it."""
        values = self._way.named(path, names[0], within, TYPED)
        if len(names) > 1 and not any(value.at for value in values):
            return self._way.packages.qualified(path, ".".join(names), TYPED) or [FOREIGN]
        for name in names[1:]:
            values = [found for value in values for found in self._way.members.member(value, name, TYPED)]
        return each_once(found for value in values for found in self._stood_for(value))

    def _may_begin(self, steps: Sequence[str]) -> bool:
        return bool(steps) and steps[0] != UNKNOWN and self._resolver.may_go_on()

    def _given(self, name: str, given: Value) -> Sequence[Value] | None:
        """What a class is given as one of its types; None where a name is none of those."""
        own = self._way.members.parameters(given.at) if given.at else []
        if given.at is None or name not in own:
            return None
        number = own.index(name)
        return given.arguments[number] if number < len(given.arguments) else self._bound(given.at, name)

    def _bound(self, at: At, name: str) -> Sequence[Value]:
        shape = self._resolver.view.shape(at.path)
        places = [p for p in shape.named(at.place, name) if shape.definitions[p].kind == PARAMETER] if shape else []
        return self._stood_for(Value(At(at.path, places[0]))) if places else []

    def _stood_for(self, value: Value) -> Sequence[Value]:
        """A class; for another name of one, or for a type that a class is given, what it is at least."""
        definition = self._resolver.view.definition(*value.at) if value.at else None
        if definition is None or value.at is None or (definition.kind in TYPES and not definition.type):
            return [value]
        return self.held(value.at, definition, None)

    def value(self, path: str, expression: str, within: int, line: int) -> Sequence[Value]:
        """What a value that is written is: an object of some class, or a class."""
        found: list[Value] = []
        for each in alternatives_of(expression):
            found += self._path(path, steps_of(each), within, line)
        return each_once(found)

    def _path(self, path: str, steps: Sequence[str], within: int, line: int) -> Sequence[Value]:
        if not self._may_begin(steps):
            return []
        with self._resolver.deeper():
            values, at = self._first(path, steps, within, line)
            while at < len(steps) and values:
                is_called = at + 1 < len(steps) and steps[at + 1] == CALL
                values = each_once(
                    found for value in values for found in self._step(value, steps[at], is_called=is_called)
                )
                at += 2 if is_called and steps[at] not in (CALL, ELEMENT) else 1
            return values

    def _first(self, path: str, steps: Sequence[str], within: int, line: int) -> tuple[Sequence[Value], int]:
        if steps[0] in ("self", "super"):
            return self._itself(self._way.self_around(path, within), steps)
        if steps[1:2] == (CALL,):
            values = self._way.named(path, steps[0], within, INVOKED, line)
            return each_once(found for value in values for found in self._way.members.result(value)), 2
        values = self._way.named(path, steps[0], within, VALUE, line)
        if len(steps) > 1 and not any(value.at for value in values):
            return self._in_package(path, steps)
        return each_once(found for value in values for found in self._read(value)), 1

    def _itself(self, owner: Value | None, steps: Sequence[str]) -> tuple[Sequence[Value], int]:
        """`self` and `super()`: the object that a place is in, or the same as the classes above it see it."""
        if owner is None:
            return [], 1
        if steps[0] == "self":
            return [owner], 1
        bases = [each._replace(is_object=True) for each in self._way.members.above(owner) if each]
        return bases or [FOREIGN], 2 if steps[1:2] == (CALL,) else 1

    def _in_package(self, path: str, steps: Sequence[str]) -> tuple[Sequence[Value], int]:
        """`a.b.Foo`: a class with its package before it."""
        for length in range(2, len(steps) + 1):
            if steps[length - 1] in (CALL, ELEMENT):
                break
            if found := self._way.packages.qualified(path, ".".join(steps[:length]), TYPED):
                return found, length
        return [FOREIGN], len(steps)

    def _read(self, value: Value) -> Sequence[Value]:
        definition = self._resolver.view.definition(*value.at) if value.at else None
        if definition is None or definition.kind in TYPES:
            return [value]
        return self._way.members.result(value)

    def _step(self, value: Value, step: str, *, is_called: bool) -> Sequence[Value]:
        if step == CALL:
            return self._way.members.result(value) if not value.is_object else []
        if step == ELEMENT:
            return self.element(value)
        if value.at is None:
            return self._of_others(value, step)
        return self._way.members.invoked(value, step) if is_called else self._way.members.read(value, step)

    def element(self, value: Value) -> Sequence[Value]:
        """What something holds."""
        if value.arguments:
            return as_objects(value.arguments[-1])
        if value.at is None:
            return [value]
        for name in self._way.rules.element_members:
            for each in self._way.members.invoked(value, name):
                if each.arguments:
                    return self.element(each)
        return []

    def _of_others(self, value: Value, name: str) -> Sequence[Value]:
        """What collections of others give of what they hold."""
        if value.arguments and name in self._way.rules.elements:
            return self.element(value)
        if value.arguments and name in self._way.rules.wholes:
            return [value]
        return [] if value.arguments else [FOREIGN]
