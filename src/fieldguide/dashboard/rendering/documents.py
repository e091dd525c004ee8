"""A document of any format as HTML: Markdown as such, others by their headings, paragraphs and code."""

from itertools import pairwise
from textwrap import dedent

from fieldguide import linear_regex as re
from fieldguide.dashboard.page_text import lines_as_html
from fieldguide.dashboard.rendering.lines import LineAnchors
from fieldguide.dashboard.rendering.links import Links, anchors_of
from fieldguide.dashboard.rendering.markdown import CUT, LEVELS, render_markdown
from fieldguide.dashboard.rendering.restructured import Directive, read_directive
from fieldguide.document_formats.document import Block, ReadDocument
from fieldguide.document_formats.kinds import MARKDOWN, MDX, TEXT, format_of
from fieldguide.document_formats.lines import without_end
from fieldguide.document_formats.readers import read_document

MOST_BLOCKS = 5_000
LISTED = re.compile(r"\s*(?:[-*+•]|#\.|\d{1,3}[.)])\s")
MARKED = re.compile(
    r"``([^`]{1,500})``|:[a-z][a-z:+.-]{0,30}:`([^`]{1,500})`|\*\*([^*\n]{1,500})\*\*|`([^`\n]{1,500})`"
)


def can_be_rendered(path: str) -> bool:
    """Whether a file is shown as a document first: what is only lines of text stays lines of text."""
    return format_of(path) not in (None, TEXT)


def render_document(path: str, text: str, *, is_of_project: bool = True, cited: tuple[int, int] | None = None) -> str:
    """The HTML of a document; `is_of_project` where its links may lead to other files of the project."""
    read = read_document(path, text)
    if format_of(path) in (MARKDOWN, MDX):
        links = Links(path if is_of_project else "", anchors_of(read.headings))
        return render_markdown(text, links, cited)
    return _render_blocks(read, LineAnchors("", cited))


def _render_blocks(read: ReadDocument, anchors: LineAnchors) -> str:
    parts = [_block(read, block, anchors) for block in read.blocks[:MOST_BLOCKS]]
    return "\n".join(parts) + (CUT if len(read.blocks) > MOST_BLOCKS else "")


def _block(read: ReadDocument, block: Block, anchors: LineAnchors) -> str:
    lines = (block.start + 1, block.end)
    text = read.text_of(block.start, block.end).strip("\n")
    if block.heading is not None:
        heading = read.headings[block.heading]
        level = LEVELS[f"H{heading.level}"]
        return f"<{level}{anchors.attributes(*lines)}>{anchors.mark(lines[1])}{inline_html(heading.text)}</{level}>"
    if not text.strip():
        return ""
    at = f"{anchors.attributes(*lines)}>{anchors.mark(lines[1])}"
    directive = read_directive(text)
    if directive is not None:
        return _directive(directive, at)
    if block.is_code:
        return f'<pre tabindex="0"{at}<code>{lines_as_html(dedent(without_end(text)))}</code></pre>'
    if LISTED.match(text):
        return f"<div{at}{_listed(text)}</div>"
    return f"<p{at}{inline_html(dedent(text))}</p>"


def _directive(directive: Directive, at: str) -> str:
    if directive.is_code:
        return f'<pre tabindex="0"{at}<code>{lines_as_html(directive.body)}</code></pre>'
    if directive.is_admonition:
        body = f"<p>{inline_html(directive.body)}</p>" if directive.body else ""
        return f"<blockquote{at}<p><strong>{inline_html(directive.title)}</strong></p>{body}</blockquote>"
    if not directive.name:
        return f"<div{at}</div>"
    named = lines_as_html(f"{directive.name} {directive.argument}".strip())
    body = f"<p>{inline_html(directive.body)}</p>" if directive.body else ""
    return f'<div{at}<p class="quiet"><code>{named}</code></p>{body}</div>'


def _listed(text: str) -> str:
    """A list, each of whose lines stays one."""
    lines = text.split("\n")
    whole = [f" {line.strip()}" if place and not LISTED.match(line) else line for place, line in enumerate(lines)]
    starts = [place for place, line in enumerate(lines) if not place or LISTED.match(line)] + [len(lines)]
    items = ("".join(whole[start:end]) for start, end in pairwise(starts))
    return "<br>".join(inline_html(item) for item in items)


def inline_html(text: str) -> str:
    """A text with its code and its strong words; nothing else of its markup is read."""
    parts: list[str] = []
    at = 0
    for found in MARKED.finditer(text):
        parts.append(lines_as_html(text[at : found.start()]))
        literal, role, strong, plain = found.groups()
        tag = "strong" if strong else "code"
        parts.append(f"<{tag}>{lines_as_html(literal or role or strong or plain)}</{tag}>")
        at = found.end()
    return "".join([*parts, lines_as_html(text[at:])])
