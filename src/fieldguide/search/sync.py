"""Makes the index equal to the files of a source, by content hash."""

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from stat import S_ISREG
from typing import Any, NamedTuple

from fieldguide.search.engine import SearchEngine
from fieldguide.search.types import KnownDocument, NewDocument, SearchSource
from fieldguide.text.errors import Refusal
from fieldguide.text.lines import decode_document
from fieldguide.text.secrets import mask_secret_values_of_file

BATCH_CHARACTERS = 400_000
BATCH_DOCUMENTS = 100
SETTLED_SECONDS = 2.0  # a younger file may still change within one tick of the clock, so its stamp proves nothing

SyncProgress = Callable[[int, int, str], None]


class SourceFile(NamedTuple):
    """A file of a source: its document's name, its stamp, and how to read it (None: it can't be read just now).

    What was known of one that can't be read stays where it is only away for a while, as on the web.
    """

    name: str
    stamp: str
    read: Callable[[], bytes | None]
    is_only_away: bool = True


class SyncCounts(NamedTuple):
    """What a sync did, and how many documents there are now."""

    added: int
    updated: int
    removed: int
    total: int


Legible = Callable[[str, bytes], bytes | None]


def accept_text(name: str, content: bytes) -> bytes:
    """The bytes of a file that is text."""
    return content


class SourcePart(NamedTuple):
    """Some of a source's documents: those with these names, and those in these folders. No other is looked at."""

    names: frozenset[str]
    folders: frozenset[str] = frozenset()


class Sync:
    """One pass over a source, or a part of it. What is whole is committed as it goes; a kill loses no document.

    `legible` makes text of a file that is none, by its name; None when that can't be done. `order` says which of the
    files are indexed first; the newest, where nobody says.
    """

    def __init__(
        self,
        engine: SearchEngine,
        source: SearchSource,
        make: Callable[[SourceFile, bytes, str], NewDocument],
        part: SourcePart | None = None,
        legible: Legible = accept_text,
        order: Callable[[Sequence[SourceFile]], Sequence[SourceFile]] | None = None,
    ) -> None:
        self._engine = engine
        self._order = order or sort_newest_first
        self._source = source
        self._make = make
        self._legible = legible
        self._is_whole = part is None
        self._known = engine.known(source) if part is None else engine.known_of(source, *part)
        self._others = 0 if part is None else engine.count(source) - len(self._known)
        self._stamps: list[tuple[str, str]] = []
        self._unread: set[str] = set()
        self._lost: set[str] = set()
        self._done = 0
        self._added = 0
        self._updated = 0

    def run(self, entries: Sequence[SourceFile], details: Mapping[str, Any], progress: SyncProgress) -> SyncCounts:
        """Bring the index up to date with these files, and forget the others; a Refusal tells what had no room."""
        left_out = self._left_out(entries)
        entries = entries[: max(self._engine.limits.documents_per_collection - self._others, 0)]
        is_full = False
        for batch in _batches(self._changed(self._order(entries))):
            is_full = is_full or self._engine.is_full()
            if is_full:
                self._unread.update(new.name for new in batch if new.name not in self._known)
                continue
            self._engine.put(self._source, batch)
            progress(self._done, len(entries), self._source.name)
        names = {entry.name for entry in entries}
        gone = sorted((self._known.keys() - names) | (self._known.keys() & self._lost))
        self._engine.finish(self._source, details, gone=gone, stamps=self._stamps)
        if self._is_whole:
            self._engine.made_over.add(self._source)
        progress(len(entries), len(entries), self._source.name)
        total = self._others + len(((self._known.keys() & names) | (names - self._unread)) - self._lost)
        if is_full:
            raise Refusal(f"The index is full: {self._engine.limits.told('index_megabytes')}.")
        if left_out:
            raise Refusal(left_out)
        return SyncCounts(self._added, self._updated, len(gone), total)

    def _left_out(self, entries: Sequence[SourceFile]) -> str:
        limits = self._engine.limits
        more = self._others + len(entries) - limits.documents_per_collection
        told = limits.told("documents_per_collection")
        return f"Too many documents, of which {more:,} are left out: {told}." if more > 0 else ""

    def _changed(self, entries: Sequence[SourceFile]) -> Iterator[NewDocument]:
        for entry in entries:
            self._done += 1
            self._engine.way.give()
            before = self._current(entry.name)
            if before and before.stamp and before.stamp == entry.stamp:
                continue
            made = self._read(entry, before)
            if made is not None:
                yield made

    def _read(self, entry: SourceFile, before: KnownDocument | None) -> NewDocument | None:
        """What goes into the index of a file; None where it says the same as before, or nothing that can be read."""
        content = entry.read()
        digest = hashlib.sha256(content or b"").hexdigest()
        if content is not None and before and before.hash == digest:
            if entry.stamp:
                self._stamps.append((entry.name, entry.stamp))
            return None
        content = None if content is None else self._legible(entry.name, content)
        if content is None or b"\0" in content:
            self._unread.add(entry.name)
            if not entry.is_only_away:
                self._lost.add(entry.name)
            return None
        self._updated += entry.name in self._known
        self._added += entry.name not in self._known
        return self._make(entry, mask_secrets(entry.name, content), digest)

    def _current(self, name: str) -> KnownDocument | None:
        """What is known of a document, if chunks and vectors are as they would be made now (or were so once)."""
        known = self._known.get(name)
        is_ours = known is not None and (known.maker == self._engine.maker or self._source in self._engine.made_over)
        return known if is_ours else None


def mask_secrets(path: str, content: bytes) -> bytes:
    """What goes into an index of a file: no value that looks like a live secret. Its lines stay where they are."""
    text = decode_document(content)
    clean = mask_secret_values_of_file(path, text)
    return content if clean is text else clean.encode("utf-8", errors="replace")


def make_stamp(status: os.stat_result, now: float) -> str:
    """What tells, without reading it, that a file is still the same; nothing when that can't be told yet."""
    if now - max(status.st_mtime, status.st_ctime) < SETTLED_SECONDS or not S_ISREG(status.st_mode):
        return ""
    return f"{status.st_mtime_ns}-{status.st_ctime_ns}-{status.st_size}-{status.st_ino}"


def sort_newest_first(entries: Sequence[SourceFile]) -> list[SourceFile]:
    """The files in the order in which they were changed, the last first: those that somebody works on now."""
    return sorted(entries, key=_age)


def _age(entry: SourceFile) -> int:
    """Less for a younger file; one without a stamp was changed just now, or is not on this machine's disk."""
    changed = entry.stamp.partition("-")[0]
    return -int(changed) if changed.isdecimal() else -(1 << 63)


def _batches(documents: Iterator[NewDocument]) -> Iterator[list[NewDocument]]:
    batch: list[NewDocument] = []
    size = 0
    for document in documents:
        batch.append(document)
        size += len(document.text)
        if size >= BATCH_CHARACTERS or len(batch) >= BATCH_DOCUMENTS:
            yield batch
            batch = []
            size = 0
    if batch:
        yield batch
