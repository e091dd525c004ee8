"""Where nothing can be written: what was stored stays visible, a new project's state goes to the user's cache."""

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
    with unwritable(filled.root), PlainUserClient(filled.root) as client:
        before = client.titles()
        refused = [client.add("three") for _ in range(2)]
        after = client.titles()

        assert (before, after) == (["one", "two"], ["one", "two"])
        assert refused == [REFUSED] * 2
        assert client.notices() == []


def test_a_write_may_come_before_any_read_in_a_read_only_folder(filled):
    close_cleanly(filled)
    with unwritable(filled.root), PlainUserClient(filled.root) as client:
        assert client.add("three") == REFUSED
        assert client.titles() == ["one", "two"]


def test_a_folder_that_becomes_writable_is_written_by_the_same_server(filled):
    close_cleanly(filled)
    with PlainUserClient(filled.root) as client:
        with unwritable(filled.root):
            refused = client.add("three")
        created = client.add("four")

        assert (refused, created["status"]) == (REFUSED, "created")
        assert client.titles() == ["one", "two", "four"]


def test_what_another_writes_meanwhile_is_seen_by_a_server_that_cannot_write(filled):
    close_cleanly(filled)
    with PlainUserClient(filled.root) as reader:
        with unwritable(filled.root):
            before = reader.titles()
        with TaskClient(filled.root) as writer:
            writer.add("three")
        with unwritable(filled.root):
            after = reader.titles()

    assert (before, after) == (["one", "two"], ["one", "two", "three"])


def test_a_new_project_that_cannot_be_written_is_kept_in_the_users_cache(project, tmp_path):
    cache = tmp_path / "cache"
    with unwritable(project.root):
        with PlainUserClient(project.root, cache=cache) as client:
            assert client.add("one")["status"] == "created"
            first_notices = client.notices()
        with PlainUserClient(project.root, cache=cache) as client:
            assert client.titles() == ["one"]
            second_notices = client.notices()

    [folder] = (cache / "fieldguide").iterdir()
    notice = f"The project can't be written to, so its state is kept in {folder}."
    assert first_notices == second_notices == [notice]
    assert folder.name.startswith("project-")
    assert not (project.root / ".fieldguide").exists()


def test_two_projects_of_one_name_do_not_share_a_cache(tmp_path):
    cache, roots = tmp_path / "cache", [tmp_path / "a" / "same", tmp_path / "b" / "same"]
    for root in roots:
        root.mkdir(parents=True)
        with unwritable(root), PlainUserClient(root, cache=cache) as client:
            client.add(f"of {root.parent.name}")
            assert client.titles() == [f"of {root.parent.name}"]


def test_nowhere_to_write_answers_in_the_specifications_words_and_the_server_lives_on(project, tmp_path):
    cache = tmp_path / "cache"
    cache.mkdir()
    with unwritable(project.root), unwritable(cache), PlainUserClient(project.root, cache=cache) as client:
        refused = [client.add("one"), client.listed()]

        assert refused == [REFUSED, {"error": "Failed to list tasks"}]
        assert client.request("ping")["result"] == {}


def close_cleanly(project) -> None:
    """Close the database as its last server does: only the file itself is left."""
    with closing(sqlite3.connect(database_file(project.root))) as connection:
        connection.execute("SELECT COUNT(*) FROM task").fetchone()
    assert not database_file(project.root).with_name("fieldguide.db-wal").exists()
