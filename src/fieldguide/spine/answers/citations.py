"""Citations: a path, the lines of it that are meant, and a hash of them, written so that a reader can hand them back.

`docs/guide.md#L30-L39@1f0c9a7e` is how we write one, always with both lines. The hash is the first eight hexadecimal
digits of the SHA-256 of the bytes of those lines as they lie in the file, from the first byte of the first line to the
last byte before the end of the last one (`fieldguide.document_formats.byte_lines` says what a line is). `#L30-L39`,
`#L30`, `:30`, `:30-39` and `:30:7` (a line and a column, as compilers and ripgrep write it) are understood too. A name
may hold such an ending itself, so whoever opens one looks for a file of the whole name first.
"""

from hashlib import sha256
from typing import NamedTuple

from fieldguide import linear_regex as re

HASH_DIGITS = 8
LINES = re.compile(
    r"(?s)(.+?)(?:#L(\d{1,9})(?:C\d{1,9})?(?:-L?(\d{1,9})(?:C\d{1,9})?)?|:(\d{1,9})(?:-(\d{1,9})|:\d{1,9})?)"
    r"(?:@([0-9A-Za-z]{1,64}))?"
)


class Citation(NamedTuple):
    """A path and its lines, counted from 1, the last one included; the hash is empty where none was given."""

    path: str
    start_line: int
    end_line: int
    hash: str = ""

    def __str__(self) -> str:
        return cited(self.path, self.start_line, self.end_line, self.hash)


def cited(path: str, start_line: int, end_line: int, hash_: str = "") -> str:
    """The citation of some lines; without a hash it says nothing of what stands there."""
    return f"{path}#L{start_line}-L{end_line}{f'@{hash_}' if hash_ else ''}"


def hash_of(lines: bytes) -> str:
    """The hash of some lines, given without the end of the last one."""
    return sha256(lines).hexdigest()[:HASH_DIGITS]


def hash_of_text(text: str) -> str:
    """The hash of lines that are no bytes of a file, given without the end of the last one: as UTF-8."""
    return hash_of(text.encode(errors="surrogatepass"))


def read_citation(text: str) -> Citation | None:
    """The citation that a text is; None for a plain path, and for lines that can't be."""
    found = LINES.fullmatch(text)
    if found is None:
        return None
    path, start, end, line, last, hash_ = found.groups()
    first = int(start or line)
    until = int(end or last or first)
    return Citation(path, first, until, (hash_ or "").lower()) if 1 <= first <= until else None
