"""The outline of a document that was read: lines, headings, blocks and title.

Every reader makes this one type. The lines are those of the file, so that every heading and block is a place that can
be opened; `readable` is what they say where the file itself is no text for people (HTML, notebooks, man pages).

Whoever extracts it writes it with `ExtractedText`, so that no line of the content is taken for a heading.
"""

from collections.abc import Iterable
from typing import NamedTuple

from fieldguide.text.windows import split_lines, strip_line_end

DEEPEST = 6


class Heading(NamedTuple):
    """A heading of the outline: its level, its text as written, and its line, counted from 1."""

    level: int
    text: str
    line: int


class Block(NamedTuple):
    """A top-level block: a heading (by its number in the outline) or anything else, and its lines counted from 0."""

    start: int
    end: int
    heading: int | None = None
    is_code: bool = False


class ReadDocument(NamedTuple):
    """A document that was read: every line with its end, so that joined lines are the document byte for byte.

    `readable`, where it is given, has one text for each line: what a person would read of it.
    """

    lines: list[str]
    headings: tuple[Heading, ...]
    blocks: tuple[Block, ...]
    title: str | None
    readable: list[str] | None = None

    @property
    def searched_lines(self) -> list[str]:
        """What is searched of each line."""
        return self.lines if self.readable is None else self.readable

    def text_of(self, start: int, end: int) -> str:
        """The lines from `start` (counted from 0) to before `end`, without the end of the last one."""
        return strip_line_end("".join(self.searched_lines[start:end]))


class DocumentOutline:
    """Headings and blocks in the order of a document, as a reader finds them; no two blocks share a line."""

    def __init__(self) -> None:
        self.headings: list[Heading] = []
        self.blocks: list[Block] = []
        self._end = 0

    def add_heading(self, level: int, text: str, *, start: int, end: int, line: int | None = None) -> None:
        """A heading on lines counted from 0; `line` where its text does not stand on the first of them."""
        at = (start if line is None else line) + 1
        self.headings.append(Heading(min(max(level, 1), DEEPEST), text, at))
        self._add(Block(start, end, len(self.headings) - 1))

    def add(self, start: int, end: int, *, is_code: bool = False) -> None:
        """A block that is no heading."""
        self._add(Block(start, end, None, is_code))

    def _add(self, block: Block) -> None:
        start = max(block.start, self._end)
        if start < block.end:
            self.blocks.append(block._replace(start=start))
            self._end = block.end

    def document(self, lines: list[str], title: str | None, readable: list[str] | None = None) -> ReadDocument:
        """What was found, whole; the first heading of the first level is the title where there is no other."""
        said = title or find_title(self.headings)
        return ReadDocument(lines, tuple(self.headings), tuple(self.blocks), said, readable)


def find_title(headings: Iterable[Heading]) -> str | None:
    """The first heading of the first level that says anything."""
    return next((heading.text for heading in headings if heading.level == 1 and heading.text), None)


MARK = "#"
MOST_CHARACTERS = 8 << 20


class ExtractedText:
    """Writes headings and lines of an extracted document."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._size = 0

    @property
    def is_full(self) -> bool:
        """Whether there is as much text as is kept of one document."""
        return self._size >= MOST_CHARACTERS

    def add_heading(self, level: int, text: str) -> None:
        """A heading on a line of its own."""
        said = " ".join(text.split())
        if said:
            self._add(f"{MARK * min(max(level, 1), DEEPEST)} {said}\n\n")

    def add_text(self, text: str) -> None:
        """Lines, and a blank one after them."""
        lines = (line.rstrip() for line in text.splitlines())
        said = "\n".join(f"\\{line}" if line.startswith(MARK) else line for line in lines).strip("\n")
        if said:
            self._add(f"{said}\n\n")

    def _add(self, piece: str) -> None:
        if not self.is_full:
            self._pieces.append(piece)
            self._size += len(piece)

    def __str__(self) -> str:
        return "".join(self._pieces).replace("\0", "").encode(errors="replace").decode()


def read_extracted(text: str) -> ReadDocument:
    """Read an extracted text; the first heading of the first level is its title."""
    lines = split_lines(text)
    outline = DocumentOutline()
    start: int | None = None
    for at, line in enumerate(lines):
        level = len(line) - len(line.lstrip(MARK))
        if line.strip() and not level:
            start = at if start is None else start
            continue
        if start is not None:
            outline.add(start, at)
            start = None
        if 0 < level <= DEEPEST and line[level : level + 1] == " ":
            outline.add_heading(level, line[level:].strip(), start=at, end=at + 1)
    if start is not None:
        outline.add(start, len(lines))
    return outline.document(lines, None)
