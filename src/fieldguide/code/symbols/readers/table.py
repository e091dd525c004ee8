"""Reads nodes by rows of a table: what a kind of node declares, and which of its parts are read in which role.

A language is a `LanguageTable` whose `visits` are mostly rows. Their strings name parts of a node:

A *selector* finds nodes, as `nodes` explains.

*Parts* are selectors that are read in turn, each with the role of names in it: `left:write right`. Without a role it
is `read`, `:=` passes on the role of the whole. `^` before a part reads it in the scope around a declaration instead of
inside of it.

A *type* is described as `facts` explains; a `TypeTable` says how, by the kinds of nodes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from fieldguide.code.symbols.facts import FUNCTION, INNER, METHOD, PACKAGE, READ, TYPES, UNKNOWN, ImportedSymbol
from fieldguide.code.symbols.readers.nodes import (
    Selecting,
    find_above,
    find_lines,
    find_part,
    find_visible_lines,
    kind_of,
    parse_selector,
    select,
)

if TYPE_CHECKING:
    from fieldguide.code.symbols.readers.walk import SyntaxWalk

Visit = Callable[["SyntaxWalk", Any, int, str], None]
"""Reads one node: the walk, the node, the definition around it and the role that a name here would have.

It says what it found (`define`, `bind`, `refer`, `imports`) and where to look further (`go`), in the order of the text.
"""

ROLE_OF_WHOLE = "="
LONGEST_TYPE_NAME = 120


@dataclass(frozen=True, slots=True)
class TypeTable:
    """How the types of a language are described, by the kinds of their nodes."""

    names: frozenset[str] = frozenset()
    """Types that are told by their text."""
    paths: frozenset[str] = frozenset()
    """Types that are told as an expression: `a.Foo`."""
    generic: Mapping[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    """Types that are given types: the selectors of the type and of its arguments."""
    holders: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Types that hold others and have no name (`Foo[]`): the name to give, and the selectors of what they hold."""
    inner: Mapping[str, str] = field(default_factory=dict[str, str])
    """Types that stand for one inside of them (`Foo?`): its selector."""
    special: Mapping[str, Callable[["SyntaxWalk", Any, int], str]] = field(
        default_factory=dict[str, Callable[["SyntaxWalk", Any, int], str]]
    )
    """Types that need code: it gets the walk, the node and the depth of what is in it."""
    other: Callable[["SyntaxWalk", Any, int], str] | None = None
    """Describes all other kinds."""
    values: Mapping[str, str] = field(default_factory=dict[str, str])
    """Values that say their type (`new Foo()`, `(Foo) a`): its selector."""
    unwrapped: Mapping[str, str] = field(default_factory=dict[str, str])
    """Values that are of the type of what is in them (`(a)`): its selector."""
    unnamed: frozenset[str] = frozenset()
    """Texts of names that say nothing: `var`."""
    most_arguments: int = 4
    deepest: int = 8

    def describe(self, walk: "SyntaxWalk", node: Any, depth: int = 0) -> str:
        """A type as an expression; nothing where it says nothing."""
        kind = kind_of(node)
        for _ in range(MOST_STEPS):
            if kind not in self.inner:
                break
            node = find_part(node, self.inner[kind])
            kind = kind_of(node)
        if node is None or depth > self.deepest:
            return ""
        if kind in self.names:
            text = "".join(str(node.text()).split())
            return "" if text in self.unnamed or "@" in text or len(text) > LONGEST_TYPE_NAME else text
        if kind in self.generic:
            whole, arguments = self.generic[kind]
            name = self.describe(walk, find_part(node, whole), depth + 1)
            return self.give(walk, name, select(node, arguments), depth + 1)
        if kind in self.holders:
            name, *parts = self.holders[kind]
            held = [each for part in parts for each in select(node, part) or (None,)]
            return self.give(walk, name, held, depth + 1)
        if kind in self.special:
            return self.special[kind](walk, node, depth + 1)
        if self.other is not None:
            return self.other(walk, node, depth)
        return describe_plain(walk, node) if kind in self.paths else ""

    def tell(self, walk: "SyntaxWalk", node: Any) -> str:
        """A declared type as what a definition's type says: `:Foo`, or nothing."""
        told = self.describe(walk, node)
        return f":{told}" if told else ""

    def give(self, walk: "SyntaxWalk", name: str, given: Sequence[Any], depth: int) -> str:
        """A type by its name with the types that it is given: `Foo<A,B>`."""
        inner = [self.describe(walk, each, depth) or UNKNOWN for each in given[: self.most_arguments]]
        return f"{name}<{','.join(inner)}>" if name and inner else name


def describe_plain(walk: "SyntaxWalk", node: Any, depth: int = 0) -> str:
    """A node as an expression; nothing where it is too complex."""
    told = walk.expression(node)
    return "" if UNKNOWN in told else told


def describe_value(walk: "SyntaxWalk", node: Any) -> str:
    """A value as what a definition's type says: `:T` for a new T, `=f()`; nothing where it is not plain."""
    types = walk.language.types
    for _ in range(types.deepest):
        kind = kind_of(node)
        if kind in types.values:
            return types.tell(walk, find_part(node, types.values[kind]))
        if kind not in types.unwrapped:
            break
        node = find_part(node, types.unwrapped[kind])
    return walk.tell_value(node)


@dataclass(frozen=True, slots=True)
class LanguageTable:
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
    nameless: frozenset[str] = frozenset()
    """Names that bind nothing: `_`."""
    words: Mapping[str, str] = field(default_factory=dict[str, str])
    """Kinds or texts of leaves that have a word in expressions: `{"this": "self"}`."""
    literals: Mapping[str, str] = field(default_factory=dict[str, str])
    """Nodes that are values of the language's own types, and the expression for each: `{"string": "str()"}`."""
    skipped: frozenset[str] = frozenset(("comment",))
    """Nodes that nobody looks into."""
    types: TypeTable = TypeTable()
    """How its types are described, for rows that declare something."""
    describe_value: Callable[["SyntaxWalk", Any], str] = describe_value
    """What a value says of the type of what it is given to, for the same."""
    read_doc: Callable[[Any], str] = lambda node: ""
    """The documentation of a declaration; none by default."""
    blocks: frozenset[str] = frozenset()
    """Nodes to whose end a local is seen."""
    closures: frozenset[str] = frozenset()
    """Functions without a name, whose parameters are seen on their lines."""
    has_calls_apart: bool = False
    """Whether a call can't mean a variable of its name: then no parameter or local answers it."""
    finish: Callable[["SyntaxWalk"], None] | None = None
    """What is done when the whole text was walked."""
    prepare: Callable[[str], str] | None = None
    """Makes a text that the grammar can read, with every character in its place."""


MOST_STEPS = 48
LONGEST_EXPRESSION = 200


def describe_expression(node: Any, language: LanguageTable) -> str:
    """A node as an expression: a path, or `?` where it is too complex."""
    tail = ""
    for _ in range(MOST_STEPS):
        if node is None or len(tail) > LONGEST_EXPRESSION:
            return UNKNOWN
        kind = str(node.kind())
        first = _first(node, kind, language)
        if first is not None:
            return first + tail
        node, step = _step(node, kind, language)
        if step == UNKNOWN:
            return UNKNOWN + tail
        tail = step + tail
    return UNKNOWN


def _first(node: Any, kind: str, language: LanguageTable) -> str | None:
    """What an expression begins with, where a node is that."""
    if kind in language.words or kind in language.literals:
        return language.words.get(kind) or language.literals[kind]
    if kind in language.names:
        text = str(node.text())
        return language.words.get(text, text)
    if kind in language.invocations:
        whole, part = language.invocations[kind]
        name = node.field(part)
        return None if name is None or node.field(whole) is not None else f"{name.text()}()"
    return None


def _step(node: Any, kind: str, language: LanguageTable) -> tuple[Any, str]:
    """The node before the last step of an expression, and that step; `?` where it is none of these."""
    if kind in language.members or kind in language.invocations:
        whole, part = language.members.get(kind) or language.invocations[kind]
        name = node.field(part)
        if name is None:
            return node.field(whole), UNKNOWN
        if kind in language.invocations:
            return node.field(whole), f".{name.text()}()"
        is_object = name.kind() in language.words  # Java's `Outer.this`
        return node.field(whole), "()" if is_object else f".{name.text()}"
    if kind in language.calls:
        return node.field(language.calls[kind]), "()"
    if kind in language.elements:
        return node.field(language.elements[kind]), "[]"
    if kind in language.wrappers:
        return _inner(node, language.wrappers[kind]), ""
    if kind in language.endings:
        inner, ending = language.endings[kind]
        return _inner(node, inner), ending
    if kind in language.unfolded:
        return language.unfolded[kind](node)
    return None, UNKNOWN


def _inner(node: Any, selector: str) -> Any:
    return find_part(node, selector) if selector else next(iter(node.named_children()), None)


class _Part(NamedTuple):
    name: str
    """The field that it is, if that is all."""
    select: Selecting
    role: str
    is_outside: bool


@cache
def _parse_parts(parts: str) -> list[_Part]:
    found: list[_Part] = []
    for part in parts.split():
        selector, _, role = part.removeprefix("^").partition(":")
        name = selector if selector.isidentifier() else ""
        found.append(_Part(name, parse_selector(selector), role or READ, part.startswith("^")))
    return found


def read_parts(walk: "SyntaxWalk", node: Any, parts: str, place: int, within: int, role: str) -> None:
    """Read the parts of a node: inside of a declaration at a place, or in the scope around it."""
    for name, find, given_role, is_outside in _parse_parts(parts):
        scope = within if is_outside else place
        own_role = role if given_role == ROLE_OF_WHOLE else given_role
        if name:
            walk.go(node.field(name), scope, own_role)
            continue
        for each in find(node):
            walk.go(each, scope, own_role)


@dataclass(frozen=True, slots=True)
class Parts:
    """A row for nodes that declare nothing: only their parts are read, and what `then` finds in the node."""

    parts: str
    then: Callable[["SyntaxWalk", Any, int], None] | None = None

    def __call__(self, walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
        """Read a node; see `Visit`."""
        read_parts(walk, node, self.parts, within, within, role)
        if self.then is not None:
            self.then(walk, node, within)


@dataclass(frozen=True, slots=True)
class Takes:
    """A row for nodes that take a name out of something (`a.b`), by the selectors of both."""

    whole: str
    name: str
    parts: str = ""
    """What else is read."""
    _: KW_ONLY
    role: str = ROLE_OF_WHOLE
    """What the name is used for."""
    role_before: str = READ
    """What names before it are used for."""
    alone: str = ""
    """What stands for the receiver of a name with nothing before it."""
    then: Callable[["SyntaxWalk", Any, int], None] | None = None
    """What is read by code; it gets the walk, the node and the scope around."""

    def __call__(self, walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
        """Read a node; see `Visit`."""
        before = find_part(node, self.whole)
        name = find_part(node, self.name)
        walk.go(before, within, self.role_before)
        if name is not None:
            receiver = self.alone if before is None else walk.expression(before)
            walk.refer(name, within, role if self.role == ROLE_OF_WHOLE else self.role, receiver)
        read_parts(walk, node, self.parts, within, within, role)
        if self.then is not None:
            self.then(walk, node, within)


@dataclass(frozen=True, slots=True)
class Package:
    """A row for nodes that say which package the file is of; its name is a selector."""

    name: str
    keyword: str = PACKAGE

    def __call__(self, walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
        """Read a node; see `Visit`."""
        name = find_part(node, self.name)
        if name is not None:
            text = "".join(str(name.text()).replace("`", "").split())
            walk.imports(ImportedSymbol(text, find_lines(node)[0], keyword=self.keyword))
        walk.go(node.field("body"), within)


@dataclass(frozen=True, slots=True)
class Declares:
    """A row for nodes that declare a name. Its strings are selectors, but for the kind, `visible` and `called`."""

    kind: str | Callable[["SyntaxWalk", Any, int], str]
    """The kind of the definition, or what finds it: it gets the walk, the node and the scope around."""
    parts: str = ""
    """What is read after the name."""
    _: KW_ONLY
    name: str = "name"
    each: str = ""
    """Nodes with a name and a value each, such as the declarators of `int a, b = 1`."""
    declared: str = ""
    """The declared type. Where it says nothing, the value tells the type."""
    value: str = ""
    element_of: str = ""
    """In place of the value: what the name is an element of."""
    told: Callable[["SyntaxWalk", Any, Any, int], str] | None = None
    """What describes the type otherwise: it gets the walk, the node, the one of `each` and the scope around."""
    bases: str = ""
    """The types that it inherits from; several selectors."""
    body: str = "body"
    """What ends the signature."""
    visible: str = ""
    """Which lines see it: to the end of the `block`, the `lines` of the node, those of the `closure` that it is a
    parameter of; by default all lines of the scope around."""
    called: str = ""
    """The name of what has none of its own, such as a constructor."""
    has_doc: bool = True
    has_own_types: bool = False
    """Whether its type may name one of its own type parameters."""
    is_optional: bool = False
    """Whether its parts are read without a name too; otherwise its children are."""
    parent: Callable[["SyntaxWalk", Any, int], int] | None = None
    """What it belongs to, if that is not the scope around: it gets the walk, the node and that scope."""
    then: Callable[["SyntaxWalk", Any, int, int], None] | None = None
    """What is read by code: it gets the walk, the node, the place of the definition and the scope around."""

    def __call__(self, walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
        """Read a node; see `Visit`."""
        place = within
        if self.each:
            for one in select(node, self.each):
                name = find_part(one, self.name)
                if name is not None and name.text() not in walk.language.nameless:
                    self._define(walk, node, one, name, within)
                    walk.go(find_part(one, self.value), within)
        else:
            name = find_part(node, self.name)
            if name is None and not self.is_optional and self.kind not in INNER:
                walk.go_below(node, within)
                return
            if name is not None:
                defined = self._define(walk, node, node, name, within)
                place = within if self.kind in INNER else defined
            if self.then is not None:
                self.then(walk, node, place, within)
        read_parts(walk, node, self.parts, place, within, role)

    def _define(self, walk: "SyntaxWalk", node: Any, one: Any, name: Any, within: int) -> int:
        kind = self.kind if isinstance(self.kind, str) else self.kind(walk, node, within)
        is_inner = kind in INNER
        language = walk.language
        bases = [language.types.describe(walk, each) for part in self.bases.split() for each in select(node, part)]
        parent = within if self.parent is None else self.parent(walk, node, within)
        place = walk.define(
            name, kind, parent,
            whole=None if is_inner else node,
            body=None if is_inner else find_part(one, self.body),
            doc=language.read_doc(node) if self.has_doc and not is_inner else "",
            told="" if self.has_own_types else self._describe(walk, node, one, within),
            scope=within,
            bases=[each for each in bases if each],
            visible=self._find_lines(walk, node),
            called=self.called,
        )  # fmt: skip
        if self.has_own_types and place != within:
            walk.retype(place, self._describe(walk, node, one, within), place)
        return place

    def _describe(self, walk: "SyntaxWalk", node: Any, one: Any, within: int) -> str:
        """What the type of the definition says."""
        if self.told is not None:
            return self.told(walk, node, one, within)
        told = walk.language.types.tell(walk, find_part(node, self.declared))
        if told:
            return told
        if self.element_of:
            return walk.tell_value(find_part(node, self.element_of), "[]")
        value = find_part(one, self.value)
        return "" if value is None else walk.describe_value(value)

    def _find_lines(self, walk: "SyntaxWalk", node: Any) -> tuple[int, int]:
        if self.visible == "block":
            return find_visible_lines(node, walk.language.blocks)
        if self.visible == "lines":
            return find_lines(node)
        if self.visible == "closure":
            closure = find_above(node, walk.language.closures, 2)
            if closure is not None:
                return find_lines(closure)
        return 0, 0


def choose_method(walk: "SyntaxWalk", node: Any, within: int) -> str:
    """The kind of a function: a method right in a type."""
    return METHOD if within >= 0 and walk.definitions[within].kind in TYPES else FUNCTION


def describe_owner(walk: "SyntaxWalk", node: Any, one: Any, within: int) -> str:
    """The type of a constant of an enumeration: the enumeration around it."""
    return f":{walk.definitions[within].name}" if within >= 0 else ""
