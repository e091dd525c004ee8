"""The blocks of a Markdown text at any depth: headings, paragraphs, code and HTML, each piece of them with its line."""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import Any, NamedTuple, cast

import pyromark

OPTIONS = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_TASKLISTS
TAGS = frozenset(("Paragraph", "Item", "List", "TableCell", "BlockQuote", "HtmlBlock", "CodeBlock", "Heading"))


class MarkdownBlock(NamedTuple):
    """A block; code spans in its text stand between backquotes."""

    kind: str
    """`Heading`, `CodeBlock`, `Html`, or anything else for a paragraph."""
    pieces: tuple[tuple[str, int], ...]
    item: int = 0
    """The line of the outermost list item around it; 0 when there is none."""
    tag: Any = None
    """What the parser says of it."""

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(piece for piece, _ in self.pieces)

    @property
    def line(self) -> int:
        """Where it begins, counted from 1."""
        return self.pieces[0][1]

    @property
    def level(self) -> int:
        """How deep a heading is."""
        return int(self.tag["level"][1])

    @property
    def info(self) -> str:
        """What stands behind the fence of code."""
        return str(self.tag["Fenced"]) if isinstance(self.tag, dict) else ""


def read_blocks(text: str) -> Iterator[MarkdownBlock]:
    """The blocks that have something in them, in their order; lines must end with `\\n`."""
    starts = [0, *accumulate(len(line.encode(errors="surrogatepass")) for line in text.splitlines(keepends=True))]
    pieces: list[tuple[str, int]] = []
    items: list[int] = []
    opened: Any = None
    for event, span in pyromark.events_with_range(text, options=OPTIONS):
        line = bisect_right(starts, span["start"])
        name, given = _named(event)
        if name == "Html":
            yield MarkdownBlock("Html", ((given, line),))
        elif name in ("Text", "Code"):
            pieces.append((f"`{given.replace('`', chr(39))}`" if name == "Code" else given, line))
        tag, more = _named(given) if name in ("Start", "End") else ("", None)
        if tag in TAGS:
            yield from _block(tag if name == "End" else "Paragraph", pieces, items, opened)
            pieces, opened = [], more
            items = _around(items, tag, line, is_opened=name == "Start")


def _block(kind: str, pieces: list[tuple[str, int]], items: list[int], tag: Any) -> Iterator[MarkdownBlock]:
    if pieces:
        yield MarkdownBlock(kind, tuple(pieces), items[0] if items else 0, tag)


def _around(items: list[int], tag: str, line: int, *, is_opened: bool) -> list[int]:
    """The lines of the list items that are open, the outermost first."""
    return items if tag != "Item" else [*items, line] if is_opened else items[:-1]


def _named(event: Any) -> tuple[str, Any]:
    """An event or a tag, and what comes with it; an event without anything is a break, which is a space."""
    if isinstance(event, dict):
        return next(iter(cast("dict[str, Any]", event).items()))
    return (event, None) if event in TAGS else ("Text", " ")
