"""The day that a record tells, however it is written; none where it can't be told for sure."""

from contextlib import suppress
from datetime import date
from itertools import takewhile

from fieldguide import linear_regex as re

ISO = re.compile(r"(?a:\b)((?:19|20)\d{2})[-/.](\d{1,2})[-/.](\d{1,2})(?a:\b)")
PACKED = re.compile(r"(?a:\b)((?:19|20)\d{2})([01]\d)([0-3]\d)(?:\D|$)")
WORDS = re.compile(r"(?i)(?a:\b)(\d{1,2})(?:st|nd|rd|th)?(?: of)?[ .-]+([a-z]{3,9})[ .,-]+((?:19|20)\d{2})(?a:\b)")
TURNED = re.compile(r"(?i)(?a:\b)([a-z]{3,9})\.? +(\d{1,2})(?:st|nd|rd|th)?,? +((?:19|20)\d{2})(?a:\b)")
YEAR_FIRST = re.compile(r"(?i)(?a:\b)((?:19|20)\d{2})[ .,-]+([a-z]{3,9})[ .,-]+(\d{1,2})(?a:\b)")
MONTH_FIRST = re.compile(r"(?i)(?a:\b)([a-z]{3,9})[ ,-]+((?:19|20)\d{2})(?a:\b)")
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
CHANGES = re.compile(r"(?i)^#{1,6}\s+(?:change ?log|history|revisions?|revision history|document history)\W*$")
LONGEST, MOST_LINES, MOST_CHANGES = 200, 80, 60


def first_change(text: str) -> date | None:
    """The earliest day in the list of changes near the top of a record, which many keep in place of a date."""
    lines = iter(text.split("\n", MOST_LINES + MOST_CHANGES)[: MOST_LINES + MOST_CHANGES])
    if not any(CHANGES.match(line[:LONGEST]) for line in lines):
        return None
    section = takewhile(lambda line: not line.startswith("#"), lines)
    return min(filter(None, map(day_of, section)), default=None)


def day_of(text: str) -> date | None:
    """The first day that a text names."""
    said = text[:LONGEST]
    for pattern in (ISO, PACKED):
        if match := pattern.search(said):
            return _day(*match.groups())
    if match := WORDS.search(said):
        return _day(match.group(3), _month(match.group(2)), match.group(1))
    if match := YEAR_FIRST.search(said):
        return _day(match.group(1), _month(match.group(2)), match.group(3))
    if match := TURNED.search(said):
        return _day(match.group(3), _month(match.group(1)), match.group(2))
    if match := MONTH_FIRST.search(said):
        return _day(match.group(2), _month(match.group(1)), "1")
    return None


def _month(word: str) -> str:
    name = word[:3].lower()
    return str(MONTHS.index(name) + 1) if name in MONTHS else "0"


def _day(year: str, month: str, day: str) -> date | None:
    with suppress(ValueError):
        return date(int(year), int(month), int(day))
    return None
