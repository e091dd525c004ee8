"""Decodes the bytes of a file and splits text or bytes into lines, as editors count them.

A line ends with a line feed, a carriage return, or both together, and with nothing else: no form feed and no Unicode
separator ends one. A mark at the beginning (BOM) belongs to the first line. What is no UTF-8 is a line all the same,
as the bytes of an end occur in no character of it. Where a file begins as UTF-16 does, its units are read so.
"""

import codecs
import io
from codecs import BOM_UTF16_BE, BOM_UTF16_LE

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
