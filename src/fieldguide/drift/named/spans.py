"""The places of a document that name things of code: spans, roles, links and blocks of code, each with its line."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.document_formats.document import ReadDocument
from fieldguide.document_formats.kinds import MAN, NOTEBOOK, PDF, TEXT

SPAN, ROLE, LINK, HOSTED, BLOCK, PLAIN, TITLE = "span", "role", "link", "hosted", "block", "plain", "title"
"""How a name is written: as code in a sentence, with what it is, as where a link leads, here or on a host of
repositories, in an example, as a word, as a title."""
LONGEST_LINE = 5_000
LONGEST_SPAN = 300
MOST_SPANS = 50_000
RST_ROLE = re.compile(r":([a-z][\w:+-]*):`([^`\n]{1,300})`")
TICKED = re.compile(r"`{1,2}([^`\n]{1,300}?)`{1,2}")
PLUSED = re.compile(r"(?:^|[\s(])\+([\w./-]{2,100})\+(?:[\s).,;:]|$)")
CODE_TAG = re.compile(r"<(?:code|tt|kbd|samp)(?:\s[^<>]{0,100})?>([^<>\n]{1,300})</")
LINKED = re.compile(
    r"\]\(<?([^()\s<>]{1,300})>?(?:\s+\"[^\"\n]{0,200}\")?\)|^\s*\[[^\]\n]{1,200}\]:\s*<?([^\s<>]{1,300})>?"
)
INCLUDED = re.compile(
    r"(?:\.\.\s+(?:literalinclude|include|automodule|autofunction|autoclass|automethod)::|include::|link:)"
    r"\s*([^\s\[\]]{1,300})"
)
ROLES = frozenset(
    ("func", "function", "meth", "method", "class", "mod", "attr", "data", "exc", "obj", "setting", "option", "const",
     "envvar", "file", "command", "djadmin", "confval", "opt", "program", "type", "macro", "member", "signal",
     "attribute", "exception", "decorator", "property", "enum", "struct", "var",
     "reqmeta", "js", "c", "cpp", "py", "source", "src", "blob", "fixture", "hook", "event", "dir", "download")
)  # fmt: skip
DECLARES = re.compile(r"^\s*\.\. (?:[a-z]+:)?([a-z-]+)::\s+(?:(?:async|static|class|abstract|final) )*([^\s(]{2,200})")
ANCHOR = re.compile(r"<a (?:name|id)=\"([\w.-]{3,100})\"")
JOINED = re.compile(r"[A-Za-z0-9]_[A-Za-z0-9]|[a-z0-9][A-Z]")
MARKED = re.compile(r"`[^`\n]*`|<[^<>\n]*>|\]\([^()\n]*\)|https?://\S+")
FENCES = ("```", "~~~")


class Span(NamedTuple):
    """A piece of a document that may name something, the line where it stands, and how it is written."""

    text: str
    line: int
    form: str
    role: str = ""


def spans_in(document: ReadDocument, form: str) -> Iterator[Span]:
    """The spans of a document, in its order, so many at most; of formats without markup the lines themselves."""
    blocks = code_lines(document)
    is_plain = form in (TEXT, MAN, PDF)
    lines = document.searched_lines if form in (MAN, NOTEBOOK) else document.lines
    titled = {each.line: each.text.strip("`* ") for each in document.headings}
    found = 0
    for number, line in enumerate(lines, 1):
        text = line[:LONGEST_LINE]
        if is_plain or blocks[number - 1]:
            spans: Iterable[Span] = (Span(text, number, PLAIN if is_plain else BLOCK),)
        else:
            spans = _of_prose(text, number, titled.get(number))
        for span in spans:
            yield span
            found += 1
        if found > MOST_SPANS:
            return


def _of_prose(text: str, number: int, title: str | None) -> Iterator[Span]:
    """What a line marks as code, and the line itself where it may name something without a mark."""
    if title is not None:
        yield Span(title, number, TITLE)
    for mark, read in READERS:
        if mark in text:
            yield from read(text, number)
    if JOINED.search(text):
        yield Span(MARKED.sub(" ", text), number, PLAIN)


def code_lines(document: ReadDocument) -> Sequence[bool]:
    """For each line whether it is of a block of code: at the top, or fenced within a list."""
    found = [False] * len(document.lines)
    for block in document.blocks:
        if block.is_code:
            found[block.start : block.end] = [True] * (block.end - block.start)
    fence = ""
    for at, line in enumerate(document.lines):
        if found[at]:
            continue
        begin = line[:LONGEST_LINE].lstrip()[:3]
        if fence:
            found[at] = True
            fence = "" if begin == fence else fence
        elif begin in FENCES and begin not in line.strip()[3:]:
            fence = begin
    return found


def _tagged(text: str, number: int) -> Iterator[Span]:
    yield from (Span(match.group(1).strip(), number, SPAN) for match in CODE_TAG.finditer(text))
    yield from (Span(match.group(1), number, SPAN) for match in ANCHOR.finditer(text))


def _plused(text: str, number: int) -> Iterator[Span]:
    yield from (Span(match.group(1), number, SPAN) for match in PLUSED.finditer(text))


def _linked(text: str, number: int) -> Iterator[Span]:
    yield from (Span(match.group(1) or match.group(2), number, LINK) for match in LINKED.finditer(text))


def _included(text: str, number: int) -> Iterator[Span]:
    if "::" in text or "link:" in text:
        yield from (Span(match.group(1), number, LINK) for match in INCLUDED.finditer(text))


def _ticked(text: str, number: int) -> Iterator[Span]:
    """What stands in back-ticks, with a role or alone; with `_` behind it, it is a link of reStructuredText."""
    if text.startswith(".. _"):
        return
    rest = text
    if ":`" in text:
        for match in RST_ROLE.finditer(text):
            if role := _role(match.group(1)):
                yield Span(_target(match.group(2)), number, ROLE, role)
        rest = RST_ROLE.sub(" ", text)
    for match in TICKED.finditer(rest):
        if rest[match.end() : match.end() + 1] != "_":
            yield Span(match.group(1).strip(), number, SPAN)


def _declared(text: str, number: int) -> Iterator[Span]:
    """What a directive of reStructuredText describes, as `.. method:: name(arguments)`."""
    match = DECLARES.match(text)
    if match is not None and match.group(1) in ROLES:
        yield Span(match.group(2).lstrip("~!."), number, ROLE, match.group(1))


def _target(text: str) -> str:
    """What a role names: :role:`shown <target>`, :role:`~pkg.name`."""
    inside = text.rpartition("<")[2].rstrip(">") if text.endswith(">") else text
    return inside.strip().lstrip("~!.")


def _role(name: str) -> str:
    parts = name.split(":")
    return parts[-1] if parts[-1] in ROLES or parts[0] in ROLES else ""


READERS: tuple[tuple[str, Callable[[str, int], Iterator[Span]]], ...] = (
    ("`", _ticked),
    ("<", _tagged),
    ("+", _plused),
    ("]", _linked),
    ("::", _declared),
    (":", _included),
)
"""What reads a line for one way of marking code, and the mark without which it need not."""
