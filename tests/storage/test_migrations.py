"""Tables are brought up to date once, in order, whole or not at all, however many servers start at once."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from fieldguide.storage import postgres, sqlite
from fieldguide.storage.database import Database
from fieldguide.text.errors import Misconfiguration, StorageFailed
from tests.storage.stores import COUNTED, FAILING, GAP, NOTES, NOTES_LATER, TASKS, add_note, texts

SERVERS = 8


def test_each_step_is_applied_once_and_in_order(store):
    first = ledger(store.open(TASKS, NOTES))

    second = ledger(store.open(TASKS, NOTES))

    assert [step[:3] for step in first] == [("tasks", 1, "task"), ("notes", 1, "note"), ("notes", 2, "counter")]
    assert second == first
    assert store.tables() - {"task_counter"} == {"schema_migration", "task", "note", "counter"}


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
    assert len(ledger(doors[0])) == 3


def ledger(database: Database) -> list[tuple[str, int, str, str]]:
    """What was applied, in the order of its application."""
    with database.reading() as transaction:
        rows = transaction.fetch_all("SELECT toolset, number, name, applied_at FROM schema_migration", {})
    steps = [(row["toolset"], row["number"], row["name"], row["applied_at"]) for row in rows]
    steps.sort(key=lambda step: step[1])
    steps.sort(key=lambda step: step[0], reverse=True)
    return sorted(steps, key=lambda step: step[3])
