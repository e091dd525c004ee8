"""What a document says: its headings, list items and sentences with their lines, and the examples in its fences."""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import Any, NamedTuple, cast

import pyromark

from fieldguide import linear_regex as re
from fieldguide.document_formats.lines import split_lines
from fieldguide.toolsets.architecture.rules.prose.examples import Example, Fence, examples_of

OPTIONS = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_TASKLISTS
SPAN_OPENS, SPAN_CLOSES = "\ue000", "\ue001"
SPAN = re.compile(f"{SPAN_OPENS}(\\d+){SPAN_CLOSES}")
SENTENCE_END = re.compile(r"[.!?](?:[\"')\]*]*)(?=\s+[^a-z\s]|\s*$)|(?<=\S)\s+[—–]\s+(?=[A-Z])")
NOT_AN_END = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|approx|Dr|Mr|no)\.$", re.IGNORECASE)
CAPITALS = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
MOST_STATEMENTS = 5_000
LONGEST_STATEMENT = 600
LONGEST_LABEL_WORDS = 4


class Statement(NamedTuple):
    """A sentence, with its code spans taken out and numbered."""

    text: str
    spans: tuple[str, ...]
    line: int
    form: str
    """`heading`, `item` (the first sentence of a list item) or `sentence`."""
    headings: tuple[str, ...] = ()
    """The headings that it stands under, the highest first; a heading's own text comes last."""
    section_line: int = 1
    """The line of the nearest heading."""

    def shown(self) -> str:
        """The sentence as a reader sees it."""
        return restored(self.text, self.spans)


class Prose(NamedTuple):
    """A document's statements and examples, in their order."""

    statements: tuple[Statement, ...]
    examples: tuple[Example, ...]


def restored(text: str, spans: tuple[str, ...]) -> str:
    """A text with its code spans in it again."""
    return SPAN.sub(lambda match: f"`{spans[int(match.group(1))]}`", text).strip()


def read_prose(text: str, front_matter_lines: int) -> Prose:
    """Read a document; its front matter is left out, lines count from the top of the file."""
    lines = split_lines(text.removeprefix("\ufeff"))
    blank = ["\n"] * min(front_matter_lines, len(lines))
    reader = _Reader("".join([*blank, *lines[front_matter_lines:]]).replace("\r\n", "\n").replace("\r", "\n"))
    reader.read()
    return Prose(tuple(reader.statements[:MOST_STATEMENTS]), tuple(examples_of(reader.fences)))


class _Reader:
    """Walks the parser's events once."""

    def __init__(self, body: str) -> None:
        self._body = body
        lengths = (len(line.encode(errors="surrogatepass")) for line in body.splitlines(keepends=True))
        self._starts = [0, *accumulate(lengths)]
        self.statements: list[Statement] = []
        self.fences: list[Fence] = []
        self._headings: list[tuple[int, str, int]] = []
        self._pieces: list[tuple[str, int]] = []
        self._spans: list[str] = []
        self._item_depth = 0
        self._is_item_start = False
        self._level = 0
        self._fence: tuple[str, int] | None = None
        self._label = ""
        self._list_label: tuple[str, ...] = ()

    def read(self) -> None:
        """Collect the statements and the fences of the document."""
        for event, span in pyromark.events_with_range(self._body, options=OPTIONS):
            line = bisect_right(self._starts, span["start"])
            if not isinstance(event, dict):
                self._pieces.append((" ", line))
            elif "Start" in event:
                self._open(event["Start"], line)
            elif "End" in event:
                self._close(event["End"])
            else:
                self._take(cast("dict[str, Any]", event), line)

    def _open(self, tag: Any, line: int) -> None:
        name, given = _opened(tag)
        if name == "CodeBlock":
            self._flush()
            kind = given
            self._fence = (
                kind["Fenced"] if isinstance(kind, dict) else "",
                line + (1 if isinstance(kind, dict) else 0),
            )
        elif name == "Heading":
            self._flush()
            self._level = int(given["level"][1])
        elif name == "Item":
            self._flush()
            self._item_depth += 1
            self._is_item_start = True
        elif name in ("Paragraph", "List", "TableCell", "BlockQuote", "Table"):
            self._flush()
            if name == "List" and not self._item_depth:
                self._list_label = _short_label(self._label)

    def _close(self, tag: Any) -> None:
        name, _ = _opened(tag)
        if name == "CodeBlock" and self._fence:
            info, line = self._fence
            code = "".join(text for text, _ in self._pieces)
            self._pieces = []
            self._fence = None
            self.fences.append(Fence(code, info, line, self._label, self._chain(), self._section_line()))
            self._label = ""
        elif name == "Heading":
            self._end_heading()
        elif name in ("Paragraph", "Item", "TableCell"):
            self._flush()
        elif name == "List" and not self._item_depth:
            self._list_label = ()
        if name == "Item":
            self._item_depth -= 1
            self._is_item_start = False

    def _take(self, event: dict[str, Any], line: int) -> None:
        if "TaskListMarker" in event:
            self._list_label = self._list_label or ("Checklist",)
        if "Text" in event:
            self._pieces.append((str(event["Text"]), line))
        elif "Code" in event and self._fence is None:
            self._pieces.append((f"{SPAN_OPENS}{len(self._spans)}{SPAN_CLOSES}", line))
            self._spans.append(str(event["Code"]))

    def _end_heading(self) -> None:
        text = "".join(piece for piece, _ in self._pieces).strip()
        line = self._pieces[0][1] if self._pieces else 1
        self._headings = [each for each in self._headings if each[0] < self._level]
        self._headings.append((self._level, restored(text, tuple(self._spans)), line))
        self.statements.append(
            Statement(text[:LONGEST_STATEMENT], tuple(self._spans), line, "heading", self._chain(), line)
        )
        self._pieces, self._spans, self._level, self._label = [], [], 0, ""

    def _flush(self) -> None:
        """End a paragraph: its sentences become statements."""
        if self._fence is not None or self._level:
            return
        whole = "".join(piece for piece, _ in self._pieces)
        if whole.strip():
            self._label = restored(whole, tuple(self._spans))
            self.statements += self._sentences(whole)
        self._pieces, self._spans = [], []

    def _sentences(self, whole: str) -> Iterator[Statement]:
        offsets = [0, *accumulate(len(piece) for piece, _ in self._pieces)]
        for start, sentence in split_sentences(whole):
            line = self._pieces[max(0, bisect_right(offsets, start) - 1)][1]
            form = "item" if self._is_item_start else "sentence"
            self._is_item_start = False
            yield Statement(
                sentence[:LONGEST_STATEMENT], tuple(self._spans), line, form, self._chain(), self._section_line()
            )

    def _chain(self) -> tuple[str, ...]:
        return (*(text for _, text, _ in self._headings), *self._list_label)

    def _section_line(self) -> int:
        return self._headings[-1][2] if self._headings else 1


def _short_label(paragraph: str) -> tuple[str, ...]:
    """A line such as `Don't:` before a list, which is a heading to it."""
    plain = paragraph.strip(" *_")
    is_label = plain.endswith(":") and len(plain.split()) <= LONGEST_LABEL_WORDS
    return (plain.strip(" :*_"),) if is_label else ()


def _opened(tag: Any) -> tuple[str, Any]:
    """The name of a tag, and what the parser says of it."""
    if isinstance(tag, str):
        return tag, None
    return next(iter(cast("dict[str, Any]", tag).items()))


def split_sentences(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of a paragraph and where each begins."""
    start = 0
    for match in SENTENCE_END.finditer(text):
        before = text[max(0, match.start() - 2) : match.start()]
        is_initial = before[-1:] in CAPITALS and not (before[:-1].isalnum() or before[:-1] == "_")
        if (is_initial and match.group()[0] in ".!?") or NOT_AN_END.search(text[max(0, match.end() - 9) : match.end()]):
            continue
        yield from _trimmed(text, start, match.end())
        start = match.end()
    yield from _trimmed(text, start, len(text))


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    part = text[start:end]
    if part.strip():
        yield start + len(part) - len(part.lstrip()), part.strip()
