"""The facts of one source file (definitions, imports, references) and their packed form.

Plain data, the same for every language, made of one text alone: nothing here knows of another file. Where a name leads
is found when somebody asks.

An *expression* tells a type or stands before a dot. It is a path whatever the language writes: parts are joined by `.`,
`()` calls what is before it, `[]` takes an element of it, `{}` makes one of it by the names
of its fields, `<A,B>` gives a type its arguments, `|` stands between alternatives, and `?` for anything that is too
complex. `self` is the object whose class encloses the place, `super()` that object as its base classes see it.
"""

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

CALL = "call"
READ = "read"
WRITE = "write"
IMPORT = "import"
INHERIT = "inherit"
TYPE = "type"
SEND = "send"
RECEIVE = "receive"
"""What a name is used for; the last two are of messages, whose names are keys (`readers/messages.py`)."""

FUNCTION = "function"
METHOD = "method"
CLASS = "class"
INTERFACE = "interface"
ENUM = "enum"
ALIAS = "type"
FIELD = "field"
CONSTANT = "constant"
VARIABLE = "variable"
MACRO = "macro"
MODULE = "module"
ROUTE = "route"
COMMAND = "command"
PARAMETER = "parameter"
LOCAL = "local"
IMPORTED = "import"
EXPORTED = "export"
EXTENSION = "extension"
"""A part of a type that stands elsewhere than its definition (Rust's `impl`); its type says which."""
OPERATOR = "operator"
"""What an element of a type is (named `[]`), or what calling it gives (named `()`), where no member says it."""

TYPES = frozenset((CLASS, INTERFACE, ENUM, ALIAS))
CALLABLE = frozenset((FUNCTION, METHOD, MACRO))
ENTRIES = frozenset((ROUTE, COMMAND))
INNER = frozenset((PARAMETER, LOCAL))
UNTOLD = INNER | {IMPORTED, EXPORTED, EXTENSION, OPERATOR}
"""Kinds that only scopes need: nobody asks for them by name."""

UNKNOWN = "?"
EVERYTHING = "*"
PACKAGE = "package"
"""The keyword of what stands among the imports and says which package a file is of."""


class SymbolDefinition(NamedTuple):
    """Something that binds a name."""

    name: str
    kind: str
    parent: int
    """The enclosing definition, by its place in the file's list; -1 for the file itself."""
    line: int
    """Of the name, counted from 1."""
    column: int
    """Of the name, in characters, counted from 0."""
    end_line: int
    signature: str = ""
    doc: str = ""
    type: str = ""
    """`:Foo` as declared (for what can be called: what it returns), `=Foo()` as the value says, `@3` the import."""
    bases: tuple[str, ...] = ()
    """What it inherits from, as expressions."""
    scope: int = -1
    """The definition in whose scope the type is written, by its place in the list; -1 for the file itself."""
    visible: tuple[int, int] = (0, 0)
    """The lines that see it, where those are fewer than its parent's; (0, 0) otherwise."""


class SymbolReference(NamedTuple):
    """A name that may mean a definition: here or elsewhere."""

    name: str
    line: int
    column: int
    within: int
    """The innermost definition around it, by its place in the file's list; -1 for the file itself."""
    role: str
    receiver: str = ""
    """The expression before it; empty for a bare name."""
    arguments: int = -1
    """How many a call gives, where overloads are told apart by that; -1 where it is not said."""


class ImportedSymbol(NamedTuple):
    """One name that a file imports; the fields are those of `source_code.imports.Import`, with one name each."""

    text: str
    """The module, path or namespace as written."""
    line: int
    name: str = ""
    """What is taken out of it: a name, `*` for all, or nothing for the module itself."""
    is_relative: bool = False
    keyword: str = "import"
    scope: str = ""


class SymbolFacts(NamedTuple):
    """All of one file."""

    definitions: Sequence[SymbolDefinition] = ()
    references: Sequence[SymbolReference] = ()
    imports: Sequence[ImportedSymbol] = ()


ROLES = (CALL, READ, WRITE, IMPORT, INHERIT, TYPE, SEND, RECEIVE)
NUMBERS = {role: number for number, role in enumerate(ROLES)}
WIDTH = 5
SHIFT = 8  # the role and the number of arguments share a number
DEFINES = 1
USES = 2
ASKS = 4
INHERITS = 8
"""What a file does with a name, as a sum: defines it, uses it, asks for it in an interface, inherits from it."""


class PackedFacts(NamedTuple):
    """What is kept of a file."""

    shape: bytes
    uses: bytes
    names: Mapping[str, int]
    """The names by which it is found, with what it does with each."""


def pack(facts: SymbolFacts) -> PackedFacts:
    """Facts as they are kept."""
    used: dict[str, list[Any]] = {}
    for name, line, column, within, role, receiver, arguments in facts.references:
        row = (line, column, within, NUMBERS[role] + SHIFT * (arguments + 1), receiver)
        used.setdefault(name, []).extend(row)
    heads = [(each.name, each.kind, each.parent) for each in facts.definitions]
    rows = ",\n".join(_encode(_trimmed(each)) for each in facts.definitions)
    shape = _compressed(f"[[\n{rows}\n],\n{_encode(facts.imports)}]")
    shape += _compressed(_encode([*zip(*heads, strict=True)]))
    return PackedFacts(shape, _compressed(_encode(used)), collect_names(heads, used))


def collect_names(heads: Sequence[tuple[str, str, int]], used: Mapping[str, Sequence[Any]]) -> dict[str, int]:
    """The names by which a file is found, with what it does with each."""
    names: dict[str, int] = {}
    for name, kind, parent in heads:
        if kind not in UNTOLD or kind == EXTENSION:
            is_asked = kind == METHOD and parent >= 0 and heads[parent][1] == INTERFACE
            names[name] = names.get(name, 0) | (DEFINES | ASKS if is_asked else DEFINES)
    for name, flat in used.items():
        is_base = any(packed % SHIFT == NUMBERS[INHERIT] for packed in flat[3::WIDTH])
        names[name] = names.get(name, 0) | (USES | INHERITS if is_base else USES)
    return {name: does for name, does in names.items() if "\0" not in name}


class Definitions:
    """The definitions of a file, each unpacked when it is first asked for: a question needs few of them."""

    def __init__(self, heads: Sequence[Sequence[Any]] = (), rows: Sequence[str] = ()) -> None:
        self._names, self._kinds, self._parents = heads or ((), (), ())
        self._rows = rows
        self._made: list[SymbolDefinition | None] = [None] * len(rows)

    def heads(self) -> Iterator[tuple[str, str, int]]:
        """Name, kind and parent of each."""
        return zip(self._names, self._kinds, self._parents, strict=True)

    def head(self, place: int) -> tuple[str, str, int]:
        """Name, kind and parent of one."""
        return self._names[place], self._kinds[place], self._parents[place]

    def names(self) -> Sequence[str]:
        """The name of each."""
        return self._names

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[SymbolDefinition]:
        return map(self.__getitem__, range(len(self._rows)))

    def __getitem__(self, place: int) -> SymbolDefinition:
        made = self._made[place]
        if made is None:
            made = self._made[place] = _whole(json.loads(self._rows[place].removesuffix(",")))
        return made


def unpack_shape(content: bytes) -> tuple[Definitions, list[ImportedSymbol]]:
    """What a file defines and imports: a definition on each line, and their heads, which the version before lacks."""
    stream = zlib.decompressobj()
    text = stream.decompress(content).decode()
    if stream.unused_data:
        heads = json.loads(zlib.decompress(stream.unused_data))
        _, *rows, _, last = text.split("\n")
        imports = json.loads(last[:-1])
    else:
        definitions, imports = json.loads(text)
        heads = [*zip(*(each[:3] for each in definitions), strict=True)]
        rows = [*map(_encode, definitions)]
    return Definitions(heads, rows if heads else ()), [ImportedSymbol(*row) for row in imports]


def unpack_uses(content: bytes) -> dict[str, list[Any]]:
    """The uses of a file by name, for `FileUses`."""
    found: dict[str, list[Any]] = json.loads(zlib.decompress(content))
    return found


class FileUses:
    """The names that one file uses: by name, and by the definition around each use."""

    def __init__(self, by_name: Mapping[str, list[Any]]) -> None:
        self._by_name = by_name
        self._by_place: dict[int, list[tuple[str, int]]] | None = None

    def named(self, name: str) -> list[SymbolReference]:
        """The uses of one name."""
        flat = self._by_name.get(name, ())
        return [unpack_use(name, flat, at) for at in range(0, len(flat), WIDTH)]

    def within(self, places: Iterable[int]) -> list[SymbolReference]:
        """The uses right in some definitions, in the order of the text."""
        by_place = self._group()
        found = [unpack_use(name, self._by_name[name], at) for place in places for name, at in by_place.get(place, ())]
        return sorted(found, key=itemgetter(1, 2))

    def between(self, first: int, last: int) -> list[SymbolReference]:
        """The uses on some lines, in the order of the text."""
        return [use for use in self.within(self._group()) if first <= use.line <= last]

    def _group(self) -> dict[int, list[tuple[str, int]]]:
        if self._by_place is None:
            grouped: dict[int, list[tuple[str, int]]] = {}
            for name, flat in self._by_name.items():
                for at in range(0, len(flat), WIDTH):
                    grouped.setdefault(flat[at + 2], []).append((name, at))
            self._by_place = grouped  # in one step: other threads may read it
        return self._by_place


def unpack_use(name: str, flat: Sequence[Any], at: int) -> SymbolReference:
    """One of the uses of a name, by where it begins in their list."""
    line, column, within, packed, receiver = flat[at : at + WIDTH]
    return SymbolReference(name, line, column, within, ROLES[packed % SHIFT], receiver, packed // SHIFT - 1)


DEFAULTS = ("", "", "", (), None, (0, 0))


def _trimmed(each: SymbolDefinition) -> list[Any]:
    """A definition without what is as usual at its end: a scope that is its parent, lines that are all."""
    row: list[Any] = list(each)
    row[10] = None if each.scope == each.parent else each.scope
    while len(row) > 6 and row[-1] == DEFAULTS[len(row) - 7]:
        row.pop()
    return row


def _whole(packed: list[Any]) -> SymbolDefinition:
    """A definition as it was before it was trimmed."""
    row: list[Any] = [*packed, *DEFAULTS[len(packed) - 6 :]]
    row[9] = tuple(row[9])
    row[10] = row[2] if row[10] is None else row[10]
    row[11] = (row[11][0], row[11][1])
    return SymbolDefinition(*row)


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def _compressed(text: str) -> bytes:
    """The text at level 4: for 7 % more bytes than at 6 it takes less than half of the time."""
    return zlib.compress(text.encode("utf-8", "replace"), 4)
