"""A document that was read, whatever its format: its lines, its headings, its top-level blocks and its title.

Every reader makes this one type. The lines are those of the file, so that every heading and block is a place that can
be opened; `readable` is what they say where the file itself is no text for people (HTML, notebooks, man pages).
"""

from collections.abc import Iterable
from typing import NamedTuple

from fieldguide.document_formats.lines import without_end

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
        return without_end("".join(self.searched_lines[start:end]))


class Outline:
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
        said = title or first_title(self.headings)
        return ReadDocument(lines, tuple(self.headings), tuple(self.blocks), said, readable)


def first_title(headings: Iterable[Heading]) -> str | None:
    """The first heading of the first level that says anything."""
    return next((heading.text for heading in headings if heading.level == 1 and heading.text), None)
