"""What a document says and shows: its sentences, and its blocks of code with the label that stands at each."""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import Any, NamedTuple, cast

import pyromark

from fieldguide import linear_regex as re
from fieldguide.document_formats.lines import split_lines
from fieldguide.toolsets.architecture.rules.prose.labels import marked, verdict_of

OPTIONS = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_TASKLISTS
SENTENCE = re.compile(r"(?:`[^`]*`|[^`.!?]|\b(?:e\.g|i\.e|etc|vs)\.|[.!?]+[^\s`.!?)])+(?:[.!?]+[\"')\]]*)?")
CELL = re.compile(r"<th\b[^>]*>\s*([^<]*)|<(/table|tr|td)\b")
BLOCKS = frozenset(("Paragraph", "Item", "List", "TableCell", "BlockQuote", "HtmlBlock", "CodeBlock", "Heading"))
MOST_STATEMENTS = 5_000
LONGEST_STATEMENT = 400


class Statement(NamedTuple):
    """A sentence, its code spans between backquotes; `topic` is the line of the heading or item that it belongs to."""

    text: str
    line: int
    topic: int
    verdict: str | None = None
    """What the heading or the label over it says of all that stands below: `Don't` and `❌` are bad."""


class Fence(NamedTuple):
    """A block of code as it stands in the document, and what its label says of it."""

    code: str
    info: str
    line: int
    topic: int
    verdict: str | None


class Prose(NamedTuple):
    """What there is to read, in the order of the document."""

    statements: tuple[Statement, ...]
    fences: tuple[Fence, ...]


def read_prose(text: str, front_matter_lines: int) -> Prose:
    """Read a document; its front matter is left out, lines count from the top of the file."""
    lines = split_lines(text.removeprefix("\ufeff"))
    blank = ["\n"] * min(front_matter_lines, len(lines))
    reader = _Reader()
    for block in _blocks("".join([*blank, *lines[front_matter_lines:]]).replace("\r\n", "\n").replace("\r", "\n")):
        reader.take(block)
    return Prose(tuple(reader.statements[:MOST_STATEMENTS]), tuple(reader.fences))


class _Block(NamedTuple):
    """A heading, a paragraph, a block of code or of HTML; `item` is the line of the outermost list item around it."""

    kind: str
    pieces: list[tuple[str, int]]
    item: int
    more: Any = None

    @property
    def text(self) -> str:
        return "".join(piece for piece, _ in self.pieces)


class _Reader:
    """Keeps in mind what a block stands under."""

    def __init__(self) -> None:
        self.statements: list[Statement] = []
        self.fences: list[Fence] = []
        self._heading = 1
        self._verdicts: dict[int, str | None] = {}
        self._labels: dict[bool, str | None] = {}
        self._columns: list[str | None] = []
        self._column = -1

    def take(self, block: _Block) -> None:
        """Read one block."""
        if block.kind == "Html":
            self._read_cells(block.text)
        elif block.kind == "CodeBlock":
            self._read_fence(block)
        elif block.kind == "Heading":
            self._read_heading(block)
        else:
            self._read_text(block)

    def _read_cells(self, html: str) -> None:
        for cell in CELL.finditer(html):
            tag = cell.group(2)
            if tag is None:
                self._columns.append(verdict_of(cell.group(1)))
            elif tag == "/table":
                self._columns = []
            self._column = self._column + 1 if tag == "td" else -1

    def _read_fence(self, block: _Block) -> None:
        inside = bool(block.item)
        column = self._columns[self._column] if 0 <= self._column < len(self._columns) else None
        verdict = column or self._labels.pop(inside, None) or self._above()
        line = block.pieces[0][1] if block.pieces else 1
        self.fences.append(Fence(block.text, _info(block.more), line, block.item or self._heading, verdict))

    def _read_heading(self, block: _Block) -> None:
        level, verdict = int(block.more["level"][1]), verdict_of(block.text)
        self._verdicts = {each: said for each, said in self._verdicts.items() if each < level} | {level: verdict}
        self._labels = {}
        if verdict is None and block.pieces:
            self._heading = block.pieces[0][1]
            self.statements += self._sentences(block, None)

    def _read_text(self, block: _Block) -> None:
        verdict = (self._labels.get(False) or self._above()) if block.item else None
        found = list(self._sentences(block, verdict))
        self._labels[bool(block.item)] = verdict_of(found[-1].text) if found else None
        self.statements += found

    def _above(self) -> str | None:
        """What the nearest heading says that is nothing but a label."""
        return next((said for _, said in sorted(self._verdicts.items(), reverse=True) if said), None)

    def _sentences(self, block: _Block, verdict: str | None) -> Iterator[Statement]:
        offsets = [0, *accumulate(len(piece) for piece, _ in block.pieces)]
        said = marked(block.text) or verdict
        for sentence in SENTENCE.finditer(block.text):
            text = " ".join(sentence.group().split())[:LONGEST_STATEMENT]
            line = block.pieces[max(0, bisect_right(offsets, sentence.start()) - 1)][1]
            if text:
                yield Statement(text, line, block.item or self._heading, said)


def _info(opened: Any) -> str:
    return str(opened["Fenced"]) if isinstance(opened, dict) else ""


def _blocks(body: str) -> Iterator[_Block]:
    """The blocks of a document, out of the parser's events."""
    lengths = (len(line.encode(errors="surrogatepass")) for line in body.splitlines(keepends=True))
    starts = [0, *accumulate(lengths)]
    pieces: list[tuple[str, int]] = []
    items: list[int] = []
    opened: Any = None
    for event, span in pyromark.events_with_range(body, options=OPTIONS):
        line = bisect_right(starts, span["start"])
        name, given = _named(event)
        if name in ("Text", "Code"):
            pieces.append((f"`{given.replace('`', chr(39))}`" if name == "Code" else given, line))
        elif name == "Html":
            yield _Block("Html", [(given, line)], 0)
        if name not in ("Start", "End"):
            continue
        tag, more = _named(given) if isinstance(given, dict) else (given, None)
        if tag not in BLOCKS:
            continue
        if pieces:
            yield _Block(tag if name == "End" else "Paragraph", pieces, items[0] if items else 0, opened)
        pieces, opened = [], more
        if tag == "Item":
            items = [*items, line] if name == "Start" else items[:-1]


def _named(event: Any) -> tuple[str, Any]:
    """An event or a tag and what comes with it; a break between two lines is a space."""
    return next(iter(cast("dict[str, Any]", event).items())) if isinstance(event, dict) else ("Text", " ")
