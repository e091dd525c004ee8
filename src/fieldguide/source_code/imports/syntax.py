"""Source text to the imports in its syntax tree, and the rule for when a broken tree can't be trusted.

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
from typing import TYPE_CHECKING, Any, cast

from fieldguide.linear_regex import Pattern
from fieldguide.source_code.imports.written import Import
from fieldguide.source_code.nesting import refuse_deep_nesting
from fieldguide.source_code.parsing import parsed
from fieldguide.source_code.syntax_problem import SyntaxProblem

if TYPE_CHECKING:
    from ast_grep_py import SgNode

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
    part = _cut(head, grammar.limit)
    root = _tree(part, grammar.parser)
    errors = root.find_all(kind="ERROR")
    statements = root.find_all(any=cast(Any, grammar.rules))
    imports = [each for node in statements for each in grammar.read(node)]
    broken = _broken_import(statements)
    if broken is None and part == head:
        broken = _swallowed_import(errors, grammar.opening)
    if broken is None and part == text:
        broken = _hopeless(root, errors, is_empty=not imports)
    if broken is not None:
        raise SyntaxProblem(broken)
    return sorted(imports, key=lambda each: each.line)


def _cut(text: str, limit: int) -> str:
    """The whole lines of a text up to a limit."""
    return text if len(text) <= limit else text[: text.rfind("\n", 0, limit) + 1]


def _tree(text: str, parser: str) -> "SgNode":
    refuse_deep_nesting(text)
    root = parsed(text, parser)
    if root is None:
        raise SyntaxProblem(1)
    return root


def line_of(node: "SgNode") -> int:
    """The line a node begins on, counted from 1."""
    return node.range().start.line + 1


def unquoted(node: "SgNode | None") -> str | None:
    """What a string literal says; None for anything but plain text, such as a template with holes."""
    if node is None or "string" not in node.kind():
        return None
    parts = [child for child in node.children() if child.is_named()]
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
    for statement in statements:
        damage = statement.find(kind="ERROR") or _made_up(statement)
        if damage:
            return line_of(damage)
    return None


def _made_up(node: "SgNode") -> "SgNode | None":
    """A token that the parser made up to go on: a leaf without text."""
    return next((each for each in node.find_all(regex="^$") if each.is_leaf()), None)


def _swallowed_import(errors: "list[SgNode]", opening: Pattern[str]) -> int | None:
    for error in errors:
        text = error.text()
        match = opening.search(text)
        if match:
            return line_of(error) + text.count("\n", 0, match.end())
    return None


def _hopeless(root: "SgNode", errors: "list[SgNode]", *, is_empty: bool) -> int | None:
    if root.kind() == "ERROR":
        return line_of(errors[1] if len(errors) > 1 else root)
    if not is_empty:
        return None
    damage = errors[0] if errors else _made_up(root) if len(root.text()) < FEW_CHARACTERS else None
    return line_of(damage) if damage else None
