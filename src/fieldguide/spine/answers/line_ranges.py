"""Some lines of a text: those that were cited, or as many from the beginning as fit, and where to read on."""

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from fieldguide.errors import NotFound
from fieldguide.spine.answers.citations import Citation, read_citation
from fieldguide.spine.answers.tokens import count_thirds, cut_to, fits

MOST_NUMBERED = 100  # lines that are also given one by one with their numbers
QUOTES = 4  # thirds of a token that JSON's own quotes count for

Cite = Callable[[int, int], str]
"""The citation of some lines, from one to another."""


class LineRange(NamedTuple):
    """Lines of a text as they stand there, counted from 1; `is_cut` when the last one is not given to its end."""

    lines: tuple[str, ...]
    start_line: int
    is_cut: bool = False

    @property
    def text(self) -> str:
        """The lines with their ends."""
        return "".join(self.lines)

    @property
    def end_line(self) -> int:
        """The number of the last line."""
        return self.start_line + max(len(self.lines), 1) - 1

    def told(self) -> dict[str, Any]:
        """Its numbers, as answers give them."""
        return {"startLine": self.start_line, "endLine": self.end_line}

    def numbered(self, most: int) -> dict[str, Any]:
        """The lines one by one, each after its number, where they are not too much to be given twice."""
        if len(self.lines) > MOST_NUMBERED or not fits(self.text, most):
            return {}
        plain = (line.removesuffix("\n").removesuffix("\r") for line in self.lines)
        return {"numbered": [f"{number}: {line}" for number, line in enumerate(plain, self.start_line)]}


def lines_from(lines: Sequence[str], start_line: int, end_line: int, most: int) -> LineRange:
    """The lines from one to another, both included, as many of them as fit; the first one at least in part.

    Where there is no such line, NotFound says how many there are.
    """
    if start_line > max(len(lines), 1):
        raise NotFound(f"There is no line {start_line}: it has {len(lines)}.")
    left = 3 * most
    end = start_line - 1
    for line in lines[end : min(end_line, len(lines))]:
        left -= count_thirds(json.dumps(line, ensure_ascii=False)) - QUOTES
        if left < 0:
            break
        end += 1
    if end < start_line <= len(lines):
        beginning = cut_to(lines[start_line - 1], most // 2)  # marks that JSON writes in two count double
        return LineRange((beginning,), start_line, is_cut=True)
    return LineRange(tuple(lines[start_line - 1 : end]), start_line)


def reading_on(cite: Cite, found: LineRange, *, until: int, most: int) -> dict[str, Any]:
    """What is said of lines that did not fit, with the citation of the rest; nothing where all were given."""
    if found.end_line >= until and not found.is_cut:
        return {}
    what = f"Line {found.end_line} does not fit" if found.is_cut else f"Lines up to {found.end_line} of {until} fit"
    note = f"{what} {most:,} tokens."
    if found.end_line >= until:
        return {"note": note}
    rest = cite(found.end_line + 1, until)
    return {"next": rest, "note": f"{note} Read on with the path {rest!r}."}


def still_cited(given: Citation | None, cite: Cite) -> dict[str, Any]:
    """That lines are not those which a citation was of; nothing where they are, or it does not say."""
    now = None if given is None or not given.hash else read_citation(cite(given.start_line, given.end_line))
    if given is None or now is None or now.hash == given.hash:
        return {}
    return {"changed": f"These lines are not the ones that were cited: their hash is {now.hash}, not {given.hash}."}
