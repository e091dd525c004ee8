"""Renders Markdown as safe HTML, with line anchors and checked links.

Documents are a stranger's. What an element may be is a list of ours, attributes are made here, links lead where `Links`
lets them, images are their descriptions, raw HTML is what it says. Depth, tables and length have limits.
"""

import posixpath
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from itertools import accumulate, pairwise
from textwrap import dedent
from typing import Any, NamedTuple, cast
from urllib.parse import quote, unquote

import pyromark

from fieldguide.files.kinds import MARKDOWN, MDX, TEXT, find_format
from fieldguide.pages.components import build_code_address
from fieldguide.prose.document import Block, Heading, ReadDocument
from fieldguide.prose.markdown import LONE_RETURN, count_front_matter_lines
from fieldguide.prose.readers import read_document
from fieldguide.text import regex as re
from fieldguide.text.display import escape_html, escape_html_lines
from fieldguide.text.windows import split_lines, strip_line_end

SCHEMES = frozenset({"http", "https", "mailto"})
LONGEST = 2_000
KEPT = "/:?#[]@!$&'()*+,;=-._~%"
LINES = re.compile(r"L(\d{1,9})(?:-L?(\d{1,9}))?")
FOREIGN = ' rel="noreferrer noopener nofollow"'
SILENT = ("script", "style", "template", "noscript", "iframe", "svg", "math", "object", "head", "title", "textarea")
COMMENT = re.compile(r"(?s)<!--.*?(?:-->|$)")
NAME = re.compile(r"\s*(/?)\s*([a-zA-Z][a-zA-Z0-9-]{0,30})")
ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&nbsp;": " ", "&amp;": "&"}
MOST_BLOCKS = 5_000
LISTED = re.compile(r"\s*(?:[-*+•]|#\.|\d{1,3}[.)])\s")
MARKED = re.compile(
    r"``([^`]{1,500})``|:[a-z][a-z:+.-]{0,30}:`([^`]{1,500})`|\*\*([^*\n]{1,500})\*\*|`([^`\n]{1,500})`"
)


class LineAnchors:
    """Gives blocks their anchors, `L12` for one that begins on line 12; no anchor twice.

    `cited` are the first and the last line that somebody cites: the block in which they begin has an anchor for them.
    """

    def __init__(self, text: str, cited: tuple[int, int] | None = None) -> None:
        self._starts = [0, *accumulate(len(line.encode(errors="surrogatepass")) for line in split_lines(text))]
        self._cited = cited
        self._last = 0
        self._is_placed = cited is None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The first and the last line of some bytes."""
        first = bisect_right(self._starts, start)
        return first, max(bisect_right(self._starts, end - 1), first)

    def attributes(self, first: int, last: int) -> str:
        """The `id` of a block, where its line has none yet, and its class, where it is cited."""
        anchor = f' id="L{first}"' if first > self._last else ""
        self._last = max(self._last, first)
        is_cited = self._cited is not None and first <= self._cited[1] and self._cited[0] <= last
        return f'{anchor} class="cited"' if is_cited else anchor

    def mark(self, last: int) -> str:
        """An anchor for the first cited line, inside the block that it stands in; once."""
        if self._is_placed or self._cited is None or last < self._cited[0]:
            return ""
        self._is_placed = True
        first = self._cited[0]
        if first <= self._last:
            return "" if first == self._last else f'<a id="L{first}"></a>'
        self._last = first
        return f'<a id="L{first}"></a>'


class DocumentLinks(NamedTuple):
    """The links of one document: `path` is where it lies in the project, empty where it does not, `anchors` are the
    lines of its headings by the names that links give them."""

    path: str = ""
    anchors: Mapping[str, int] = {}

    def attributes(self, written: str) -> str:
        """The attributes of a link that is written so; empty where it leads nowhere that we let it lead."""
        to = "".join(each for each in written if each.isprintable()).strip()
        if not to or len(to) > LONGEST:
            return ""
        if to.startswith("#"):
            line = self.anchors.get(unquote(to[1:]).lower())
            return f' href="#L{line}"' if line else ""
        before, colon, _ = to.partition(":")
        has_scheme = colon and not any(each in before for each in "/?#")
        scheme = before.lower() if has_scheme else ""
        if scheme in SCHEMES:
            return f' href="{escape_html(quote(to, safe=KEPT))}"{FOREIGN}'
        return self._inside(to) if not scheme else ""

    def _inside(self, to: str) -> str:
        """A file of the project, seen from this document; GitHub's way with a path that begins at the root."""
        named, _, fragment = to.partition("#")
        named = unquote(named.partition("?")[0]).replace("\\", "/")
        if not self.path or not named or named.startswith("//"):
            return ""
        joined = named.lstrip("/") if named.startswith("/") else posixpath.join(posixpath.dirname(self.path), named)
        path = posixpath.normpath(joined)
        if path in (".", "..") or path.startswith("../"):  # it leads out of the project
            return ""
        lines = LINES.fullmatch(fragment)
        if lines is None:
            return f' href="{build_code_address(path)}"'
        first = lines.group(1)
        last = lines.group(2) or lines.group(1)
        return f' href="{build_code_address(path, line=f"{first}-{last}")}#L{first}"'


def map_anchors(headings: Iterable[Heading]) -> dict[str, int]:
    """The lines of headings by the names that links give them: small letters, and a hyphen for each blank."""
    found: dict[str, int] = {}
    for heading in headings:
        words = "".join(each for each in heading.text.lower() if each.isalnum() or each in " -_")
        found.setdefault(words.replace(" ", "-"), heading.line)
    return found


def extract_text(raw: str) -> str:
    """The text between the tags, a line for each of its lines that says something; none of scripts and styles."""
    spoken: list[str] = []
    silenced = ""
    pieces = COMMENT.sub("", raw).split("<")
    spoken.append(pieces[0])
    for piece in pieces[1:]:
        tag, closed, rest = piece.partition(">")
        named = NAME.match(tag)
        if named is None or not closed:
            spoken.append("" if silenced else f"<{piece}")
            continue
        name = named.group(2).lower()
        is_end = bool(named.group(1))
        if not silenced and name in SILENT and not is_end:
            silenced = name
        elif silenced == name and is_end:
            silenced = ""
        spoken.append("" if silenced else rest)
    text = "".join(spoken)
    for entity, character in ENTITIES.items():
        text = text.replace(entity, character)
    lines = (line.strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def is_break(tag: str) -> bool:
    """Whether a tag is `<br>`."""
    return tag.strip("</> \t").lower() == "br"


OPTIONS = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_FOOTNOTES
    | pyromark.Options.ENABLE_GFM
)
DEEPEST = 32
MOST_EVENTS = 60_000
MOST_ROWS = 300
MOST_CELLS = 40
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
    "Text": escape_html_lines,
    "Code": lambda given: f"<code>{escape_html_lines(given)}</code>",
    "InlineHtml": lambda given: "<br>" if is_break(given) else "",
    "TaskListMarker": lambda given: TASKS[bool(given)],
    "FootnoteReference": lambda given: f"<sup>[{escape_html_lines(given)}]</sup>",
}
CUT = '<p class="notice">The rest of this document is too long to be shown like this. The plain view shows it all.</p>'


Lines = tuple[int, int]
"""The first and the last line of a block."""
Ends = tuple[str, str]
"""The beginning and the end of an element."""


class OpenElement(NamedTuple):
    """An element that is open: what ends it, and which tag of the parser's it is."""

    tag: str
    end: str


def render_markdown(text: str, links: DocumentLinks, cited: Lines | None = None) -> str:
    """The HTML of a document; the lines that somebody cites are marked in it."""
    lines = split_lines(text)
    front = count_front_matter_lines(lines)
    blank = "".join(line[len(line.rstrip("\r\n")) :] for line in lines[:front])
    body = LONE_RETURN.sub("\n", blank + "".join(lines[front:]).removeprefix("\ufeff"))
    written = MarkdownWriter(links, LineAnchors(body, cited)).write(body)
    matter = escape_html_lines("".join(lines[:front]))
    if not matter:
        return written
    return f"<details><summary>Front matter</summary><pre><code>{matter}</code></pre></details>{written}"


class MarkdownWriter:
    """Writes the events of one document."""

    def __init__(self, links: DocumentLinks, anchors: LineAnchors) -> None:
        self._links = links
        self._anchors = anchors
        self._parts: list[str] = []
        self._open: list[OpenElement] = []
        self._raw: list[str] | None = None
        self._images = 0
        self._is_head = False
        self._rows = self._cells = self._left_out = 0
        self._skipped = 0

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
        elif self._raw is not None:
            self._raw.append(given if name in ("Html", "Text") else "\n")
        else:
            say = SAYINGS.get(name)
            self._parts.append(SINGLE.get(name, "") if say is None else say(given))

    def _begin(self, tag: str, given: Any, span: Any) -> None:
        if tag in ("TableRow", "TableCell") and self._is_beyond(tag):
            self._skipped = 1
            return
        begin = ""
        end = ""
        if len(self._open) < DEEPEST and not self._images:
            begin, end = self._element(tag, given, self._anchors.span(span["start"], span["end"]))
        self._images += tag == "Image"
        self._open.append(OpenElement(tag, end))
        self._parts.append(begin)

    def _end(self) -> None:
        opened = self._open.pop()
        self._images -= opened.tag == "Image"
        if opened.tag == "HtmlBlock" and self._raw is not None:
            said = extract_text("".join(self._raw))
            self._raw = None
            self._parts.append(f"<p>{escape_html_lines(said)}</p>" if said else "")
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
        match tag:
            case "Paragraph":
                return f"<p{self._place(lines)}", "</p>\n"
            case "Heading":
                level = LEVELS[given["level"]]
                return f"<{level}{self._place(lines)}", f"</{level}>\n"
            case "CodeBlock":
                return f'<pre tabindex="0"{self._place(lines)}<code>', "</code></pre>\n"
            case "BlockQuote" if given in ALERTS:
                return f'<blockquote class="alert {given.lower()}"><p><strong>{given}</strong></p>', "</blockquote>\n"
            case "BlockQuote":
                return "<blockquote>", "</blockquote>\n"
            case "List" if given is None:
                return "<ul>", "</ul>\n"
            case "List":
                return f'<ol start="{int(given)}">' if given != 1 else "<ol>", "</ol>\n"
            case "Item":
                return f"<li{self._anchors.attributes(lines[0], lines[0])}>", "</li>\n"
            case "Table":
                self._rows = self._cells = self._left_out = 0
                begin = '<div class="scroll" role="region" tabindex="0" aria-label="Table"'
                return f"{begin}{self._place(lines)}<table>", "</tbody></table></div>\n"
            case "TableRow":
                begin = "<tbody>" if self._rows == 1 else ""
                return f"{begin}<tr{self._anchors.attributes(*lines)}>", "</tr>"
            case "TableCell":
                return ('<th scope="col">', "</th>") if self._is_head else ("<td>", "</td>")
            case "FootnoteDefinition":
                return f'<div class="footnote"><sup>[{escape_html_lines(str(given))}]</sup>', "</div>\n"
            case "Link":
                attributes = self._links.attributes(given["dest_url"])
                return (f"<a{attributes}>", "</a>") if attributes else ("", "")
            case "Image":
                return '<span class="image">', "</span>"
            case "HtmlBlock":
                self._raw = []
            case _:
                pass
        return "", ""

    def _place(self, lines: Lines) -> str:
        """The attributes that end the opening tag of a block, and the anchor of the first cited line."""
        return f"{self._anchors.attributes(*lines)}>{self._anchors.mark(lines[1])}"

    def _is_beyond(self, tag: str) -> bool:
        """Whether a row or a cell is one too many; counts it."""
        if tag == "TableRow":
            self._rows = self._rows + 1
            self._cells = 0
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


DIRECTIVE = re.compile(r"\.\.[ \t]+([a-zA-Z][\w:+-]{0,60})::[ \t]*([^\n]*)")
OPTION = re.compile(r"[ \t]+:[\w-]{1,40}:[^\n]*")
CODE = frozenset({"code-block", "code", "sourcecode", "parsed-literal", "highlight"})
ADMONITIONS = frozenset(
    (
        *("note", "warning", "tip", "important", "hint", "caution", "danger", "error", "attention", "seealso"),
        *("admonition", "versionadded", "versionchanged", "deprecated", "versionremoved"),
    )
)
NAMES = {
    "seealso": "See also",
    "versionadded": "New in version",
    "versionchanged": "Changed in version",
    "deprecated": "Deprecated since",
    "versionremoved": "Removed in version",
}


class Directive(NamedTuple):
    """A directive: what it is called, what stands behind its name, and what it holds."""

    name: str
    argument: str
    body: str


def read_directive(text: str) -> Directive | None:
    """The directive that a block is; one without a name where it is a comment or a target; None for a paragraph."""
    if not text.startswith(".. ") and text.strip() != "..":
        return None
    first, _, rest = text.partition("\n")
    found = DIRECTIVE.match(first)
    lines = [line for line in rest.split("\n") if not OPTION.fullmatch(line)]
    body = dedent("\n".join(lines)).strip("\n")
    if found is None:
        return Directive("", "", body)
    name = found.group(1).lower()
    argument = found.group(2).strip()
    if name in ADMONITIONS and name not in NAMES and name != "admonition":
        return Directive(name, "", f"{argument}\n{body}".strip())
    return Directive(name, argument, body)


def can_be_rendered(path: str) -> bool:
    """Whether a file is shown as a document first: what is only lines of text stays lines of text."""
    return find_format(path) not in (None, TEXT)


def render_document(path: str, text: str, *, is_of_project: bool = True, cited: tuple[int, int] | None = None) -> str:
    """The HTML of a document; `is_of_project` where its links may lead to other files of the project."""
    read = read_document(path, text)
    if find_format(path) in (MARKDOWN, MDX):
        links = DocumentLinks(path if is_of_project else "", map_anchors(read.headings))
        return render_markdown(text, links, cited)
    anchors = LineAnchors("", cited)
    parts = [_block(read, block, anchors) for block in read.blocks[:MOST_BLOCKS]]
    return "\n".join(parts) + (CUT if len(read.blocks) > MOST_BLOCKS else "")


def _block(read: ReadDocument, block: Block, anchors: LineAnchors) -> str:
    lines = (block.start + 1, block.end)
    text = read.text_of(block.start, block.end).strip("\n")
    if block.heading is not None:
        heading = read.headings[block.heading]
        level = LEVELS[f"H{heading.level}"]
        return f"<{level}{anchors.attributes(*lines)}>{anchors.mark(lines[1])}{render_inline(heading.text)}</{level}>"
    if not text.strip():
        return ""
    at = f"{anchors.attributes(*lines)}>{anchors.mark(lines[1])}"
    directive = read_directive(text)
    if directive is not None:
        return _directive(directive, at)
    if block.is_code:
        return f'<pre tabindex="0"{at}<code>{escape_html_lines(dedent(strip_line_end(text)))}</code></pre>'
    if LISTED.match(text):
        return f"<div{at}{_listed(text)}</div>"
    return f"<p{at}{render_inline(dedent(text))}</p>"


def _directive(directive: Directive, at: str) -> str:
    name, argument, body = directive
    if name in CODE:
        return f'<pre tabindex="0"{at}<code>{escape_html_lines(body)}</code></pre>'
    if not name:
        return f"<div{at}</div>"
    shown = f"<p>{render_inline(body)}</p>" if body else ""
    if name not in ADMONITIONS:
        named = escape_html_lines(f"{name} {argument}".strip())
        return f'<div{at}<p class="quiet"><code>{named}</code></p>{shown}</div>'
    title = NAMES.get(name, name.capitalize())
    if name == "admonition":
        title = argument
    elif name.startswith(("version", "deprecated")):
        title = f"{title} {argument}"
    return f"<blockquote{at}<p><strong>{render_inline(title)}</strong></p>{shown}</blockquote>"


def _listed(text: str) -> str:
    """A list, each of whose lines stays one."""
    lines = text.split("\n")
    whole = [f" {line.strip()}" if place and not LISTED.match(line) else line for place, line in enumerate(lines)]
    starts = [place for place, line in enumerate(lines) if not place or LISTED.match(line)] + [len(lines)]
    items = ("".join(whole[start:end]) for start, end in pairwise(starts))
    return "<br>".join(render_inline(item) for item in items)


def render_inline(text: str) -> str:
    """A text with its code and its strong words; nothing else of its markup is read."""
    parts: list[str] = []
    at = 0
    for found in MARKED.finditer(text):
        parts.append(escape_html_lines(text[at : found.start()]))
        literal, role, strong, plain = found.groups()
        tag = "strong" if strong else "code"
        parts.append(f"<{tag}>{escape_html_lines(literal or role or strong or plain)}</{tag}>")
        at = found.end()
    return "".join([*parts, escape_html_lines(text[at:])])
