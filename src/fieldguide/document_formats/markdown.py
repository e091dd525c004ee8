"""How a markdown document is built: its lines, its headings, its top-level blocks and its title.

The parser is pulldown-cmark, so a `# comment` in a fence, in an HTML block or in the front matter is no heading, and a
setext heading is one. Headings inside a quote or a list item belong to that quote or item, not to the outline.
"""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import Any, cast

import pyromark

from fieldguide import linear_regex as re
from fieldguide.document_formats.document import Block, Heading, ReadDocument
from fieldguide.document_formats.lines import split_lines

BYTE_ORDER_MARK = "\ufeff"
LONE_RETURN = re.compile(r"\r(?!\n)")
SETEXT_UNDERLINE = re.compile(r"\s*(?:=+|-+)\s*")
FRONT_MATTER_TITLE = re.compile(r"title\s*[:=]\s*(.*)")
QUOTED_END = {mark: re.compile(rf"{mark}\s*(?:#.*)?$") for mark in "\"'"}
COMMENT = re.compile(r"\s#.*")
FOLDED = re.compile(r"[>|][+-]?\d?")
CODE = -1
FENCES = {"---": ("---", "..."), "+++": ("+++",)}


def read_markdown(text: str) -> ReadDocument:
    """Read a document; any text is one."""
    lines = split_lines(text)
    return read_markdown_as(lines, lines)


def read_markdown_as(lines: list[str], parsed: list[str]) -> ReadDocument:
    """Read a document by what the parser is to see of each of its lines."""
    front = front_matter_lines(lines)
    body = "".join(_end_of(line) for line in lines[:front]) + "".join(parsed[front:]).removeprefix(BYTE_ORDER_MARK)
    headings: list[Heading] = []
    blocks: list[Block] = []
    for level, start, end in _top_level(body):
        if level > 0:
            headings.append(Heading(level, _heading_text(lines[start:end]), start + 1))
        blocks.append(Block(start, end, len(headings) - 1 if level > 0 else None, is_code=level == CODE))
    first = next(
        (without_attributes(heading.text) for heading in headings if heading.level == 1 and heading.text), None
    )
    title = first or front_matter_title(lines[1 : max(front - 1, 1)])
    return ReadDocument(lines, tuple(headings), tuple(blocks), title)


def front_matter_lines(lines: list[str]) -> int:
    """How many lines at the beginning are front matter, its fences included; none where it is not closed."""
    opening = lines[0].removeprefix(BYTE_ORDER_MARK).rstrip() if lines else ""
    for number, line in enumerate(lines[1:] if opening in FENCES else (), start=2):
        if line.rstrip() in FENCES[opening]:
            return number
    return 0


def without_attributes(heading: str) -> str:
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
    return int(heading["level"][1]) if heading else CODE if "CodeBlock" in tag else 0


def _heading_text(lines: list[str]) -> str:
    """What a heading says, as written: without the marks that make it one."""
    first = lines[0].removeprefix(BYTE_ORDER_MARK)
    said = [line.strip() for line in [first, *lines[1:]] if line.strip()]
    if len(said) > 1 and SETEXT_UNDERLINE.fullmatch(said[-1]):
        return " ".join(said[:-1])
    return _between_marks(" ".join(said))


def _between_marks(line: str) -> str:
    """What an ATX heading says; by hand, because a regular expression could take long over a line of blanks."""
    text = line.lstrip("#").strip(" \t")
    before = text.rstrip("#")
    return before.rstrip(" \t") if not before or before[-1] in " \t" else text


def front_matter_title(lines: list[str]) -> str | None:
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
