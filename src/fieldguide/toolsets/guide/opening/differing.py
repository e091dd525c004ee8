"""What stands now where lines were cited that have changed since, and how it differs from them."""

from difflib import unified_diff
from itertools import islice
from typing import NamedTuple

from fieldguide.document_formats.byte_lines import ByteLines
from fieldguide.document_formats.lines import split_lines, without_end
from fieldguide.secret_values import without_secret_values
from fieldguide.spine.answers.citations import Citation
from fieldguide.toolsets.guide.opening.page import Page

MOST_LINES = 200  # compared; a longer place is told by what stands there now
MOST_CHARACTERS = 20_000
MOST_TOLD = 40
MOST_MOVED = 60  # lines that a place is looked for before and after it stood
NEAR_LINES = 3


class Now(NamedTuple):
    """The lines that stand there now, and a short difference from those that were cited."""

    start: int
    end: int
    difference: str


def differing(page: Page, citation: Citation, old: bytes, whole: bytes) -> Now:
    """Where the lines of a citation are by what stands before and after them in the file, and what differs."""
    start, end = _place(page, citation, whole)
    before, after = old.decode(errors="replace"), page.text(start, end)
    return Now(start, end, _difference(before, after))


def _place(page: Page, citation: Citation, whole: bytes) -> tuple[int, int]:
    """The place in the file as it is: where the lines around it stand now."""
    start, end, last = citation.start_line, citation.end_line, page.last
    if page.lines_of_bytes is not None and whole:
        moved = Moved(ByteLines(whole), page.lines_of_bytes)
        first = moved.by(range(start - NEAR_LINES, start + 1), 0)
        start, end = start + first, end + moved.by(range(end, end + NEAR_LINES + 1), first)
    start = min(max(start, 1), last)
    return start, min(max(end, start), last)


class Moved(NamedTuple):
    """A file before and now, to see by how many lines a part of it moved."""

    before: ByteLines
    now: ByteLines

    def by(self, near: range, otherwise: int) -> int:
        """By how many lines these moved: so that most of them are the same, and by as few as can be."""
        grown = len(self.now) - len(self.before)
        steps = sorted({*range(-MOST_MOVED, MOST_MOVED + 1), grown, otherwise}, key=lambda step: (abs(step), step))
        best = max(steps, key=lambda step: self._same(near, step))
        return best if self._same(near, best) else otherwise

    def _same(self, near: range, step: int) -> int:
        there = [each for each in near if min(each, each + step) > 0]
        lines = ((self.before.between(each, each), self.now.between(each + step, each + step)) for each in there)
        return sum(one == other and bool(one.strip()) for one, other in lines)


def _difference(before: str, after: str) -> str:
    """The lines that went and those that came, as a patch has them; nothing where they are too many to compare."""
    if max(len(before), len(after)) > MOST_CHARACTERS:
        return ""
    old = [without_end(line) for line in split_lines(without_secret_values(before))]
    new = [without_end(line) for line in split_lines(without_secret_values(after))]
    if max(len(old), len(new)) > MOST_LINES:
        return ""
    told = [*islice(unified_diff(old, new, lineterm="", n=1), 2, MOST_TOLD + 3)]
    return "\n".join([*told[:MOST_TOLD], *(["…"] if told[MOST_TOLD:] else [])])
