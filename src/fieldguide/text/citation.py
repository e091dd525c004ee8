"""Parses and writes citations (path, lines, hash), and describes a citation that is stale.

`docs/guide.md#L30-L39@1f0c9a7e` is how we write one, always with both lines. The hash is the first eight hexadecimal
digits of the SHA-256 of the bytes of those lines as they lie in the file, from the first byte of the first line to the
last byte before the end of the last one (`fieldguide.document_formats.byte_lines` says what a line is). `#L30-L39`,
`#L30`, `:30`, `:30-39` and `:30:7` (a line and a column, as compilers and ripgrep write it) are understood too. A name
may hold such an ending itself, so whoever opens one looks for a file of the whole name first.

`big.js#L1C29101-L9@1f0c9a7e` begins within line 1, at its 29,101st character: the rest of a line that was too long for
one answer. Its hash is still that of the whole lines. A selection as GitHub writes it (`#L3C5-L4C9`) means its lines.

Whoever looks for what no longer holds (cited lines that changed, documentation that names what is gone) tells it so.
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
    """The citation of some lines; without a hash it says nothing of what stands there."""
    return f"{path}#L{start_line}-L{end_line}{f'@{hash_}' if hash_ else ''}"


def hash_lines(lines: bytes) -> str:
    """The hash of some lines, given without the end of the last one."""
    return sha256(lines).hexdigest()[:HASH_DIGITS]


def hash_text(text: str) -> str:
    """The hash of lines that are no bytes of a file, given without the end of the last one: as UTF-8."""
    return hash_lines(text.encode(errors="surrogatepass"))


def read_citation(text: str) -> Citation | None:
    """The citation that a text is; None for a plain path, and for lines that can't be."""
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
SYMBOL = "symbol"
OPTION = "option"
STALE_KINDS = (LINES, PATH, SYMBOL, OPTION)
"""What is named: cited lines, a file or folder, a name that code defines, a flag or setting."""


class StalePlace(NamedTuple):
    """Something that a document says of the code, and what became of it.

    `document` is a path of the project, or what else is known by an address (`finding:…`, `task:…`); `line` is 0 where
    it has none. `path`, `start` and `end` are where it stands now, as far as that is known. `difference` tells in one
    line what changed, `commit` which commit did it, and `confidence` is below 1 where likeness alone decided.
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
        """Where it stands now, as a citation without a hash; empty where it does not."""
        return f"{self.path}#L{self.start}-L{self.end}" if self.path and self.start else self.path

    def told(self) -> str:
        """The state in one short line: the word, the new place, and what changed or which commit did it."""
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
        given = {name: value for name, value in self._asdict().items() if value}
        return {key: value for key, value in given.items() if (key, value) != ("confidence", 1.0)}
