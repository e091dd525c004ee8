"""What a use of a name means in Rust, and what an expression stands for."""

from collections.abc import Callable, Collection, Sequence

from fieldguide.symbols.facts import (
    ALIAS,
    CALL,
    CALLABLE,
    CLASS,
    CONSTANT,
    ENUM,
    INHERIT,
    INNER,
    INTERFACE,
    METHOD,
    MODULE,
    TYPE,
    TYPES,
    UNKNOWN,
    Definition,
    Reference,
)
from fieldguide.symbols.resolving.own_way import OwnWay
from fieldguide.symbols.resolving.rust.library import SAME, held, is_same
from fieldguide.symbols.resolving.rust.modules import ModuleTree
from fieldguide.symbols.resolving.rust.scopes import Scopes
from fieldguide.symbols.resolving.rust.types import TypeMembers
from fieldguide.symbols.resolving.values import (
    At,
    Value,
    alternatives_of,
    arguments_of,
    each_once,
    steps_of,
)
from fieldguide.symbols.resolving.view import View

DEEPEST = 20
MOST_STEPS = 400_000
MACRO_MARK = "!"
PARTS = "{}"
NAMING_TYPES = TYPES | INNER | {MODULE}
HOLDING_NOTHING = TYPES | CALLABLE | {MODULE}


class RustNames(OwnWay):
    """Answers for one question; what it found out is kept that long."""

    def __init__(self, view: View, overriding: Callable[[At], Sequence[At]]) -> None:
        self._view = view
        self._overriding = overriding
        self.modules = ModuleTree(view)
        self.members = TypeMembers(view, self.evaluated)
        self.scopes = Scopes(view, self.modules, self.members)
        self._typed: dict[At, Sequence[Value]] = {}
        self._depth = 0
        self._steps = 0

    def meant(self, path: str, each: Reference) -> Sequence[Value]:
        """What a use of a name means; nothing where that can't be told."""
        if each.receiver == MACRO_MARK:
            return [Value(at) for at in self.modules.macros(each.name, path)]
        found = self._found(path, each)
        return [value for value in found if self._is_type(value)] if each.role in (TYPE, INHERIT) else found

    def _is_type(self, value: Value) -> bool:
        definition = self._view.definition(*value.at) if value.at else None
        return definition is None or definition.kind in NAMING_TYPES

    def _found(self, path: str, each: Reference) -> Sequence[Value]:
        if not each.receiver:
            return self.scopes.named(path, each.name, each.within, each.line)
        values = self.evaluated(path, each.receiver, each.within, each.line)
        is_called = each.role == CALL
        found = each_once(one for value in values for one in self._member(value, each.name, is_called=is_called))
        return found or (self._added(path, each, values) if is_called else [])

    def kin(self, at: At, group: Collection[At]) -> Sequence[At]:
        """Where types give what a trait asks for."""
        definition = self._view.definition(*at)
        above = self._view.definition(at.path, definition.parent) if definition else None
        if definition is None or above is None:
            return ()
        if definition.kind == ALIAS:
            return [each for each in group if each != at]
        return self._overriding(at) if above.kind == INTERFACE else ()

    def bases(self, at: At) -> list[At | None] | None:
        """The traits that a type, a trait or an `impl` names."""
        return list(self.members.bases(at))

    def evaluated(self, path: str, expression: str, within: int, line: int = 0) -> Sequence[Value]:
        """What an expression stands for at a place."""
        self._steps += 1
        if self._depth >= DEEPEST or self._steps > MOST_STEPS:
            return []
        self._depth += 1
        try:
            parts = alternatives_of(expression)
            return each_once(found for each in parts for found in self._path(path, steps_of(each), within, line))
        finally:
            self._depth -= 1

    def _path(self, path: str, steps: Sequence[str], within: int, line: int) -> Sequence[Value]:
        if not steps or steps[0] == UNKNOWN:
            return []
        values, rest = self._first(path, steps, within, line)
        for number, step in enumerate(rest):
            is_called = rest[number + 1 : number + 2] == ("()",)
            place = (path, within, line)
            values = each_once(
                found for value in values for found in self._step(value, step, place, is_called=is_called)
            )
            if not values:
                return []
        return values

    def _first(self, path: str, steps: Sequence[str], within: int, line: int) -> tuple[Sequence[Value], Sequence[str]]:
        first = steps[0]
        if first in ("self", "Self"):
            owner = self.scopes.owner(path, within)
            if owner is not None:
                return [Value(each, is_object=first == "self") for each in owner], steps[1:]
            first = "self"
        if first in ("self", "super", "crate"):
            count = next((n for n, step in enumerate(steps) if step not in ("self", "super", "crate")), len(steps))
            here = self.modules.path(self.modules.around(path, within), steps[:count])
            return [Value(each) for each in here], steps[count:]
        found = self.scopes.named(path, first, within, line)
        return found or [Value(None, name=first)], steps[1:]

    def _step(self, value: Value, step: str, place: tuple[str, int, int], *, is_called: bool) -> Sequence[Value]:
        if step.startswith("<"):
            path, within, line = place
            given = tuple(tuple(self._objects(path, each, within, line)) for each in arguments_of(step))
            return [value._replace(arguments=given)]
        found: list[Value] = []
        for each in self._resolved(value):
            if step == PARTS:
                found.append(each._replace(is_object=True))
            elif step == "()":
                found += self._called(each)
            elif step == "[]":
                found += held(each, step)
            else:
                found += self._member(each, step, is_called=is_called)
        return found

    def _objects(self, path: str, expression: str, within: int, line: int) -> Sequence[Value]:
        values: Sequence[Value] = self.evaluated(path, expression, within, line) if expression != UNKNOWN else ()
        return each_once(each._replace(is_object=True) for value in values for each in self._resolved(value))

    def _resolved(self, value: Value) -> Sequence[Value]:
        """A value; for something that holds one, what that is."""
        if value.at is None or value.is_object or value.at.place < 0:
            return [value]
        definition = self._view.definition(*value.at)
        if definition is None:
            return []
        if definition.kind == ALIAS:
            return [self._given(each, value) for each in self._typed_as(value.at, definition)]
        if definition.kind in HOLDING_NOTHING or self._enum_of(value.at, definition) is not None:
            return [value]
        return self._typed_as(value.at, definition)

    def _given(self, meant: Value, alias: Value) -> Value:
        """`Result<Foo>`, where that is the project's own name for a `Result` of others."""
        return meant._replace(arguments=alias.arguments) if alias.arguments and meant.at is None else meant

    def _enum_of(self, at: At, definition: Definition) -> At | None:
        if definition.kind != CONSTANT or definition.parent < 0:
            return None
        above = self._view.definition(at.path, definition.parent)
        return At(at.path, definition.parent) if above is not None and above.kind == ENUM else None

    def _typed_as(self, at: At, definition: Definition) -> Sequence[Value]:
        """What the type of a definition says that it holds, or returns when it is called."""
        if at not in self._typed:
            self._typed[at] = ()  # a type that leads to itself leads nowhere
            sign, expression = definition.type[:1], definition.type[1:]
            if sign and sign != "@":
                values = self.evaluated(at.path, expression, definition.scope, definition.line)
                values = [each for value in values for each in self._resolved(value)]
                is_type = definition.kind == ALIAS
                self._typed[at] = [each._replace(is_object=not is_type, name=each.name) for each in values]
        return self._typed[at]

    def _called(self, value: Value) -> Sequence[Value]:
        """What calling a value gives."""
        if value.name == SAME:
            return [value._replace(name="")]
        if value.at is None:
            return held(value, "()")
        if value.is_object:
            return []
        definition = self._view.definition(*value.at)
        if definition is None:
            return []
        if definition.kind in TYPES:
            return [value._replace(is_object=True)]
        enum = self._enum_of(value.at, definition)
        if enum is not None:
            return [Value(enum, is_object=True)]
        if definition.type == ":Self" and value.owner is not None:
            return [Value(value.owner, is_object=True)]
        return self._typed_as(value.at, definition) if definition.kind in CALLABLE else []

    def _member(self, value: Value, name: str, *, is_called: bool) -> Sequence[Value]:
        """What a name means that is taken out of a value."""
        found: list[Value] = []
        for each in self._resolved(value):
            if each.at is None:
                found += held(each, name)
            else:
                parts = self._part(each, each.at, name)
                parts = self._fitting(parts, is_called=is_called) if each.is_object else parts
                found += parts or ([each._replace(name=SAME)] if is_same(each, name) else [])
        return found

    def _added(self, path: str, each: Reference, values: Sequence[Value]) -> Sequence[Value]:
        """What traits of the project add to types that have no such method: to types of others, and to all alike."""
        added, module = self.members.added, self.modules.around(path, each.within)
        for value in (found for one in values for found in self._resolved(one)):
            if value.at is None and (given := added.to_foreign(value.name, each.name)):
                return [Value(at) for at in given]
            names = frozenset((value.name,)) if value.at is None else self.members.trait_names(value.at)
            for at, trait in added.to_all(names, each.name):
                if trait in self.modules.named(module, added.name_of(trait)):
                    return [Value(at)]
        return []

    def _fitting(self, values: Sequence[Value], *, is_called: bool) -> Sequence[Value]:
        """Methods where one is called, and fields where none is: they may have the same names."""
        kinds = [self._view.definition(*each.at) if each.at and not each.is_object else None for each in values]
        return [
            each
            for each, definition in zip(values, kinds, strict=True)
            if definition is None or (definition.kind == METHOD) == is_called
        ]

    def _part(self, value: Value, at: At, name: str) -> Sequence[Value]:
        definition = self._view.definition(*at)
        if definition is None or definition.kind == MODULE:
            return [Value(each) for each in self.modules.part(at, name)]
        if name.isdigit():
            return self._numbered(at, definition, int(name))
        enum = self._enum_of(at, definition)
        if enum is not None:
            return [Value(each) for each in self.members.written(at, name) or self.members.named(enum, name)]
        if definition.kind in (CLASS, ENUM, INTERFACE):
            return [Value(each, owner=at) for each in self.members.named(at, name)]
        return []

    def _numbered(self, at: At, definition: Definition, number: int) -> Sequence[Value]:
        """A field without a name."""
        if not definition.type.startswith(":tuple<"):
            return []
        given = arguments_of(definition.type[len(":tuple") :])
        return self._objects(at.path, given[number], definition.scope, definition.line) if number < len(given) else []
