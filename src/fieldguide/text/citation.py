"""Parses and writes citations (path, lines, hash), and describes a citation that is stale.

We write `docs/guide.md#L30-L39@1f0c9a7e`, always with both lines. The hash is the first eight hexadecimal digits of the
SHA-256 of the bytes of those lines in the file, without the end of the last one (`ByteLines` says what a line is).
`#L30-L39`, `#L30`, `:30`, `:30-39` and `:30:7` (a line and a column, as compilers and ripgrep write it) are understood
too. A file name may have such an ending itself, so a file of the whole name is tried first.

`big.js#L1C29101-L9@1f0c9a7e` begins within line 1, at its 29,101st character: the rest of a line that was too long for
one answer. Its hash is still that of the whole lines. A selection as GitHub writes it (`#L3C5-L4C9`) means its lines.
"""

from hashlib import sha256
from typing import Any, NamedTuple

from fieldguide.text import regex as re

HASH_DIGITS = 8
CITATION_PATTERN = re.compile(
    r"(?s)(.+?)(?:#L(\d{1,9})(?:C(\d{1,9}))?(?:-L?(\d{1,9})(C\d{1,9})?)?|:(\d{1,9})(?:-(\d{1,9})|:\d{1,9})?)"
    r"(?:@([0-9A-Za-z]{1,64}))?"
)


class Citation(NamedTuple):
    """A path and its lines, counted from 1, the last one included; the hash is empty where none was given.

    `start_column` is the character of the first line at which the text begins, counted from 1.
    """

    path: str
    start_line: int
    end_line: int
    hash: str = ""
    start_column: int = 1

    def __str__(self) -> str:
        written = format_citation(self.path, self.start_line, self.end_line, self.hash)
        if self.start_column == 1:
            return written
        lines = f"#L{self.start_line}C{self.start_column}"
        return f"{self.path}{lines}{written.removeprefix(f'{self.path}#L{self.start_line}')}"


def format_citation(path: str, start_line: int, end_line: int, hash_: str = "") -> str:
    """The citation of some lines; without a hash it does not identify their content."""
    ending = f"@{hash_}" if hash_ else ""
    return f"{path}#L{start_line}-L{end_line}{ending}"


def hash_lines(lines: bytes) -> str:
    """The hash of some lines, given without the end of the last one."""
    return sha256(lines).hexdigest()[:HASH_DIGITS]


def hash_text(text: str) -> str:
    """The hash of some lines of text in UTF-8, given without the end of the last one."""
    return hash_lines(text.encode(errors="surrogatepass"))


def read_citation(text: str) -> Citation | None:
    """Parse a citation; None for a plain path, and for impossible line numbers."""
    found = CITATION_PATTERN.fullmatch(text)
    if found is None:
        return None
    path, start, column, end, end_column, line, last, hash_ = found.groups()
    first = int(start or line)
    until = int(end or last or first)
    if not 1 <= first <= until:
        return None
    start_column = 1
    if column is not None and end is not None and end_column is None:
        start_column = max(int(column), 1)
    return Citation(path, first, until, (hash_ or "").lower(), start_column)


FRESH = "fresh"
MOVED = "moved"
CHANGED = "changed"
GONE = "gone"
LINES = "lines"
PATH = "path"
"""What is named: cited lines, or a file or folder."""


class StalePlace(NamedTuple):
    """A statement of a document about the code, and whether it still holds.

    `document` is a path of the project or another address (`finding:…`, `task:…`); `line` is 0 where it has none.
    `path`, `start` and `end` are the current place, if known. `difference` says in one line what changed, `commit`
    which commit did it, and `confidence` is below 1 where similarity alone decided.
    """

    document: str
    line: int
    says: str
    kind: str
    state: str
    path: str = ""
    start: int = 0
    end: int = 0
    difference: str = ""
    commit: str = ""
    confidence: float = 1.0

    @property
    def place(self) -> str:
        """The current place as a citation without a hash; empty if unknown."""
        return format_citation(self.path, self.start, self.end) if self.path and self.start else self.path

    def told(self) -> str:
        """The state in one short line, with the new place and what changed."""
        parts = [f"{self.state}: {self.says}"]
        if self.place and self.place != self.says:
            parts.append(f"now {self.place}")
        if self.difference:
            parts.append(self.difference)
        if self.commit:
            parts.append(f"by {self.commit}")
        return "; ".join(parts)

    def as_json(self) -> dict[str, Any]:
        """Its fields by name, without those that say nothing."""
        fields = self._asdict()
        if self.confidence == 1.0:
            del fields["confidence"]
        return {name: value for name, value in fields.items() if value}
