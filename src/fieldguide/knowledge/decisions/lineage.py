"""Relates decision records to each other: which supersedes or amends which, and their order in time."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from itertools import takewhile
from pathlib import PurePosixPath
from typing import NamedTuple
from urllib.parse import quote

from fieldguide.knowledge.decisions.names import is_dated, read_own_name
from fieldguide.knowledge.decisions.record import UNKNOWN, DecisionRecord, RecordReference, Standing, Tie
from fieldguide.text import regex as re

OPPOSITE: dict[Tie, Tie] = {
    "supersedes": "superseded_by",
    "superseded_by": "supersedes",
    "amends": "amended_by",
    "amended_by": "amends",
}
PARTIAL: dict[Tie, Tie] = {"supersedes": "amends", "superseded_by": "amended_by"}  # what is left of it still stands


class RecordTies(NamedTuple):
    """The records that one is tied to, by their paths."""

    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    amends: tuple[str, ...] = ()
    amended_by: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()


class RecordLinks(NamedTuple):
    """A collection of records with the ties between them."""

    records: Mapping[str, DecisionRecord]
    ties: Mapping[str, RecordTies]

    def successors(self, record: DecisionRecord) -> list[DecisionRecord]:
        """The last of those that took a record's place: followed until one that nothing replaced."""
        seen = {record.path}
        ends = list[DecisionRecord]()
        open_paths = [record.path]
        while open_paths:
            following = [path for path in self.ties[open_paths.pop(0)].superseded_by if path not in seen]
            seen.update(following)
            for path in following:
                if any(later not in seen for later in self.ties[path].superseded_by):
                    open_paths.append(path)
                else:
                    ends.append(self.records[path])
        return ends

    def standing_of(self, record: DecisionRecord) -> Standing:
        """How a record stands, told by others too: one that an accepted record supersedes is retired.

        A record that calls itself superseded, but by none of these records, is the last that is known of its question
        and counts as in force.
        """
        replacing = [self.records[path] for path in self.ties[record.path].superseded_by]
        if any(other.standing in ("in force", "retired") for other in replacing):
            return "retired"
        if record.standing == "retired" and record.status == "superseded" and not replacing:
            return "in force"
        return record.standing


class RecordFinder:
    """Which record a reference means: by its file, else by its number, in the same folder before others."""

    def __init__(self, records: Iterable[DecisionRecord]) -> None:
        self._by_name: dict[str, list[DecisionRecord]] = {}
        self._by_number: dict[int, list[DecisionRecord]] = {}
        for record in records:
            path = PurePosixPath(record.path)
            for name in {path.stem.casefold(), path.parent.name.casefold()} - {"", "index", "readme"}:
                self._by_name.setdefault(name, []).append(record)
            if record.number is not None:
                self._by_number.setdefault(record.number, []).append(record)

    def find(self, reference: RecordReference, near: str = "") -> DecisionRecord | None:
        """The record that is meant, seen from the file `near`; none where nothing or only the file itself fits."""
        folder = PurePosixPath(near).parent
        named = self._by_name.get(reference.path.casefold(), []) if reference.path else []
        numbered = self._by_number.get(reference.number, []) if reference.number is not None else []
        for found in (named if len(named) <= 2 else [], numbered):
            others = [record for record in found if record.path != near]
            if others:
                return min(others, key=lambda record: (PurePosixPath(record.path).parent != folder, record.path))
        return None


def link_records(records: Sequence[DecisionRecord]) -> RecordLinks:
    """Tie records together; where two have one number, the file that a link names decides, then the folder."""
    finder = RecordFinder(records)
    tied: dict[str, dict[Tie, dict[str, None]]] = {record.path: {} for record in records}
    for record in records:
        for tie, other in _resolved(record, finder):
            tied[record.path].setdefault(tie, {})[other.path] = None
            if tie in OPPOSITE:
                tied[other.path].setdefault(OPPOSITE[tie], {})[record.path] = None
    ties = {
        path: RecordTies(**{tie: tuple(sorted(paths)) for tie, paths in found.items()}) for path, found in tied.items()
    }
    return RecordLinks({record.path: record for record in records}, ties)


def _resolved(record: DecisionRecord, finder: RecordFinder) -> Iterator[tuple[Tie, DecisionRecord]]:
    for reference in record.references:
        other = finder.find(reference, record.path)
        if other is not None:
            yield PARTIAL.get(reference.tie, reference.tie) if reference.is_partial else reference.tie, other


ISO = re.compile(r"(?a:\b)((?:19|20)\d{2})[-/.](\d{1,2})[-/.](\d{1,2})(?a:\b)")
PACKED = re.compile(r"(?a:\b)((?:19|20)\d{2})([01]\d)([0-3]\d)(?:\D|$)")
WORDS = re.compile(r"(?i)(?a:\b)(\d{1,2})(?:st|nd|rd|th)?(?: of)?[ .-]+([a-z]{3,9})[ .,-]+((?:19|20)\d{2})(?a:\b)")
TURNED = re.compile(r"(?i)(?a:\b)([a-z]{3,9})\.? +(\d{1,2})(?:st|nd|rd|th)?,? +((?:19|20)\d{2})(?a:\b)")
YEAR_FIRST = re.compile(r"(?i)(?a:\b)((?:19|20)\d{2})[ .,-]+([a-z]{3,9})[ .,-]+(\d{1,2})(?a:\b)")
MONTH_FIRST = re.compile(r"(?i)(?a:\b)([a-z]{3,9})[ ,-]+((?:19|20)\d{2})(?a:\b)")
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
CHANGES = re.compile(r"(?i)^#{1,6}\s+(?:change ?log|history|revisions?|revision history|document history)\W*$")
LONGEST = 200
MOST_LINES = 80
MOST_CHANGES = 60


def find_first_change(text: str) -> date | None:
    """The earliest day in the list of changes near the top of a record, which many keep in place of a date."""
    lines = iter(text.split("\n", MOST_LINES + MOST_CHANGES)[: MOST_LINES + MOST_CHANGES])
    if not any(CHANGES.match(line[:LONGEST]) for line in lines):
        return None
    section = takewhile(lambda line: not line.startswith("#"), lines)
    return min(filter(None, map(parse_day, section)), default=None)


def parse_day(text: str) -> date | None:
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


STANDINGS: tuple[Standing, ...] = ("in force", "proposed", "rejected", "retired")


class DatedDecision(NamedTuple):
    """One record as people see it; `name` is its own among all, `href` where it is read (empty for nowhere).

    Ties are the names of other decisions. `status` is the word that the record uses, `standing` what it comes to.
    """

    name: str
    label: str
    title: str
    status: str
    standing: Standing
    day: date | None
    href: str = ""
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    amends: tuple[str, ...] = ()
    amended_by: tuple[str, ...] = ()

    @property
    def number(self) -> int:
        """The number that it is called by; 0 for none."""
        return int(self.label) if self.label.isdecimal() and self.label.isascii() else 0


class NamedRecord(NamedTuple):
    """A record under a name that no other has, its URI, and the day of its first commit where it tells no other."""

    name: str
    uri: str
    record: DecisionRecord
    first_day: date | None = None


def build_decisions(recorded: Sequence[NamedRecord], *, page: str = "") -> list[DatedDecision]:
    """Records tied together, the earliest first; `page` is what their addresses begin with."""
    links = link_records([each.record for each in recorded])
    names = {each.record.path: each.name for each in recorded}
    return sort_decisions([_decision(each, links, names, page) for each in recorded])


def sort_decisions(decisions: Sequence[DatedDecision]) -> list[DatedDecision]:
    """The earliest first; one without a day comes after the one whose number is before its own."""
    about: dict[str, date] = {}
    last = date.min
    for each in sorted(decisions, key=lambda each: (each.number, each.name)):
        last = (each.day or last) if each.number else last
        about[each.name] = each.day or last
    return sorted(decisions, key=lambda each: (about[each.name], each.number, each.name))


def _decision(recorded: NamedRecord, links: RecordLinks, names: Mapping[str, str], page: str) -> DatedDecision:
    record = recorded.record
    ties = links.ties[recorded.record.path]
    return DatedDecision(
        name=recorded.name,
        label=_label(record),
        title=record.name,
        status=record.status,
        standing=links.standing_of(record),
        day=_find_day(record) or recorded.first_day,
        href=f"{page}{quote_name(recorded.name)}" if page else "",
        supersedes=_named(ties.supersedes, names),
        superseded_by=_named(ties.superseded_by, names),
        amends=_named(ties.amends, names),
        amended_by=_named(ties.amended_by, names),
    )


def _find_day(record: DecisionRecord) -> date | None:
    """The day that a record, its name or its list of changes tells."""
    return parse_day(record.date) or parse_day(read_own_name(record.path)) or find_first_change(record.body.text)


def quote_name(name: str) -> str:
    """A name as a part of an address."""
    return quote(name.encode("utf-8", "surrogateescape").decode("utf-8", "replace"), safe="/")


def describe_status(decision: DatedDecision) -> str:
    """The word for how a decision stands: its own, unless it has none or others retired it."""
    if decision.standing == "retired" and decision.superseded_by:
        return "superseded"
    return decision.standing if decision.status == UNKNOWN else decision.status


def _label(record: DecisionRecord) -> str:
    """The number of a record as its file writes it; none where it is known by its day or name."""
    return record.adr_id if record.adr_id.isdecimal() and not is_dated(read_own_name(record.path)) else ""


def _named(paths: Sequence[str], names: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(names[path] for path in paths if path in names)


def index_by_name(decisions: Iterable[DatedDecision]) -> dict[str, DatedDecision]:
    """Decisions by their names."""
    return {each.name: each for each in decisions}
