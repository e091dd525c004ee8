"""Tables are brought up to date once, in order, whole or not at all, however many servers start at once."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from typing import Any

import psycopg
import pytest

from fieldguide.storage import postgres, sqlite
from fieldguide.storage.database import Database
from fieldguide.text.errors import Misconfiguration, StorageFailed
from tests.processes import eventually
from tests.proves import proves
from tests.storage.stores import COUNTED, FAILING, GAP, NOTES, NOTES_LATER, TASKS, PostgresStore, add_note, texts

SERVERS = 8


def test_each_step_is_applied_once_and_in_order(store):
    first = ledger(store.open(TASKS, NOTES))

    second = ledger(store.open(TASKS, NOTES))

    tasks = [("tasks", 1, "task"), ("tasks", 2, "walls"), ("tasks", 3, "counters"), ("tasks", 4, "board")]
    notes = [("notes", 1, "note"), ("notes", 2, "counter")]
    assert [step[:3] for step in first] == [*tasks, *notes]
    assert second == first
    assert store.tables() == {"schema_migration", "task", "task_counter", "note", "counter"}


def test_a_later_version_applies_only_what_is_new_and_keeps_what_was_stored(store):
    old = store.open(NOTES)
    add_note(old, "from before")
    before = ledger(old)

    new = store.open(NOTES_LATER)

    with new.writing() as transaction:
        transaction.execute("UPDATE note SET author = 'ann'", {})
    assert texts(new) == ["from before"]
    assert ledger(new)[:2] == before
    assert [step[:3] for step in ledger(new)[2:]] == [("notes", 3, "author")]


def test_a_database_from_the_future_is_refused_and_left_alone(store):
    add_note(store.open(NOTES_LATER), "from the future")
    old = store.open(TASKS, NOTES)

    with pytest.raises(Misconfiguration) as caught:
        add_note(old, "from the past")

    assert caught.value.message == (
        "The database holds version 3 of the notes tables, this server knows 2: "
        "update fieldguide, or serve another database."
    )
    assert texts(store.open(NOTES_LATER)) == ["from the future"]
    assert "task" not in store.tables()


def test_a_gap_in_the_numbers_is_refused_and_nothing_is_made(store):
    database = store.open(NOTES, GAP)

    with pytest.raises(Misconfiguration) as caught, database.reading():
        raise AssertionError("it was opened")

    assert caught.value.message == (f"The migrations of 'gap' for {database.dialect} are not numbered 1, 2, 3 ….")
    assert store.tables() == set()


def test_a_step_that_fails_leaves_nothing_of_any_step_behind(store):
    with pytest.raises(StorageFailed), store.open(NOTES, FAILING).reading():
        raise AssertionError("it was opened")

    assert store.tables() == set()
    database = store.open(NOTES)
    add_note(database, "after all")
    assert texts(database) == ["after all"]


def test_a_migration_may_write_triggers_and_take_longer_than_any_statement(store, monkeypatch):
    monkeypatch.setattr(sqlite, "STATEMENT_SECONDS", 0.0)
    monkeypatch.setattr(postgres, "OPTIONS", "-c statement_timeout=100 -c timezone=UTC")
    store.open(COUNTED).close()
    monkeypatch.undo()

    database = store.open(COUNTED)
    with database.writing() as transaction:
        transaction.execute("INSERT INTO entry (id) VALUES (1)", {})
        counted = transaction.fetch_one("SELECT entries, text FROM tally CROSS JOIN entry", {})

    assert counted is not None
    assert (counted["entries"], counted["text"]) == (1, "a; b!")


def test_doors_that_open_at_the_same_moment_bring_it_up_to_date_once(store):
    doors, together = [store.open(TASKS, NOTES) for _ in range(SERVERS)], Barrier(SERVERS)

    def open_together(database: Database) -> int:
        together.wait()
        return add_note(database, "at once")

    with ThreadPoolExecutor(SERVERS) as threads:
        numbers = sorted(threads.map(open_together, doors))

    assert numbers == list(range(1, SERVERS + 1))
    assert len(ledger(doors[0])) == 6


def ledger(database: Database) -> list[tuple[str, int, str, str]]:
    """What was applied, in the order of its application."""
    with database.reading() as transaction:
        rows = transaction.fetch_all("SELECT toolset, number, name, applied_at FROM schema_migration", {})
    steps = [(row["toolset"].partition("+")[0], row["number"], row["name"], row["applied_at"]) for row in rows]
    steps.sort(key=lambda step: step[1])
    steps.sort(key=lambda step: step[0], reverse=True)
    return sorted(steps, key=lambda step: step[3])


RELEASED = 2  # what the version before knows of the notes


@proves("Z-246")
def test_on_postgres_a_server_of_the_version_before_starts_on_tables_that_a_newer_one_has_changed(postgres):
    store = PostgresStore(postgres.new_database())
    add_note(store.open(NOTES_LATER._replace(released=RELEASED)), "from the future")

    old = store.open(TASKS, NOTES)
    add_note(old, "from the past")

    newer = store.open(NOTES_LATER._replace(released=RELEASED))
    assert texts(old) == texts(newer) == ["from the future", "from the past"]
    assert {step[:3] for step in ledger(newer)} >= {
        ("notes", 1, "note"),
        ("notes", 2, "counter"),
        ("notes", 3, "author"),
    }
    store.close()


@proves("Z-246")
def test_a_server_of_two_versions_before_is_refused(postgres):
    store = PostgresStore(postgres.new_database())
    add_note(store.open(NOTES_LATER._replace(released=RELEASED)), "from the future")
    with psycopg.connect(store.address) as connection:
        connection.execute("UPDATE schema_migration SET toolset = 'notes+3' WHERE number = 3")

    with pytest.raises(Misconfiguration):
        add_note(store.open(NOTES), "from the past")
    store.close()


@proves("Z-247")
def test_a_step_that_waits_for_a_reader_gives_way_and_is_tried_again(postgres):
    store = PostgresStore(postgres.new_database())
    before = store.open(NOTES)
    add_note(before, "first")
    began, read = Event(), []

    def read_behind_the_step() -> None:
        with psycopg.connect(store.address) as watcher:
            assert eventually(lambda: _is_waited_for(watcher, "note"))
        read.append(texts(before))  # an ALTER that waited on would hold this up for as long as the first reader reads
        began.set()

    with before.reading() as transaction, ThreadPoolExecutor(2) as threads:
        transaction.fetch_all("SELECT text FROM note", {})
        migrated = threads.submit(lambda: texts(store.open(NOTES_LATER)))
        threads.submit(read_behind_the_step).result()
        assert began.is_set()
        assert not migrated.done()
        transaction.execute("COMMIT", {})

        assert (migrated.result(), read) == (["first"], [["first"]])
    store.close()


def _is_waited_for(connection: psycopg.Connection[Any], table: str) -> bool:
    waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = %s::regclass"
    row = connection.execute(waiting, (table,)).fetchone()
    return row is not None and row[0] > 0
