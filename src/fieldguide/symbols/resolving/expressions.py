"""What expressions stand for: their first name by scopes and imports, and then step by step."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from fieldguide.symbols.facts import CALLABLE, TYPES, UNKNOWN, Definition
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
    from fieldguide.symbols.resolving.resolver import Resolver

SELF, SUPER = "self", "super"


class Expressions:
    """Answers for one question; what was found out is kept that long."""

    def __init__(self, resolver: "Resolver") -> None:
        self._resolver = resolver
        self._typed: dict[At, Sequence[Value]] = {}
        self._evaluated: dict[tuple[str, str, int, int], Sequence[Value]] = {}

    def evaluated(self, path: str, expression: str, within: int, line: int = 0) -> Sequence[Value]:
        """What an expression stands for at a place."""
        own_way = self._resolver.own_way(path)
        if own_way is not None and (own := own_way.evaluated(path, expression, within, line)) is not None:
            return own
        key = (path, expression, within, line)
        if key not in self._evaluated and self._resolver.may_go_on():
            self._evaluated[key] = []  # what leads to itself leads nowhere
            found: list[Value] = []
            with self._resolver.deeper():
                for each in alternatives_of(expression):
                    found += self._path(path, steps_of(each), within, line)
            self._evaluated[key] = each_once(found)
        return self._evaluated.get(key, [])

    def resolved(self, value: Value) -> Sequence[Value]:
        """A value; for something that holds one, what that is."""
        if value.at is None or value.is_object or value.at.place < 0:
            return [value]
        definition = self._resolver.view.definition(*value.at)
        if definition is None:
            return []
        if definition.kind in CALLABLE or (definition.kind in TYPES and not definition.type):
            return [value]
        return self.typed(value.at)

    def typed(self, at: At) -> Sequence[Value]:
        """What the type of a definition says that it holds, or returns when it is called."""
        if at not in self._typed and self._resolver.may_go_on():
            self._typed[at] = []
            definition = self._resolver.view.definition(*at)
            if definition is not None and definition.type:
                with self._resolver.deeper():
                    self._typed[at] = self._told(at, definition)
        return self._typed.get(at, [])

    def called(self, value: Value, given: Callable[[], Sequence[Value]] = tuple) -> Sequence[Value]:
        """What calling a value gives, perhaps with a class."""
        if value.at is None:
            return self._foreign_called(value, given)
        if value.is_object:
            return self._object_called(value, value.at)
        definition = self._resolver.view.definition(*value.at)
        if definition is None:
            return []
        if definition.kind in TYPES:
            return [value._replace(is_object=True)]
        if value.owner is not None and self._is_self(value.at.path, definition.type[1:]):
            return [Value(value.owner, is_object=True)]
        found = given() if _is_of_argument(definition) else ()
        return found or self.typed(value.at)

    def _foreign_called(self, value: Value, given: Callable[[], Sequence[Value]]) -> Sequence[Value]:
        rules = self._resolver.rules_here()
        if value.arguments and (value.name in rules.classes or value.name in rules.elements):
            return as_objects(value.arguments[-1])
        return (given() if value.name in rules.casts else ()) or [value]

    def _object_called(self, value: Value, at: At) -> Sequence[Value]:
        names = self._resolver.rules(at.path).call_members
        return [found for name in names for found in self._returned(value, name)]

    def _returned(self, value: Value, name: str) -> list[Value]:
        """What a method of an object returns."""
        return [found for each in self._resolver.member(value, name) for found in self.called(each)]

    def _is_self(self, path: str, told: str) -> bool:
        return told == SELF or told in self._resolver.rules(path).self_types

    def made(self, value: Value) -> Sequence[Value]:
        """What naming its fields makes of a value: an object, unless its class says itself how one is made."""
        resolver = self._resolver
        definition = None if value.at is None else resolver.view.definition(*value.at)
        if value.at is None or definition is None or definition.kind not in TYPES:
            return [FOREIGN]
        names = resolver.rules(value.at.path).constructors
        is_own = any(found.at is not None for name in names for found in resolver.classes.inherited(value.at, name))
        return [FOREIGN] if is_own else [value._replace(is_object=True)]

    def element(self, value: Value) -> Sequence[Value]:
        """What an element of a value is."""
        if value.arguments:
            return as_objects(value.arguments[-1])
        if value.at is None or not value.is_object:
            return [value]
        for name in self._resolver.rules(value.at.path).element_members:
            returned = self._returned(value, name)
            found = [inner for one in returned for inner in (self.element(one) if one.arguments else [one])]
            if found:
                return found
        return []

    def _path(self, path: str, steps: Sequence[str], within: int, line: int) -> Sequence[Value]:
        if not steps or steps[0] == UNKNOWN:
            return []
        values, rest = self._first(path, steps, within, line)
        for step in rest:
            values = each_once(found for value in values for found in self._step(path, value, step, within, line))
            if not values:
                return []
        return each_once(found for value in values for found in self.resolved(value))

    def _first(self, path: str, steps: Sequence[str], within: int, line: int) -> tuple[Sequence[Value], Sequence[str]]:
        first, resolver = steps[0], self._resolver
        if first == SUPER or self._is_self(path, first):
            owner = resolver.class_around(path, within)
            if owner is not None:
                return self._itself(owner, steps)
        elif first.startswith("@"):
            return resolver.followed(path, int(first[1:])), steps[1:]
        return resolver.named(path, first, within, line), steps[1:]

    def _itself(self, owner: At, steps: Sequence[str]) -> tuple[Sequence[Value], Sequence[str]]:
        """What `self`, `super()` or the name of the own type stands for in a class, and the steps behind it."""
        if steps[0] != SUPER:
            return [Value(owner, is_object=steps[0] == SELF)], steps[1:]
        bases = [Value(base, is_object=True) for base in self._resolver.bases(owner) if base is not None]
        is_called = len(steps) > 1 and steps[1].startswith("(")
        return bases or [FOREIGN], steps[1 + is_called :]

    def _step(self, path: str, value: Value, step: str, within: int, line: int) -> Sequence[Value]:
        if step.startswith("<"):
            given = tuple(tuple(self.evaluated(path, each, within, line)) for each in arguments_of(step))
            return [value._replace(arguments=given)]
        found: list[Value] = []
        for each in self.resolved(value):
            if step.startswith("("):
                found += self.called(each, lambda: self._class_given(path, step, within, line))
            elif step == "[]":
                found += self.element(each)
            elif step == "{}":
                found += self.made(each)
            else:
                found += self._resolver.member(each, step)
        return found

    def _class_given(self, path: str, step: str, within: int, line: int) -> Sequence[Value]:
        values = self.evaluated(path, step[1:-1], within, line) if len(step) > 2 else ()
        return [each._replace(is_object=True) for each in values if each.at is not None and not each.is_object]

    def _told(self, at: At, definition: Definition) -> Sequence[Value]:
        sign, expression = definition.type[0], definition.type[1:]
        if sign == "@":
            return self._resolver.followed(at.path, int(expression))
        values = self.evaluated(at.path, expression, definition.scope, definition.line)
        if sign == "=" or definition.kind in TYPES:
            return values
        stands_for_any = self._resolver.rules(at.path).type_variables
        known = [value for value in values if value.at is not None or value.name not in stands_for_any]
        return as_objects(known)


def _is_of_argument(definition: Definition) -> bool:
    """Whether a function says that it gives an object of the class that it is given: `def make(of: type[T]) -> T`."""
    name, head = definition.type[1:], definition.signature
    return bool(name) and any(part in head for part in (f"[{name}]", f"[{name},", f", {name}]"))
