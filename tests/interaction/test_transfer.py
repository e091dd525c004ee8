"""Backups, restores and the move to PostgreSQL: everything arrives, equal on both sides, or nothing does."""

import json
import sqlite3

import pytest

from fieldguide.app import build_app
from fieldguide.settings.config import Settings
from fieldguide.storage import transfer as transferring
from fieldguide.text.errors import StorageFailed
from tests.raw_client import RawClient
from tests.servers import run

pytestmark = pytest.mark.each_database

TASKS = 1500
IN_FLIGHT = 500  # a server takes a thousand at once


def add_one(client, number):
    """Ask for one task of many; gives the number of the request."""
    arguments = {
        "user_id": f"user {number % 2}",
        "title": f"Task {number} ’ü 日本 %s :name",
        **({"description": "x" * (number % 50)} if number % 3 else {}),
    }
    return client.submit("tools/call", name="add_task", arguments=arguments)


def fill(root, *flags):
    """Many tasks of two users, some done, some gone, some odd."""
    with RawClient(root, "--toolsets", "tasks", *flags).ready() as client:
        for first in range(0, TASKS, IN_FLIGHT):
            asked = [add_one(client, number) for number in range(first, first + IN_FLIGHT)]
            assert [each for each in asked if "task_id" not in client.answer(each)["result"]["structuredContent"]] == []
        for number in range(1, 20):
            client.call("complete_task", user_id=f"user {(number + 1) % 2}", task_id=number)
        last = client.call("add_task", user_id="user 0", title="the last one")["structuredContent"]["task_id"]
        client.call("delete_task", user_id="user 0", task_id=last)
    return last


def everything(root, *flags):
    return [
        run("call", "list_tasks", json.dumps({"user_id": user}), "--project", root, *flags).stdout
        for user in ("user 0", "user 1", "nobody")
    ]


def add(root, *flags):
    arguments = '{"user_id": "user 0", "title": "after"}'
    return json.loads(run("call", "add_task", arguments, "--project", root, *flags).stdout)["task_id"]


def test_a_backup_is_restored_whole_and_numbers_go_on(project, tmp_path, database_flags):
    last = fill(project.root, *database_flags)
    before = everything(project.root, *database_flags)
    other = tmp_path / "other"
    other.mkdir()

    written = run("data", "backup", tmp_path / "kept", "--project", project.root, *database_flags)
    restored = json.loads(run("data", "restore", tmp_path / "kept", "--project", other, "--json").stdout)

    assert "checksum" in written.stdout
    assert [(each["table"], each["rows"]) for each in restored if each["rows"]] == [("task", TASKS)]
    assert everything(other) == before
    assert add(other) == last + 1


def test_a_restore_never_overwrites_unless_it_is_told_to(project, tmp_path, database_flags):
    fill(project.root, *database_flags)
    run("data", "backup", tmp_path / "kept", "--project", project.root, *database_flags)
    before = everything(project.root, *database_flags)
    add(project.root, *database_flags)

    refused = run("data", "restore", tmp_path / "kept", "--project", project.root, *database_flags, code=1)
    run("data", "restore", tmp_path / "kept", "--project", project.root, *database_flags, "--replace")

    assert f"The target holds {TASKS + 1} rows in 'task' already; nothing was changed." in refused.stderr
    assert everything(project.root, *database_flags) == before


def test_sqlite_moves_to_postgresql_with_equal_counts_and_checksums(project, postgres):
    last = fill(project.root)
    before = everything(project.root)
    address = postgres.new_database()

    moved = run("data", "move", address, "--project", project.root)
    again = run("data", "move", address, "--project", project.root, code=1)

    assert f"task: {TASKS} rows, checksum" in moved.stdout
    assert everything(project.root, "--database", address) == before
    assert everything(project.root) == before
    assert add(project.root, "--database", address) == last + 1
    assert "nothing was changed" in again.stderr


def test_a_copy_that_is_not_equal_is_taken_back(project, postgres, monkeypatch):
    fill(project.root)
    address = postgres.new_database()
    source = build_app(Settings(project=str(project.root), toolsets=("tasks",)))
    target = build_app(Settings(project=str(project.root), toolsets=("tasks",), database=address))
    schemas = [toolset.schema for toolset in source.toolsets if toolset.schema]
    carry = transferring._carry

    def lose_one(origin, dialect, copy, table):
        carry(origin, dialect, copy, table)
        copy.execute("DELETE FROM task WHERE id = :task_id", {"task_id": 5})

    monkeypatch.setattr(transferring, "_carry", lose_one)
    with pytest.raises(StorageFailed, match="not equal"):
        transferring.transfer(source.database, target.database, schemas)

    with target.database.reading() as transaction:
        assert [row["held"] for row in transaction.fetch_all("SELECT COUNT(*) AS held FROM task", {})] == [0]
    for app in (source, target):
        app.database.close()


@pytest.mark.parametrize("content", [b"no database", b""])
def test_a_file_that_is_no_backup_is_refused(project, tmp_path, content):
    (tmp_path / "odd").write_bytes(content)

    refused = run("data", "restore", tmp_path / "odd", "--project", project.root, "--replace", code=1).stderr

    assert "is damaged or no backup of ours" in refused or "is no backup of everything" in refused


def test_a_backup_is_one_whole_file_and_never_written_over(project, tmp_path):
    add(project.root)
    run("data", "backup", tmp_path / "kept", "--project", project.root)
    bytes_before = (tmp_path / "kept").read_bytes()

    refused = run("data", "backup", tmp_path / "kept", "--project", project.root, code=1)
    nowhere = run("data", "backup", tmp_path / "no" / "folder", "--project", project.root, code=1)

    assert "is there already" in refused.stderr
    assert "There is no folder" in nowhere.stderr
    assert (tmp_path / "kept").read_bytes() == bytes_before
    with sqlite3.connect(tmp_path / "kept") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept", "project"]


def test_an_address_that_is_no_postgresql_is_refused(project):
    assert "postgresql://" in run("data", "move", "mysql://x", "--project", project.root, code=2).stderr
    assert "postgresql://" in run("call", "--database", "mysql://x", "--project", project.root, code=2).stderr


def test_a_backup_holds_everything_whatever_is_served(project, tmp_path):
    add(project.root)
    project.write("fieldguide.toml", 'toolsets = ["directive"]\n')
    written = json.loads(run("data", "backup", tmp_path / "kept", "--project", project.root, "--json").stdout)
    with sqlite3.connect(tmp_path / "lacking") as connection:
        connection.execute("CREATE TABLE schema_migration (toolset TEXT)")
    connection.close()

    refused = run("data", "restore", tmp_path / "lacking", "--project", project.root, "--replace", code=1)

    assert [(each["table"], each["rows"]) for each in written if each["rows"]] == [("task", 1)]
    assert {each["table"] for each in written} >= {"task", "discovery", "work_session", "context_item"}
    assert "it lacks" in refused.stderr
    (project.root / "fieldguide.toml").unlink()
    assert len(json.loads(everything(project.root)[0])) == 1


def test_a_damaged_backup_is_refused_and_nothing_is_removed(project, tmp_path):
    fill(project.root)
    run("data", "backup", tmp_path / "kept", "--project", project.root)
    before = everything(project.root)
    content = bytearray((tmp_path / "kept").read_bytes())
    content[2 * 4096 : 3 * 4096] = b"\xff" * 4096
    (tmp_path / "kept").write_bytes(content)

    refused = run("data", "restore", tmp_path / "kept", "--project", project.root, "--replace", code=1)

    assert "is damaged" in refused.stderr
    assert everything(project.root) == before


def test_a_move_never_prints_a_password(project, postgres):
    add(project.root)
    address = postgres.new_database()
    with_secret = address + ("&" if "?" in address else "?") + "password=hush"

    moved = run("data", "move", with_secret, "--project", project.root)

    assert "hush" not in moved.stdout + moved.stderr
