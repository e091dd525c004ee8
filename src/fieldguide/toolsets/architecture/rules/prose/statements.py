"""What a document says and shows: its sentences, and its blocks of code with the label that stands at each."""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.document_formats.lines import split_lines
from fieldguide.document_formats.markdown_blocks import MarkdownBlock, read_blocks
from fieldguide.toolsets.architecture.rules.prose.labels import marked, section_of, verdict_of

SENTENCE = re.compile(r"(?:`[^`]*`|[^`.!?]|\b(?:e\.g|i\.e|etc|vs)\.|[.!?]+[^\s`.!?)])+(?:[.!?]+[\"')\]]*)?")
CELL = re.compile(r"<th\b[^>]*>\s*([^<]*)|<(/table|tr|td)\b")
MOST_STATEMENTS = 5_000
LONGEST_STATEMENT = 400


class Statement(NamedTuple):
    """A sentence, its code spans between backquotes; `topic` is the line of the heading or item that it belongs to."""

    text: str
    line: int
    topic: int
    verdict: str | None
    """What is said over it of all that stands below: `Don't` and `Pitfalls` are bad."""
    is_listed: bool
    """Whether it only names one of several bad things."""


class Fence(NamedTuple):
    """A block of code as it stands in the document, and what its label says of it."""

    code: str
    info: str
    line: int
    topic: int
    verdict: str | None


class Prose:
    """The sentences and the blocks of code of a document, in their order; its front matter is left out."""

    def __init__(self, text: str, front_matter_lines: int) -> None:
        self.statements: list[Statement] = []
        self.fences: list[Fence] = []
        self._heading = 1
        self._labels: dict[int, str | None] = {}
        self._sections: dict[int, str | None] = {}
        self._said: dict[bool, str | None] = {}
        self._columns: list[str | None] = []
        self._column = -1
        lines = split_lines(text.removeprefix("\ufeff"))
        body = "\n" * min(front_matter_lines, len(lines)) + "".join(lines[front_matter_lines:])
        readers = {"Html": self._read_cells, "CodeBlock": self._read_fence, "Heading": self._read_heading}
        for block in read_blocks(body.replace("\r\n", "\n").replace("\r", "\n")):
            readers.get(block.kind, self._read_text)(block)

    def _read_cells(self, block: MarkdownBlock) -> None:
        for cell in CELL.finditer(block.text):
            tag = cell.group(2)
            if tag is None:
                self._columns.append(verdict_of(cell.group(1)))
            elif tag == "/table":
                self._columns = []
            self._column = self._column + 1 if tag == "td" else -1

    def _read_fence(self, block: MarkdownBlock) -> None:
        column = self._columns[self._column] if 0 <= self._column < len(self._columns) else None
        verdict = column or self._said.pop(bool(block.item), None) or _nearest(self._labels)
        self.fences.append(Fence(block.text, block.info, block.line, block.item or self._heading, verdict))

    def _read_heading(self, block: MarkdownBlock) -> None:
        label = verdict_of(block.text)
        for kept in (self._labels, self._sections):
            for level in [each for each in kept if each >= block.level]:
                del kept[level]
        if label is None:
            self._heading = block.line
            self._add(block, _nearest(self._sections), is_listed=_nearest(self._sections) == "bad")
        self._labels[block.level], self._sections[block.level] = label, label or section_of(block.text)
        self._said = {}

    def _read_text(self, block: MarkdownBlock) -> None:
        over = self._said.get(False) or _nearest(self._labels) if block.item else None
        label = marked(block.text) or over
        self._add(block, label or _nearest(self._sections), is_listed=label == "bad")
        self._said[bool(block.item)] = verdict_of(self.statements[-1].text) if self.statements else None

    def _add(self, block: MarkdownBlock, verdict: str | None, *, is_listed: bool) -> None:
        if len(self.statements) < MOST_STATEMENTS:
            topic = block.item or self._heading
            self.statements += [Statement(*each, topic, verdict, is_listed) for each in _sentences(block)]


def _nearest(said: dict[int, str | None]) -> str | None:
    """What the nearest of the headings above says."""
    return next((each for _, each in sorted(said.items(), reverse=True) if each), None)


def _sentences(block: MarkdownBlock) -> Iterator[tuple[str, int]]:
    offsets = [0, *accumulate(len(piece) for piece, _ in block.pieces)]
    for sentence in SENTENCE.finditer(block.text):
        text = " ".join(sentence.group().split())[:LONGEST_STATEMENT]
        if text:
            yield text, block.pieces[max(0, bisect_right(offsets, sentence.start()) - 1)][1]
