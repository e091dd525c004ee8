"""Sync: the index made equal to a snapshot of a collection, by content hash, document by document."""

import hashlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

from fieldguide.search.chunking import chunk_markdown
from fieldguide.search.engine import SearchEngine
from fieldguide.search.markdown import read_markdown
from fieldguide.search.port import NewDocument, Source
from fieldguide.spine.hidden_text import HIDDEN
from fieldguide.toolsets.documents.service import KIND
from fieldguide.toolsets.documents.snapshot import Entry, Snapshot

BATCH_CHARACTERS = 400_000
BATCH_DOCUMENTS = 100

Progress = Callable[[int, int, str], None]


class Counts(NamedTuple):
    """What a sync did, and how many documents there are now."""

    added: int
    updated: int
    removed: int
    total: int


def sync_collection(engine: SearchEngine, collection: str, snapshot: Snapshot, progress: Progress) -> Counts:
    """Bring the index of a collection up to date. What is whole is committed as it goes; a kill loses no document."""
    source = Source(KIND, collection)
    known = engine.known(source)
    current = {name: each for name, each in known.items() if each.maker == engine.maker}
    kept: list[tuple[str, str]] = []
    unread: set[str] = set()
    added = updated = done = 0
    total = len(snapshot.entries)

    def changed() -> Iterator[NewDocument]:
        nonlocal added, updated, done
        for entry in snapshot.entries:
            done += 1
            before = current.get(entry.name)
            if before and before.stamp and before.stamp == entry.stamp:
                continue
            content = entry.read()
            if content is None or b"\0" in content:
                unread.add(entry.name)
                continue
            digest = hashlib.sha256(content).hexdigest()
            if before and before.hash == digest:
                if entry.stamp:
                    kept.append((entry.name, entry.stamp))
                continue
            updated += entry.name in known
            added += entry.name not in known
            yield _document(entry, content, digest)

    for batch in _batches(changed()):
        engine.put(source, batch)
        progress(done, total, collection)
    names = {entry.name for entry in snapshot.entries}
    gone = sorted(known.keys() - names)
    engine.finish(source, snapshot.details, gone=gone, stamps=kept)
    progress(total, total, collection)
    return Counts(added, updated, len(gone), len((known.keys() & names) | (names - unread)))


def _document(entry: Entry, content: bytes, digest: str) -> NewDocument:
    text = content.decode("utf-8", errors="replace")
    read = read_markdown(text)
    title = HIDDEN.sub("", read.title or "").strip() or entry.name
    return NewDocument(
        name=entry.name,
        title=title,
        text=text,
        hash=digest,
        stamp=entry.stamp,
        outline=[(heading.level, heading.text, heading.line) for heading in read.headings],
        chunks=chunk_markdown(read),
    )


def _batches(documents: Iterator[NewDocument]) -> Iterator[list[NewDocument]]:
    batch: list[NewDocument] = []
    size = 0
    for document in documents:
        batch.append(document)
        size += len(document.text)
        if size >= BATCH_CHARACTERS or len(batch) >= BATCH_DOCUMENTS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
