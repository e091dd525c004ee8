"""Every method of every repository with its filters taken out: behind a wall it finds and changes nothing of others."""

import inspect
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from fieldguide.discoveries import discovery, index_marks, items, reviewing, sessions
from fieldguide.drift.kept import KeptInDatabase, KeptPart
from fieldguide.errors import StorageFailed
from fieldguide.import_graph.store import Edge, ImportStore
from fieldguide.limits import Limits
from fieldguide.project_history import store as history_store
from fieldguide.search.embedders.makers import documents_by_maker
from fieldguide.search.indexes.index_postgres import PostgresIndex
from fieldguide.search.indexes.store import DocumentStore
from fieldguide.search.port import NewDocument, Scope, Source
from fieldguide.source_code.imports.written import Import
from fieldguide.spine.callers.access import acting_for
from fieldguide.staleness.ties.store import Tied, TieStore
from fieldguide.storage.port import tenant_of
from fieldguide.symbols.packing import Packed
from fieldguide.symbols.store import SymbolStore
from fieldguide.toolsets.tasks.entity import TaskNotFoundError
from fieldguide.toolsets.tasks.repository import PostgreSQLTaskRepository, Wanted
from fieldguide.tracing.marks import Mark, Reading
from fieldguide.tracing.store import Read, TraceStore
from tests.proves import proves
from tests.storage.walls.houses import ANN, BERRY_ANN, BOB, dump
from tests.storage.walls.unfiltered import UnfilteredDatabase, UnfilteredTransaction, unfiltered

NOW = datetime.now(UTC) + timedelta(days=1)
THEIRS, BOBS = BERRY_ANN.shared_mark, BOB.mark
NEW = NewDocument(THEIRS, "taken over", "taken over", "hash", "", [], [])
SCOPE = Scope((1, 2, 3, 4, 5, 6))
VECTOR = bytes((1, 0, 0, 0))
FOUND = discovery.new_discovery("rule", "taken over")
METHODS: dict[type, dict[str, Callable[..., Any]]] = {
    PostgreSQLTaskRepository: {
        "add": lambda each: each.add("new", None),
        "get_by_id": lambda each: each.get_by_id(2),
        "get_all": lambda each: each.get_all(),
        "update": lambda each: each.update(2, {"title": "taken over", "completed": True}),
        "delete": lambda each: each.delete(2),
        "get_page": lambda each: each.get_page(Wanted(is_completed=False)),
        "count_wanted": lambda each: each.count_wanted(Wanted(is_completed=False)),
        "count": lambda each: each.count(),
        "holds": lambda each: each.holds(1),
        "exists": lambda each: each.exists(2),
    },
    discovery.DiscoveryRepository: {
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
    reviewing.ReviewRepository: {
        "set": lambda each: each.set(THEIRS, reviewing.Review("confirmed", "now", "ann")),
        "page": lambda each: each.page(reviewing.Wanted()),
        "count": lambda each: each.count(reviewing.Wanted()),
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
    items.ItemRepository: {
        "access": lambda each: each.access("file", THEIRS, tokens=10**6, now=NOW),
        "archive_lowest": lambda each: each.archive_lowest(NOW),
        "all": lambda each: each.all(NOW),
    },
    DocumentStore: {
        "sources": lambda each: each.sources("sessions"),
        "add_source": lambda each: each.add_source(Source("documents", "new")),
        "find_source": lambda each: each.find_source(Source("documents", THEIRS)),
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
        "surroundings": lambda each: each.surroundings(),
        "keep_surroundings": lambda each: each.keep_surroundings("taken over"),
    },
    SymbolStore: {
        "hashes": lambda each: each.hashes(),
        "put": lambda each: each.put(THEIRS, "taken over", Packed(b"", b"", {"name": 1})),
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
    TieStore: {
        "documents": lambda each: each.documents(),
        "put": lambda each: each.put({THEIRS: Tied("taken over", ())}),
        "forget": lambda each: each.forget([THEIRS]),
        "stale": lambda each: each.stale(),
        "keep_stale": lambda each: each.keep_stale({THEIRS: []}),
        "notes": lambda each: each.notes(),
        "keep_notes": lambda each: each.keep_notes([]),
    },
    TraceStore: {
        "stamps": lambda each: each.stamps(),
        "put": lambda each: each.put([Read(THEIRS, "taken over", "", Reading([Mark("name", "defines", 1)]))]),
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
    KeptInDatabase: {
        "read": lambda each: each.read("words"),
        "put": lambda each: each.put("words", {THEIRS: KeptPart("taken over", b"")}),
        "forget": lambda each: each.forget("words", [THEIRS]),
    },
    index_marks.IndexMarks: {
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
    "documents_by_maker": documents_by_maker,
    "history load": lambda transaction, namespace: history_store.load(_database(transaction), namespace),
    "history save": lambda transaction, namespace: history_store.save(_database(transaction), namespace, "over", []),
}


def _database(transaction):
    return UnfilteredDatabase(transaction)


def _made(kind, transaction, namespace):
    if kind is PostgreSQLTaskRepository:
        return kind(transaction, "ann")
    if kind is KeptInDatabase:
        return kind(_database(transaction), namespace)
    if kind is index_marks.IndexMarks:
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
            assert tenant_of(wrapped) == namespace
            given[0] = call(wrapped, namespace)
            transaction.execute("RESET ROLE", {})
            given[1] = rows_of(transaction, tables)
            raise TakenBack

    try:
        acting_for(ANN.user, run)()
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
        acting_for(ANN.user, run)()
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
