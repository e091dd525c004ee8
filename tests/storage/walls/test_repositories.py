"""Every method of every repository with its filters taken out: behind a wall it finds and changes nothing of others."""

import inspect
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from fieldguide.code.imports.graph import Edge, ImportStore
from fieldguide.code.imports.syntax import Import
from fieldguide.code.symbols.facts import PackedFacts
from fieldguide.code.symbols.store import SymbolStore
from fieldguide.git import history as history_store
from fieldguide.knowledge.findings import finding, sessions
from fieldguide.knowledge.links.project_names import CachedPart, DatabaseDriftCache
from fieldguide.knowledge.links.stale import CitationStore, CitingDocument
from fieldguide.knowledge.links.trace_index import ReadText, TraceStore
from fieldguide.knowledge.links.trace_reading import TraceMark, TraceReading
from fieldguide.search.indexes.document_store import DocumentStore
from fieldguide.search.indexes.postgres import PostgresIndex
from fieldguide.search.models.benchmark import count_documents_by_maker
from fieldguide.search.types import NewDocument, Scope, SearchSource
from fieldguide.settings.consents import bind_caller
from fieldguide.settings.limits import Limits
from fieldguide.storage.database import find_tenant
from fieldguide.text.errors import StorageFailed
from fieldguide.toolsets.tasks.repository import PostgreSQLTaskRepository, TaskNotFoundError, TaskQuery
from tests.proves import proves
from tests.storage.walls.houses import ANN, BERRY_ANN, BOB, dump
from tests.storage.walls.unfiltered import UnfilteredDatabase, UnfilteredTransaction, unfiltered

NOW = datetime.now(UTC) + timedelta(days=1)
THEIRS, BOBS = BERRY_ANN.shared_mark, BOB.mark
NEW = NewDocument(THEIRS, "taken over", "taken over", "hash", "", [], [])
SCOPE = Scope((1, 2, 3, 4, 5, 6))
VECTOR = bytes((1, 0, 0, 0))
FOUND = finding.create_finding("rule", "taken over")
METHODS: dict[type, dict[str, Callable[..., Any]]] = {
    PostgreSQLTaskRepository: {
        "add": lambda each: each.add("new", None),
        "get_by_id": lambda each: each.get_by_id(2),
        "get_all": lambda each: each.get_all(),
        "update": lambda each: each.update(2, {"title": "taken over", "completed": True}),
        "delete": lambda each: each.delete(2),
        "get_page": lambda each: each.get_page(TaskQuery(is_completed=False)),
        "count_wanted": lambda each: each.count_wanted(TaskQuery(is_completed=False)),
        "count": lambda each: each.count(),
        "holds": lambda each: each.holds(1),
        "exists": lambda each: each.exists(2),
    },
    finding.FindingRepository: {
        "add": lambda each: each.add(FOUND),
        "all": lambda each: each.all(),
        "latest": lambda each: each.latest(9),
        "unindexed": lambda each: each.unindexed("mark", 9),
        "of_session": lambda each: each.of_session(THEIRS),
        "find": lambda each: each.find(THEIRS),
        "remove": lambda each: each.remove(THEIRS),
        "count": lambda each: each.count(),
        "check": lambda each: each.check(Limits()),
    },
    finding.ReviewRepository: {
        "set": lambda each: each.set(THEIRS, finding.FindingReview("confirmed", "now", "ann")),
        "page": lambda each: each.page(finding.FindingQuery()),
        "count": lambda each: each.count(finding.FindingQuery()),
        "counts": lambda each: each.counts(),
    },
    sessions.SessionRepository: {
        "touch": lambda each: each.touch("new", user="ann", now=NOW),
        "access": lambda each: each.access(ANN.mark, "path", now=NOW),
        "set_topics": lambda each: each.set_topics(BOBS, ["taken over"]),
        "end": lambda each: each.end([BOBS, THEIRS], now=NOW),
        "close_idle": lambda each: each.close_idle(now=NOW + timedelta(days=30)),
        "recent": lambda each: each.recent(9),
        "active": lambda each: each.active(NOW),
        "is_active": lambda each: each.is_active(NOW),
        "unindexed": lambda each: each.unindexed("mark", 9),
        "untold": lambda each: each.untold(),
    },
    sessions.ContextItemRepository: {
        "access": lambda each: each.access("file", THEIRS, tokens=10**6, now=NOW),
        "archive_lowest": lambda each: each.archive_lowest(NOW),
        "all": lambda each: each.all(NOW),
    },
    DocumentStore: {
        "sources": lambda each: each.sources("sessions"),
        "add_source": lambda each: each.add_source(SearchSource("documents", "new")),
        "find_source": lambda each: each.find_source(SearchSource("documents", THEIRS)),
        "describe_source": lambda each: each.describe_source(1, {"taken": "over"}),
        "remove_source": lambda each: each.remove_source(1),
        "known": lambda each: each.known(1),
        "known_of": lambda each: each.known_of(1, [THEIRS], ["b"]),
        "put": lambda each: each.put(1, NEW, maker="maker"),
        "stamp": lambda each: each.stamp(1, [(THEIRS, "taken over")]),
        "remove": lambda each: each.remove(1, THEIRS),
        "count": lambda each: each.count(1),
        "chunks": lambda each: each.chunks([1]),
        "source_of": lambda each: each.source_of(1),
        "page": lambda each: each.page(1, limit=9, offset=0),
        "find": lambda each: each.find(1, THEIRS),
        "numbered": lambda each: each.numbered([1]),
        "text": lambda each: each.text(1),
        "source_names": lambda each: each.source_names([1]),
        "names": lambda each: each.names(1),
    },
    ImportStore: {
        "hashes": lambda each: each.hashes(),
        "written": lambda each: each.written(),
        "paths": lambda each: each.paths(),
        "put": lambda each: each.put([(THEIRS, "taken over", [Import("x", 1)])]),
        "forget": lambda each: each.forget([THEIRS]),
        "lead": lambda each: each.lead([THEIRS], [Edge("a", "b", 1)]),
        "importers": lambda each: each.importers([THEIRS]),
        "imported_by": lambda each: each.imported_by(THEIRS),
        "imports_of": lambda each: each.imports_of(THEIRS),
        "takers": lambda each: each.takers(THEIRS),
        "surroundings": lambda each: each.surroundings(),
        "keep_surroundings": lambda each: each.keep_surroundings("taken over"),
    },
    SymbolStore: {
        "hashes": lambda each: each.hashes(),
        "put": lambda each: each.put(THEIRS, "taken over", PackedFacts(b"", b"", {"name": 1})),
        "forget": lambda each: each.forget([THEIRS]),
        "file": lambda each: each.file(THEIRS),
        "having": lambda each: each.having(THEIRS, 1),
        "names": lambda each: each.names(9),
        "most_used": lambda each: each.most_used(9),
        "shape": lambda each: each.shape(2),
        "uses": lambda each: each.uses(2),
        "state": lambda each: each.state(),
        "keep_state": lambda each: each.keep_state("taken over", "[]"),
    },
    CitationStore: {
        "documents": lambda each: each.documents(),
        "put": lambda each: each.put({THEIRS: CitingDocument("taken over", ())}),
        "forget": lambda each: each.forget([THEIRS]),
        "stale": lambda each: each.stale(),
        "keep_stale": lambda each: each.keep_stale({THEIRS: []}),
        "notes": lambda each: each.notes(),
        "keep_notes": lambda each: each.keep_notes([]),
    },
    TraceStore: {
        "stamps": lambda each: each.stamps(),
        "put": lambda each: each.put(
            [ReadText(THEIRS, "taken over", "", TraceReading([TraceMark("name", "defines", 1)]))]
        ),
        "forget": lambda each: each.forget([THEIRS]),
        "named": lambda each: each.named(THEIRS),
        "marks_of": lambda each: each.marks_of(THEIRS),
        "role_of_family": lambda each: each.role_of_family("defines", THEIRS),
        "defined": lambda each: each.defined(),
        "based": lambda each: each.based(THEIRS),
        "below": lambda each: each.below("b", 9),
        "paths": lambda each: each.paths(),
        "decisions": lambda each: each.decisions(),
    },
    DatabaseDriftCache: {
        "read": lambda each: each.read("words"),
        "put": lambda each: each.put("words", {THEIRS: CachedPart("taken over", b"")}),
        "forget": lambda each: each.forget("words", [THEIRS]),
    },
    finding.IndexMarks: {
        "count": lambda each: each.count("mark"),
        "marked": lambda each: each.marked("mark"),
        "all": lambda each: each.all(),
        "set": lambda each: each.set([THEIRS, BOBS], "taken over"),
    },
}
INDEX: dict[str, Callable[..., Any]] = {
    "remove": lambda index, transaction: index.remove(transaction, 1),
    "by_words": lambda index, transaction: index.by_words(transaction, [THEIRS, BOBS], SCOPE, 9),
    "holding": lambda index, transaction: index.holding(transaction, [THEIRS, BOBS], SCOPE),
    "headed": lambda index, transaction: index.headed(transaction, [THEIRS, BOBS], SCOPE, 9),
    "counts": lambda index, transaction: index.counts(transaction, [THEIRS, BOBS], 9),
    "by_vector": lambda index, transaction: index.by_vector(transaction, VECTOR, SCOPE, 9),
    "distances": lambda index, transaction: index.distances(transaction, VECTOR, [1]),
    "vectors_of": lambda index, transaction: index.vectors_of(transaction, 1),
    "passages": lambda index, transaction: index.passages(transaction, [1]),
    "size_bytes": lambda index, transaction: index.size_bytes(transaction),
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "documents_by_maker": count_documents_by_maker,
    "history load": lambda transaction, namespace: history_store.load_stored_history(_database(transaction), namespace),
    "history save": lambda transaction, namespace: history_store.save_history(
        _database(transaction), namespace, "over", []
    ),
}


def _database(transaction):
    return UnfilteredDatabase(transaction)


def _made(kind, transaction, namespace):
    if kind is PostgreSQLTaskRepository:
        return kind(transaction, "ann")
    if kind is DatabaseDriftCache:
        return kind(_database(transaction), namespace)
    if kind is finding.IndexMarks:
        return kind(transaction, "work_session", namespace)
    return kind(transaction, namespace)


def _calls():
    for kind, methods in METHODS.items():
        for name, call in methods.items():
            yield (f"{kind.__name__}.{name}", lambda t, n, kind=kind, call=call: call(_made(kind, t, n)))
    for name, call in INDEX.items():
        yield (f"PostgresIndex.{name}", lambda t, n, call=call: call(PostgresIndex(4, "maker", n), t))
    yield from FUNCTIONS.items()


CALLS = dict(_calls())


class TakenBack(Exception):
    """Takes back what a transaction did."""


def attempt(database, call, namespace, tables):
    """What a call without filters gave, and every row as the owner sees it then; it is all taken back."""
    given: list[Any] = [None, None]

    def run():
        with suppress(TakenBack, TaskNotFoundError), database.writing() as transaction:
            wrapped = UnfilteredTransaction(transaction, namespace)
            assert find_tenant(wrapped) == namespace
            given[0] = call(wrapped, namespace)
            transaction.execute("RESET ROLE", {})
            given[1] = rows_of(transaction, tables)
            raise TakenBack

    try:
        bind_caller(ANN.user, run)()
    except StorageFailed as error:  # the wall refused it: nothing came of it
        given[0] = error.__cause__
    return given


def rows_of(transaction, tables):
    each = [f"SELECT '{table}' AS table, CAST({table} AS text) AS row FROM {table}" for table in tables]  # noqa: S608
    return {(row["table"], row["row"]) for row in transaction.fetch_all(" UNION ALL ".join(each), {})}


@proves("Z-172")
@pytest.mark.parametrize("namespace", [ANN.namespace, BERRY_ANN.namespace])
def test_no_method_without_its_filters_finds_or_changes_what_is_anothers(owner, doors, namespace):
    everything, own = dump(owner), dump(doors[ANN], ANN)
    others = {(table, row) for table, rows in everything.items() for row in set(rows) - set(own[table])}
    faults = []

    for name, call in CALLS.items():
        answer, rows = attempt(doors[ANN], call, namespace, everything)
        if rows is not None and not others <= rows:
            faults.append((name, "changed", others - rows))
        if any(mark in repr(answer) for mark in ANN.may_not_see() if rows is not None):
            faults.append((name, "told", answer))

    assert faults == []


@proves("Z-172")
def test_without_the_wall_they_do_so_the_proof_can_fail(owner, doors):
    everything, own = dump(owner), dump(doors[ANN], ANN)
    others = {(table, row) for table, rows in everything.items() for row in set(rows) - set(own[table])}
    others_shown = set()

    for name, call in CALLS.items():
        answer, rows = attempt(owner, call, ANN.namespace, everything)
        is_told = any(mark in repr(answer) for mark in ANN.may_not_see())
        if rows is not None and (is_told or not others <= rows):
            others_shown.add(name)

    assert len(others_shown) > 50, sorted({*CALLS} - others_shown)


@proves("Z-172")
def test_behind_the_wall_their_own_work_goes_on(doors, owner):
    """With filters and all, no method is refused: the proof is not one of things that fail anyway."""
    refused = [name for name, call in CALLS.items() if not _is_done(doors[ANN], call)]

    assert refused == ["DocumentStore.remove_source"]  # documents hang on it


def _is_done(database, call):
    def run():
        with suppress(TakenBack, TaskNotFoundError), database.writing() as transaction:
            call(transaction, ANN.namespace)
            raise TakenBack

    try:
        bind_caller(ANN.user, run)()
    except StorageFailed:
        return False
    return True


@proves("Z-172")
@pytest.mark.parametrize("kind", METHODS, ids=lambda kind: kind.__name__)
def test_no_method_of_a_repository_is_left_out(kind):
    public = {name for name, _ in inspect.getmembers(kind, inspect.isroutine) if not name.startswith("_")}

    assert public == METHODS[kind].keys()


def test_a_statement_loses_its_conditions_on_values_and_nothing_else():
    assert unfiltered("SELECT a FROM b WHERE c = :c AND d IS NULL") == "SELECT a FROM b WHERE TRUE AND d IS NULL"
    assert unfiltered("UPDATE b SET a = :a WHERE c = :c") == "UPDATE b SET a = :a WHERE TRUE"
    assert unfiltered("SELECT a FROM b WHERE id IN (:n0, :n1)") == "SELECT a FROM b WHERE TRUE"
    assert unfiltered("DELETE FROM b WHERE c = ANY(CAST(:c AS bigint[]))") == "DELETE FROM b WHERE TRUE"
