"""Keeps findings and work sessions in the search index equal to the database.

Only what the index does not hold yet is read, put and marked, a page at a time. Where the marks and the index do not
agree, because one of the two was deleted, replaced or cut off half way, all of both is compared once.
"""

import hashlib
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from fieldguide.knowledge.findings.finding import Finding, FindingRepository, IndexMarks, Table
from fieldguide.knowledge.findings.sessions import SessionRepository, WorkSession, format_utc_timestamp
from fieldguide.search.engine import SearchEngine
from fieldguide.search.indexes.document_store import StoredSource
from fieldguide.search.types import Chunk, KnownDocument, NewDocument, SearchSource
from fieldguide.storage.database import Database, Transaction

FINDING_SOURCES = "discoveries"
SESSIONS = "sessions"
APART = "\n"
ENDED = "ended"
MARK = "mark"
PAGE = 200

Documents = list[tuple[SearchSource, NewDocument]]


class SessionVisit(NamedTuple):
    """The call that found something out: the session that it belongs to is found, or begun, with what it keeps."""

    connection: str
    user: str | None
    at: datetime


def record_finding(
    database: Database, engine: SearchEngine, namespace: str, new: Finding, visit: SessionVisit | None = None
) -> bool:
    """Keep a discovery and make it searchable; whether it was new.

    It is marked in the transaction that keeps it: should we end before the index has it, the next pass sees that the
    two do not agree.
    """
    sources = engine.sources(FINDING_SOURCES)
    token = _token_of(sources)
    with database.writing() as transaction:
        if visit is not None:
            sessions = SessionRepository(transaction, namespace)
            new = new._replace(session=sessions.touch(visit.connection, user=visit.user, now=visit.at))
        repository = FindingRepository(transaction, namespace)
        is_new = repository.add(new, indexed_as=_mark(token, engine)) is not None
        repository.check(engine.limits)
    if is_new:
        _put(engine, [(make_source_name(new), make_finding_document(new))], {}, sources, token)
    return is_new


def index_findings(database: Database, engine: SearchEngine, namespace: str) -> int:
    """Make the index of the discoveries equal to the database; how many were new to it."""

    def page(transaction: Transaction, mark: str) -> Documents:
        found = FindingRepository(transaction, namespace).unindexed(mark, PAGE)
        return [(make_source_name(each), make_finding_document(each)) for each in found]

    return IndexedTable(database, engine, namespace, FINDING_SOURCES, "discovery", page).make_equal()


def index_sessions(database: Database, engine: SearchEngine, namespace: str, *, is_first: bool = True) -> int:
    """Make the index of the sessions that have ended equal to the database; how many were new to it.

    Nobody deletes a session, so that only the first pass of a process counts whether the two agree.
    """

    def page(transaction: Transaction, mark: str) -> Documents:
        found = SessionRepository(transaction, namespace).unindexed(mark, PAGE)
        return [(_owned(each), make_session_document(each)) for each in found]

    return IndexedTable(database, engine, namespace, SESSIONS, "work_session", page).make_equal(is_first=is_first)


def remove_findings(
    database: Database, engine: SearchEngine, namespace: str, identities: Sequence[str]
) -> dict[str, bool]:
    """Forget discoveries that were wrong, here and in the index; whether each was there."""
    with database.writing() as transaction:
        repository = FindingRepository(transaction, namespace)
        removed = {identity: repository.remove(identity) for identity in identities}
    index_findings(database, engine, namespace)
    return removed


class IndexedTable(NamedTuple):
    """One kind of sources in the index, the table that it is derived from, and how the next rows of that are read."""

    database: Database
    engine: SearchEngine
    namespace: str
    kind: str
    table: Table
    page: Callable[[Transaction, str], Documents]

    def make_equal(self, *, is_first: bool = True) -> int:
        """Put what is missing, and forget what is gone; how many documents were new or changed."""
        sources = self.engine.sources(self.kind)
        token = _token_of(sources)
        mark = _mark(token, self.engine)
        known: dict[SearchSource, dict[str, KnownDocument]] = {}
        if is_first:
            with self.database.reading() as transaction:
                marked = self._marks(transaction).count(mark)
            if marked != sum(each.documents for each in sources):
                known = self._compared(sources, token)
        changed = 0
        while True:
            with self.database.reading() as transaction:
                documents = self.page(transaction, mark)
            if not documents:
                return changed
            changed += _put(self.engine, documents, known, sources, token)
            with self.database.writing() as transaction:
                self._marks(transaction).set([new.name for _, new in documents], mark)

    def _compared(self, sources: Sequence[StoredSource], token: str) -> dict[SearchSource, dict[str, KnownDocument]]:
        """What the index knows; what it holds and nobody keeps is forgotten, what it lacks loses its mark."""
        mark = _mark(token, self.engine)
        names = [SearchSource(self.kind, each.name) for each in sources]
        known = {name: self.engine.known(name) for name in names}
        with self.database.reading() as transaction:
            stored = self._marks(transaction).all()
            marked = self._marks(transaction).marked(mark)
        for source, held in known.items():
            self.engine.finish(source, {MARK: token}, gone=sorted(held.keys() - stored))
        lacking = marked.difference(*known.values())
        if lacking:
            with self.database.writing() as transaction:
                self._marks(transaction).set(sorted(lacking), None)
        return known

    def _marks(self, transaction: Transaction) -> IndexMarks:
        return IndexMarks(transaction, self.table, self.namespace)


def make_source_name(discovery: Finding) -> SearchSource:
    """The source of a discovery: one for each kind and module, so that a filter is a choice of sources."""
    return SearchSource(FINDING_SOURCES, f"{discovery.type}{APART}{discovery.module or ''}")


def parse_source_name(name: str) -> tuple[str, str | None]:
    """The kind and the module that a source of discoveries stands for; of sessions, whose they are."""
    type_, _, module = name.partition(APART)
    return type_, module or None


def make_finding_document(discovery: Finding) -> NewDocument:
    """A discovery as a document of one chunk."""
    title = " ".join(filter(None, (discovery.module, discovery.type)))
    return _document(discovery.id, title, discovery.content)


def make_session_document(session: WorkSession) -> NewDocument:
    """A session as a document of one chunk: what it was about and which files it looked at."""
    started = format_utc_timestamp(session.started_at)
    lines: list[str] = []
    if session.topics:
        lines.append(f"Topics: {', '.join(session.topics)}")
    if session.files:
        lines.append(f"Files: {', '.join(each.path for each in session.files[:40])}")
    lines.append(f"Session of {started}, {session.tool_calls} calls")
    return _document(session.id, started, "\n".join(lines))


def _document(name: str, title: str, text: str) -> NewDocument:
    """A document of one chunk."""
    chunk = Chunk(text, (), 1, text.count("\n") + 1)
    hash_ = hashlib.sha256(text.encode()).hexdigest()
    return NewDocument(name=name, title=title, text=text, hash=hash_, stamp="", outline=(), chunks=(chunk,))


def _owned(session: WorkSession) -> SearchSource:
    """The source of a session: one for each user, so that nobody searches what others have looked at."""
    return SearchSource(SESSIONS, f"{ENDED}{APART}{session.user or ''}")


def _token_of(sources: Sequence[StoredSource]) -> str:
    """What tells this index from one that was there before, kept with its sources; a new one where there is none."""
    return min((each.details[MARK] for each in sources if MARK in each.details), default="") or uuid.uuid4().hex


def _mark(token: str, engine: SearchEngine) -> str:
    """What a row in the index carries: another maker would make it again."""
    return f"{token}/{engine.maker}"


def _put(
    engine: SearchEngine,
    documents: Documents,
    known: Mapping[SearchSource, Mapping[str, KnownDocument]],
    sources: Sequence[StoredSource],
    token: str,
) -> int:
    """Put documents into their sources; how many were not there like that."""
    by_source: dict[SearchSource, list[NewDocument]] = {}
    for source, new in documents:
        changed_of_source = by_source.setdefault(source, [])
        before = known.get(source, {}).get(new.name)
        if before is None or before.hash != new.hash or before.maker != engine.maker:
            changed_of_source.append(new)
    described = {each.name for each in sources if each.is_synced and each.details.get(MARK) == token}
    for source, changed in by_source.items():
        if changed:
            engine.put(source, changed)
        if source.name not in described:
            engine.finish(source, {MARK: token})
    return sum(map(len, by_source.values()))
