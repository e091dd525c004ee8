"""Where nothing can be written: what was stored stays visible. The project itself is never written to."""

import sqlite3
from contextlib import closing

import pytest

from tests.storage.task_servers import PlainUserClient, TaskClient, database_file, unwritable

REFUSED = {"error": "Failed to create task"}


@pytest.fixture
def filled(project):
    """A project with two tasks, its server killed: the log lies beside the database."""
    with TaskClient(project.root) as client:
        client.add("one")
        client.add("two")
    return project


@pytest.mark.parametrize("is_closed", [False, True], ids=["log left behind", "closed cleanly"])
def test_in_a_read_only_folder_tasks_are_readable_and_writes_refused(filled, is_closed):
    if is_closed:
        close_cleanly(filled)
    with unwritable(filled.state), PlainUserClient(filled.root) as client:
        before = client.titles()
        refused = [client.add("three") for _ in range(2)]
        after = client.titles()

        assert (before, after) == (["one", "two"], ["one", "two"])
        assert refused == [REFUSED] * 2
        assert client.notices() == []


def test_a_folder_that_becomes_writable_is_written_by_the_same_server(filled):
    close_cleanly(filled)
    with PlainUserClient(filled.root) as client:
        with unwritable(filled.state):
            refused = client.add("three")
        created = client.add("four")

        assert (refused, created["status"]) == (REFUSED, "created")
        assert client.titles() == ["one", "two", "four"]


def test_what_another_writes_meanwhile_is_seen_by_a_server_that_cannot_write(filled):
    close_cleanly(filled)
    with PlainUserClient(filled.root) as reader:
        with unwritable(filled.state):
            before = reader.titles()
        with TaskClient(filled.root) as writer:
            writer.add("three")
        with unwritable(filled.state):
            after = reader.titles()

    assert (before, after) == (["one", "two"], ["one", "two", "three"])


def test_a_project_that_cannot_be_written_is_served_like_any_other(project):
    with unwritable(project.root), PlainUserClient(project.root) as client:
        assert client.add("one")["status"] == "created"
        assert client.titles() == ["one"]
        assert client.notices() == []

    assert list(project.root.iterdir()) == []


def test_two_projects_of_one_name_share_nothing(tmp_path):
    state, roots = tmp_path / "state", [tmp_path / "a" / "same", tmp_path / "b" / "same"]
    for root in roots:
        root.mkdir(parents=True)
        with PlainUserClient(root, state=state) as client:
            client.add(f"of {root.parent.name}")
            assert client.titles() == [f"of {root.parent.name}"]

    assert [folder.name.rpartition("-")[0] for folder in state.iterdir()] == ["same", "same"]


def test_nowhere_to_write_answers_in_the_specifications_words_and_the_server_lives_on(project, tmp_path):
    state = tmp_path / "state"
    state.mkdir()
    with unwritable(state), PlainUserClient(project.root, state=state) as client:
        refused = [client.add("one"), client.listed()]

        assert refused == [REFUSED, {"error": "Failed to list tasks"}]
        assert client.request("ping")["result"] == {}


def test_what_is_kept_is_for_its_owner_alone(project, tmp_path):
    state = tmp_path / "state"
    with PlainUserClient(project.root, state=state) as client:
        client.add("one")

    [folder] = state.iterdir()
    modes = {path.name: path.stat().st_mode & 0o777 for path in (state, folder, *folder.iterdir())}
    assert {name: mode for name, mode in modes.items() if mode not in (0o600, 0o700)} == {}
    assert {"fieldguide.db", "project.json"} <= modes.keys()


def close_cleanly(project) -> None:
    """Close the database as its last server does: only the file itself is left."""
    with closing(sqlite3.connect(database_file(project.root))) as connection:
        connection.execute("SELECT COUNT(*) FROM task").fetchone()
    assert not database_file(project.root).with_name("fieldguide.db-wal").exists()
