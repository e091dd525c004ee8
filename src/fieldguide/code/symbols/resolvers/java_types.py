"""Resolves types, members and overloads of Java, Kotlin and C#."""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from fieldguide.code.symbols import facts
from fieldguide.code.symbols.facts import IMPORT, METHOD, PARAMETER, TYPES, SymbolDefinition, SymbolReference
from fieldguide.code.symbols.resolvers.rules import (
    FOREIGN,
    DefinitionPlace,
    ResolvedValue,
    as_objects,
    deduplicate,
    remember,
    split_alternatives,
    split_arguments,
    split_expression_steps,
)

if TYPE_CHECKING:
    from fieldguide.code.symbols.resolvers.java_kotlin_csharp import PackagedResolver

REMEMBERED = 20_000
OPENING = "(<[{"
CLOSING = ")>]}"
SEVERAL = ("...", "vararg ", "params ")
OF_OTHERS = "this "
CALLED = TYPES | {METHOD, facts.OPERATOR, "function", facts.IMPORTED}
NAMING_TYPES = TYPES | {PARAMETER, facts.IMPORTED}


class WantedDefinition(NamedTuple):
    """How a name is used."""

    is_called: bool = False
    is_type: bool = False
    is_any: bool = False
    arguments: int = -1
    is_loose: bool = False
    """Whether a call may mean a field that holds a function, and a bare name a method (Kotlin, C#)."""


ANY = WantedDefinition(is_any=True)
VALUE = WantedDefinition()
TYPED = WantedDefinition(is_type=True)
INVOKED = WantedDefinition(is_called=True)


def read_want(each: SymbolReference, *, is_loose: bool = False) -> WantedDefinition:
    """What a use wants."""
    if each.role == IMPORT:
        return ANY
    is_type = each.role in (facts.TYPE, facts.INHERIT)
    return WantedDefinition(each.role == facts.CALL, is_type, arguments=each.arguments, is_loose=is_loose)


def filter_fitting(definitions: Sequence[SymbolDefinition], places: Sequence[int], want: WantedDefinition) -> list[int]:
    """Those of several definitions of a name that a use can mean; of overloads those that take as many arguments."""
    if want.is_any:
        return list(places)
    if want.is_type:
        return [p for p in places if definitions[p].kind in NAMING_TYPES]
    if want.is_called:
        found = [p for p in places if definitions[p].kind in CALLED]
    else:
        found = [p for p in places if definitions[p].kind not in (METHOD, facts.OPERATOR)]
    if not found and want.is_loose:
        return list(places)
    found = [p for p in found if definitions[p].kind not in TYPES] or found  # classes where there is nothing else
    return [p for p in found if not want.is_called or _takes(definitions[p], want.arguments)]


def _takes(definition: SymbolDefinition, count: int) -> bool:
    """Whether something may be called with so many arguments, where their number is known."""
    if count < 0 or definition.kind not in (METHOD, facts.FUNCTION):
        return True
    least, most = count_parameters(definition.signature)
    return least <= count <= most


@lru_cache(maxsize=REMEMBERED)
def count_parameters(signature: str) -> tuple[int, int]:
    """The fewest and the most arguments that a signature takes; any number where it can't be told."""
    start = _opening(signature)
    if start < 0:
        return 0, 999
    parts = list[str]()
    depth = 0
    begun = start + 1
    for at in range(start, len(signature)):
        character = signature[at]
        depth += (character in OPENING) - (character in CLOSING and signature[at - 1] not in "-=")
        if (character == "," and depth == 1) or depth == 0:
            parts.append(signature[begun:at].strip())
            begun = at + 1
        if depth == 0:
            return _counted([each for each in parts if each])
    return 0, 999


def _opening(signature: str) -> int:
    """Where the parameters begin: the first bracket that opens outside of others, and is not an annotation's."""
    depth = 0
    for at, character in enumerate(signature):
        name = signature[:at].rstrip().rpartition(" ")[2] if character == "(" and not depth else "@"
        if not name.startswith(("@", "[")):
            return at
        depth += (character in "([") - (character in ")]")
    return -1


def _counted(parts: list[str]) -> tuple[int, int]:
    has_several = any(word in each for each in parts for word in SEVERAL)
    optional = sum("=" in each for each in parts)
    extended = bool(parts) and parts[0].startswith(OF_OTHERS)
    least = len(parts) - optional - has_several - extended
    return max(least, 0), 999 if has_several else len(parts)


MOST_CLASSES = 60


class PackagedMembers:
    """Answers for one question; what was found out is kept that long."""

    def __init__(self, way: "PackagedResolver") -> None:
        self._way = way
        self._view = way.resolver.view

    def member(self, value: ResolvedValue, name: str, want: WantedDefinition) -> Sequence[ResolvedValue]:
        """What a name means that is taken out of a class or an object; its owner tells the types it is given."""
        if value.at is None:
            return [FOREIGN]
        definition = self._view.definition(*value.at)
        return self._nearest(value, name, want) if definition is not None and definition.kind in TYPES else []

    @remember(())
    def _nearest(self, value: ResolvedValue, name: str, want: WantedDefinition) -> Sequence[ResolvedValue]:
        pending = [value]
        seen = {value.at}
        while pending and len(seen) <= MOST_CLASSES:
            each = pending.pop(0)
            own: list[ResolvedValue] = []
            for part in self._way.parts(each.at) if each.at else ():
                shape = self._view.shape(part.path)
                places = shape.named(part.place, name) if shape else ()
                own += [
                    ResolvedValue(DefinitionPlace(part.path, place), owner=each.at, arguments=each.arguments)
                    for place in filter_fitting(shape.definitions if shape else (), places, want)
                ]
            if own:
                return own
            for base in self.above(each):
                if base is not None and base.at not in seen:
                    seen.add(base.at)
                    pending.append(base)
        return [FOREIGN]  # at least of the class that all others inherit from

    def above(self, value: ResolvedValue) -> list[ResolvedValue | None]:
        """The classes that a class inherits from, with their types; None for each that is of others."""
        return self._above(ResolvedValue(value.at, arguments=value.arguments))

    @remember(())
    def _above(self, value: ResolvedValue) -> list[ResolvedValue | None]:
        found: list[ResolvedValue | None] = []
        for part in self._way.parts(value.at) if value.at else ():
            definition = self._view.definition(*part)
            for base in definition.bases if definition else ():
                said = self._way.types.told(part.path, base, definition.parent if definition else -1, value)
                found += [each._replace(is_object=False) for each in said if each.at != part] or [None]
        return found

    def result(self, value: ResolvedValue) -> Sequence[ResolvedValue]:
        """What a member, a local or a parameter holds, or gives when it is called."""
        if value.at is None:
            return [value]
        definition = self._view.definition(*value.at)
        if definition is None:
            return []
        if definition.kind in TYPES:
            return [value._replace(is_object=True)]
        given = ResolvedValue(value.owner, arguments=value.arguments) if value.owner else None
        return self._way.types.held(value.at, definition, given)

    def invoked(self, value: ResolvedValue, name: str) -> Sequence[ResolvedValue]:
        """What calling a member gives, whichever of its overloads."""
        found = self.member(value, name, INVOKED)
        return deduplicate(result for each in found for result in self.result(each))

    def read(self, value: ResolvedValue, name: str) -> Sequence[ResolvedValue]:
        """What a member holds; a class in it is that class."""
        return deduplicate(found for each in self.member(value, name, VALUE) for found in self.held(each))

    def held(self, value: ResolvedValue) -> Sequence[ResolvedValue]:
        """What a value holds; a class is that class."""
        definition = self._view.definition(*value.at) if value.at else None
        return [value] if definition is None or definition.kind in TYPES else self.result(value)


CALL_STEP = "()"
ELEMENT_STEP = "[]"


class PackagedTypes:
    """Answers for one question; what was found out is kept that long."""

    def __init__(self, way: "PackagedResolver") -> None:
        self._way = way
        self._resolver = way.resolver
        self._held: dict[tuple[DefinitionPlace, ResolvedValue | None], Sequence[ResolvedValue]] = {}

    def held(
        self, at: DefinitionPlace, definition: SymbolDefinition, given: ResolvedValue | None
    ) -> Sequence[ResolvedValue]:
        """What a definition's type says that it holds or gives, where its class is given types."""
        key = (at, given if given and given.arguments else None)
        if key not in self._held and definition.type and self._resolver.may_go_on():
            self._held[key] = []  # a type that leads to itself leads nowhere
            sign = definition.type[0]
            expression = definition.type[1:]
            with self._resolver.deeper():
                if sign == "=":
                    self._held[key] = self.value(at.path, expression, definition.scope, definition.line)
                elif sign == ":":
                    told = self.told(at.path, expression, definition.scope, given)
                    self._held[key] = as_objects(told)
        return self._held.get(key, [])

    def told(
        self, path: str, expression: str, within: int, given: ResolvedValue | None = None
    ) -> Sequence[ResolvedValue]:
        """The class that a type which is written means, with its own types; an object of it where that was given."""
        found: list[ResolvedValue] = []
        for each in split_alternatives(expression):
            steps = split_expression_steps(each)
            arguments: tuple[tuple[ResolvedValue, ...], ...] = ()
            if steps and steps[-1].startswith("<"):
                parts = split_arguments(steps[-1])
                arguments = tuple(tuple(self.told(path, part, within, given)) for part in parts)
                steps = steps[:-1]
            values = self._class(path, [step for step in steps if step != CALL_STEP], within, given)
            found += [value._replace(arguments=arguments) if arguments else value for value in values]
        return deduplicate(found)

    def _class(self, path: str, names: list[str], within: int, given: ResolvedValue | None) -> Sequence[ResolvedValue]:
        """`Foo`, `Foo.Bar`, or `a.b.Foo` with its package before it; or what a class is given under that name."""
        if not self._may_begin(names):
            return []
        if len(names) == 1 and given is not None and (stood := self._given(names[0], given)) is not None:
            return stood
        with self._resolver.deeper():
            values = self._way.named(path, names[0], within, TYPED)
            if len(names) > 1 and not any(value.at for value in values):
                return self._way.packages.qualified(path, ".".join(names), TYPED) or [FOREIGN]
            for name in names[1:]:
                values = [found for value in values for found in self._way.members.member(value, name, TYPED)]
            return deduplicate(found for value in values for found in self._stood_for(value))

    def _may_begin(self, steps: Sequence[str]) -> bool:
        return bool(steps) and steps[0] != facts.UNKNOWN and self._resolver.may_go_on()

    def _given(self, name: str, given: ResolvedValue) -> Sequence[ResolvedValue] | None:
        """What a class is given as one of its types, or what that must be; None where a name is none of those."""
        shape = self._resolver.view.shape(given.at.path) if given.at else None
        if given.at is None or shape is None:
            return None
        own = [
            place
            for place, each in enumerate(shape.definitions)
            if each.parent == given.at.place and each.kind == PARAMETER
        ]
        names = [shape.definitions[place].name for place in own]
        if name not in names:
            return None
        number = names.index(name)
        if number < len(given.arguments):
            return given.arguments[number]
        return self._stood_for(ResolvedValue(DefinitionPlace(given.at.path, own[number])))

    def _stood_for(self, value: ResolvedValue) -> Sequence[ResolvedValue]:
        """A class; for another name of one, or for a type that a class is given, what it is at least."""
        definition = self._resolver.view.definition(*value.at) if value.at else None
        if definition is None or value.at is None or (definition.kind in TYPES and not definition.type):
            return [value]
        return self.held(value.at, definition, None)

    def value(self, path: str, expression: str, within: int, line: int) -> Sequence[ResolvedValue]:
        """What a value that is written is: an object of some class, or a class."""
        found: list[ResolvedValue] = []
        for each in split_alternatives(expression):
            found += self._path(path, split_expression_steps(each), within, line)
        return deduplicate(found)

    def _path(self, path: str, steps: Sequence[str], within: int, line: int) -> Sequence[ResolvedValue]:
        if not self._may_begin(steps):
            return []
        with self._resolver.deeper():
            values, at = self._first(path, steps, within, line)
            while at < len(steps) and values:
                is_called = at + 1 < len(steps) and steps[at + 1] == CALL_STEP
                values = deduplicate(
                    found for value in values for found in self._step(value, steps[at], is_called=is_called)
                )
                at += 2 if is_called and steps[at] not in (CALL_STEP, ELEMENT_STEP) else 1
            return values

    def _first(self, path: str, steps: Sequence[str], within: int, line: int) -> tuple[Sequence[ResolvedValue], int]:
        if steps[0] in ("self", "super"):
            owner = self._way.self_around(path, within)
            if owner is None or steps[0] == "self":
                return [owner] if owner else [], 1
            bases = [each._replace(is_object=True) for each in self._way.members.above(owner) if each]
            return bases or [FOREIGN], 2 if steps[1:2] == (CALL_STEP,) else 1
        if steps[1:2] == (CALL_STEP,):
            values = self._way.named(path, steps[0], within, INVOKED, line)
            return deduplicate(found for value in values for found in self._way.members.result(value)), 2
        values = self._way.named(path, steps[0], within, VALUE, line)
        if len(steps) > 1 and not any(value.at for value in values):
            return self._in_package(path, steps)
        return deduplicate(found for value in values for found in self._way.members.held(value)), 1

    def _in_package(self, path: str, steps: Sequence[str]) -> tuple[Sequence[ResolvedValue], int]:
        """`a.b.Foo`: a class with its package before it."""
        for length in range(2, len(steps) + 1):
            if steps[length - 1] in (CALL_STEP, ELEMENT_STEP):
                break
            if found := self._way.packages.qualified(path, ".".join(steps[:length]), TYPED):
                return found, length
        return [FOREIGN], len(steps)

    def _step(self, value: ResolvedValue, step: str, *, is_called: bool) -> Sequence[ResolvedValue]:
        if step == CALL_STEP:
            return self._way.members.result(value) if not value.is_object else []
        if step == ELEMENT_STEP:
            return self.element(value)
        if value.at is not None:
            return self._way.members.invoked(value, step) if is_called else self._way.members.read(value, step)
        if value.arguments and step in self._way.rules.elements:  # what collections of others give of what they hold
            return self.element(value)
        if value.arguments and step in self._way.rules.wholes:
            return [value]
        return [] if value.arguments else [FOREIGN]

    def element(self, value: ResolvedValue) -> Sequence[ResolvedValue]:
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
