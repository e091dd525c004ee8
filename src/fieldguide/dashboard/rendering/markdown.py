"""Markdown as HTML, written by us event by event: nothing of a document reaches the page but its text.

Documents are a stranger's. What an element may be is a list of ours, attributes are made here, links lead where `Links`
lets them, images are their descriptions, raw HTML is what it says. Depth, tables and length have limits.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, cast

import pyromark

from fieldguide.dashboard.page_text import lines_as_html
from fieldguide.dashboard.rendering.lines import LineAnchors
from fieldguide.dashboard.rendering.links import Links
from fieldguide.dashboard.rendering.raw_html import is_break, said_by
from fieldguide.document_formats.lines import split_lines
from fieldguide.document_formats.markdown import LONE_RETURN, front_matter_lines

OPTIONS = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_FOOTNOTES
    | pyromark.Options.ENABLE_GFM
)
DEEPEST = 32
MOST_EVENTS = 60_000
MOST_ROWS, MOST_CELLS = 300, 40
PLAIN = {"Emphasis": "em", "Strong": "strong", "Strikethrough": "del", "TableHead": "thead"}
LEVELS = {f"H{level}": f"h{min(level + 1, 6)}" for level in range(1, 7)}
"""The page has a title of its own, so a document's begin one below."""
ALERTS = frozenset({"Note", "Tip", "Important", "Warning", "Caution"})
TASKS = {
    True: '<span class="task" role="img" aria-label="done">☑</span> ',
    False: '<span class="task" role="img" aria-label="to do">☐</span> ',
}
SINGLE = {"SoftBreak": "\n", "HardBreak": "<br>", "Rule": "<hr>"}
SAYINGS: Mapping[str, Callable[[Any], str]] = {
    "Text": lines_as_html,
    "Code": lambda given: f"<code>{lines_as_html(given)}</code>",
    "InlineHtml": lambda given: "<br>" if is_break(given) else "",
    "TaskListMarker": lambda given: TASKS[bool(given)],
    "FootnoteReference": lambda given: f"<sup>[{lines_as_html(given)}]</sup>",
}
CUT = '<p class="notice">The rest of this document is too long to be shown like this. The plain view shows it all.</p>'


Lines = tuple[int, int]
"""The first and the last line of a block."""
Ends = tuple[str, str]
"""The beginning and the end of an element."""


class Opened(NamedTuple):
    """An element that is open: what ends it, and which tag of the parser's it is."""

    tag: str
    end: str


def render_markdown(text: str, links: Links, cited: Lines | None = None) -> str:
    """The HTML of a document; the lines that somebody cites are marked in it."""
    lines = split_lines(text)
    front = front_matter_lines(lines)
    blank = "".join(line[len(line.rstrip("\r\n")) :] for line in lines[:front])
    body = LONE_RETURN.sub("\n", blank + "".join(lines[front:]).removeprefix("\ufeff"))
    writer = MarkdownWriter(links, LineAnchors(body, cited))
    written = writer.write(body)
    return _front_matter("".join(lines[:front])) + written


def _front_matter(text: str) -> str:
    if not text:
        return ""
    return f"<details><summary>Front matter</summary><pre><code>{lines_as_html(text)}</code></pre></details>"


class MarkdownWriter:
    """Writes the events of one document."""

    def __init__(self, links: Links, anchors: LineAnchors) -> None:
        self._links = links
        self._anchors = anchors
        self._parts: list[str] = []
        self._open: list[Opened] = []
        self._raw: list[str] | None = None
        self._images = 0
        self._is_head = False
        self._rows = self._cells = self._left_out = 0
        self._skipped = 0
        self._elements: Mapping[str, Callable[[Any, Lines], Ends]] = {
            "Paragraph": self._paragraph,
            "Heading": self._heading,
            "CodeBlock": self._code_block,
            "BlockQuote": self._quote,
            "List": self._list,
            "Item": self._item,
            "Table": self._table,
            "TableRow": self._row,
            "TableCell": self._cell,
            "FootnoteDefinition": self._footnote,
            "Link": self._link,
            "Image": self._image,
            "HtmlBlock": self._raw_block,
        }

    def write(self, body: str) -> str:
        """The whole document, or as much of it as is shown at once."""
        for number, (event, span) in enumerate(pyromark.events_with_range(body, options=OPTIONS)):
            if number >= MOST_EVENTS:
                self._parts += [opened.end for opened in reversed(self._open)]
                self._parts.append(CUT)
                break
            self._take(event, span)
        return "".join(self._parts)

    def _take(self, event: Any, span: Any) -> None:
        name, given = _named(event)
        if self._skipped:  # a row or a cell beyond the limit
            self._skipped += (name == "Start") - (name == "End")
            return
        if name == "Start":
            self._begin(*_named(given), span)
        elif name == "End":
            self._end()
        else:
            self._say(name, given)

    def _say(self, name: str, given: Any) -> None:
        if self._raw is not None:
            self._raw.append(given if name in ("Html", "Text") else "\n")
            return
        say = SAYINGS.get(name)
        self._parts.append(SINGLE.get(name, "") if say is None else say(given))

    def _begin(self, tag: str, given: Any, span: Any) -> None:
        if tag in ("TableRow", "TableCell") and self._is_beyond(tag):
            self._skipped = 1
            return
        begin, end = "", ""
        if len(self._open) < DEEPEST and not self._images:
            begin, end = self._element(tag, given, self._anchors.span(span["start"], span["end"]))
        self._images += tag == "Image"
        self._open.append(Opened(tag, end))
        self._parts.append(begin)

    def _end(self) -> None:
        opened = self._open.pop()
        self._images -= opened.tag == "Image"
        if opened.tag == "HtmlBlock" and self._raw is not None:
            said = said_by("".join(self._raw))
            self._raw = None
            self._parts.append(f"<p>{lines_as_html(said)}</p>" if said else "")
        if opened.tag == "TableHead":
            self._is_head = False
        if opened.tag == "Table" and self._left_out:
            self._parts.append(f'<tr><td colspan="99" class="quiet">{self._left_out:,} more are not shown.</td></tr>')
        self._parts.append(opened.end)

    def _element(self, tag: str, given: Any, lines: Lines) -> Ends:
        """The beginning and the end of an element; nothing for one that we don't know."""
        if tag in PLAIN:
            self._is_head = tag == "TableHead"
            inner = ("<tr>", "</tr>") if self._is_head else ("", "")
            return f"<{PLAIN[tag]}>{inner[0]}", f"{inner[1]}</{PLAIN[tag]}>"
        write = self._elements.get(tag)
        return ("", "") if write is None else write(given, lines)

    def _paragraph(self, given: Any, lines: Lines) -> Ends:
        return f"<p{self._anchors.attributes(*lines)}>{self._anchors.mark(lines[1])}", "</p>\n"

    def _heading(self, given: Any, lines: Lines) -> Ends:
        level = LEVELS[given["level"]]
        return f"<{level}{self._anchors.attributes(*lines)}>{self._anchors.mark(lines[1])}", f"</{level}>\n"

    def _code_block(self, given: Any, lines: Lines) -> Ends:
        begin = f'<pre tabindex="0"{self._anchors.attributes(*lines)}>{self._anchors.mark(lines[1])}<code>'
        return begin, "</code></pre>\n"

    def _quote(self, given: Any, lines: Lines) -> Ends:
        if given in ALERTS:
            return f'<blockquote class="alert {given.lower()}"><p><strong>{given}</strong></p>', "</blockquote>\n"
        return "<blockquote>", "</blockquote>\n"

    def _list(self, given: Any, lines: Lines) -> Ends:
        if given is None:
            return "<ul>", "</ul>\n"
        start = f' start="{int(given)}"' if given != 1 else ""
        return f"<ol{start}>", "</ol>\n"

    def _item(self, given: Any, lines: Lines) -> Ends:
        return f"<li{self._anchors.attributes(lines[0], lines[0])}>", "</li>\n"

    def _table(self, given: Any, lines: Lines) -> Ends:
        self._rows = self._cells = self._left_out = 0
        begin = f'<div class="scroll" role="region" tabindex="0" aria-label="Table"{self._anchors.attributes(*lines)}>'
        return f"{begin}{self._anchors.mark(lines[1])}<table>", "</tbody></table></div>\n"

    def _row(self, given: Any, lines: Lines) -> Ends:
        begin = "<tbody>" if self._rows == 1 else ""
        return f"{begin}<tr{self._anchors.attributes(*lines)}>", "</tr>"

    def _cell(self, given: Any, lines: Lines) -> Ends:
        return ('<th scope="col">', "</th>") if self._is_head else ("<td>", "</td>")

    def _footnote(self, given: Any, lines: Lines) -> Ends:
        return f'<div class="footnote"><sup>[{lines_as_html(str(given))}]</sup>', "</div>\n"

    def _link(self, given: Any, lines: Lines) -> Ends:
        attributes = self._links.attributes(given["dest_url"])
        return (f"<a{attributes}>", "</a>") if attributes else ("", "")

    def _image(self, given: Any, lines: Lines) -> Ends:
        return '<span class="image">', "</span>"

    def _raw_block(self, given: Any, lines: Lines) -> Ends:
        self._raw = []
        return "", ""

    def _is_beyond(self, tag: str) -> bool:
        """Whether a row or a cell is one too many; counts it."""
        if tag == "TableRow":
            self._rows, self._cells = self._rows + 1, 0
            is_beyond = self._rows > MOST_ROWS
        else:
            self._cells += 1
            is_beyond = self._cells > MOST_CELLS
        self._left_out += is_beyond
        return is_beyond


def _named(event: Any) -> tuple[str, Any]:
    """An event or a tag by its name, and what comes with it."""
    if isinstance(event, dict):
        return next(iter(cast("dict[str, Any]", event).items()))
    return str(event), None
