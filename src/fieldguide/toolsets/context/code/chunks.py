"""Code cut along its syntax: a function or class is a chunk, with the names above it; what is too long is cut further.

The grammars are tree-sitter's, through ast-grep. A language without one is cut between lines.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from fieldguide import linear_regex as re
from fieldguide.document_formats.lines import split_lines, without_end
from fieldguide.search.chunking import AIM, MOST, Chunk
from fieldguide.source_code.parser_process import in_child
from fieldguide.source_code.parsing import GRAMMARS, MOST_PARSED, parsed
from fieldguide.toolsets.context.code.definitions import Definition, definition_of
from fieldguide.toolsets.context.code.flat_definitions import flat_definitions

WORD = re.compile(r"\w")
COMMENTS = ("//", "#", "*", "/*", "--", "@", ";")
MODULE_LINES = 3  # fewer lines between two definitions are told by their neighbours
TRANSPARENT = ("block", "body", "declaration_list", "_module", "statements", "_expression", "arrow_function", "object")
OPENED = 700  # characters of a class with several methods; a smaller one is read at a glance, and stays whole
ASSIGNED = re.compile(
    r"(?:(?:export|pub|static|final|const|let|var|val|local|constexpr|define) +)*([A-Za-z_$][\w$]*) *(?::[^=]*)?=[^=>]"
)
IMPORTING = ("require(", "import ", "import(")


class Piece(NamedTuple):
    """Some lines, counted from 0, and the names of the definitions that they belong to."""

    start: int
    end: int
    names: tuple[str, ...]


def chunk_code(text: str, language: str | None) -> list[Chunk]:
    """The chunks of a source file in its order."""
    lines = split_lines(text)
    pieces = _pieces_of(text, language) or _flat_pieces(lines, language)
    chunks: list[Chunk] = []
    for piece in pieces:
        for start, end in (_trimmed(*each, lines) for each in _cut(piece, lines)):
            content = without_end("".join(lines[start:end]))
            if WORD.search(content):
                chunks.append(Chunk(content, piece.names or _assigned(lines[start:end]), start + 1, end))
    return chunks


def _flat_pieces(lines: list[str], language: str | None) -> list[Piece]:
    found = (Piece(*each) for each in flat_definitions(lines, language))
    return list(_gathered(found, 0, len(lines), (), lines))


def _assigned(lines: Sequence[str]) -> tuple[str, ...]:
    """The first name that lines outside every definition give to something; what is imported is no such thing."""
    for line in lines:
        found = None if line[:1].isspace() else ASSIGNED.match(line)
        if found and not any(word in line for word in IMPORTING):
            return (found.group(1),)
    return ()


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
        if not child.is_named():
            continue
        if (found := definition_of(child)) is not None:
            span = child.range()
            start, end = span.start.line, span.end.line + 1
            path = (*names, *found.names)
            inner = _inner(found, path, lines, sum(map(len, lines[start:end])))
            yield from _gathered(inner, start, end, path, lines) if inner else [Piece(start, end, path)]
        elif child.kind().endswith(TRANSPARENT):
            yield from _walk(child, names, lines)


def _inner(found: Definition, path: tuple[str, ...], lines: list[str], size: int) -> list[Piece]:
    """What a definition is opened into: one that is too long, and a class that has several methods."""
    if size <= OPENED:
        return []
    inner = list(_walk(found.core, path, lines))
    is_function = found.core.kind().startswith(("function", "method", "arrow", "constructor", "generator", "init"))
    return inner if size > MOST or (len(inner) > 1 and not is_function) else []


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
