"""A query ends when nobody waits for it any more, keeps nothing, and leaves the database to the next call."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

import psycopg
import pytest

from fieldguide.storage import postgres, sqlite
from fieldguide.storage.database import Database
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.errors import Cancelled, StorageFailed
from tests.fakes import FakeClock
from tests.processes import eventually
from tests.storage.stores import NOTES, add_note, texts

PATIENCE_SECONDS = 20.0  # the slow queries take minutes, the limits on statements end them after thirty seconds


def test_a_cancelled_query_ends_and_the_database_goes_on(store, database):
    cancellation = Cancellation()
    with ThreadPoolExecutor() as threads:
        running = threads.submit(run, database, store.slow_query, cancellation)
        assert eventually(lambda: has_begun(store, running))

        cancellation.set()

        with pytest.raises(Cancelled, match=r"^The call was cancelled\.$"):
            running.result(PATIENCE_SECONDS)
    add_note(database, "next")
    assert texts(database) == ["next"]


def test_a_call_that_is_cancelled_between_two_statements_does_not_begin_the_next(store, database):
    cancellation = Cancellation()

    def cancelled_half_way() -> None:
        with database.reading(cancellation) as transaction:
            transaction.fetch_one("SELECT 1 AS one", {})
            cancellation.set()
            transaction.fetch_one(store.slow_query, {})

    with ThreadPoolExecutor() as threads, pytest.raises(Cancelled):
        threads.submit(cancelled_half_way).result(PATIENCE_SECONDS)


def test_a_postgres_that_forgot_a_cancellation_is_asked_again(postgres_store, monkeypatch):
    """A server that has nothing to do when it is asked to stop forgets it, and would begin the next statement."""
    database, cancellation, asked = postgres_store.open(NOTES), Cancellation(), threading.Event()
    cancel = psycopg.Connection.cancel_safe

    def note_that_it_asked(connection: psycopg.Connection, **limits: float) -> None:
        cancel(connection, **limits)
        asked.set()

    monkeypatch.setattr(psycopg.Connection, "cancel_safe", note_that_it_asked)

    def cancelled_half_way() -> None:
        with database.reading(cancellation) as transaction:
            cancellation.set()
            assert asked.wait(PATIENCE_SECONDS)
            transaction.fetch_one(postgres_store.slow_query, {})

    with ThreadPoolExecutor() as threads, pytest.raises(Cancelled):
        threads.submit(cancelled_half_way).result(PATIENCE_SECONDS)


def test_a_cancelled_write_is_not_kept(database):
    cancellation = Cancellation()

    def cancelled_at_the_end() -> None:
        with database.writing(cancellation) as transaction:
            transaction.execute("INSERT INTO note (text, written_at) VALUES ('nobody was told', now())", {})
            cancellation.set()

    with pytest.raises(Cancelled):
        cancelled_at_the_end()
    assert texts(database) == []


def test_a_writer_that_is_cancelled_while_it_waits_for_its_turn_writes_nothing(database):
    add_note(database, "as it was")
    cancellation, holds, may_end = Cancellation(), threading.Event(), threading.Event()

    def hold() -> None:
        with database.writing() as transaction:
            transaction.execute("UPDATE note SET text = 'by the first'", {})
            holds.set()
            assert may_end.wait(PATIENCE_SECONDS)

    with ThreadPoolExecutor() as threads:
        first = threads.submit(hold)
        assert holds.wait(PATIENCE_SECONDS)
        second = threads.submit(write, database, "UPDATE note SET text = 'by the second'", cancellation)
        cancellation.set()
        may_end.set()

        with pytest.raises(Cancelled):
            second.result(PATIENCE_SECONDS)
        first.result(PATIENCE_SECONDS)
    assert texts(database) == ["by the first"]


def test_no_statement_runs_for_ever(store, monkeypatch):
    monkeypatch.setattr(sqlite, "STATEMENT_SECONDS", 1.0)
    monkeypatch.setattr(postgres, "OPTIONS", "-c statement_timeout=1000")
    database, cancellation = store.open(NOTES), Cancellation()

    with ThreadPoolExecutor() as threads:
        running = threads.submit(run, database, store.slow_query, cancellation)
        try:
            found = running.exception(PATIENCE_SECONDS)
        finally:
            cancellation.set()

    assert isinstance(found, StorageFailed)
    add_note(database, "next")
    assert texts(database) == ["next"]


def test_a_long_transaction_of_short_statements_is_within_the_limit(sqlite_store, monkeypatch):
    clock = FakeClock()
    monkeypatch.setattr(sqlite, "monotonic", clock)
    count = """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
        SELECT COUNT(*) AS rows FROM n
    """

    with sqlite_store.open().reading() as transaction:
        for _ in range(3):
            clock.advance(sqlite.STATEMENT_SECONDS + 1)
            assert transaction.fetch_all(count, {})[0]["rows"] == 100_000


def run(database: Database, sql: str, cancellation: Cancellation) -> None:
    with database.reading(cancellation) as transaction:
        transaction.fetch_all(sql, {})


def write(database: Database, sql: str, cancellation: Cancellation) -> None:
    with database.writing(cancellation) as transaction:
        transaction.execute(sql, {})


def has_begun(store, running: "Future[None]") -> bool:
    """PostgreSQL tells; SQLite does not, and a query that has not begun when it is cancelled must end as well."""
    is_sleeping: Callable[[], bool] = getattr(store, "is_sleeping", running.running)
    return is_sleeping()
