"""What is drawn and told of a decision: its name, its title, how it stands, its day, and its ties."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import NamedTuple
from urllib.parse import quote

from fieldguide.decisions.names import is_dated, own_name
from fieldguide.decisions.reading.links import Links, link_records
from fieldguide.decisions.reading.record import UNKNOWN, Record, Standing
from fieldguide.picturing.days import day_of, first_change

STANDINGS: tuple[Standing, ...] = ("in force", "proposed", "rejected", "retired")


class Decision(NamedTuple):
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


class Recorded(NamedTuple):
    """A record under a name that no other has, its URI, and the day of its first commit where it tells no other."""

    name: str
    uri: str
    record: Record
    first_day: date | None = None


def decisions_of(recorded: Sequence[Recorded], *, page: str = "") -> list[Decision]:
    """Records tied together, the earliest first; `page` is what their addresses begin with."""
    links = link_records([each.record for each in recorded])
    names = {each.record.path: each.name for each in recorded}
    return in_order([_decision(each, links, names, page) for each in recorded])


def in_order(decisions: Sequence[Decision]) -> list[Decision]:
    """The earliest first; one without a day comes after the one whose number is before its own."""
    about: dict[str, date] = {}
    last = date.min
    for each in sorted(decisions, key=lambda each: (each.number, each.name)):
        last = (each.day or last) if each.number else last
        about[each.name] = each.day or last
    return sorted(decisions, key=lambda each: (about[each.name], each.number, each.name))


def _decision(recorded: Recorded, links: Links, names: Mapping[str, str], page: str) -> Decision:
    record, ties = recorded.record, links.ties[recorded.record.path]
    return Decision(
        name=recorded.name,
        label=_label(record),
        title=record.name,
        status=record.status,
        standing=links.standing_of(record),
        day=_day(record) or recorded.first_day,
        href=f"{page}{address(recorded.name)}" if page else "",
        supersedes=_named(ties.supersedes, names),
        superseded_by=_named(ties.superseded_by, names),
        amends=_named(ties.amends, names),
        amended_by=_named(ties.amended_by, names),
    )


def _day(record: Record) -> date | None:
    """The day that a record, its name or its list of changes tells."""
    return day_of(record.date) or day_of(own_name(record.path)) or first_change(record.body.text)


def address(name: str) -> str:
    """A name as a part of an address."""
    return quote(name.encode("utf-8", "surrogateescape").decode("utf-8", "replace"), safe="/")


def shown_status(decision: Decision) -> str:
    """The word for how a decision stands: its own, unless it has none or others retired it."""
    if decision.standing == "retired" and decision.superseded_by:
        return "superseded"
    return decision.standing if decision.status == UNKNOWN else decision.status


def _label(record: Record) -> str:
    """The number of a record as its file writes it; none where it is known by its day or name."""
    return record.adr_id if record.adr_id.isdecimal() and not is_dated(own_name(record.path)) else ""


def _named(paths: Sequence[str], names: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(names[path] for path in paths if path in names)


def by_name(decisions: Iterable[Decision]) -> dict[str, Decision]:
    """Decisions by their names."""
    return {each.name: each for each in decisions}
