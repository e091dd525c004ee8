"""Code cut along its syntax: a function or class is a chunk, with the names above it; what is too long is cut further.

The grammars are tree-sitter's, through ast-grep. A language without one is cut between lines.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from fieldguide import linear_regex as re
from fieldguide.search.chunking import AIM, MOST, Chunk
from fieldguide.search.lines import split_lines, without_end
from fieldguide.source_code.parser_process import in_child
from fieldguide.source_code.parsing import GRAMMARS, MOST_PARSED, parsed

WORD = re.compile(r"\w")
COMMENTS = ("//", "#", "*", "/*", "--", "@", ";")
MODULE_LINES = 3  # fewer lines between two definitions are told by their neighbours
# fmt: off
DEFINITIONS = frozenset((
    "function_definition", "class_definition", "decorated_definition",                                  # Python, PHP, C
    "function_declaration", "generator_function_declaration", "class_declaration", "abstract_class_declaration",
    "method_definition", "interface_declaration", "type_alias_declaration", "enum_declaration",         # JavaScript …
    "method_declaration", "type_declaration", "const_declaration",                                      # Go
    "function_item", "impl_item", "struct_item", "enum_item", "trait_item", "mod_item", "macro_definition",  # Rust
    "constructor_declaration", "record_declaration", "object_declaration", "property_declaration",      # Java, Kotlin
    "class_specifier", "struct_specifier", "namespace_definition", "template_declaration",              # C++
    "namespace_declaration", "struct_declaration",                                                      # C#
    "method", "singleton_method", "class", "module",                                                    # Ruby
    "trait_declaration",                                                                                # PHP
))
NAMING = frozenset(("variable_declarator", "function_declarator", "type_spec", "lexical_declaration"))
WRAPPERS = frozenset(("export_statement", "lexical_declaration", "expression_statement", "declaration"))
NAMES = (
    "identifier", "type_identifier", "property_identifier", "field_identifier", "constant", "name", "simple_identifier",
)
# fmt: on


class Piece(NamedTuple):
    """Some lines, counted from 0, and the names of the definitions that they belong to."""

    start: int
    end: int
    names: tuple[str, ...]


def chunk_code(text: str, language: str | None) -> list[Chunk]:
    """The chunks of a source file in its order."""
    lines = split_lines(text)
    pieces = _pieces_of(text, language) or [Piece(0, len(lines), ())]
    chunks: list[Chunk] = []
    for piece in pieces:
        for start, end in (_trimmed(*each, lines) for each in _cut(piece, lines)):
            content = without_end("".join(lines[start:end]))
            if WORD.search(content):
                chunks.append(Chunk(content, piece.names, start + 1, end))
    return chunks


def _trimmed(start: int, end: int, lines: list[str]) -> tuple[int, int]:
    """The same lines without blank ones at either end."""
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    return start, end


def told_pieces(text: str, language: str | None) -> list[Any]:
    """The pieces that a text's tree cuts it into, as plain data; none without a tree. For a parser process."""
    root = parsed(text, language)
    lines = split_lines(text)
    return [[*each] for each in _gathered(_walk(root, (), lines), 0, len(lines), (), lines)] if root else []


def _pieces_of(text: str, language: str | None) -> list[Piece]:
    has_tree = language in GRAMMARS and len(text) <= MOST_PARSED
    told = in_child(f"{__name__}:told_pieces", text, language) if has_tree else None
    return [Piece(start, end, tuple(names)) for start, end, names in told or ()]


def _walk(node: Any, names: tuple[str, ...], lines: list[str]) -> Iterator[Piece]:
    """The definitions below a node; one that is too long is opened, and what is in it takes its place."""
    for child in node.children():
        kind = child.kind()
        span = child.range()
        start, end = span.start.line, span.end.line + 1
        if kind in DEFINITIONS or (kind in WRAPPERS and end - start >= MODULE_LINES):
            path = (*names, name) if (name := _name_of(child)) else names
            size = sum(map(len, lines[start:end]))
            inner = list(_walk_body(child, path, lines)) if size > MOST else []
            yield from _gathered(inner, start, end, path, lines) if inner else [Piece(start, end, path)]
        elif kind.endswith(("block", "body", "declaration_list", "_module")):
            yield from _walk(child, names, lines)


def _walk_body(node: Any, names: tuple[str, ...], lines: list[str]) -> Iterator[Piece]:
    for child in node.children():
        if child.kind() in DEFINITIONS and _name_of(child) == (names[-1] if names else None):
            yield from _walk_body(child, names, lines)  # `decorated_definition` and `export` wrap what they name
        else:
            yield from _walk(_Single(child), names, lines)


class _Single:
    """A node whose only child is the given one."""

    def __init__(self, child: Any) -> None:
        self._child = child

    def children(self) -> list[Any]:
        """The child."""
        return [self._child]


def _gathered(
    pieces: Iterable[Piece], start: int, end: int, names: tuple[str, ...], lines: list[str]
) -> Iterator[Piece]:
    """Every line from `start` to `end` in one piece: definitions with the comments above them, and what is between."""
    at = start
    for piece in pieces:
        if piece.start < at:
            continue
        first = piece.start
        while first > at and lines[first - 1].lstrip().startswith(COMMENTS):
            first -= 1
        if first - at >= MODULE_LINES:
            yield Piece(at, first, names)
            at = first
        yield Piece(at, piece.end, piece.names)
        at = piece.end
    if at < end:
        yield Piece(at, end, names)


def _cut(piece: Piece, lines: list[str]) -> Iterator[tuple[int, int]]:
    start, size = piece.start, 0
    if sum(map(len, lines[piece.start : piece.end])) <= MOST:
        yield piece.start, piece.end
        return
    for number in range(piece.start, piece.end):
        if size and size + len(lines[number]) > AIM:
            yield start, number
            start, size = number, 0
        size += len(lines[number])
    yield start, piece.end


def _name_of(node: Any) -> str | None:
    named = node.field("name") or node.field("declarator") or node.field("type")
    if named is not None and named.kind() in NAMES:
        return str(named.text())
    for child in node.children():
        if child.kind() in NAMES:
            return str(child.text())
        if child.kind() in DEFINITIONS or child.kind() in NAMING:
            return _name_of(child)
    return None
