"""What the walker must know of a language: a table of the grammar's node kinds, and a few functions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fieldguide.symbols.reading.walk import Walk

Visit = Callable[["Walk", Any, int, str], None]
"""Reads one node: the walk, the node, the definition around it and the role that a name here would have.

It says what it found (`define`, `bind`, `refer`, `imports`) and where to look further (`go`), in the order of the text.
"""


@dataclass(frozen=True, slots=True)
class Language:
    """How one language is read. Kinds and fields are those of its tree-sitter grammar."""

    grammar: str
    """A key of `source_code.parsing.GRAMMARS`."""
    visits: Mapping[str, Visit]
    """How nodes are read that define or bind something; the children of all others are looked at in turn."""
    names: frozenset[str] = frozenset(("identifier",))
    """Leaves that are names."""
    members: Mapping[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    """Nodes that take something out of something (`a.b`): the fields of the object and of the name."""
    calls: Mapping[str, str] = field(default_factory=dict[str, str])
    """Nodes that call: the field of what is called."""
    invocations: Mapping[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    """Nodes that take something out of something, or nothing, and call it: the fields of the object and of the name."""
    given: Callable[[Any], Any] | None = None
    """The argument of a call that may say what the call gives (a class, as in `make(Foo)`), by its node."""
    elements: Mapping[str, str] = field(default_factory=dict[str, str])
    """Nodes that take an element (`a[0]`): the field of the whole."""
    wrappers: Mapping[str, str] = field(default_factory=dict[str, str])
    """Nodes that stand for what is in them (`(a)`, `await a`): its field, or nothing for the first child."""
    endings: Mapping[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    """Nodes that do something with what is in them (`a?`): its field, or nothing for the first child, and the rest of
    the expression."""
    unfolded: Mapping[str, Callable[[Any], tuple[Any, str]]] = field(
        default_factory=dict[str, Callable[[Any], tuple[Any, str]]]
    )
    """Nodes of a grammar without fields: what is in one, and the rest of the expression."""
    words: Mapping[str, str] = field(default_factory=dict[str, str])
    """Kinds or texts of leaves that have a word in expressions: `{"this": "self"}`."""
    literals: Mapping[str, str] = field(default_factory=dict[str, str])
    """Nodes that are values of the language's own types, and the expression for each: `{"string": "str()"}`."""
    skipped: frozenset[str] = frozenset(("comment",))
    """Nodes that nobody looks into."""
    has_calls_apart: bool = False
    """Whether a call can't mean a variable of its name: then no parameter or local answers it."""
    finish: "Callable[[Walk], None] | None" = None
    """What is done when the whole text was walked."""
    prepare: Callable[[str], str] | None = None
    """Makes a text that the grammar can read, with every character in its place."""
