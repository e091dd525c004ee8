"""What of a project's files is not in the index yet: the files that wait, source by source."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from time import monotonic
from typing import NamedTuple, Protocol

from fieldguide.search.early.standing import Standing
from fieldguide.search.engine import SearchEngine
from fieldguide.search.port import Known, NewDocument, Source
from fieldguide.search.syncing import Entry, Legible, as_it_is

MOST_COMPARED = 2000  # files whose stamps tell nothing are read, to see whether they are still the same
COMPARING_SECONDS = 0.5


class Waiting(NamedTuple):
    """The files of a source that are not in the index as they are now, and how a document is made of each.

    `gone` counts what is in the index and not among the files any more; `legible` makes text of a file that is none.
    """

    source: Source
    make: Callable[[Entry, bytes, str], NewDocument]
    entries: Sequence[Entry]
    total: int
    gone: int = 0
    legible: Legible = as_it_is


class Backlog(NamedTuple):
    """Everything that waits, of everything that a toolset indexes."""

    waiting: Sequence[Waiting]

    @property
    def missing(self) -> int:
        """How many files wait."""
        return sum(len(each.entries) for each in self.waiting)

    def standing(self, put: int = 0) -> Standing | None:
        """How far the index is, with so many put into it since; None where nothing is missing."""
        total = sum(each.total + each.gone for each in self.waiting)
        missing = self.missing + sum(each.gone for each in self.waiting) - put
        return Standing(total - missing, total) if missing > 0 else None


class Searched(Protocol):
    """What can be searched before all of it is in the index."""

    def is_whole(self) -> bool:
        """Whether everything was once indexed to its end."""
        ...

    def backlog(self) -> Backlog:
        """What is not in the index as it is now."""
        ...


def waiting_of(
    engine: SearchEngine,
    source: Source,
    make: Callable[[Entry, bytes, str], NewDocument],
    entries: Sequence[Entry],
    legible: Legible = as_it_is,
) -> Waiting:
    """What waits of a source, by its files as they are now."""
    known, entries = engine.known(source), entries[: engine.limits.documents_per_collection]
    was_whole = any(each.name == source.name and each.is_synced for each in engine.sources(source.kind))
    missing = [*_missing(engine, known, entries, was_whole=was_whole)]
    gone = len(known.keys() - {entry.name for entry in entries})
    return Waiting(source, make, missing, len(entries), gone, legible)


def _missing(
    engine: SearchEngine, known: Mapping[str, Known], entries: Iterable[Entry], *, was_whole: bool
) -> Iterator[Entry]:
    """The files that are not in the index, or are other than there.

    Of a source that was once whole, each one in doubt is read: it may be the same, or none that can be indexed.
    """
    compared, until = 0, monotonic() + COMPARING_SECONDS
    for entry in entries:
        before = known.get(entry.name)
        if before is not None and before.maker == engine.maker and _has_stamp(before, entry.stamp):
            continue
        if before is None and not was_whole:
            yield entry
            continue
        compared += 1
        if compared > MOST_COMPARED or monotonic() > until or _is_other(engine, entry, before):
            yield entry


def _has_stamp(known: Known, stamp: str) -> bool:
    return bool(stamp) and known.stamp == stamp


def _is_other(engine: SearchEngine, entry: Entry, before: Known | None) -> bool:
    content = entry.read()
    if content is None or b"\0" in content:
        return False
    return before is None or before.maker != engine.maker or hashlib.sha256(content).hexdigest() != before.hash
