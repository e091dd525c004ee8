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
    """The place in the file as it is: what is alike at its end may have moved by some lines."""
    last = page.last
    start, end = citation.start_line, min(citation.end_line, last)
    if page.lines_of_bytes is None or not whole:
        return start, end
    before, now = ByteLines(whole), page.lines_of_bytes
    first = _alike(before, now, 1)
    grown = len(now) - len(before)
    after = min(_alike(before, now, -1), len(before) - first, len(now) - first)
    if citation.start_line > first + 1 and citation.start_line > len(before) - after:
        start += grown
    if citation.end_line > len(before) - after or citation.start_line <= first + 1:
        end = citation.end_line + grown
    start = min(max(start, 1), last)
    return start, min(max(end, start), last)


def _alike(before: ByteLines, now: ByteLines, step: int) -> int:
    """How many lines are the same, from the first on or from the last on."""
    same = 0
    for number in range(1, min(len(before), len(now)) + 1):
        one, other = (number, number) if step > 0 else (len(before) + 1 - number, len(now) + 1 - number)
        if before.between(one, one) != now.between(other, other):
            break
        same = number
    return same


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
