"""Facts of one file in few bytes: its shape (what it defines and imports), and its uses of names."""

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, overload

from fieldguide.symbols.facts import (
    CALL,
    EXTENSION,
    IMPORT,
    INHERIT,
    READ,
    TYPE,
    UNTOLD,
    WRITE,
    Definition,
    Facts,
    Imported,
    Reference,
    definition_of,
)

ROLES = (CALL, READ, WRITE, IMPORT, INHERIT, TYPE)
NUMBERS = {role: number for number, role in enumerate(ROLES)}
WIDTH = 5
SHIFT = 8  # the role and the number of arguments share a number
DEFINES, USES = 1, 2


class Packed(NamedTuple):
    """What is kept of a file."""

    shape: bytes
    uses: bytes
    names: Mapping[str, int]
    """The names that it defines (1), uses (2), or both (3)."""


def pack(facts: Facts) -> Packed:
    """Facts as they are kept."""
    used: dict[str, list[Any]] = {}
    for each in facts.references:
        row = (each.line, each.column, each.within, NUMBERS[each.role] + SHIFT * (each.arguments + 1), each.receiver)
        used.setdefault(each.name, []).extend(row)
    shape = [[_trimmed(each) for each in facts.definitions], [list(each) for each in facts.imports]]
    return Packed(_packed(shape), _packed(used), names_of(((each.name, each.kind) for each in facts.definitions), used))


def names_of(defined: Iterable[tuple[str, str]], used: Iterable[str]) -> dict[str, int]:
    """The names by which a file is found: those that it defines (1), uses (2), or both (3)."""
    names = {name: DEFINES for name, kind in defined if kind not in UNTOLD or kind == EXTENSION}
    for name in used:
        names[name] = names.get(name, 0) | USES
    return {name: part for name, part in names.items() if "\0" not in name}


class Definitions(Sequence[Definition]):
    """The definitions of a file, each unpacked when it is first asked for: a question needs few of them."""

    def __init__(self, rows: list[list[Any]]) -> None:
        self._rows = rows
        self._made: list[Definition | None] = [None] * len(rows)

    def heads(self) -> Iterator[tuple[str, str, int]]:
        """Name, kind and parent of each."""
        return ((row[0], row[1], row[2]) for row in self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> Definition: ...

    @overload
    def __getitem__(self, place: slice) -> list[Definition]: ...

    def __getitem__(self, place: int | slice) -> Definition | list[Definition]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        made = self._made[place]
        if made is None:
            made = self._made[place] = _whole(self._rows[place])
        return made


def unpack_shape(content: bytes) -> tuple[Definitions, list[Imported]]:
    """What a file defines and imports."""
    definitions, imports = _unpacked(content)
    return Definitions(definitions), [Imported(*row) for row in imports]


def unpack_uses(content: bytes) -> dict[str, list[Any]]:
    """The uses of a file by name, for `uses_of`."""
    found: dict[str, list[Any]] = _unpacked(content)
    return found


def uses_of(name: str, flat: Sequence[Any]) -> list[Reference]:
    """The uses of one name."""
    return [
        Reference(
            name, flat[at], flat[at + 1], flat[at + 2], ROLES[flat[at + 3] % SHIFT], flat[at + 4],
            flat[at + 3] // SHIFT - 1,
        )
        for at in range(0, len(flat), WIDTH)
    ]  # fmt: skip


DEFAULTS = ("", "", "", (), None, (0, 0))


def _trimmed(each: Definition) -> list[Any]:
    """A definition without what is as usual at its end: a scope that is its parent, lines that are all."""
    row: list[Any] = list(each)
    row[10] = None if each.scope == each.parent else each.scope
    while len(row) > 6 and row[-1] == DEFAULTS[len(row) - 7]:
        row.pop()
    return row


def _whole(packed: list[Any]) -> Definition:
    row = [*packed, *DEFAULTS[len(packed) - 6 :]]
    row[10] = row[2] if row[10] is None else row[10]
    return definition_of(row)


def _packed(value: Any) -> bytes:
    return zlib.compress(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace"), 6)


def _unpacked(content: bytes) -> Any:
    return json.loads(zlib.decompress(content))
