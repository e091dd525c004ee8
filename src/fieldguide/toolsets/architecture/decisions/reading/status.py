"""Where a record stands: the word that it uses, however it is written, and what that word means.

Real records say it in front matter, below a heading, in a line, in a table, in a badge, by a picture, or not at all.
"""

from collections.abc import Sequence
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.decisions.reading.record import UNKNOWN, Passage, Standing

# The first of these words that a status has is its word; spellings that occur are led to one.
WORDS: dict[str, tuple[str, Standing]] = {
    "superseded": ("superseded", "retired"),
    "superceded": ("superseded", "retired"),
    "superseeded": ("superseded", "retired"),
    "replaced": ("superseded", "retired"),
    "obsoleted": ("superseded", "retired"),
    "obsolete": ("obsolete", "retired"),
    "deprecated": ("deprecated", "retired"),
    "retired": ("retired", "retired"),
    "withdrawn": ("withdrawn", "rejected"),
    "abandoned": ("abandoned", "rejected"),
    "cancelled": ("cancelled", "rejected"),
    "canceled": ("cancelled", "rejected"),
    "rejected": ("rejected", "rejected"),
    "declined": ("declined", "rejected"),
    "denied": ("denied", "rejected"),
    "accepted": ("accepted", "in force"),
    "approved": ("approved", "in force"),
    "adopted": ("adopted", "in force"),
    "agreed": ("agreed", "in force"),
    "decided": ("decided", "in force"),
    "ratified": ("ratified", "in force"),
    "amended": ("amended", "in force"),
    "implemented": ("implemented", "in force"),
    "implementing": ("implementing", "in force"),
    "implementable": ("implementable", "in force"),
    "active": ("active", "in force"),
    "current": ("current", "in force"),
    "final": ("final", "in force"),
    "done": ("done", "in force"),
    "complete": ("complete", "in force"),
    "completed": ("completed", "in force"),
    "enforced": ("enforced", "in force"),
    "experimental": ("experimental", "in force"),
    "proposed": ("proposed", "proposed"),
    "proposal": ("proposed", "proposed"),
    "draft": ("draft", "proposed"),
    "pending": ("pending", "proposed"),
    "provisional": ("provisional", "proposed"),
    "incomplete": ("incomplete", "proposed"),
    "wip": ("wip", "proposed"),
    "rfc": ("rfc", "proposed"),
    "open": ("open", "proposed"),
    "discussion": ("discussion", "proposed"),
    "review": ("in review", "proposed"),
    "reviewing": ("in review", "proposed"),
    "in-progress": ("in-progress", "proposed"),
    "progress": ("in-progress", "proposed"),
    "hold": ("on hold", "proposed"),
    "deferred": ("deferred", "proposed"),
    "postponed": ("deferred", "proposed"),
}
PICTURES: dict[str, tuple[str, Standing]] = {
    "✅": ("accepted", "in force"),
    "✔": ("accepted", "in force"),
    "☑": ("accepted", "in force"),
    "🟢": ("accepted", "in force"),
    "👍": ("accepted", "in force"),
    "❌": ("rejected", "rejected"),
    "✖": ("rejected", "rejected"),
    "🚫": ("rejected", "rejected"),
    "👎": ("rejected", "rejected"),
    "🔴": ("rejected", "rejected"),
    "⌛": ("superseded", "retired"),
    "🤔": ("proposed", "proposed"),
    "🟡": ("proposed", "proposed"),
    "🚧": ("draft", "proposed"),
    "📝": ("draft", "proposed"),
}
IN_FORCE: Standing = "in force"
WORD = re.compile(r"in-progress|[^\W\d_]+")
REPLACED = re.compile(
    r"\b(?:supersed|superced|superseed|obsolet|replac)\w*\s*(?:on\s[\w\s-]{4,20})?:?\s*(?:\S+\s+)?by\b"
)
PARTLY = re.compile(r"\b(?:part(?:ly|ially|s)?|in part|partial|some)\b|\bamended\b", re.IGNORECASE)
NEGATED = re.compile(r"\b(?:not|never|yet to be|to be)[\s-]+\w*$")
LONGEST_WORD_STATUS = 40
PLACEHOLDER_BARS = 2
AROUND = " \t\r\n*_`\"'{}[]()<>#-."


class Status(NamedTuple):
    """A status that was understood: the word in lower case, and what it means."""

    word: str
    standing: Standing


def understand_status(lines: Sequence[str]) -> Status:
    """The status that these lines give, the first of them before the others; `unknown` where they give none.

    A line that names a successor wins over the word before it: many records are "Accepted" and, below, "Superseded by".
    """
    said = [_plain(line) for line in lines if line.strip()]
    if not said or said[0].count("|") >= PLACEHOLDER_BARS:
        return Status(UNKNOWN, IN_FORCE)
    for line in said:
        if REPLACED.search(line) and not PARTLY.search(line):
            return Status("superseded", "retired")
    for line in said:
        found = _first_word(line) or _picture(line)
        if found:
            return found
    return Status(_written(said[0]), IN_FORCE)


def status_of_passage(passage: Passage | None) -> Status:
    """The status that a passage gives."""
    return understand_status(passage.text.splitlines() if passage else ())


def _first_word(line: str) -> Status | None:
    partly = bool(PARTLY.search(line))
    for match in WORD.finditer(line):
        found = WORDS.get(match.group())
        if found is None or NEGATED.search(line[: match.start()]):
            continue
        if partly and found[1] == "retired":
            return Status(f"partially {found[0]}", IN_FORCE)
        return Status(*found)
    return None


def _picture(line: str) -> Status | None:
    return next((Status(*PICTURES[character]) for character in line if character in PICTURES), None)


def _written(line: str) -> str:
    """A status of the project's own is kept as it is written, if it is no more than a few words."""
    words = " ".join(WORD.findall(line))
    return words if 0 < len(words) <= LONGEST_WORD_STATUS else UNKNOWN


def _plain(line: str) -> str:
    return line.strip(AROUND).lower()
