"""The file beside the project: safe settings, sound after storms, and never the wrong file under the right name."""

import resource
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager

import pytest

from fieldguide.storage import sqlite
from fieldguide.storage.sqlite_file import set_aside
from fieldguide.text.errors import StorageFailed
from tests.storage.stores import NOTES, SqliteStore, add_note, texts
from tests.storage.task_servers import TaskClient, database_file, stored_titles

SERVERS = 4
WRITES_EACH = 50
STORMS = 5


def test_every_connection_syncs_fully_and_logs_ahead(sqlite_store):
    database = sqlite_store.open(NOTES)

    with ExitStack() as stack:
        transactions = [stack.enter_context(database.reading()) for _ in range(3)]
        found = [[setting(transaction, name) for transaction in transactions] for name in WANTED]

    assert found == [[value] * 3 for value in WANTED.values()]


WANTED = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}


def test_the_file_is_sound_after_storms_of_threads_and_connections(sqlite_store):
    for storm in range(STORMS):
        databases = [sqlite_store.open(NOTES) for _ in range(3)]
        with ThreadPoolExecutor(12) as threads:
            list(threads.map(lambda n, each=databases: add_note(each[n % 3], str(n)), range(60)))
        databases[storm % 3].close()

    with closing(sqlite3.connect(sqlite_store.path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert len(texts(sqlite_store.open(NOTES))) == STORMS * 60


def test_the_writers_of_one_process_take_turns_and_never_meet_in_sqlite(sqlite_store, monkeypatch):
    database = sqlite_store.open(NOTES)
    with monkeypatch.context() as patch, ExitStack() as stack:
        patch.setattr(sqlite, "BUSY_SECONDS", 0.0)
        for _ in range(sqlite.IDLE_CONNECTIONS):
            stack.enter_context(database.reading())

    with ThreadPoolExecutor(sqlite.IDLE_CONNECTIONS) as threads:
        numbers = list(threads.map(lambda number: add_note(database, str(number)), range(200)))

    assert sorted(numbers) == list(range(1, 201))


def test_a_writer_that_reads_first_holds_its_turn_from_the_beginning(sqlite_store):
    databases = [sqlite_store.open(NOTES) for _ in range(SERVERS)]

    def count_one_more(number: int) -> None:
        with databases[number % SERVERS].writing() as transaction:
            [row] = transaction.fetch_all("SELECT value FROM counter", {})
            transaction.execute("UPDATE counter SET value = :value", {"value": row["value"] + 1})

    with ThreadPoolExecutor(SERVERS * 2) as threads:
        list(threads.map(count_one_more, range(SERVERS * WRITES_EACH)))

    with databases[0].reading() as transaction:
        [row] = transaction.fetch_all("SELECT value FROM counter", {})
    assert row["value"] == SERVERS * WRITES_EACH


def test_a_file_that_was_removed_under_a_running_server_is_begun_again(sqlite_store):
    database = sqlite_store.open(NOTES)
    add_note(database, "gone with the file")

    for suffix in ("", "-wal", "-shm"):
        sqlite_store.path.with_name(sqlite_store.path.name + suffix).unlink()
    add_note(database, "in the new file")

    assert texts(SqliteStore(sqlite_store.path).open(NOTES)) == ["in the new file"]


def test_a_connection_that_was_busy_while_the_file_was_replaced_is_not_used_again(sqlite_store):
    database = sqlite_store.open(NOTES)
    add_note(database, "in the old file")

    with database.reading() as transaction:
        transaction.fetch_all("SELECT text FROM note", {})
        set_aside(str(sqlite_store.path))
        add_note(database, "during")
    add_note(database, "after")

    assert texts(database) == ["during", "after"]


@pytest.mark.parametrize("name", ["100% #1 ?.db", "it's; here", "søren/日本"])
def test_a_project_may_have_any_name(tmp_path, name):
    folder = tmp_path / name
    folder.mkdir(parents=True)
    store = SqliteStore(folder / "fieldguide.db")
    database = store.open(NOTES)

    add_note(database, "kept")
    store.close()

    assert store.path.stat().st_size > 0
    assert texts(database) == ["kept"]


def test_a_folder_that_is_nowhere_is_a_failure_of_ours(tmp_path):
    database = SqliteStore(tmp_path / "nowhere" / "fieldguide.db").open(NOTES)

    with pytest.raises(StorageFailed, match=r"^The database can't be opened\.$"):
        add_note(database, "lost")


def test_a_full_disk_answers_in_the_specifications_words_and_what_was_stored_is_still_there(project):
    with TaskClient(project.root) as client:
        stored = [client.add(f"{number}")["title"] for number in range(20)]
        log = database_file(project.root).with_name("fieldguide.db-wal")

        with largest_file(client, log.stat().st_size):
            answers = [client.add(f"more {number}") for number in range(4)]
            seen_meanwhile = client.titles()
        last = client.add("room again")

        # A connection that fails is closed, and the last one clears the log: there may be room for a task again.
        refused = [answer for answer in answers if "task_id" not in answer]
        stored += [answer["title"] for answer in answers if "task_id" in answer]
        assert answers[0] == {"error": "Failed to create task"}
        assert refused == [{"error": "Failed to create task"}] * len(refused)
        assert seen_meanwhile == stored
        assert last["status"] == "created"
        assert client.titles() == [*stored, "room again"]
    assert stored_titles(database_file(project.root)) == [*stored, "room again"]


@contextmanager
def largest_file(client: TaskClient, size_bytes: int) -> Iterator[None]:
    """Let a running server make no file larger than this: to SQLite it looks like a disk that is full."""
    before = resource.prlimit(client.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(client.process.pid, resource.RLIMIT_FSIZE, (size_bytes, before[1]))
    try:
        yield
    finally:
        resource.prlimit(client.process.pid, resource.RLIMIT_FSIZE, before)


def setting(transaction, name: str) -> object:
    row = transaction.fetch_one(f"PRAGMA {name}", {})
    assert row is not None
    return row[name]
