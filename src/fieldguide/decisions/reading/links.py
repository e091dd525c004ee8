"""The ties between records, in both directions whichever of the two records tells of them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from fieldguide.decisions.reading.record import Record, Reference, Standing, Tie

OPPOSITE: dict[Tie, Tie] = {
    "supersedes": "superseded_by",
    "superseded_by": "supersedes",
    "amends": "amended_by",
    "amended_by": "amends",
}
PARTIAL: dict[Tie, Tie] = {"supersedes": "amends", "superseded_by": "amended_by"}  # what is left of it still stands


class Ties(NamedTuple):
    """The records that one is tied to, by their paths."""

    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    amends: tuple[str, ...] = ()
    amended_by: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()


class Links(NamedTuple):
    """A collection of records with the ties between them."""

    records: Mapping[str, Record]
    ties: Mapping[str, Ties]

    def successors(self, record: Record) -> list[Record]:
        """The last of those that took a record's place: followed until one that nothing replaced."""
        seen, ends, open_paths = {record.path}, list[Record](), [record.path]
        while open_paths:
            following = [path for path in self.ties[open_paths.pop(0)].superseded_by if path not in seen]
            seen.update(following)
            for path in following:
                if any(later not in seen for later in self.ties[path].superseded_by):
                    open_paths.append(path)
                else:
                    ends.append(self.records[path])
        return ends

    def standing_of(self, record: Record) -> Standing:
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


class Finder:
    """Which record a reference means: by its file, else by its number, in the same folder before others."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._by_name: dict[str, list[Record]] = {}
        self._by_number: dict[int, list[Record]] = {}
        for record in records:
            path = PurePosixPath(record.path)
            for name in {path.stem.casefold(), path.parent.name.casefold()} - {"", "index", "readme"}:
                self._by_name.setdefault(name, []).append(record)
            if record.number is not None:
                self._by_number.setdefault(record.number, []).append(record)

    def find(self, reference: Reference, near: str = "") -> Record | None:
        """The record that is meant, seen from the file `near`; none where nothing or only the file itself fits."""
        folder = PurePosixPath(near).parent
        named = self._by_name.get(reference.path.casefold(), []) if reference.path else []
        numbered = self._by_number.get(reference.number, []) if reference.number is not None else []
        for found in (named if len(named) <= 2 else [], numbered):
            others = [record for record in found if record.path != near]
            if others:
                return min(others, key=lambda record: (PurePosixPath(record.path).parent != folder, record.path))
        return None


def link_records(records: Sequence[Record]) -> Links:
    """Tie records together; where two have one number, the file that a link names decides, then the folder."""
    finder = Finder(records)
    tied: dict[str, dict[Tie, dict[str, None]]] = {record.path: {} for record in records}
    for record in records:
        for tie, other in _resolved(record, finder):
            tied[record.path].setdefault(tie, {})[other.path] = None
            if tie in OPPOSITE:
                tied[other.path].setdefault(OPPOSITE[tie], {})[record.path] = None
    ties = {path: Ties(**{tie: tuple(sorted(paths)) for tie, paths in found.items()}) for path, found in tied.items()}
    return Links({record.path: record for record in records}, ties)


def _resolved(record: Record, finder: Finder) -> Iterator[tuple[Tie, Record]]:
    for reference in record.references:
        other = finder.find(reference, record.path)
        if other is not None:
            yield PARTIAL.get(reference.tie, reference.tie) if reference.is_partial else reference.tie, other
