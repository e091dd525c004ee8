"""Looks for lines that do not stand any more where they were cited: by what they were, or by their hash alone."""

from fieldguide.document_formats.byte_lines import ByteLines
from fieldguide.spine.answers.citations import Citation, hash_of
from fieldguide.toolsets.guide.opening.page import Page

MOST_HASHED_BYTES = 32 << 20
MOST_PLACES = 20_000
EACH_TRY_BYTES = 2_000  # what it takes to look at a place, beside its bytes


def place_of(page: Page, citation: Citation, old: bytes | None) -> tuple[int, int] | None:
    """Where the lines of a citation stand on a page, nearest to where they stood; None where they do not."""
    lines = page.lines_of_bytes
    if lines is None:
        return None
    return _by_hash(lines, citation) if old is None else _by_bytes(lines, citation, old)


def _by_bytes(lines: ByteLines, citation: Citation, old: bytes) -> tuple[int, int] | None:
    content = lines.between(1, len(lines))
    count = citation.end_line - citation.start_line
    found: list[int] = []
    at, line, counted, left = content.find(old) if old else -1, 1, 0, MOST_HASHED_BYTES
    while at >= 0 and left > 0:
        left -= len(old) + EACH_TRY_BYTES
        line += len(ByteLines(content[counted:at] + b".")) - 1
        counted = at
        if lines.between(line, line + count) == old:
            found.append(line)
        following = content.find(b"\n", at) + 1  # the next place where a line begins
        at = content.find(old, following) if following else -1
    nearest = min(found, key=lambda each: (abs(each - citation.start_line), each), default=None)
    return None if nearest is None else (nearest, nearest + count)


def _by_hash(lines: ByteLines, citation: Citation) -> tuple[int, int] | None:
    """Only a hash is known, so every place of so many lines is tried, the nearest first, up to a bound."""
    count = citation.end_line - citation.start_line
    left = MOST_HASHED_BYTES
    last = len(lines) - count
    middle = min(citation.start_line, last)
    for step in range(min(last, MOST_PLACES) + 1):
        for start in dict.fromkeys((middle - step, middle + step)):
            if not 1 <= start <= last:
                continue
            some = lines.between(start, start + count)
            left -= len(some)
            if hash_of(some) == citation.hash:
                return start, start + count
        if left < 0:
            return None
    return None
