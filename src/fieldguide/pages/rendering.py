"""Renders a document of any format as HTML."""

from itertools import pairwise
from textwrap import dedent

from fieldguide.files.kinds import MARKDOWN, MDX, TEXT, find_format
from fieldguide.pages.markdown import CUT, LEVELS, DocumentLinks, LineAnchors, map_anchors, render_markdown
from fieldguide.prose.document import Block, ReadDocument
from fieldguide.prose.readers import read_document
from fieldguide.text import regex as re
from fieldguide.text.display import escape_html_lines
from fieldguide.text.lines import strip_line_end

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


class Directive:
    """A directive: what it is called, what stands behind its name, and what it holds."""

    def __init__(self, name: str, argument: str, body: str) -> None:
        self.name = name
        self.argument = argument
        self.body = body

    @property
    def is_code(self) -> bool:
        """Whether it shows code."""
        return self.name in CODE

    @property
    def is_admonition(self) -> bool:
        """Whether it says something to the reader."""
        return self.name in ADMONITIONS

    @property
    def title(self) -> str:
        """What an admonition is headed with."""
        if self.name == "admonition":
            return self.argument
        said = NAMES.get(self.name, self.name.capitalize())
        return f"{said} {self.argument}" if self.name.startswith(("version", "deprecated")) else said


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


MOST_BLOCKS = 5_000
LISTED = re.compile(r"\s*(?:[-*+•]|#\.|\d{1,3}[.)])\s")
MARKED = re.compile(
    r"``([^`]{1,500})``|:[a-z][a-z:+.-]{0,30}:`([^`]{1,500})`|\*\*([^*\n]{1,500})\*\*|`([^`\n]{1,500})`"
)


def can_be_rendered(path: str) -> bool:
    """Whether a file is shown as a document first: what is only lines of text stays lines of text."""
    return find_format(path) not in (None, TEXT)


def render_document(path: str, text: str, *, is_of_project: bool = True, cited: tuple[int, int] | None = None) -> str:
    """The HTML of a document; `is_of_project` where its links may lead to other files of the project."""
    read = read_document(path, text)
    if find_format(path) in (MARKDOWN, MDX):
        links = DocumentLinks(path if is_of_project else "", map_anchors(read.headings))
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
    if directive.is_code:
        return f'<pre tabindex="0"{at}<code>{escape_html_lines(directive.body)}</code></pre>'
    if directive.is_admonition:
        body = f"<p>{render_inline(directive.body)}</p>" if directive.body else ""
        return f"<blockquote{at}<p><strong>{render_inline(directive.title)}</strong></p>{body}</blockquote>"
    if not directive.name:
        return f"<div{at}</div>"
    named = escape_html_lines(f"{directive.name} {directive.argument}".strip())
    body = f"<p>{render_inline(directive.body)}</p>" if directive.body else ""
    return f'<div{at}<p class="quiet"><code>{named}</code></p>{body}</div>'


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
