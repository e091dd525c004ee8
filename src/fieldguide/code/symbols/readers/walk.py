"""Walks a syntax tree by the table of its language and collects definitions, references and imports.

`read_packed` reads a text in a parser process: only such a process walks.
"""

from base64 import b64decode, b64encode
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from importlib import import_module
from operator import itemgetter
from typing import Any, cast

from fieldguide.code.parsing import MOST_PARSED, parse_tree
from fieldguide.code.symbols.facts import (
    CALL,
    INNER,
    READ,
    TYPE,
    UNKNOWN,
    WRITE,
    ImportedSymbol,
    PackedFacts,
    SymbolDefinition,
    SymbolFacts,
    SymbolReference,
    pack,
)
from fieldguide.code.symbols.readers.messages import find_messages
from fieldguide.code.symbols.readers.table import LONGEST_EXPRESSION, LanguageTable, describe_expression, read_parts
from fieldguide.files.parser_process import run_in_child

Lines = Sequence[tuple[int, int]]
LAST = 1_000_000_000
MOST_SCOPES = 50
REMEMBERED = 4_000  # expressions; most come again in the same file
TYPES_APART = str.maketrans(dict.fromkeys("|<>,", " "))
PARTS = str.maketrans(dict.fromkeys("|=:<>,()[]{}", "."))
PLACE = itemgetter(1, 2)
make_reference: Callable[[tuple[str, int, int, int, str, str, int]], SymbolReference] = partial(
    cast(Any, tuple).__new__, SymbolReference
)
"""A `SymbolReference` of its fields, in half the time: a file has thousands."""


def drop_own_locals(facts: SymbolFacts, *, has_calls_apart: bool = False) -> SymbolFacts:
    """The facts without uses of parameters and locals, and without those that no other fact needs."""
    inner = _local_lines(facts.definitions)
    named = {name for _, name in inner}
    kept = [
        each
        for each in facts.references
        if each.receiver
        or each.name not in named
        or (has_calls_apart and each.role == CALL)
        or not is_own(each.name, each.line, each.within, facts, inner)
    ]
    return _renumbered(facts, kept, _needed(facts, kept))


def is_own(name: str, line: int, within: int, facts: SymbolFacts, inner: Mapping[tuple[int, str], Lines]) -> bool:
    """Whether a parameter or a local of what encloses a place has a name."""
    for _ in range(MOST_SCOPES):
        lines = inner.get((within, name), ())
        at = bisect_right(lines, (line, LAST))
        if at and lines[at - 1][1] >= line:
            return True
        if within < 0:
            return False
        within = facts.definitions[within].parent
    return False


def _local_lines(definitions: Sequence[SymbolDefinition]) -> Mapping[tuple[int, str], Lines]:
    """The lines that see a parameter or a local of a name, of each definition that has some; spans do not overlap."""
    found: dict[tuple[int, str], list[tuple[int, int]]] = {}
    for each in sorted((each for each in definitions if each.kind in INNER), key=lambda each: each.visible):
        first, last = each.visible
        last = last if first else LAST
        spans = found.setdefault((each.parent, each.name), [])
        if spans and first <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(last, spans[-1][1]))
        else:
            spans.append((first, last))
    return found


def _needed(facts: SymbolFacts, kept: list[SymbolReference]) -> set[int]:
    """The definitions that somebody may ask for, that have parts, or whose name begins an expression that is needed."""
    definitions = facts.definitions
    places = {each.parent for each in definitions} | {each.within for each in kept}
    places |= {each.scope for each in definitions if each.kind not in INNER}
    needed: set[int] = set()
    inner: dict[str, list[int]] = {}
    for place, each in enumerate(definitions):
        if each.kind in INNER:
            inner.setdefault(each.name, []).append(place)
        if each.kind not in INNER or place in places:
            needed.add(place)
    begun = set(map(take_first_name, {each.receiver for each in kept}))
    pending = list(needed) + [place for name in begun for place in inner.get(name, ())]
    while pending:
        place = pending.pop()
        needed.add(place)
        each = definitions[place]
        firsts = _list_first_names(" ".join((each.type[1:], *each.bases))) - begun
        begun |= firsts
        pending += [found for name in firsts for found in inner.get(name, ())]
        if each.scope >= 0 and each.scope not in needed:
            pending.append(each.scope)
    return needed


@lru_cache(maxsize=REMEMBERED)
def _list_first_names(told: str) -> frozenset[str]:
    """The names that begin expressions with a space between them, and their alternatives and arguments."""
    return frozenset(map(take_first_name, told.translate(TYPES_APART).split()))


@lru_cache(maxsize=REMEMBERED)
def take_first_name(expression: str) -> str:
    """The name that an expression begins with."""
    first: str = expression.translate(PARTS).partition(".")[0]
    return first if first != UNKNOWN else ""


def _renumbered(facts: SymbolFacts, kept: list[SymbolReference], needed: set[int]) -> SymbolFacts:
    places = {old: new for new, old in enumerate(sorted(needed))}
    places[-1] = -1
    definitions = [
        SymbolDefinition(
            name, kind, places[parent], line, column, end, signature, doc, told, bases, places[scope], seen
        )
        for old, (name, kind, parent, line, column, end, signature, doc, told, bases, scope, seen) in enumerate(
            facts.definitions
        )
        if old in needed
    ]
    references = [
        make_reference((name, line, column, places[within], role, receiver, arguments))
        for name, line, column, within, role, receiver, arguments in kept
    ]
    references.sort(key=PLACE)
    return SymbolFacts(definitions, references, facts.imports)


MOST_NODES = 300_000
MOST_DEFINITIONS = 10_000
MOST_REFERENCES = 50_000
MOST_ALTERNATIVES = 3
LONGEST_NAME = 120
LONGEST_SIGNATURE = 200
LONGEST_DOC = 300


class SyntaxWalk:
    """What was found so far, and what is still to be looked at."""

    def __init__(self, text: str, language: LanguageTable) -> None:
        self.text = text
        self.language = language
        self.definitions: list[SymbolDefinition] = []
        self.references: list[SymbolReference] = []
        self.imported: list[ImportedSymbol] = []
        self.marks: set[tuple[int, str]] = set()
        """What a language's visits remember of names in scopes, such as Python's `global`."""
        self.visits: Mapping[str, Any] = {}
        self._bound: dict[tuple[int, str], int] = {}
        self._next: list[tuple[Any, int, str]] = []

    def over(self, root: Any) -> SymbolFacts:
        """Everything below a node."""
        language = self.language
        visits = self.visits = self._visits()
        pending: list[tuple[Any, int, str]] = [(root, -1, READ)]
        nodes = 0
        while pending and nodes < MOST_NODES:
            node, within, role = pending.pop()
            nodes += 1
            while (visit := visits.get(node.kind())) is None:
                children = node.named_children()
                if not children:
                    break
                node = children[0]  # many have only this one
                nodes += 1
                if len(children) > 1:
                    pending += [(child, within, role) for child in children[:0:-1]]
            else:
                visit(self, node, within, role)
                if self._next:
                    pending += self._next[::-1]
                    self._next = []
        if language.finish is not None:
            language.finish(self)
        facts = SymbolFacts(self.definitions, self.references, self.imported)
        return drop_own_locals(facts, has_calls_apart=language.has_calls_apart)

    def go(self, node: Any, within: int, role: str = READ) -> None:
        """Look at a node later: in the order in which they were given; nothing where there is none."""
        if node is not None:
            self._next.append((node, within, role))

    def read(self, node: Any, parts: str, within: int, role: str = READ) -> None:
        """Look at some parts of a node later, as `table` writes them: `left:write right`."""
        if node is not None:
            read_parts(self, node, parts, within, within, role)

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
        called: str = "",
    ) -> int:
        """A new definition: the node of its name, and of all of it; its place in the list.

        Without a name, or when the list is full, that is its parent's. Its signature is the text of the whole up to the
        body. `told` is what its type says, as it is written in its parent's scope, or in `scope`. `called` is its name
        where that is not what the node says.
        """
        if name is None:
            return parent
        text = called or str(name.text())
        if len(self.definitions) >= MOST_DEFINITIONS or not text or len(text) > LONGEST_NAME:
            return parent
        start = name.range().start
        end = start.line if whole is None else whole.range().end.line
        signature = "" if whole is None or kind in INNER else self.signature(whole, body)
        told = told if len(told) <= LONGEST_EXPRESSION else ""
        place = len(self.definitions)
        self.definitions.append(
            SymbolDefinition(
                text, kind, parent, start.line + 1, start.column, end + 1,
                signature, doc[:LONGEST_DOC], told, tuple(bases), parent if scope is None else scope, visible,
            )
        )  # fmt: skip
        if not visible[0]:
            self._bound.setdefault((parent, text), place)
        return place

    def add(self, definition: SymbolDefinition, key: str = "") -> int:
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
            first = take_first_name(told[1:])
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
        """A name that is used, by its node, if there is one; with the arguments where their number tells."""
        if name is None:
            return
        start = name.range().start
        self.refer_at(name.text(), start.line + 1, start.column, within, role, receiver)
        if arguments is not None:
            self.count_arguments(sum("comment" not in each.kind() for each in arguments.named_children()))

    def count_arguments(self, count: int) -> None:
        """How many arguments the call gives that was referred to last."""
        if self.references:
            self.references[-1] = self.references[-1]._replace(arguments=count)

    def refer_at(self, name: str, line: int, column: int, within: int, role: str, receiver: str = "") -> None:
        """A name that is used at a place."""
        if name and len(name) <= LONGEST_NAME and len(self.references) < MOST_REFERENCES:
            self.references.append(make_reference((name, line, column, within, role, receiver, -1)))

    def refer_path(self, parts: Sequence[Any], within: int, role: str) -> None:
        """The parts of a type with dots are used; only the last is used as the whole is."""
        before = ""
        for number, each in enumerate(parts):
            self.refer(each, within, role if number == len(parts) - 1 else TYPE, before)
            before = f"{before}.{each.text()}" if before else str(each.text())

    def imports(self, each: ImportedSymbol) -> str:
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
        start = span.start.index
        end = span.end.index
        if body is not None:
            end = body.range().start.index
        head = " ".join(self.text[start : min(end, start + 4 * LONGEST_SIGNATURE)].split())
        return head.rstrip("{:=").rstrip()[:LONGEST_SIGNATURE]

    def expression(self, node: Any) -> str:
        """A node as an expression: a path, or `?` where it is too complex."""
        return describe_expression(node, self.language)

    def tell_value(self, node: Any, step: str = "") -> str:
        """What a definition's type says of a value, or of one step behind it: `=f()`; nothing where it is complex."""
        told = self.expression(node)
        return "" if UNKNOWN in told else f"={told}{step}"

    def describe_value(self, node: Any) -> str:
        """A value as what a definition's type says, in the way of the language."""
        return self.language.describe_value(self, node)

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


def _name(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    text: str = node.text()
    if text not in walk.language.words:
        start = node.range().start
        walk.refer_at(text, start.line + 1, start.column, within, role)


def _member(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    language = walk.language
    whole, part = language.members[node.kind()]
    before = node.field(whole)
    name = node.field(part)
    role_before = TYPE if role == TYPE else READ
    is_plain = before is not None and walk.visits.get(before.kind()) is _name
    if not is_plain:
        walk.go(before, within, role_before)
    if name is not None and name.kind() not in language.words:
        walk.refer(name, within, role, walk.expression(before))
    if is_plain:
        _name(walk, before, within, role_before)


def _invocation(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    whole, part = walk.language.invocations[node.kind()]
    before = node.field(whole)
    name = node.field(part)
    walk.read(node, f"!{part}", within)
    walk.refer(name, within, CALL, "" if before is None else walk.expression(before), node.field("arguments"))


def _call(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    called = node.field(walk.language.calls[node.kind()])
    for child in node.named_children():
        walk.go(child, within, CALL if child == called else READ)


def _nothing(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """Nobody looks into it."""


LONGEST_LINE = 10_000  # a place on a line costs as much time as the line has characters before it
MODULES = {
    "c": "c",
    "cpp": "c",
    "csharp": "csharp",
    "go": "go",
    "java": "java",
    "javascript": "typescript",
    "kotlin": "kotlin",
    "php": "php",
    "python": "python",
    "ruby": "ruby",
    "rust": "rust",
    "svelte": "typescript",
    "tsx": "typescript",
    "typescript": "typescript",
    "vue": "typescript",
}
"""The module of this package whose `LANGUAGE` (or `TABLES[name]`, for several) or own `read` reads a language.

It is imported when a text of that language comes.
"""


def is_read(language: str | None) -> bool:
    """Whether texts of a language are read."""
    return language in MODULES


def read_packed(text: str, language: str) -> PackedFacts:
    """What a text says; nothing of one that is too large, or that a parser could not take.

    It is packed in the parser process, so that little has to travel.
    """
    told = run_in_child(f"{__name__}:parse_packed", text, language) if is_read(language) else None
    return take_packed(told)


def take_packed(told: Sequence[Any] | None) -> PackedFacts:
    """The facts that a parser process told as plain data; nothing where it told none."""
    return PackedFacts(b64decode(told[0]), b64decode(told[1]), told[2]) if told else pack(SymbolFacts())


def parse_packed(text: str, language: str) -> Sequence[Any] | None:
    """That, as plain data; None of a text that is too large. For a parser process."""
    if not _is_fit(text, language):
        return None
    facts = _parse_facts(text, language)
    packed = pack(facts._replace(references=[*facts.references, *find_messages(text, language, facts)]))
    return [b64encode(packed.shape).decode(), b64encode(packed.uses).decode(), packed.names]


def _parse_facts(text: str, language: str) -> SymbolFacts:
    module = import_module(f"{__package__}.{MODULES[language]}")
    if hasattr(module, "read"):
        facts: SymbolFacts = module.read(text, language)
        return facts
    table: LanguageTable = module.TABLES[language] if hasattr(module, "TABLES") else module.LANGUAGE
    root = parse_tree(table.prepare(text) if table.prepare else text, table.grammar)
    return SymbolFacts() if root is None else SyntaxWalk(text, table).over(root)


def _is_fit(text: str, language: str) -> bool:
    if not is_read(language) or len(text) > MOST_PARSED:
        return False
    return len(text) <= LONGEST_LINE or max(map(len, text.split("\n"))) <= LONGEST_LINE
