"""Discoveries and sessions in the search index: derived from the database, and made equal to it on demand."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence

from fieldguide.discoveries.discovery import Discovery, DiscoveryRepository
from fieldguide.discoveries.sessions import SessionRepository, WorkSession, shown
from fieldguide.search.chunking import Chunk
from fieldguide.search.engine import SearchEngine
from fieldguide.search.port import NewDocument, Source
from fieldguide.storage.port import Database

DISCOVERIES = "discoveries"
SESSIONS = "sessions"
APART = "\n"
ENDED = "ended"


def record(database: Database, engine: SearchEngine, namespace: str, new: Discovery) -> bool:
    """Keep a discovery and make it searchable; whether it was new."""
    with database.writing() as transaction:
        repository = DiscoveryRepository(transaction, namespace)
        is_new = repository.add(new) is not None
        repository.check(engine.limits)
    if is_new:
        index_discoveries(database, engine, namespace)
    return is_new


def index_discoveries(database: Database, engine: SearchEngine, namespace: str) -> int:
    """Make the index of the discoveries equal to the database; how many were new to it."""
    with database.reading() as transaction:
        stored = DiscoveryRepository(transaction, namespace).all()
    return _all_equal(engine, DISCOVERIES, ((source_of(each), discovery_document(each)) for each in stored))


def index_sessions(database: Database, engine: SearchEngine, namespace: str) -> int:
    """Make the index of the sessions that have ended equal to the database; how many were new to it."""
    with database.reading() as transaction:
        ended = SessionRepository(transaction, namespace).ended()
    return _all_equal(engine, SESSIONS, ((_owned(each), session_document(each)) for each in ended))


def source_of(discovery: Discovery) -> Source:
    """The source of a discovery: one for each kind and module, so that a filter is a choice of sources."""
    return Source(DISCOVERIES, f"{discovery.type}{APART}{discovery.module or ''}")


def parse_source(name: str) -> tuple[str, str | None]:
    """The kind and the module that a source of discoveries stands for; of sessions, whose they are."""
    type_, _, module = name.partition(APART)
    return type_, module or None


def discovery_document(discovery: Discovery) -> NewDocument:
    """A discovery as a document of one chunk."""
    lines = discovery.content.count("\n") + 1
    title = " ".join(filter(None, (discovery.module, discovery.type)))
    return NewDocument(
        name=discovery.id,
        title=title,
        text=discovery.content,
        hash=_hash(discovery.content),
        stamp="",
        outline=(),
        chunks=(Chunk(discovery.content, (), 1, lines),),
    )


def session_document(session: WorkSession) -> NewDocument:
    """A session as a document of one chunk: what it was about and which files it looked at."""
    text = "\n".join(_session_lines(session))
    return NewDocument(
        name=session.id,
        title=shown(session.started_at),
        text=text,
        hash=_hash(text),
        stamp="",
        outline=(),
        chunks=(Chunk(text, (), 1, text.count("\n") + 1),),
    )


def _session_lines(session: WorkSession) -> Iterator[str]:
    if session.topics:
        yield f"Topics: {', '.join(session.topics)}"
    files: Sequence[str] = [each.path for each in session.files]
    if files:
        yield f"Files: {', '.join(files[:40])}"
    yield f"Session of {shown(session.started_at)}, {session.tool_calls} calls"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _owned(session: WorkSession) -> Source:
    """The source of a session: one for each user, so that nobody searches what others have looked at."""
    return Source(SESSIONS, f"{ENDED}{APART}{session.user or ''}")


def _all_equal(engine: SearchEngine, kind: str, documents: Iterable[tuple[Source, NewDocument]]) -> int:
    """Make every source of a kind equal to these documents, and those without any empty; how many were new."""
    by_source: dict[Source, list[NewDocument]] = {}
    for source, document in documents:
        by_source.setdefault(source, []).append(document)
    emptied = (Source(kind, each.name) for each in engine.sources(kind))
    return sum(_equal(engine, source, by_source.get(source, ())) for source in dict.fromkeys([*by_source, *emptied]))


def _equal(engine: SearchEngine, source: Source, documents: Sequence[NewDocument]) -> int:
    """Make a small source of the index equal to these documents; how many were new or changed."""
    known = engine.known(source)
    changed = [
        each
        for each in documents
        if (before := known.get(each.name)) is None or before.hash != each.hash or before.maker != engine.maker
    ]
    gone = sorted(known.keys() - {each.name for each in documents})
    if changed:
        engine.put(source, changed)
    if documents or known:
        engine.finish(source, {}, gone=gone)
    return len(changed)
