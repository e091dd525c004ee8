"""Decodes text, splits it into lines and selects the lines that fit a token budget.

A line that does not fit is given in parts; following `next` reads every character exactly once.
"""

import io
import json
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from fieldguide.text import regex as re
from fieldguide.text.citation import Citation, read_citation
from fieldguide.text.errors import NotFound
from fieldguide.text.tokens import count_thirds, find_longest_beginning

MOST_NUMBERED = 100  # lines that are also given one by one with their numbers
QUOTES = 4  # thirds of a token that JSON's own quotes count for
REPLACED = "\ufffd"
BYTE_ORDER_MARKS = (BOM_UTF16_LE, BOM_UTF16_BE)
ENDS = ("\n", "\r")  # in the order in which they are taken from the end of a line

Cite = Callable[[int, int], str]
"""Cites the lines from one number to another."""


class LineRange(NamedTuple):
    """Lines of a text, counted from 1; the first begins at `start_column`, the last is incomplete if `is_cut`."""

    lines: tuple[str, ...]
    start_line: int
    is_cut: bool = False
    start_column: int = 1

    @property
    def text(self) -> str:
        """The lines with their ends."""
        return "".join(self.lines)

    @property
    def end_line(self) -> int:
        """The number of the last line."""
        return self.start_line + max(len(self.lines), 1) - 1

    def told(self) -> dict[str, Any]:
        """Its line numbers for an answer; columns only where a line is incomplete."""
        numbers = {"startLine": self.start_line, "endLine": self.end_line}
        if self.start_column > 1:
            numbers["startColumn"] = self.start_column
        if self.is_cut:
            numbers["endColumn"] = self.end_column
        return numbers

    @property
    def end_column(self) -> int:
        """The number of the last character of a line that is cut."""
        return self.start_column + len(self.lines[-1]) - 1

    def numbered(self, most: int) -> dict[str, Any]:
        """The lines one by one with their numbers, unless that is too much text to repeat."""
        if len(self.lines) > MOST_NUMBERED or self.start_column > 1 or self.is_cut:
            return {}
        if _count_written(self.text) > 3 * most:
            return {}
        numbered = enumerate(self.lines, self.start_line)
        return {"numbered": [f"{number}: {strip_line_end(line)}" for number, line in numbered]}


def select_lines(lines: Sequence[str], start_line: int, end_line: int, most: int, start_column: int = 1) -> LineRange:
    """As many lines from `start_line` to `end_line` (included) as fit, the first at least in part.

    The first line begins at `start_column`. NotFound where there is no such line or character.
    """
    if start_line > max(len(lines), 1):
        raise NotFound(f"There is no line {start_line}: it has {len(lines)}.")
    selected = list(lines[start_line - 1 : end_line])
    if start_column > 1:
        first = selected[0] if selected else ""
        if start_column > len(first):
            raise NotFound(f"Line {start_line} has no character {start_column}: it has {len(first)}.")
        selected[0] = first[start_column - 1 :]
    left = 3 * most
    count = 0
    for line in selected:
        if len(line) > left:  # no character counts for less than a third
            break
        left -= _count_written(line)
        if left < 0:
            break
        count += 1
    if selected and count == 0:
        first = selected[0]
        longest = max(min(len(first), 3 * most), 1)
        beginning = find_longest_beginning(first, 1, longest, lambda text: _count_written(text) <= 3 * most)
        return LineRange((beginning,), start_line, is_cut=beginning != first, start_column=start_column)
    return LineRange(tuple(selected[:count]), start_line, start_column=start_column)


def _count_written(text: str) -> int:
    """How many thirds of a token a text counts for as a part of a JSON string."""
    return count_thirds(json.dumps(text, ensure_ascii=False)) - QUOTES


def describe_rest(cite: Cite, found: LineRange, *, until: int, most: int) -> dict[str, Any]:
    """A note about the lines that did not fit, with a citation of the rest; empty if all fit."""
    if found.end_line >= until and not found.is_cut:
        return {}
    if found.is_cut:
        rest = cite(found.end_line, until)
        place = read_citation(rest)
        if place is not None:
            rest = str(place._replace(start_column=found.end_column + 1))
        what = f"Line {found.end_line} is given up to its character {found.end_column}: the rest does not fit"
    else:
        rest = cite(found.end_line + 1, until)
        what = f"Lines up to {found.end_line} of {until} fit"
    return {"next": rest, "note": f"{what} {most:,} tokens. Read on with the path {rest!r}."}


def describe_change(given: Citation | None, cite: Cite) -> dict[str, Any]:
    """A note that cited lines have changed; empty if they have not, or if the citation has no hash."""
    if given is None or not given.hash:
        return {}
    now = read_citation(cite(given.start_line, given.end_line))
    if now is None or now.hash == given.hash:
        return {}
    return {"changed": f"These lines are not the ones that were cited: their hash is {now.hash}, not {given.hash}."}


def decode_document(content: bytes) -> str:
    """Decode a document: UTF-16 by its mark, UTF-8 with bad bytes replaced, or Windows-1252 and Latin-1.

    The last two are used where no character beyond ASCII is valid UTF-8.
    """
    if content.startswith(BYTE_ORDER_MARKS) and len(content) % 2 == 0:
        return content.decode("utf-16", errors="replace")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        text = content.decode("utf-8", errors="replace")
    if b"\0" in content or any(not each.isascii() and each != REPLACED for each in text):
        return text
    try:
        return content.decode("cp1252")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def to_utf8(content: bytes) -> bytes:
    """Convert UTF-16 to UTF-8, since its zero bytes would look binary; other bytes stay as they are."""
    if content.startswith(BYTE_ORDER_MARKS):
        return decode_document(content).encode(errors="replace")
    return content


def decode_readable(content: bytes) -> str:
    """Decode bytes as ripgrep does: UTF-16 by its mark, else UTF-8 with bad bytes replaced."""
    encoding = "utf-16" if content.startswith(BYTE_ORDER_MARKS) else "utf-8"
    return content.decode(encoding, errors="replace")


def split_lines(text: str) -> list[str]:
    """The lines of a text, each with its end."""
    return io.StringIO(text, newline="").readlines()


def count_lines(text: str) -> int:
    """How many lines a text has, without splitting it."""
    ends = text.count("\n")
    if "\r" in text:
        ends += text.count("\r") - text.count("\r\n")
    if text and not text.endswith(ENDS):
        ends += 1
    return ends


def cut_text(text: str, longest: int) -> str:
    """A text, or the beginning of a long one with a sign that it goes on."""
    return text if len(text) <= longest else f"{text[:longest]}…"


def cut_between_words(text: str, longest: int) -> str:
    """The same, cut between two words."""
    return text if len(text) <= longest else f"{text[:longest].rsplit(' ', 1)[0]} …"


def strip_line_end(text: str) -> str:
    """A text without the end of its last line."""
    return text.removesuffix("\n").removesuffix("\r")


class ByteLines:
    """The lines of some bytes, each with its end."""

    def __init__(self, content: bytes) -> None:
        if content.startswith(BYTE_ORDER_MARKS):
            self._encoding = "utf-16-le" if content.startswith(BOM_UTF16_LE) else "utf-16-be"
            self._lines = _split_utf16(content, self._encoding)
        else:
            self._encoding = "utf-8"
            self._lines = content.splitlines(keepends=True)
        self._ends = [end.encode(self._encoding) for end in ENDS]

    def __len__(self) -> int:
        return len(self._lines)

    def between(self, start_line: int, end_line: int) -> bytes:
        """The lines from one to another, counted from 1, both included, without the end of the last; b"" for none."""
        lines = b"".join(self._lines[start_line - 1 : end_line])
        for end in self._ends:
            if len(lines) % len(end) == 0:
                lines = lines.removesuffix(end)
        return lines

    def text(self, lines: bytes) -> str:
        """Some of these lines as text, decoded as `decode_readable` does, without the mark of UTF-16."""
        text = lines.decode(self._encoding, errors="replace")
        return text if self._encoding == "utf-8" else text.removeprefix("\ufeff")


def _split_utf16(content: bytes, encoding: str) -> list[bytes]:
    """The lines of UTF-16; what can't be read counts for as many bytes as its replacement."""
    mark = content[:2]
    rest = content[2:]
    lines: list[bytes] = []
    at = 0
    for line in split_lines(rest.decode(encoding, errors="replace")):
        size = len(line.encode(encoding))
        lines.append(rest[at : at + size])
        at += size
    return [mark + lines[0], *lines[1:]] if lines else [mark]


HEAD = re.compile(r"(\d{1,4})\. ")
NUMBERED = re.compile(r"(\d{1,9})\| ?(.*)")


def read_numbered_hits(text: str, hits: int) -> list[tuple[tuple[int, str], ...]]:
    """The numbered lines that an answer of `guide_search` shows below each of its numbered heads.

    A line of a project can't look like a head: it has its number before it.
    """
    lines: list[list[tuple[int, str]]] = []
    for line in text.split("\n"):
        head = HEAD.match(line)
        numbered = NUMBERED.fullmatch(line)
        if head and int(head.group(1)) == len(lines) + 1:
            lines.append([])
        elif numbered and lines:
            lines[-1].append((int(numbered.group(1)), numbered.group(2)))
    return [tuple(lines[place]) if place < len(lines) else () for place in range(hits)]
