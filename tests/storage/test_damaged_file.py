"""A damaged database is kept to the last byte under another name, a new one is begun, and the journal says so."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.projects import Project
from tests.storage.task_servers import TaskClient, database_file, set_aside_files

PAGE_BYTES = 4096
TASKS = 200


@pytest.mark.parametrize(
    "content",
    [b"This is no database.\n" * 1000, b"short", b"\0" * PAGE_BYTES, b"SQLite format 3\0" + b"\xff" * 10_000],
    ids=["text", "short", "zeros", "only the header"],
)
def test_a_file_that_is_no_database_is_kept_and_a_new_one_begun(project, content):
    project.write_state("fieldguide.db", content)

    with TaskClient(project.root) as client:
        created, titles, notices = client.add("New"), client.titles(), client.notices()

    [aside] = set_aside_files(project.root)
    assert (created["task_id"], titles) == (1, ["New"])
    assert aside.read_bytes() == content
    assert notices == [f"The database was damaged; it is kept as {aside}, and a new one was begun."]


def test_an_empty_file_is_no_damage(project):
    project.write_state("fieldguide.db", b"")

    with TaskClient(project.root) as client:
        assert client.add("New")["task_id"] == 1
        assert client.notices() == []
    assert set_aside_files(project.root) == []


def test_a_file_with_a_destroyed_page_is_kept_and_a_new_one_begun(project):
    fill(project)
    content = destroy_a_page(database_file(project.root))

    with TaskClient(project.root) as client:
        first, second = client.listed(), client.listed()
        created, titles, notices = client.add("New"), client.titles(), client.notices()

    [aside] = set_aside_files(project.root)
    assert first == {"error": "Failed to list tasks"}
    assert second == []
    assert (created["task_id"], titles) == (1, ["New"])
    assert aside.read_bytes() == content
    assert notices == [f"The database was damaged; it is kept as {aside}, and a new one was begun."]


def test_what_was_set_aside_earlier_stays_as_it_is(project):
    contents = [b"first " * 1000, b"second " * 1000, b"third " * 1000]

    for content in contents:
        for suffix in ("-wal", "-shm", ""):
            database_file(project.root).with_name(f"fieldguide.db{suffix}").unlink(missing_ok=True)
        project.write_state("fieldguide.db", content)
        with TaskClient(project.root) as client:
            assert client.listed() == []

    assert [path.read_bytes() for path in set_aside_files(project.root)] == contents


def test_servers_that_meet_a_damaged_file_at_once_set_it_aside_once(project):
    content = b"This is no database.\n" * 1000
    project.write_state("fieldguide.db", content)

    with TaskClient(project.root) as one, TaskClient(project.root) as two, TaskClient(project.root) as three:
        clients = (one, two, three)
        for client in clients:
            client.begin_adding("at once")
        numbers = sorted(client.receive()["result"]["structuredContent"]["task_id"] for client in clients)

        assert numbers == [1, 2, 3]
        assert [client.titles() for client in clients] == [["at once"] * 3] * 3
    assert [path.read_bytes() for path in set_aside_files(project.root)] == [content]


def test_a_server_that_ran_before_the_damage_writes_to_the_new_file(project):
    fill(project)
    with TaskClient(project.root) as old:
        old.add("before")
        old.call("complete_task", user_id="ann", task_id=1)
        destroy_a_page(database_file(project.root))
        with TaskClient(project.root) as new:
            assert new.listed() == {"error": "Failed to list tasks"}
            assert new.listed() == []

            old.add("by the old server")
            new.add("by the new server")

            assert old.titles() == new.titles() == ["by the old server", "by the new server"]
    assert len(set_aside_files(project.root)) == 1


def fill(project: Project) -> None:
    """A database of many pages, closed and without a log."""
    with TaskClient(project.root) as client:
        for number in range(TASKS):
            client.add(f"{number}", description="x" * 1000)
    with closing(sqlite3.connect(database_file(project.root))) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def destroy_a_page(path: Path) -> bytes:
    """Write nonsense over a page with tasks, which no log holds anew; gives the file's bytes after that."""
    content = bytearray(path.read_bytes())
    middle = len(content) // PAGE_BYTES // 3 * PAGE_BYTES
    content[middle : middle + PAGE_BYTES] = b"\xa5" * PAGE_BYTES
    path.write_bytes(content)
    return bytes(content)
