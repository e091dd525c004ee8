"""What to do about a proposal: read the successor, supersede the record, or record the decision."""

from collections.abc import Iterator, Sequence

from fieldguide.decisions.reading.links import Links
from fieldguide.decisions.reading.record import Record
from fieldguide.decisions.saying.reasons import called

MOST_SUGGESTIONS = 8
TOLD = 3


def suggest(labelled: Sequence[tuple[Record, str]], links: Links) -> tuple[str, ...]:
    """Suggestions for these records and their labels, each once, conflicts first."""
    if not labelled:
        return ("No decision record is about this: record the decision as a new one.",)
    named = {kind: [record for record, label in labelled if label == kind] for kind in ("conflicts", "supports")}
    found = [_about_conflict(record, links) for record in named["conflicts"]]
    nearest = [record for record, _ in labelled]
    found += _about_successors(nearest, links)
    if named["supports"]:
        found.append(f"Refer to {_listed(named['supports'])} in the new record.")
    elif not named["conflicts"]:
        found.append(f"No conflict shows in the texts. Read {_listed(nearest)} before you decide.")
    return tuple(dict.fromkeys(found))[:MOST_SUGGESTIONS]


def _listed(records: Sequence[Record]) -> str:
    return ", ".join(map(called, records[:TOLD]))


def _about_conflict(record: Record, links: Links) -> str:
    standing = links.standing_of(record)
    if standing == "rejected":
        return f"{called(record)} was {record.status}: say what has changed since, or leave the proposal."
    if standing == "proposed":
        return f"{called(record)} is {record.status}, not decided: settle the two together."
    return f"Mark {called(record)} as superseded if this is meant to replace it; otherwise follow it."


def _about_successors(records: Sequence[Record], links: Links) -> Iterator[str]:
    for record in records:
        if links.standing_of(record) == "retired":
            for successor in links.successors(record):
                yield f"{called(record)} is superseded by {called(successor)}: read that one."
