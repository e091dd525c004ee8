"""A walk over one syntax tree, guided by its language's table. It never recurses, and it ends.

Only a parser process walks: see `source_code.parser_process`.
"""

from collections.abc import Sequence
from typing import Any

from fieldguide.symbols.facts import (
    CALL,
    INNER,
    READ,
    TYPE,
    WRITE,
    Definition,
    Facts,
    Imported,
    Reference,
)
from fieldguide.symbols.reading.expressions import LONGEST_EXPRESSION, expression_of
from fieldguide.symbols.reading.language import Language
from fieldguide.symbols.reading.scopes import first_of, without_own_locals

MOST_NODES = 300_000
MOST_DEFINITIONS = 10_000
MOST_REFERENCES = 50_000
MOST_ALTERNATIVES = 3
LONGEST_NAME = 120
LONGEST_SIGNATURE = 200
LONGEST_DOC = 300


class Walk:
    """What was found so far, and what is still to be looked at."""

    def __init__(self, text: str, language: Language) -> None:
        self.text = text
        self.language = language
        self.definitions: list[Definition] = []
        self.references: list[Reference] = []
        self.imported: list[Imported] = []
        self.marks: set[tuple[int, str]] = set()
        """What a language's visits remember of names in scopes, such as Python's `global`."""
        self._bound: dict[tuple[int, str], int] = {}
        self._next: list[tuple[Any, int, str]] = []

    def over(self, root: Any) -> Facts:
        """Everything below a node."""
        language, visits = self.language, self._visits()
        pending: list[tuple[Any, int, str]] = [(root, -1, READ)]
        nodes = 0
        while pending and nodes < MOST_NODES:
            node, within, role = pending.pop()
            nodes += 1
            visit = visits.get(node.kind())
            if visit is None:
                pending += [(child, within, role) for child in reversed(node.named_children())]
                continue
            visit(self, node, within, role)
            if self._next:
                pending += reversed(self._next)
                self._next = []
        if language.finish is not None:
            language.finish(self)
        facts = Facts(self.definitions, self.references, self.imported)
        return without_own_locals(facts, has_calls_apart=language.has_calls_apart)

    def go(self, node: Any, within: int, role: str = READ) -> None:
        """Look at a node later: in the order in which they were given; nothing where there is none."""
        if node is not None:
            self._next.append((node, within, role))

    def go_below(self, node: Any, within: int, role: str = READ) -> None:
        """Look at the children of a node later."""
        if node is not None:
            self._next += [(child, within, role) for child in node.named_children()]

    def define(
        self,
        name: Any,
        kind: str,
        parent: int,
        *,
        whole: Any = None,
        body: Any = None,
        doc: str = "",
        told: str = "",
        bases: Sequence[str] = (),
        scope: int | None = None,
        visible: tuple[int, int] = (0, 0),
    ) -> int:
        """A new definition: the node of its name, and of all of it; its place in the list, or its parent's when full.

        Its signature is the text of the whole up to the body. `told` is what its type says, as it is written in its
        parent's scope, or in `scope`.
        """
        text = str(name.text())
        if len(self.definitions) >= MOST_DEFINITIONS or not text or len(text) > LONGEST_NAME:
            return parent
        start = name.range().start
        end = start.line if whole is None else whole.range().end.line
        signature = "" if whole is None or kind in INNER else self.signature(whole, body)
        told = told if len(told) <= LONGEST_EXPRESSION else ""
        place = len(self.definitions)
        self.definitions.append(
            Definition(
                text, kind, parent, start.line + 1, start.column, end + 1,
                signature, doc[:LONGEST_DOC], told, tuple(bases), parent if scope is None else scope, visible,
            )
        )  # fmt: skip
        if not visible[0]:
            self._bound.setdefault((parent, text), place)
        return place

    def add(self, definition: Definition, key: str = "") -> int:
        """A definition that no node names; `key` is what it is found by in place of its name, see `bound`."""
        if len(self.definitions) >= MOST_DEFINITIONS or not 0 < len(definition.name) <= LONGEST_NAME:
            return definition.parent
        self.definitions.append(definition)
        self._bound.setdefault((definition.parent, key or definition.name), len(self.definitions) - 1)
        return len(self.definitions) - 1

    def bind(self, name: Any, kind: str, parent: int, *, within: int, **more: Any) -> int:
        """A name that is given a value: a definition the first time in its parent, and written to after that."""
        known = self.bound(parent, str(name.text()))
        if known is None:
            return self.define(name, kind, parent, **more)
        if self.definitions[known].kind not in INNER:
            self.refer(name, within, WRITE)
        self.add_type(known, str(more.get("told", "")), int(more.get("scope") or parent))
        return known

    def add_type(self, place: int, told: str, scope: int) -> None:
        """Say what else a definition without a declared type may hold."""
        known = self.definitions[place]
        if not known.type:
            self.retype(place, told, scope)
        elif told.startswith("=") and known.type.startswith("=") and known.type.count("|") < MOST_ALTERNATIVES:
            first = first_of(told[1:])
            is_plain = known.scope == scope or first == "self" or self.bound(scope, first) is None
            if is_plain and told[1:] not in known.type[1:].split("|"):
                self.retype(place, f"{known.type}|{told[1:]}", known.scope)

    def retype(self, place: int, told: str, scope: int) -> None:
        """Say what the type of a definition is, after it was made."""
        if len(told) <= LONGEST_EXPRESSION:
            self.definitions[place] = self.definitions[place]._replace(type=told, scope=scope)

    def bound(self, parent: int, name: str) -> int | None:
        """The place of the first definition of a name in its parent."""
        return self._bound.get((parent, name))

    def refer(self, name: Any, within: int, role: str, receiver: str = "", arguments: Any = None) -> None:
        """A name that is used, by its node; with the node of the arguments where their number tells."""
        start = name.range().start
        self.refer_at(str(name.text()), start.line + 1, start.column, within, role, receiver)
        if arguments is not None:
            self.count_arguments(sum("comment" not in each.kind() for each in arguments.named_children()))

    def count_arguments(self, count: int) -> None:
        """How many arguments the call gives that was referred to last."""
        if self.references:
            self.references[-1] = self.references[-1]._replace(arguments=count)

    def refer_at(self, name: str, line: int, column: int, within: int, role: str, receiver: str = "") -> None:
        """A name that is used at a place."""
        if name and len(name) <= LONGEST_NAME and len(self.references) < MOST_REFERENCES:
            self.references.append(Reference(name, line, column, within, role, receiver))

    def imports(self, each: Imported) -> str:
        """A name that is imported: what its definition's type says, `@n`."""
        self.imported.append(each)
        return f"@{len(self.imported) - 1}"

    def around(self, place: int, kinds: frozenset[str]) -> int:
        """The innermost definition of some kinds that a place is in; -1 where it is in none."""
        while place >= 0 and self.definitions[place].kind not in kinds:
            place = self.definitions[place].parent
        return place

    def signature(self, whole: Any, body: Any = None) -> str:
        """The text of a node up to its body, on one line."""
        span = whole.range()
        start, end = span.start.index, span.end.index
        if body is not None:
            end = body.range().start.index
        head = " ".join(self.text[start : min(end, start + 4 * LONGEST_SIGNATURE)].split())
        return head.rstrip("{:=").rstrip()[:LONGEST_SIGNATURE]

    def expression(self, node: Any) -> str:
        """A node as an expression: a path, or `?` where it is too complex."""
        return expression_of(node, self.language)

    def _visits(self) -> dict[str, Any]:
        """How every kind of node is read: what the language says of names, members and calls, and its own visits."""
        language = self.language
        return {
            **dict.fromkeys(language.names, _name),
            **dict.fromkeys(language.members, _member),
            **dict.fromkeys(language.calls, _call),
            **dict.fromkeys(language.invocations, _invocation),
            **dict.fromkeys(language.skipped, _nothing),
            **language.visits,
        }


def kind_of(node: Any) -> str:
    """The kind of a node; empty where there is none."""
    return "" if node is None else str(node.kind())


def _name(walk: Walk, node: Any, within: int, role: str) -> None:
    if node.text() not in walk.language.words:
        walk.refer(node, within, role)


def _member(walk: Walk, node: Any, within: int, role: str) -> None:
    whole, part = walk.language.members[node.kind()]
    before, name = node.field(whole), node.field(part)
    walk.go(before, within, TYPE if role == TYPE else READ)
    if name is not None and name.kind() not in walk.language.words:
        walk.refer(name, within, role, walk.expression(before))


def _invocation(walk: Walk, node: Any, within: int, role: str) -> None:
    whole, part = walk.language.invocations[node.kind()]
    before, name = node.field(whole), node.field(part)
    span = None if name is None else name.range()
    for child in node.named_children():
        if span is None or child.range() != span:
            walk.go(child, within)
    if name is not None:
        walk.refer(name, within, CALL, "" if before is None else walk.expression(before), node.field("arguments"))


def _call(walk: Walk, node: Any, within: int, role: str) -> None:
    called = node.field(walk.language.calls[node.kind()])
    span = None if called is None else called.range()
    for child in node.named_children():
        is_called = span is not None and child.range().start.index == span.start.index
        walk.go(child, within, CALL if is_called else READ)


def _nothing(walk: Walk, node: Any, within: int, role: str) -> None:
    """Nobody looks into it."""
