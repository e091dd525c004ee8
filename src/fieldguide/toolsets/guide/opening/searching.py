"""Looks for lines that do not stand any more where they were cited: by what they were, or by their hash alone."""

from fieldguide.document_formats.byte_lines import ByteLines
from fieldguide.spine.answers.citations import Citation, hash_of
from fieldguide.toolsets.guide.opening.page import Page

MOST_HASHED_BYTES = 32 << 20
MOST_PLACES = 20_000
MOST_OCCURRENCES = 1_000


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
    at = content.find(old) if old else -1
    line, counted = 1, 0
    for _ in range(MOST_OCCURRENCES):
        if at < 0:
            break
        line += len(ByteLines(content[counted:at] + b".")) - 1
        counted = at
        if lines.between(line, line + count) == old:
            found.append(line)
        at = content.find(old, at + 1)
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
