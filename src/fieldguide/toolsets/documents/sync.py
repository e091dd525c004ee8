"""Sync: the index of a collection made equal to a snapshot of its files."""

from fieldguide.search.chunking import chunk_markdown
from fieldguide.search.engine import SearchEngine
from fieldguide.search.markdown import read_markdown
from fieldguide.search.port import NewDocument, Source
from fieldguide.search.syncing import Counts, Entry, Progress, Sync
from fieldguide.spine.hidden_text import HIDDEN
from fieldguide.toolsets.documents.service import KIND
from fieldguide.toolsets.documents.snapshot import Snapshot

__all__ = ["Counts", "sync_collection"]


def sync_collection(engine: SearchEngine, collection: str, snapshot: Snapshot, progress: Progress) -> Counts:
    """Bring the index of a collection up to date, as far as the snapshot looked."""
    sync = Sync(engine, Source(KIND, collection), _document, snapshot.part)
    return sync.run(snapshot.entries, snapshot.details, progress)


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
