"""Which definitions a use can mean by how it is written: a call, a type or a value, and with how many arguments."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from fieldguide.symbols.facts import (
    CALL,
    IMPORT,
    IMPORTED,
    INHERIT,
    METHOD,
    OPERATOR,
    PARAMETER,
    TYPE,
    TYPES,
    Definition,
    Reference,
)

REMEMBERED = 20_000
OPENING, CLOSING = "(<[{", ")>]}"
SEVERAL = ("...", "vararg ", "params ")
OF_OTHERS = "this "
CALLED = TYPES | {METHOD, OPERATOR, "function", IMPORTED}
NAMING_TYPES = TYPES | {PARAMETER, IMPORTED}


class Want(NamedTuple):
    """How a name is used."""

    is_called: bool = False
    is_type: bool = False
    is_any: bool = False
    arguments: int = -1
    is_loose: bool = False
    """Whether a call may mean a field that holds a function, and a bare name a method (Kotlin, C#)."""


ANY, VALUE, TYPED, INVOKED = Want(is_any=True), Want(), Want(is_type=True), Want(is_called=True)


def want_of(each: Reference, *, is_loose: bool = False) -> Want:
    """What a use wants."""
    if each.role == IMPORT:
        return ANY
    is_type = each.role in (TYPE, INHERIT)
    return Want(each.role == CALL, is_type, arguments=each.arguments, is_loose=is_loose)


def fitting(definitions: Sequence[Definition], places: Sequence[int], want: Want) -> list[int]:
    """Those of several definitions of a name that a use can mean; of overloads those that take as many arguments."""
    if want.is_any:
        return list(places)
    if want.is_type:
        return [p for p in places if definitions[p].kind in NAMING_TYPES]
    return _called(definitions, places, want) if want.is_called else _values(definitions, places, want)


def _values(definitions: Sequence[Definition], places: Sequence[int], want: Want) -> list[int]:
    """What can be read; classes only where there is nothing else."""
    found = [p for p in places if definitions[p].kind not in (METHOD, OPERATOR)]
    values = [p for p in found if definitions[p].kind not in TYPES]
    return values or found or (list(places) if want.is_loose else [])


def _called(definitions: Sequence[Definition], places: Sequence[int], want: Want) -> list[int]:
    """What can be called, with so many arguments; classes only where there is nothing else."""
    found = [p for p in places if definitions[p].kind in CALLED]
    if not found and want.is_loose:
        return list(places)
    methods = [p for p in found if definitions[p].kind not in TYPES]
    return overloads(definitions, methods or found, want.arguments)


def overloads(definitions: Sequence[Definition], places: list[int], count: int) -> list[int]:
    """Those that take so many arguments; all where the number is not known."""
    if count < 0:
        return places
    return [p for p in places if _takes(definitions[p], count)]


def _takes(definition: Definition, count: int) -> bool:
    if definition.kind != METHOD and definition.kind != "function":
        return True
    least, most = parameters_of(definition.signature)
    return least <= count <= most


@lru_cache(maxsize=REMEMBERED)
def parameters_of(signature: str) -> tuple[int, int]:
    """The fewest and the most arguments that a signature takes; any number where it can't be told."""
    start = _opening(signature)
    if start < 0:
        return 0, 999
    parts, depth, begun = list[str](), 0, start + 1
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
    """Where the parameters begin: the last bracket that opens outside of others, and of annotations before it."""
    depth, found = 0, -1
    for at, character in enumerate(signature):
        if character == "(" and not depth:
            name = signature[:at].rstrip().rpartition(" ")[2]
            if not name.startswith(("@", "[")):
                return at
        depth += (character in "([") - (character in ")]")
    return found


def _counted(parts: list[str]) -> tuple[int, int]:
    has_several = any(word in each for each in parts for word in SEVERAL)
    optional = sum("=" in each for each in parts)
    extended = bool(parts) and parts[0].startswith(OF_OTHERS)
    least = len(parts) - optional - has_several - extended
    return max(least, 0), 999 if has_several else len(parts)
