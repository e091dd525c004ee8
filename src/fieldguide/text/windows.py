"""Selects the lines of a text that fit a token budget and says where to read on.

A line that does not fit is given in parts: whoever follows `next` reads every character once.
"""

import codecs
import io
import json
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from fieldguide.text.citation import Citation, read_citation
from fieldguide.text.errors import NotFound
from fieldguide.text.tokens import count_thirds

MOST_NUMBERED = 100  # lines that are also given one by one with their numbers
QUOTES = 4  # thirds of a token that JSON's own quotes count for

Cite = Callable[[int, int], str]
"""The citation of some lines, from one to another."""


class LineRange(NamedTuple):
    """Lines of a text as they stand there, counted from 1; `is_cut` when the last one is not given to its end.

    The first one begins at its character `start_column`, counted from 1.
    """

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
        """Its numbers, as answers give them; columns only where a line is not given whole."""
        told = {"startLine": self.start_line, "endLine": self.end_line}
        if self.start_column > 1:
            told["startColumn"] = self.start_column
        if self.is_cut:
            told["endColumn"] = self.end_column
        return told

    @property
    def end_column(self) -> int:
        """The number of the last character that is given of a line that is cut."""
        return self.start_column + len(self.lines[-1]) - 1

    def numbered(self, most: int) -> dict[str, Any]:
        """The lines one by one, each after its number, where they are not too much to be given twice."""
        if len(self.lines) > MOST_NUMBERED or self.start_column > 1 or self.is_cut:
            return {}
        if _count_written(self.text) > 3 * most:
            return {}
        plain = (line.removesuffix("\n").removesuffix("\r") for line in self.lines)
        return {"numbered": [f"{number}: {line}" for number, line in enumerate(plain, self.start_line)]}


def select_lines(lines: Sequence[str], start_line: int, end_line: int, most: int, start_column: int = 1) -> LineRange:
    """The lines from one to another, both included, as many of them as fit; the first one at least in part.

    The first line begins at `start_column`. Where there is no such line or character, NotFound says how many there are.
    """
    if start_line > max(len(lines), 1):
        raise NotFound(f"There is no line {start_line}: it has {len(lines)}.")
    wanted = list(lines[start_line - 1 : end_line])
    if start_column > 1:
        first = wanted[0] if wanted else ""
        if start_column > len(first):
            raise NotFound(f"Line {start_line} has no character {start_column}: it has {len(first)}.")
        wanted[0] = first[start_column - 1 :]
    left = 3 * most
    count = 0
    for line in wanted:
        if len(line) > left:  # no character counts for less than a third
            break
        left -= _count_written(line)
        if left < 0:
            break
        count += 1
    if wanted and count == 0:
        beginning = _beginning(wanted[0], most)
        return LineRange((beginning,), start_line, is_cut=beginning != wanted[0], start_column=start_column)
    return LineRange(tuple(wanted[:count]), start_line, start_column=start_column)


def _count_written(text: str) -> int:
    """How many thirds of a token a text counts for as a part of a JSON string."""
    return count_thirds(json.dumps(text, ensure_ascii=False)) - QUOTES


def _beginning(text: str, most: int) -> str:
    """The longest beginning of a text that fits as JSON, by halves; one character at least, so that reading goes on."""
    low = 1
    high = max(min(len(text), 3 * most), 1)
    while low < high:
        middle = (low + high + 1) // 2
        if _count_written(text[:middle]) <= 3 * most:
            low = middle
        else:
            high = middle - 1
    return text[:low]


def describe_rest(cite: Cite, found: LineRange, *, until: int, most: int) -> dict[str, Any]:
    """What is said of lines that did not fit, with the citation of the rest; nothing where all were given."""
    if found.end_line >= until and not found.is_cut:
        return {}
    if found.is_cut:
        rest = _within(cite(found.end_line, until), found.end_column + 1)
        what = f"Line {found.end_line} is given up to its character {found.end_column}: the rest does not fit"
    else:
        rest = cite(found.end_line + 1, until)
        what = f"Lines up to {found.end_line} of {until} fit"
    return {"next": rest, "note": f"{what} {most:,} tokens. Read on with the path {rest!r}."}


def _within(citation: str, start_column: int) -> str:
    """A citation that begins within its first line."""
    place = read_citation(citation)
    return citation if place is None else str(place._replace(start_column=start_column))


def describe_change(given: Citation | None, cite: Cite) -> dict[str, Any]:
    """That lines are not those which a citation was of; nothing where they are, or it does not say."""
    now = None if given is None or not given.hash else read_citation(cite(given.start_line, given.end_line))
    if given is None or now is None or now.hash == given.hash:
        return {}
    return {"changed": f"These lines are not the ones that were cited: their hash is {now.hash}, not {given.hash}."}


REPLACED = "\ufffd"


def decode_document(content: bytes) -> str:
    """The text of a document.

    Bytes that are no UTF-8 are replaced where the rest is; where no character beyond ASCII is, it is Latin-1, or what
    Windows makes of it.
    """
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) and len(content) % 2 == 0:
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
    """The same bytes; those of a text in UTF-16 as UTF-8, as its zeros would make it no text."""
    return (
        decode_document(content).encode(errors="replace")
        if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
        else content
    )


def decode_readable(content: bytes) -> str:
    """The text of some bytes, as ripgrep reads them: UTF-16 where they begin so, else UTF-8 with what can be read."""
    is_wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return content.decode("utf-16" if is_wide else "utf-8", errors="replace")


def split_lines(text: str) -> list[str]:
    """The lines of a text, each with its end, so that joined they are the text."""
    return io.StringIO(text, newline="").readlines()


def count_lines(text: str) -> int:
    """How many lines a text has, without cutting it."""
    ends = text.count("\n") + (text.count("\r") - text.count("\r\n") if "\r" in text else 0)
    return ends + (not text.endswith(("\n", "\r")) if text else 0)


def strip_line_end(text: str) -> str:
    """A text without the end of its last line."""
    return text.removesuffix("\n").removesuffix("\r")


ENDS = ("\n", "\r")  # in the order in which they are taken from the end of a line


class ByteLines:
    """The lines of some bytes, each with its end, so that joined they are the bytes."""

    def __init__(self, content: bytes) -> None:
        wide = _wide_encoding(content)
        self._encoding = wide or "utf-8"
        self._lines = _wide_lines(content, wide) if wide else content.splitlines(keepends=True)
        self._ends = [end.encode(self._encoding) for end in ENDS]

    def __len__(self) -> int:
        return len(self._lines)

    def between(self, start_line: int, end_line: int) -> bytes:
        """The lines from one to another, counted from 1, both included, without the end of the last; b"" for none."""
        found = b"".join(self._lines[start_line - 1 : end_line])
        for end in self._ends:
            found = found.removesuffix(end) if len(found) % len(end) == 0 else found
        return found

    def text(self, lines: bytes) -> str:
        """What some of these lines say, as `readable_text` reads the whole; without the mark of UTF-16."""
        text = lines.decode(self._encoding, errors="replace")
        return text if self._encoding == "utf-8" else text.removeprefix("\ufeff")


def _wide_encoding(content: bytes) -> str | None:
    if content.startswith(BOM_UTF16_LE):
        return "utf-16-le"
    return "utf-16-be" if content.startswith(BOM_UTF16_BE) else None


def _wide_lines(content: bytes, encoding: str) -> list[bytes]:
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
