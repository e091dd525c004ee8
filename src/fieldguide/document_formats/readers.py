"""The one way to read a document: its format by its name and its text, and that format's reader."""

from typing import TYPE_CHECKING

from fieldguide import linear_regex as re
from fieldguide.document_formats.kinds import HTML, MAN, MARKDOWN, RST, TEXT, format_of

if TYPE_CHECKING:  # each reader is imported when the first document of its format is read
    from fieldguide.document_formats.document import ReadDocument

LOOKED_AT = 200_000
"""Characters of a text in which its format shows."""
RST_MARKUP = re.compile(
    r"(?m)^\.\. (?:_[^\n]+:|[\w:+-]+::|\[[\w#*]+\] |\|[^|\n]+\| \w+::)|(?:^|[\s(]):[a-z][\w:+.-]*:`[^`\n]+`"
)
MARKDOWN_MARKUP = re.compile(r"(?m)^#{2,6} \S|^```|\]\([^)\s]+\)")
PAGE = re.compile(r"(?i)<(?:!doctype|html|head|body|h[1-6]|p|div|article|section|main|title)\b")


def read_document(name: str, text: str) -> "ReadDocument":
    """Read a document of any format; what is not of the format that its name tells is read as plain text."""
    match text_format(name, text):
        case "markdown":
            from fieldguide.document_formats.markdown import read_markdown as read
        case "mdx":
            from fieldguide.document_formats.mdx import read_mdx as read
        case "rst":
            from fieldguide.document_formats.rst import read_rst as read
        case "asciidoc":
            from fieldguide.document_formats.asciidoc import read_asciidoc as read
        case "html":
            from fieldguide.document_formats.html import read_html as read
        case "notebook":
            return _notebook(text)
        case "man":
            from fieldguide.document_formats.man import read_man as read
        case "pdf" | "docx":
            from fieldguide.document_formats.extracted import read_extracted as read
        case _:
            from fieldguide.document_formats.plain_text import read_plain_text as read
    return read(text)


def text_format(name: str, text: str) -> str:
    """The format of a text: a `.txt` may be anything that is written in lines, a `.1` may be no manual page."""
    told = format_of(name) or TEXT
    if told == TEXT:
        return written_format(text)
    if told == MAN:
        from fieldguide.document_formats.man import is_man

        return MAN if is_man(text) else TEXT
    if told == HTML:
        return HTML if PAGE.search(text[:LOOKED_AT]) else TEXT
    return told


def written_format(text: str) -> str:
    """reStructuredText shows in its directives and roles, Markdown in its first heading and whatever follows it."""
    head = text[:LOOKED_AT]
    if RST_MARKUP.search(head):
        return RST
    if head.lstrip("\ufeff \r\n").startswith("# ") and MARKDOWN_MARKUP.search(head):
        return MARKDOWN
    return TEXT


def _notebook(text: str) -> "ReadDocument":
    from fieldguide.document_formats.notebook import NotANotebook, read_notebook
    from fieldguide.document_formats.plain_text import read_plain_text

    try:
        return read_notebook(text)
    except NotANotebook:
        return read_plain_text(text)
