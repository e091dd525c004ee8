"""What to do about a proposal: read the successor, supersede the record, or record the decision."""

from collections.abc import Iterator, Sequence

from fieldguide.toolsets.architecture.decisions.reading.links import Links
from fieldguide.toolsets.architecture.decisions.reading.record import Record

MOST_SUGGESTIONS = 8


def suggest(labelled: Sequence[tuple[Record, str]], links: Links) -> tuple[str, ...]:
    """Suggestions for these records and their labels, each once, conflicts first."""
    if not labelled:
        return ("No decision record is about this: record the decision as a new one.",)
    found = [*_about_conflicts(labelled, links), *_about_successors(labelled, links), *_about_the_rest(labelled)]
    return tuple(dict.fromkeys(found))[:MOST_SUGGESTIONS]


def _about_conflicts(labelled: Sequence[tuple[Record, str]], links: Links) -> Iterator[str]:
    for record, label in labelled:
        if label != "conflicts":
            continue
        standing = links.standing_of(record)
        if standing == "rejected":
            yield f"{_called(record)} was {record.status}: say what has changed since, or leave the proposal."
        elif standing == "proposed":
            yield f"{_called(record)} is {record.status}, not decided: settle the two together."
        elif record.standing == "retired":
            yield f"{_called(record)} is marked {record.status}, but names no successor: find what took its place."
        else:
            yield f"Mark {_called(record)} as superseded if this is meant to replace it; otherwise follow it."


def _about_successors(labelled: Sequence[tuple[Record, str]], links: Links) -> Iterator[str]:
    for record, _ in labelled:
        if links.standing_of(record) != "retired":
            continue
        for successor in links.successors(record):
            yield f"{_called(record)} is superseded by {_called(successor)}: read that one."


def _about_the_rest(labelled: Sequence[tuple[Record, str]]) -> Iterator[str]:
    supported = [record for record, label in labelled if label == "supports"]
    if supported:
        yield f"Refer to {_listed(supported[:3])} in the new record."
    elif all(label == "related" for _, label in labelled):
        yield f"No conflict was found. Read {_listed([record for record, _ in labelled[:3]])} before you decide."


def _listed(records: Sequence[Record]) -> str:
    return ", ".join(map(_called, records))


def _called(record: Record) -> str:
    return f"ADR {record.number}" if record.number is not None else f"“{record.name}”"
