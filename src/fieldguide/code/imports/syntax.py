"""Finds import statements in the syntax tree of a text; the types `Import` and `Grammar`.

The parser recovers from errors, so an error alone says little: half-written code is what agents read most. A file is
refused only when
- an import itself is broken, or an error swallows a line that begins one;
- nothing of it could be parsed (the root of the tree is an error); or
- it has an error and not one import: then "it imports nothing" would be a guess.
Any other error, before or after the imports, is let pass.

What the parser can't take is kept from it. Brackets nested deeper than anybody writes are refused: measured, 100,000 of
them overflow its stack and end its process. Where a language has its imports at the top, the rest is not parsed at all;
elsewhere not what lies beyond a limit, since some nonsense takes it quadratic time. Of a text that was cut only the
first of the three rules holds.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from fieldguide.code.parsing import SyntaxProblem, parse_tree, refuse_deep_nesting
from fieldguide.text.regex import Pattern

if TYPE_CHECKING:
    from ast_grep_py import SgNode


class Import(NamedTuple):
    """One thing that a source file imports."""

    text: str
    """The module, path or namespace as written: `a.b`, `./x`, `crate::a::B`, `vendor/x.h`."""
    line: int
    """Counted from 1."""
    is_relative: bool = False
    """Whether the text is meant from where the file lies."""
    keyword: str = "import"
    """The word that imports, where a language has several: `mod`, `use`, `require`, `static` …"""
    names: tuple[str, ...] = ()
    """What is taken out of it by name: by Python's `from a import b`, where that may be a file of its own, and by
    `import { b }` and `export { b } from` of JavaScript; `*` where all of it is given out again."""
    scope: str = ""
    """The modules around it inside the file, `tests::unix` (Rust)."""


def take_import(row: Sequence[Any]) -> Import:
    """An import from plain data."""
    return Import(row[0], row[1], row[2], row[3], tuple(row[4]), row[5])


MAX_PARSED = 1 << 18
FEW_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True)
class Grammar:
    """How one language writes imports."""

    parser: str
    """The parser's name for the language."""
    rules: Sequence[Mapping[str, Any]]
    """Which nodes import, as the parser is asked for them."""
    read: "Callable[[SgNode], Iterable[Import]]"
    """What such a node imports."""
    opening: Pattern[str]
    """How a line begins that imports."""
    body: Pattern[str] | None = None
    """How a line begins after which nothing is imported any more."""
    prepare: Callable[[str], str] | None = None
    """Makes a text that the parser can read, with the same lines."""
    limit: int = MAX_PARSED


def find_imports(text: str, grammar: Grammar) -> list[Import]:
    """The imports of a source text in the order of their lines; SyntaxProblem by the rule above."""
    text = grammar.prepare(text) if grammar.prepare else text
    head = _head(text, grammar.body) if grammar.body else text
    part = head if len(head) <= grammar.limit else head[: head.rfind("\n", 0, grammar.limit) + 1]
    refuse_deep_nesting(part)
    root = parse_tree(part, grammar.parser)
    if root is None:
        raise SyntaxProblem(1)
    errors: list[SgNode] = []
    statements: list[SgNode] = []
    for node in root.find_all(any=cast(Any, [*grammar.rules, {"kind": "ERROR"}])):
        (errors if node.kind() == "ERROR" else statements).append(node)
    imports = [each for node in statements for each in grammar.read(node)]
    broken = _broken_import(statements)
    if broken is None and part == head:
        broken = _swallowed_import(errors, grammar.opening)
    if broken is None and part == text:
        broken = _hopeless(root, errors, is_empty=not imports)
    if broken is not None:
        raise SyntaxProblem(broken)
    return sorted(imports, key=lambda each: each.line)


def find_line(node: "SgNode") -> int:
    """The line a node begins on, counted from 1."""
    return node.range().start.line + 1


def unquote_literal(node: "SgNode | None") -> str | None:
    """What a string literal says; None for anything but plain text, such as a template with holes."""
    if node is None or "string" not in node.kind():
        return None
    parts = node.named_children()
    if any("content" not in part.kind() and "fragment" not in part.kind() for part in parts):
        return None
    return "".join(part.text() for part in parts)


def _head(text: str, body: Pattern[str]) -> str:
    opened = closed = seen = 0
    for match in body.finditer(text):
        opened = max(opened, text.rfind("/*", seen, match.start()) + 1)
        closed = max(closed, text.rfind("*/", seen, match.start()) + 1)
        seen = max(0, match.start() - 1)
        if opened <= closed:
            return text[: match.start()]
    return text


def _broken_import(statements: "list[SgNode]") -> int | None:
    """The line of the first damage inside of an import; what is inside of another import is searched with that."""
    end = -1
    for statement in statements:
        place = statement.range()
        if place.start.index < end:
            continue
        end = place.end.index
        damage = _find_damage(statement)
        if damage:
            return find_line(damage)
    return None


def _find_damage(statement: "SgNode") -> "SgNode | None":
    """The first error in a node, or else the first token that the parser made up; most imports have few nodes."""
    made_up = None
    waiting = [statement]
    while waiting:
        node = waiting.pop()
        if node.kind() == "ERROR":
            return node
        children = node.children()
        if children:
            waiting += reversed(children)
        elif made_up is None and not node.text():
            made_up = node
    return made_up


def _made_up(node: "SgNode") -> "list[SgNode]":
    """The tokens that the parser made up to go on: leaves without text."""
    return [each for each in node.find_all(regex="^$") if each.is_leaf()]


def _swallowed_import(errors: "list[SgNode]", opening: Pattern[str]) -> int | None:
    for error in errors:
        text = error.text()
        match = opening.search(text)
        if match:
            return find_line(error) + text.count("\n", 0, match.end())
    return None


def _hopeless(root: "SgNode", errors: "list[SgNode]", *, is_empty: bool) -> int | None:
    if root.kind() == "ERROR":
        return find_line(errors[1] if len(errors) > 1 else root)
    if not is_empty:
        return None
    damage = errors
    if not errors and len(root.text()) < FEW_CHARACTERS:
        damage = _made_up(root)
    return find_line(damage[0]) if damage else None
