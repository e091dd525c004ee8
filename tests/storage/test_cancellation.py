"""A query ends when nobody waits for it any more, keeps nothing, and leaves the database to the next call."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from fieldguide.storage import postgres, sqlite
from fieldguide.storage.database import Database
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.errors import Cancelled, StorageFailed
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
