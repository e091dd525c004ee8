"""What a name means behind a value of a script: members of classes, interfaces, objects and modules."""

from typing import TYPE_CHECKING

from fieldguide.symbols.facts import ENUM, EXPORTED, FIELD, IMPORTED, METHOD, MODULE, PARAMETER
from fieldguide.symbols.resolving.script import foreign
from fieldguide.symbols.resolving.script.files import is_static
from fieldguide.symbols.resolving.script.kinds_of_types import (
    OWN,
    Foreign,
    Given,
    Itself,
    Narrowed,
    Object,
    Type,
    Types,
    few,
)
from fieldguide.symbols.resolving.values import At

if TYPE_CHECKING:
    from fieldguide.symbols.resolving.script.evaluating import Evaluator

MOST_BASES = 30


class Members:
    """Finds members for an evaluator."""

    def __init__(self, evaluator: "Evaluator") -> None:
        self._evaluator = evaluator
        self._scripts = evaluator.scripts
        self._bases: dict[tuple[At, Given], Types] = {}

    def types(self, each: Type, name: str) -> Types:
        """What a member of a value holds."""
        if isinstance(each, Foreign):
            return self._foreign_types(each, name)
        if isinstance(each, Itself) and name in ("bind", "call", "apply"):
            return (each,)
        if isinstance(each, Narrowed):
            return few([found for one in each.whole for found in self.types(one, name)] if each.has(name) else [])
        return tuple(found for place, given in self.named(each, name) for found in self._evaluator.held(place, given))

    def _foreign_types(self, each: Foreign, name: str) -> Types:
        if (
            each.name in foreign.PROMISES
            and each.arguments
            and name not in ("then", "catch", "finally", "subscribe", "pipe")
        ):
            if name == "value":
                return foreign.holds(each)
            return tuple(found for held in foreign.holds(each) for found in self.types(held, name))
        if each.name in ("Record", "Index") and each.arguments:
            return foreign.holds(each)
        return (Foreign(name, owner=(each,)),)

    def named(self, each: Type, name: str) -> list[tuple[At, Given]]:
        """The definitions that a name means behind a value of a type, with what type parameters stand for there."""
        if isinstance(each, Narrowed | Foreign):
            inside = _inside(each, name)
            return [found for one in inside for found in self.named(one, name)]
        if not isinstance(each, Object | Itself):
            return []
        if each.place.place < 0:
            return [(place, ()) for place in self._scripts.exported(each.place.path, name)]
        return self.inherited(each, name)

    def inherited(self, each: Object | Itself, name: str) -> list[tuple[At, Given]]:
        """The members of a name that a class has itself, or else from the nearest that it inherits from."""
        pending: list[Type] = [each]
        seen: set[Type] = set()
        while pending and len(seen) < MOST_BASES:
            now = pending.pop(0)
            if isinstance(now, Narrowed):
                pending += now.whole if now.has(name) else ()
            if now in seen or not isinstance(now, Object | Itself):
                continue
            seen.add(now)
            own = self._own_side(now, self.own(now.place, name))
            if own:
                return [(place, now.given) for place in own] + self._beside(now, name)
            pending += self.bases(now)
        return []

    def _own_side(self, each: Object | Itself, found: list[At]) -> list[At]:
        """Of a class that has a name both of its own and for its objects, the one that is meant."""
        if len(found) < 2:
            return found
        sides = [(place, self._scripts.definition(place)) for place in found]
        return [one for one, it in sides if it and is_static(it) == isinstance(each, Itself)] or found

    def _beside(self, each: Object | Itself, name: str) -> list[tuple[At, Given]]:
        """The members that are one with an own member: those of what its own ones are joined with, `A & {…}`."""
        definition = self._scripts.definition(each.place)
        if definition is None or not any(OWN in base for base in definition.bases):
            return []
        others = [base for base in self.bases(each) if base != each and getattr(base, "place", None) != each.place]
        return [found for base in others for found in self.named(base, name)]

    def own(self, place: At, name: str) -> list[At]:
        """The members of a name that a definition has itself, or where it is declared again."""
        found: list[At] = []
        for one in self._scripts.merged(place):
            file = self._scripts.file(one.path)
            definition = self._scripts.definition(one)
            if file is None or definition is None:
                continue
            is_open = definition.kind in (MODULE, ENUM)
            for number in file.named(one.place, name):
                kind = file.definitions[number].kind
                if kind in (FIELD, METHOD) or (is_open and kind not in (IMPORTED, PARAMETER)):
                    found.append(At(one.path, number))
                elif kind == EXPORTED:
                    found += self._scripts.followed(At(one.path, number))
        return found

    def bases(self, each: Type) -> Types:
        """What a class or interface inherits from, as objects."""
        if not isinstance(each, Object | Itself):
            return ()
        key = (each.place, each.given)
        if key not in self._bases:
            self._bases[key] = ()
            found: list[Type] = []
            for one in self._scripts.merged(each.place):
                definition = self._scripts.definition(one)
                for base in definition.bases if definition else ():
                    found += self._evaluator.types.read(one, definition.line if definition else 0, base, each.given)
            self._bases[key] = few(found)
        return self._bases[key]


def _inside(each: Narrowed | Foreign, name: str) -> Types:
    """The types whose members of a name a type has."""
    if isinstance(each, Narrowed):
        return each.whole if each.has(name) else ()
    return foreign.holds(each) if each.name in foreign.PROMISES else ()
