"""What one source text says about names: what it defines, what it imports, and which names it uses where.

Plain data, the same for every language, made of one text alone: nothing here knows of another file. Where a name leads
is found when somebody asks.

An *expression* tells a type or stands before a dot. It is a path whatever the language writes: parts are joined by `.`,
`()` calls what is before it (`(Foo)` gives it a class), `[]` takes an element of it, `{}` makes one of it by the names
of its fields, `<A,B>` gives a type its arguments, `|` stands between alternatives, and `?` for anything that is too
complex. `self` is the object whose class encloses the place, `super()` that object as its base classes see it.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

CALL, READ, WRITE, IMPORT, INHERIT, TYPE = "call", "read", "write", "import", "inherit", "type"
"""What a name is used for."""

FUNCTION, METHOD, CLASS, INTERFACE, ENUM, ALIAS = "function", "method", "class", "interface", "enum", "type"
FIELD, CONSTANT, VARIABLE, MACRO, MODULE, ROUTE, COMMAND = (
    "field", "constant", "variable", "macro", "module", "route", "command",
)  # fmt: skip
PARAMETER, LOCAL, IMPORTED, EXPORTED = "parameter", "local", "import", "export"
EXTENSION = "extension"
"""A part of a type that stands elsewhere than its definition (Rust's `impl`); its type says which."""
OPERATOR = "operator"
"""What an element of a type is (named `[]`), or what calling it gives (named `()`), where no member says it."""

TYPES = frozenset((CLASS, INTERFACE, ENUM, ALIAS))
CALLABLE = frozenset((FUNCTION, METHOD, MACRO))
INNER = frozenset((PARAMETER, LOCAL))
UNTOLD = INNER | {IMPORTED, EXPORTED, EXTENSION, OPERATOR}
"""Kinds that only scopes need: nobody asks for them by name."""

UNKNOWN = "?"
EVERYTHING = "*"


class Definition(NamedTuple):
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


class Reference(NamedTuple):
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


class Imported(NamedTuple):
    """One name that a file imports; the fields are those of `source_code.imports.Import`, with one name each."""

    text: str
    """The module, path or namespace as written."""
    line: int
    name: str = ""
    """What is taken out of it: a name, `*` for all, or nothing for the module itself."""
    is_relative: bool = False
    keyword: str = "import"
    scope: str = ""


class Facts(NamedTuple):
    """All of one file."""

    definitions: Sequence[Definition] = ()
    references: Sequence[Reference] = ()
    imports: Sequence[Imported] = ()


def definition_of(row: Sequence[Any]) -> Definition:
    """A definition that was plain data for a while."""
    name, kind, parent, line, column, end_line, signature, doc, told, bases, scope, visible = row
    return Definition(
        name, kind, parent, line, column, end_line, signature, doc, told, tuple(bases), scope, (visible[0], visible[1])
    )


def facts_of(told: Sequence[Any]) -> Facts:
    """Facts that were plain data for a while."""
    definitions, references, imports = told
    return Facts(
        [definition_of(each) for each in definitions],
        [Reference(*each) for each in references],
        [Imported(*each) for each in imports],
    )
