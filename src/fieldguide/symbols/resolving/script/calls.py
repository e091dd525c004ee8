"""What calling a value of a script gives, what it takes, and what lists hold."""

from typing import TYPE_CHECKING, NamedTuple

from fieldguide.symbols.facts import CLASS
from fieldguide.symbols.resolving.script import foreign
from fieldguide.symbols.resolving.script.files import DEFAULT
from fieldguide.symbols.resolving.script.foreign_calls import ForeignCalls
from fieldguide.symbols.resolving.script.kinds_of_types import (
    Callback,
    Foreign,
    FunctionType,
    Given,
    Itself,
    Object,
    Type,
    Types,
    few,
    shallow,
)
from fieldguide.symbols.resolving.script.type_text import parameter, top_level
from fieldguide.symbols.resolving.values import At

if TYPE_CHECKING:
    from fieldguide.symbols.resolving.script.evaluating import Evaluator

CALLED, REST = "()", "..."
MOST_SIGNATURES = 6
MOST_GIVEN = 6


class Site(NamedTuple):
    """Where an expression is written."""

    scope: At
    line: int
    given: Given


class Calls:
    """Calls values for an evaluator."""

    def __init__(self, evaluator: "Evaluator") -> None:
        self._evaluator = evaluator
        self._scripts = evaluator.scripts
        self._foreign = ForeignCalls(self)

    def called_with(self, each: Type, written: str, arguments: tuple[Types, ...], site: Site) -> Types:
        """What calling a value gives, where what it is given may tell what its type parameters stand for."""
        told = _arguments(written)
        if isinstance(each, Foreign):
            values = [self._evaluator.value(site.scope, site.line, one, site.given) if one else () for one in told]
            given = self._foreign.given(each, arguments, values)
            return self.called(each, arguments) if given is None else given
        definition = self._scripts.definition(each.place) if isinstance(each, Itself) else None
        if definition is not None and definition.type.startswith("<") and not arguments and any(told):
            return self.called(each, self._inferred(each, definition.type, told, site))
        return self.called(each, arguments)

    def _inferred(self, each: Type, told: str, given: list[str], site: Site) -> tuple[Types, ...]:
        """What the type parameters of a function stand for, by the parameters that are declared of them."""
        names = told[1 : told.index(">")].split(",")
        found: dict[str, Types] = {}
        for number, one in enumerate(given):
            declared = self._declared(each, number)
            name = declared.removesuffix("[]").removeprefix("() => ").removeprefix("new () => ")
            if one and name in names and name not in found:
                types = self._evaluator.value(site.scope, site.line, one, site.given)
                found[name] = types if declared == name else self._held(types, is_list=declared.endswith("[]"))
        return tuple(found.get(name, ()) for name in names) if found else ()

    def _held(self, types: Types, *, is_list: bool) -> Types:
        """What lists hold, or what functions give."""
        return few([held for each in types for held in (self.element(each, "") if is_list else self.called(each))])

    def _declared(self, each: Type, number: int) -> str:
        """The type that a parameter is declared with, in its own words."""
        if not isinstance(each, Itself):
            return ""
        file = self._scripts.file(each.place.path)
        taken = self._parameters(each.place)
        told = file.definitions[taken[number]].type if file and number < len(taken) else ""
        return told[1:].strip() if told.startswith(":") else ""

    def called(self, each: Type, arguments: tuple[Types, ...] = ()) -> Types:
        """What calling a value gives."""
        if isinstance(each, Itself):
            return self._itself_called(each, arguments)
        if isinstance(each, Foreign):
            is_given_types = bool(arguments) and not each.owner and not each.arguments
            return (Foreign(each.name, arguments),) if is_given_types else foreign.called(each)
        if isinstance(each, FunctionType):
            return self._evaluator.types.read(each.place, 0, each.returned, each.given)
        return self._object_called(each) if isinstance(each, Object) else ()

    def _object_called(self, each: Object) -> Types:
        told = self._evaluator.told
        return few([found for place, text in self._signatures(each) for found in told(place, 0, text, each.given)])

    def _itself_called(self, each: Itself, arguments: tuple[Types, ...]) -> Types:
        definition = self._scripts.definition(each.place)
        if definition is None:
            given_out = self._scripts.exported(each.place.path, DEFAULT) if each.place.place < 0 else []
            return self._evaluator.all_held(given_out)
        given = self.given(definition.type, arguments, each.given)
        if definition.kind == CLASS:
            return (Object(each.place, given),)
        return self._evaluator.told(each.place, definition.line, definition.type, given)

    def _signatures(self, each: Object) -> list[tuple[At, str]]:
        """What says in an interface what calling its objects gives."""
        found: list[tuple[At, str]] = []
        for one in self._scripts.merged(each.place):
            file = self._scripts.file(one.path)
            numbers = file.named(one.place, CALLED)[:MOST_SIGNATURES] if file else ()
            found += [(At(one.path, number), file.definitions[number].type) for number in numbers if file]
        return found

    def given(self, told: str, arguments: tuple[Types, ...], given: Given) -> Given:
        """What the type parameters of a definition stand for, by the arguments that they get."""
        if not told.startswith("<") or not arguments:
            return given
        names = told[1 : told.index(">")].split(",")
        return (*zip(names, map(shallow, arguments), strict=False), *given)[:MOST_GIVEN]

    def parameter(self, each: Type, number: int, arguments: tuple[Types, ...] = ()) -> Types:
        """What a function takes at a place; a class what it is made of."""
        if isinstance(each, Itself):
            return self._own_parameter(each, number, arguments)
        if isinstance(each, Callback):
            return each.parameters[number] if number < len(each.parameters) else ()
        if isinstance(each, Foreign):
            return foreign.parameter(each, number)
        if isinstance(each, FunctionType):
            told = parameter(each.parameters, number)
            return self._evaluator.types.read(each.place, 0, told, each.given) if told else ()
        if isinstance(each, Object):
            return self._taken_by_any([place for place, _ in self._signatures(each)], number, each.given)
        return ()

    def _own_parameter(self, each: Itself, number: int, arguments: tuple[Types, ...]) -> Types:
        definition = self._scripts.definition(each.place)
        if definition is None:
            return ()
        if definition.kind == CLASS:
            places = [place for place, _ in self._evaluator.members.inherited(each, "constructor")]
        else:
            places = self._scripts.merged(each.place)
        return self._taken_by_any(places, number, self.given(definition.type, arguments, each.given))

    def _taken_by_any(self, places: list[At], number: int, given: Given) -> Types:
        return few([found for place in places for found in self._taken(place, number, given)])

    def _taken(self, place: At, number: int, given: Given) -> Types:
        file, taken = self._scripts.file(place.path), self._parameters(place)
        if file is None or not taken:
            return ()
        if REST in file.definitions[taken[-1]].bases and number >= len(taken) - 1:
            held = self._evaluator.held(At(place.path, taken[-1]), given)
            return few([found for one in held for found in self.element(one, "")])
        return self._evaluator.held(At(place.path, taken[number]), given) if number < len(taken) else ()

    def _parameters(self, place: At) -> list[int]:
        file = self._scripts.file(place.path)
        return file.parameters(place.place) if file else []

    def element(self, each: Type, index: str) -> Types:
        """What an element of a value is."""
        if not isinstance(each, Foreign):
            return ()
        if each.name == "Tuple" and index.isdigit() and int(index) < len(each.arguments):
            return each.arguments[int(index)]
        if each.name in ("Map", "ReadonlyMap"):
            return (Foreign("Tuple", each.arguments),)
        if each.name in foreign.COLLECTIONS:
            return foreign.holds(each)
        if each.name in foreign.PROMISES:
            return tuple(found for held in foreign.holds(each) for found in self.element(held, index))
        return ()


def _arguments(written: str) -> list[str]:
    """What a call is given; a value that is not told is empty."""
    parts: list[str] = []
    start = 0
    for position, mark in top_level(written):
        if mark == ",":
            parts.append(written[start:position])
            start = position + 1
    return [*parts, written[start:]] if written else []
