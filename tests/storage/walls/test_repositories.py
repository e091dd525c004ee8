"""Every method of every repository with its filters taken out: behind a wall it finds and changes nothing of others."""

import inspect
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from operator import methodcaller
from typing import Any

import pytest

from fieldguide.code.imports.graph import Edge, ImportStore
from fieldguide.code.imports.syntax import Import
from fieldguide.code.symbols.facts import PackedFacts
from fieldguide.code.symbols.index import SymbolStore
from fieldguide.git import history as history_store
from fieldguide.knowledge.findings import finding, sessions
from fieldguide.knowledge.links.project_names import CachedPart, DatabaseDriftCache
from fieldguide.knowledge.links.stale import CitationStore, CitingDocument
from fieldguide.knowledge.links.trace_index import ReadText, TraceStore
from fieldguide.knowledge.links.trace_reading import TraceMark, TraceReading
from fieldguide.search.indexes.document_store import DocumentStore
from fieldguide.search.indexes.postgres import PostgresIndex
from fieldguide.search.types import NewDocument, Scope, SearchSource
from fieldguide.settings.access import bind_caller
from fieldguide.settings.limits import Limits
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
Arguments = tuple[tuple[Any, ...], dict[str, Any]]


def given(*values: Any, **named: Any) -> Arguments:
    """What a method is called with."""
    return values, named


METHODS: dict[type, dict[str, Arguments]] = {
    PostgreSQLTaskRepository: {
        "add": given("new", None), "get_by_id": given(2), "get_all": given(),
        "update": given(2, {"title": "taken over", "completed": True}), "delete": given(2),
        "get_page": given(TaskQuery(is_completed=False)), "count_wanted": given(TaskQuery(is_completed=False)),
        "count": given(), "holds": given(1), "exists": given(2),
    },
    finding.FindingRepository: {
        "add": given(FOUND), "all": given(), "latest": given(9), "unindexed": given("mark", 9),
        "of_session": given(THEIRS), "find": given(THEIRS), "remove": given(THEIRS), "count": given(),
        "check": given(Limits()),
    },
    finding.ReviewRepository: {
        "set": given(THEIRS, finding.FindingReview("confirmed", "now", "ann")), "page": given(finding.FindingQuery()),
        "count": given(finding.FindingQuery()), "counts": given(),
    },
    sessions.SessionRepository: {
        "touch": given("new", user="ann", now=NOW), "access": given(ANN.mark, "path", now=NOW),
        "set_topics": given(BOBS, ["taken over"]), "end": given([BOBS, THEIRS], now=NOW),
        "close_idle": given(now=NOW + timedelta(days=30)), "recent": given(9), "active": given(NOW),
        "unindexed": given("mark", 9), "untold": given(),
    },
    sessions.ContextItemRepository: {
        "access": given("file", THEIRS, tokens=10**6, now=NOW), "archive_lowest": given(NOW), "all": given(NOW),
    },
    DocumentStore: {
        "sources": given("sessions"), "add_source": given(SearchSource("documents", "new")),
        "find_source": given(SearchSource("documents", THEIRS)), "describe_source": given(1, {"taken": "over"}),
        "remove_source": given(1), "known": given(1, [THEIRS], ["b"]), "source_numbers": given("documents"),
        "put": given(1, NEW, maker="maker"), "stamp": given(1, [(THEIRS, "taken over")]), "remove": given(1, THEIRS),
        "count": given(1), "chunks": given([1]), "page": given(1, limit=9, offset=0),
        "find": given(1, THEIRS), "numbered": given([1]), "text": given(1),
        "names": given(1),
    },
    ImportStore: {
        "hashes": given(), "written": given(), "paths": given(),
        "put": given([(THEIRS, "taken over", [Import("x", 1)])]), "forget": given([THEIRS]),
        "lead": given([THEIRS], [Edge("a", "b", 1)]), "importers": given([THEIRS]), "imported_by": given(THEIRS),
        "importing": given([THEIRS]), "imports_of": given(THEIRS), "edges": given(), "takers": given(THEIRS),
        "surroundings": given(), "keep_surroundings": given("taken over"),
    },
    SymbolStore: {
        "hashes": given(), "put": given(THEIRS, "taken over", PackedFacts(b"", b"", {"name": 1})),
        "forget": given([THEIRS]), "file": given(THEIRS), "having": given(THEIRS, 1), "names": given(9),
        "defining_in": given("", THEIRS), "shape": given(2), "uses": given(2), "state": given(),
        "keep_state": given("taken over", "[]"),
    },
    CitationStore: {
        "documents": given(), "put": given({THEIRS: CitingDocument("taken over", ())}), "forget": given([THEIRS]),
        "stale": given(), "keep_stale": given({THEIRS: []}), "notes": given(), "keep_notes": given([]),
    },
    TraceStore: {
        "stamps": given(),
        "put": given([ReadText(THEIRS, "taken over", "", TraceReading([TraceMark("name", "defines", 1)]))]),
        "forget": given([THEIRS]), "named": given(THEIRS), "marks_of": given(THEIRS),
        "role_of_family": given("defines", THEIRS), "defined": given(), "based": given(THEIRS), "below": given("b", 9),
        "paths": given(), "decisions": given(),
    },
    DatabaseDriftCache: {
        "read": given("words"), "put": given("words", {THEIRS: CachedPart("taken over", b"")}),
        "forget": given("words", [THEIRS]),
    },
    finding.IndexMarks: {
        "count": given("mark"), "marked": given("mark"), "all": given(), "set": given([THEIRS, BOBS], "taken over"),
    },
}  # fmt: skip
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
        for name, (values, named) in methods.items():
            called = methodcaller(name, *values, **named)
            yield (f"{kind.__name__}.{name}", lambda t, n, kind=kind, called=called: called(_made(kind, t, n)))
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
            assert wrapped.tenant == namespace
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
