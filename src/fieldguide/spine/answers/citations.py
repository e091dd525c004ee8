"""Citations: a path and the lines of it that are meant, written so that a reader can hand them back as they are.

`docs/guide.md#L30-L39` is how we write one; `#L30`, `:30`, `:30-39` and `:30:7` (a line and a column, as compilers and
ripgrep write it) are understood too. A name may hold such an ending itself, so whoever opens one looks for a file of
the whole name first.
"""

from typing import NamedTuple

from fieldguide import linear_regex as re

LINES = re.compile(
    r"(?s)(.+?)(?:#L(\d{1,9})(?:C\d{1,9})?(?:-L?(\d{1,9})(?:C\d{1,9})?)?|:(\d{1,9})(?:-(\d{1,9})|:\d{1,9})?)"
)


class Citation(NamedTuple):
    """A path and its lines, counted from 1, the last one included."""

    path: str
    start_line: int
    end_line: int

    def __str__(self) -> str:
        return cited(self.path, self.start_line, self.end_line)


def cited(path: str, start_line: int, end_line: int) -> str:
    """The citation of some lines; of one line it names that line once."""
    return f"{path}#L{start_line}" if start_line == end_line else f"{path}#L{start_line}-L{end_line}"


def read_citation(text: str) -> Citation | None:
    """The citation that a text is; None for a plain path, and for lines that can't be."""
    found = LINES.fullmatch(text)
    if found is None:
        return None
    path, start, end, line, last = found.groups()
    first = int(start or line)
    until = int(end or last or first)
    return Citation(path, first, until) if 1 <= first <= until else None
