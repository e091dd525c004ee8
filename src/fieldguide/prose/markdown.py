"""Reads Markdown and MDX: front matter, headings and blocks.

The parser is pulldown-cmark, so a `# comment` in a fence, in an HTML block or in the front matter is no heading, and a
setext heading is one. Headings inside a quote or a list item belong to that quote or item, not to the outline.

Scripts, expressions and tags of MDX are blanked before parsing.
"""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import Any, NamedTuple, cast

import pyromark

from fieldguide.prose.document import Block, Heading, ReadDocument
from fieldguide.text import regex as re
from fieldguide.text.windows import split_lines

BYTE_ORDER_MARK = "\ufeff"
LONE_RETURN = re.compile(r"\r(?!\n)")
SETEXT_UNDERLINE = re.compile(r"\s*(?:=+|-+)\s*")
FRONT_MATTER_TITLE = re.compile(r"title\s*[:=]\s*(.*)")
QUOTED_END = {mark: re.compile(rf"{mark}\s*(?:#.*)?$") for mark in "\"'"}
COMMENT = re.compile(r"\s#.*")
FOLDED = re.compile(r"[>|][+-]?\d?")
CODE = -1
FRONT_MATTER_FENCES = {"---": ("---", "..."), "+++": ("+++",)}


def read_markdown(text: str) -> ReadDocument:
    """Read a document; any text is one."""
    lines = split_lines(text)
    return read_markdown_as(lines, lines)


def read_markdown_as(lines: list[str], parsed: list[str]) -> ReadDocument:
    """Read a document by what the parser is to see of each of its lines."""
    front = count_front_matter_lines(lines)
    body = "".join(_end_of(line) for line in lines[:front]) + "".join(parsed[front:]).removeprefix(BYTE_ORDER_MARK)
    headings: list[Heading] = []
    blocks: list[Block] = []
    for level, start, end in _top_level(body):
        if level > 0:
            headings.append(Heading(level, _heading_text(lines[start:end]), start + 1))
        blocks.append(Block(start, end, len(headings) - 1 if level > 0 else None, is_code=level == CODE))
    first = next((strip_attributes(heading.text) for heading in headings if heading.level == 1 and heading.text), None)
    title = first or read_front_matter_title(lines[1 : max(front - 1, 1)])
    return ReadDocument(lines, tuple(headings), tuple(blocks), title)


def count_front_matter_lines(lines: list[str]) -> int:
    """How many lines at the beginning are front matter, its fences included; none where it is not closed."""
    opening = lines[0].removeprefix(BYTE_ORDER_MARK).rstrip() if lines else ""
    for number, line in enumerate(lines[1:] if opening in FRONT_MATTER_FENCES else (), start=2):
        if line.rstrip() in FRONT_MATTER_FENCES[opening]:
            return number
    return 0


def strip_attributes(heading: str) -> str:
    """A heading without what some tools write behind it for themselves, such as `{#anchor}`."""
    text, brace, inside = heading.rstrip().rpartition("{")
    is_attribute = brace and inside.endswith("}") and inside.lstrip().startswith(("#", ".", ":"))
    return text.rstrip() or heading if is_attribute else heading


def _top_level(body: str) -> Iterator[tuple[int, int, int]]:
    """The level (0 or CODE for what is no heading), the first line and the line after the last of each block."""
    starts = [0, *accumulate(len(line.encode(errors="surrogatepass")) for line in split_lines(body))]
    depth = 0
    parsed = LONE_RETURN.sub("\n", body)  # the parser does not always end a line there: not in a fence
    for event, span in pyromark.events_with_range(parsed, options=pyromark.Options.ENABLE_TABLES):
        if not isinstance(event, dict):
            if depth == 0:
                yield _placed(0, span, starts)
            continue
        if "Start" in event:
            if depth == 0:
                yield _placed(_level(event["Start"]), span, starts)
            depth += 1
        elif "End" in event:
            depth -= 1


def _placed(level: int, span: Any, starts: list[int]) -> tuple[int, int, int]:
    first = bisect_right(starts, span["start"]) - 1
    return level, first, max(bisect_right(starts, span["end"] - 1), first + 1)


def _level(tag: Any) -> int:
    if not isinstance(tag, dict):
        return 0
    heading: Any = cast("dict[str, Any]", tag).get("Heading")
    if heading:
        return int(heading["level"][1])
    return CODE if "CodeBlock" in tag else 0


def _heading_text(lines: list[str]) -> str:
    """What a heading says, as written: without the marks that make it one."""
    first = lines[0].removeprefix(BYTE_ORDER_MARK)
    said = [line.strip() for line in [first, *lines[1:]] if line.strip()]
    if len(said) > 1 and SETEXT_UNDERLINE.fullmatch(said[-1]):
        return " ".join(said[:-1])
    text = " ".join(said).lstrip("#").strip(" \t")  # a regular expression could take long over a line of blanks
    before = text.rstrip("#")
    return before.rstrip(" \t") if not before or before[-1] in " \t" else text


def read_front_matter_title(lines: list[str]) -> str | None:
    """The title that front matter gives, by its lines between the fences."""
    for number, line in enumerate(lines):
        match = FRONT_MATTER_TITLE.fullmatch(line.rstrip())
        if match is None:
            continue
        if FOLDED.fullmatch(match.group(1)):
            return " ".join(_indented(lines[number + 1 :])) or None
        return _unquoted(match.group(1)) or None
    return None


def _unquoted(value: str) -> str:
    """A value of the front matter without its quotes and without the comment behind it."""
    inside = value[1:]
    end = QUOTED_END[value[0]].search(inside) if value[:1] in QUOTED_END else None
    return inside[: end.start()].strip() if end else COMMENT.sub("", value).strip()


def _indented(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if line.strip() and not line.startswith((" ", "\t")):
            return
        if line.strip():
            yield line.strip()


def _end_of(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]


OPTIONS = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_TASKLISTS
TAGS = frozenset(("Paragraph", "Item", "List", "TableCell", "BlockQuote", "HtmlBlock", "CodeBlock", "Heading"))


class MarkdownBlock(NamedTuple):
    """A block; code spans in its text stand between backquotes."""

    kind: str
    """`Heading`, `CodeBlock`, or anything else for a paragraph."""
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
        return str(self.tag["Fenced"]) if self.tag and self.tag != "Indented" else ""


def read_blocks(text: str) -> Iterator[MarkdownBlock]:
    """The blocks that have something in them, in their order; lines must end with `\\n`."""
    starts = [0, *accumulate(len(line.encode(errors="surrogatepass")) for line in text.splitlines(keepends=True))]
    pieces: list[tuple[str, int]] = []
    items: list[int] = []
    opened: Any = None
    for event, span in pyromark.events_with_range(text, options=OPTIONS):
        line = bisect_right(starts, span["start"])
        name, given = _named(event)
        if name in ("Text", "Code"):
            pieces.append((f"`{given.replace('`', chr(39))}`" if name == "Code" else given, line))
        tag, more = _named(given) if name in ("Start", "End") else ("", None)
        if tag not in TAGS:
            continue
        if pieces:
            kind = tag if name == "End" else "Paragraph"
            yield MarkdownBlock(kind, tuple(pieces), items[0] if items else 0, opened)
        pieces = []
        opened = more
        if tag == "Item" and name == "Start":
            items.append(line)
        elif tag == "Item":
            del items[-1:]


def _named(event: Any) -> tuple[str, Any]:
    """An event or a tag, and what comes with it; an event without anything is a break, which is a space."""
    if isinstance(event, dict):
        return next(iter(cast("dict[str, Any]", event).items()))
    return (event, None) if event in TAGS else ("Text", " ")


CODE_FENCES = ("```", "~~~")
SCRIPTS = ("import ", "export ", "import{", "export{", "import\t")
MOST_LINES_OF_A_TAG = 200


def read_mdx(text: str) -> ReadDocument:
    """Read a document; any text is one."""
    lines = split_lines(text)
    return read_markdown_as(lines, _without_code(lines))


def _without_code(lines: list[str]) -> list[str]:
    """The lines, those of scripts, expressions and tags as blank ones of the same length."""
    kept = list(lines)
    at = count_front_matter_lines(lines)
    count = len(lines)
    fence = ""
    is_start = True
    while at < count:
        line = lines[at].strip()
        if fence:
            fence = "" if line.startswith(fence) and not line.strip(fence[0]) else fence
            end = at + 1
        elif line.startswith(CODE_FENCES):
            fence = line[: len(line) - len(line.lstrip(line[0]))]
            end = at + 1
        else:
            end = _end_of_code(lines, at, line, is_start=is_start)
            for number in range(at, end):
                body = lines[number].rstrip("\r\n")
                kept[number] = " " * len(body.encode(errors="surrogatepass")) + lines[number][len(body) :]
            is_start = not line or end > at
            end = max(end, at + 1)
        at = end
    return kept


def _end_of_code(lines: list[str], at: int, line: str, *, is_start: bool) -> int:
    """The line after a script, an expression or a tag that begins here; this line when none does."""
    if is_start and lines[at].startswith(SCRIPTS):
        while at < len(lines) and lines[at].strip():
            at += 1
        return at
    if is_start and line.startswith("{") and not line.startswith("{{"):
        return at if "}" in line and not line.endswith("}") else _end_where(lines, at, "}")
    if _is_tag(line):
        return at + 1 if line.endswith(">") else _end_where(lines, at, ">")
    return at


def _is_tag(line: str) -> bool:
    """Whether a line is a tag, or begins one of a component; an address in angle brackets is none."""
    if not (line.startswith(("</", "<>")) or (line[:1] == "<" and line[1:2].isalpha())):
        return False
    return (line.endswith(">") or line[1:2].isupper()) and "://" not in line.split(" ", 1)[0]


def _end_where(lines: list[str], at: int, mark: str) -> int:
    """The line after the first that ends with a mark; this line when none near does."""
    for end in range(at, min(at + MOST_LINES_OF_A_TAG, len(lines))):
        if lines[end].rstrip().endswith(mark):
            return end + 1
    return at
