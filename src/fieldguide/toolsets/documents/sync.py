"""Sync: the index of a collection made equal to a snapshot of its files.

What is left out is kept with the collection, by its reason, so that everybody who tells of it can say so.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from fieldguide.document_formats.encoding import decoded
from fieldguide.document_formats.kinds import PDF, format_of
from fieldguide.document_formats.readers import read_document
from fieldguide.project_text.extraction import text_content
from fieldguide.search.chunking import chunk_document
from fieldguide.search.early.backlog import Waiting, waiting_of
from fieldguide.search.engine import SearchEngine
from fieldguide.search.port import NewDocument, Source
from fieldguide.search.syncing import Counts, Entry, Part, Progress, Sync
from fieldguide.spine.foreign_text.hidden_text import HIDDEN
from fieldguide.toolsets.documents.service import KIND
from fieldguide.toolsets.documents.snapshot import LARGEST_DOCUMENT_BYTES, Snapshot

__all__ = [
    "NEEDS_EXTRA",
    "TOO_LARGE",
    "Counts",
    "left_out",
    "needs_extra",
    "needs_extra_sentence",
    "sync_collection",
    "too_large",
    "too_large_sentence",
    "waiting_documents",
]

TOO_LARGE = "tooLarge"
NEEDS_EXTRA = "needsExtra"
MOST_NAMED = 20
MEBIBYTE = 1 << 20


def sync_collection(engine: SearchEngine, collection: str, snapshot: Snapshot, progress: Progress) -> Counts:
    """Bring the index of a collection up to date, as far as the snapshot looked."""
    before = {} if snapshot.part is None else left_out(engine, collection)
    found = {TOO_LARGE: snapshot.too_large, NEEDS_EXTRA: _needing_extra(snapshot)}
    left = {why: sorted({*names, *_elsewhere(before.get(why, ()), snapshot.part)}) for why, names in found.items()}
    details = {**snapshot.details, **{why: names[:MOST_NAMED] for why, names in left.items() if names}}
    sync = Sync(engine, Source(KIND, collection), _document, snapshot.part, text_content)
    return sync.run(snapshot.entries, details, progress)


def waiting_documents(engine: SearchEngine, collection: str, snapshot: Snapshot) -> Waiting:
    """What of a collection is not in the index as it is now."""
    return waiting_of(engine, Source(KIND, collection), _document, snapshot.entries, text_content)


def left_out(engine: SearchEngine, collection: str) -> dict[str, list[str]]:
    """What the last sync left out of a collection, for whoever tells what was done; empty when it was nothing."""
    details = [each.details for each in engine.sources(KIND) if each.name == collection]
    return {why: list(each[why]) for each in details for why in (TOO_LARGE, NEEDS_EXTRA) if each.get(why)}


def too_large(details: Mapping[str, Any]) -> list[str]:
    """The documents that were left out of a collection because of their size, by what the index keeps of it."""
    return list(details.get(TOO_LARGE, ()))


def too_large_sentence(names: list[str]) -> str:
    """That, in words for a person."""
    return f"not indexed, because larger than {LARGEST_DOCUMENT_BYTES // MEBIBYTE} MiB: {_listed(names)}"


def needs_extra(details: Mapping[str, Any]) -> list[str]:
    """The documents that were left out of a collection because the extra that reads them is not installed."""
    return list(details.get(NEEDS_EXTRA, ()))


def needs_extra_sentence(names: list[str]) -> str:
    """That, in words for a person."""
    return f'not indexed, because PDF needs `pip install "fieldguide[office]"`: {_listed(names)}'


def _listed(names: list[str]) -> str:
    return ", ".join(names) + (", …" if len(names) == MOST_NAMED else "")


def _needing_extra(snapshot: Snapshot) -> list[str]:
    from fieldguide.document_formats.pdf import can_read_pdf

    names = [entry.name for entry in snapshot.entries if format_of(entry.name) == PDF]
    return names if names and not can_read_pdf() else []


def _elsewhere(known: Sequence[str], part: Part | None) -> list[str]:
    """What is known to be left out where nobody looked this time."""
    if part is None:
        return []
    inside = tuple(f"{folder}/" for folder in part.folders)
    return [name for name in known if name not in part.names and not name.startswith(inside)]


def _document(entry: Entry, content: bytes, digest: str) -> NewDocument:
    text = decoded(content)
    read = read_document(entry.name, text)
    title = HIDDEN.sub("", read.title or "").strip() or entry.name
    return NewDocument(
        name=entry.name,
        title=title,
        text=text,
        hash=digest,
        stamp=entry.stamp,
        outline=[(heading.level, heading.text, heading.line) for heading in read.headings],
        chunks=chunk_document(read),
    )
