"""Cuts a document into chunks along its headings and blocks."""

from collections.abc import Iterator

from fieldguide.prose.document import Block, ReadDocument
from fieldguide.prose.markdown import strip_attributes
from fieldguide.search.types import Chunk
from fieldguide.text.windows import split_lines

AIM = 1000
MOST = 1600
LONGEST_LINE = 2 * MOST
LONGEST_HEADING = 300  # characters, as every chunk below a heading carries it
MOST_CHUNKS = 20_000  # of one document; what comes after them is read, but not searched


def chunk_document(document: ReadDocument) -> list[Chunk]:
    """The chunks of a document in its order; text that is nothing but blank gives none."""
    chunks: list[Chunk] = []
    for path, blocks in _sections(document):
        for start, end in _spans(blocks, document.searched_lines):
            chunks += [Chunk(text, path, start + 1, end) for text in _pieces(document.text_of(start, end))]
            if len(chunks) > MOST_CHUNKS:
                return chunks[:MOST_CHUNKS]
    return chunks


def chunk_lines(text: str) -> list[Chunk]:
    """The chunks of a text of which nothing is known, cut between lines."""
    lines = split_lines(text)
    chunks: list[Chunk] = []
    for start, end in _cut(0, len(lines), lines):
        chunks += [Chunk(piece, (), start + 1, end) for piece in _pieces("".join(lines[start:end]))]
    return chunks[:MOST_CHUNKS]


def _sections(document: ReadDocument) -> Iterator[tuple[tuple[str, ...], list[Block]]]:
    """Each heading with the blocks up to the next, and the headings that it stands under, itself last.

    A heading with nothing of its own before a deeper one is told by the paths of what follows it.
    """
    headings = document.headings
    path: dict[int, str] = {}
    section: list[Block] = []
    for block in document.blocks:
        if block.heading is None:
            section.append(block)
            continue
        heading = headings[block.heading]
        is_empty = len(section) == 1 and section[0].heading is not None and max(path, default=0) < heading.level
        if section and not is_empty:
            yield tuple(path.values()), section
        path = {level: text for level, text in path.items() if level < heading.level}
        path[heading.level] = strip_attributes(heading.text)[:LONGEST_HEADING]
        section = [block]
    if section:
        yield tuple(path.values()), section


def _spans(blocks: list[Block], lines: list[str]) -> Iterator[tuple[int, int]]:
    """The lines of each chunk of a section: blocks are put together up to the aim, and cut where one is too long."""
    start = blocks[0].start
    end = start
    size = 0
    for block in blocks:
        added = sum(map(len, lines[end : block.end]))
        if size and size + added > AIM:
            yield start, end
            start = block.start
            size = 0
            added = sum(map(len, lines[start : block.end]))
        if added > MOST:
            *whole, (start, end) = _cut(start, block.end, lines)
            yield from whole
            size = sum(map(len, lines[start:end]))
            continue
        end = block.end
        size += added
    yield start, end


def _cut(start: int, end: int, lines: list[str]) -> Iterator[tuple[int, int]]:
    """A block that is too long, cut between lines."""
    size = 0
    for number in range(start, end):
        if size and size + len(lines[number]) > AIM:
            yield start, number
            start = number
            size = 0
        size += len(lines[number])
    yield start, end


def _pieces(text: str) -> Iterator[str]:
    """The text itself; where a single line is longer than any chunk, it is cut between words, if it has any."""
    while len(text) > LONGEST_LINE:
        at = text.rfind(" ", MOST // 2, MOST)
        at = MOST if at < 0 else at + 1
        yield text[:at]
        text = text[at:]
    if text.strip():
        yield text
