"""What calling a value of a script gives, what it takes, and what lists hold."""

from typing import TYPE_CHECKING, NamedTuple

from fieldguide.symbols.facts import CLASS
from fieldguide.symbols.resolving.script import foreign
from fieldguide.symbols.resolving.script.files import DEFAULT
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

    def called_with(self, each: Type, written: str, arguments: tuple[Types, ...], site: Site) -> Types:
        """What calling a value gives, where what it is given may tell what its type parameters stand for."""
        told = _arguments(written)
        if isinstance(each, Foreign):
            values = [self._evaluator.value(site.scope, site.line, one, site.given) if one else () for one in told]
            return self._foreign_called(each, arguments, values)
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
                if declared.endswith("[]"):
                    types = few([held for two in types for held in self.element(two, "")])
                elif declared != name:
                    types = few([held for two in types for held in self.called(two)])
                found[name] = types
        return tuple(found.get(name, ()) for name in names) if found else ()

    def _declared(self, each: Type, number: int) -> str:
        """The type that a parameter is declared with, in its own words."""
        if not isinstance(each, Itself):
            return ""
        file = self._scripts.file(each.place.path)
        taken = self._parameters(each.place)
        told = file.definitions[taken[number]].type if file and number < len(taken) else ""
        return told[1:].strip() if told.startswith(":") else ""

    def _foreign_called(self, each: Foreign, arguments: tuple[Types, ...], values: list[Types]) -> Types:
        first = values[0] if values else ()
        if each.name in foreign.MAPPING and each.owner:
            made = few([found for one in first for found in self.called(one)])
            whole = each.owner[0].name if isinstance(each.owner[0], Foreign) else ""
            return (Foreign("Promise" if whole in foreign.PROMISES else "Array", (made,)),) if made else ()
        if each.name == "reduce" and len(values) > 1:
            return values[1]
        if each.name in foreign.MAKING:
            return few([found for one in first for found in self.called(one)])
        if each.name in foreign.PASSING or (each.name in foreign.WRAPPING and not arguments):
            return (Foreign(foreign.WRAPPING[each.name], (first,)),) if each.name in foreign.WRAPPING else first
        if each.name in ("values", "entries", "all", "from") and first and not self._is_list(each):
            return self._listed(each.name, first)
        return self.called(each, arguments)

    def _is_list(self, each: Foreign) -> bool:
        return bool(each.owner) and isinstance(each.owner[0], Foreign) and bool(each.owner[0].arguments)

    def _listed(self, name: str, first: Types) -> Types:
        """`Object.values(x)`, `Object.entries(x)`, `Array.from(x)`, `Promise.all(x)`."""
        held = few([found for one in first for found in self.element(one, "")])
        if name == "entries":
            held = (Foreign("Tuple", ((), held)),)
        if name == "all":
            held = few(
                [found for one in held for found in (foreign.holds(one) if isinstance(one, Foreign) else (one,))]
            )
        return (Foreign("Array", (held,)),)

    def called(self, each: Type, arguments: tuple[Types, ...] = ()) -> Types:
        """What calling a value gives."""
        if isinstance(each, Foreign):
            if not each.owner and not each.arguments and arguments:
                return (Foreign(each.name, arguments),)
            return foreign.called(each)
        if isinstance(each, FunctionType):
            return self._evaluator.types.read(each.place, 0, each.returned, each.given)
        if isinstance(each, Object):
            return few(
                [
                    found
                    for place, told in self._signatures(each)
                    for found in self._evaluator.told(place, 0, told, each.given)
                ]
            )
        if not isinstance(each, Itself):
            return ()
        definition = self._scripts.definition(each.place)
        if definition is None:
            return (
                self._evaluator.all_held(self._scripts.exported(each.place.path, DEFAULT))
                if each.place.place < 0
                else ()
            )
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
        if isinstance(each, Callback):
            return each.parameters[number] if number < len(each.parameters) else ()
        if isinstance(each, Foreign):
            return foreign.parameter(each, number)
        if isinstance(each, FunctionType):
            told = parameter(each.parameters, number)
            return self._evaluator.types.read(each.place, 0, told, each.given) if told else ()
        if isinstance(each, Object):
            return few([f for place, _ in self._signatures(each) for f in self._taken(place, number, each.given)])
        definition = self._scripts.definition(each.place) if isinstance(each, Itself) else None
        if definition is None or not isinstance(each, Itself):
            return ()
        if definition.kind == CLASS:
            given = self.given(definition.type, arguments, each.given)
            makers = self._evaluator.members.inherited(each, "constructor")
            return few([found for place, _ in makers for found in self._taken(place, number, given)])
        given = self.given(definition.type, arguments, each.given)
        return few([found for one in self._scripts.merged(each.place) for found in self._taken(one, number, given)])

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
        if each.name in foreign.LISTS or each.name in foreign.MAPS:
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
