"""The audit log: what is in it, and when it is there."""

import csv
import io
import json
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from contextvars import copy_context
from functools import partial

import psycopg
import pytest

from fieldguide.spine.journal import CHANGE
from fieldguide.spine.oversight import AuditRecord, summarize_arguments
from fieldguide.storage.database import Database
from fieldguide.storage.postgres import PostgresDatabase
from fieldguide.storage.sqlite import SqliteDatabase
from fieldguide.team.audit import AUDIT_SCHEMA, AuditedDatabase
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.errors import Cancelled, NotFound
from tests.hosting.services import Service
from tests.operation import dying_program
from tests.operation.served import call, served, session_of
from tests.operation.test_many_projects import META, MODERN
from tests.servers import FIELDGUIDE, environment

SECRET = "sesame-opens-everything"


def fieldguide(state, *words):
    given = {**environment(), "FIELDGUIDE_STATE": str(state)}
    return subprocess.run([FIELDGUIDE, "team", "audit", *words], env=given, capture_output=True, text=True, timeout=30)


def printed(state, *words):
    done = fieldguide(state, *words)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(params=["sqlite", "postgres"])
def plain(request, tmp_path):
    """A database with the log's table."""
    database: Database
    if request.param == "sqlite":
        path = str(tmp_path / "fieldguide.db")
        database = SqliteDatabase(lambda: path, [AUDIT_SCHEMA], lambda sentence: None)
    else:
        database = PostgresDatabase(request.getfixturevalue("postgres").new_database(), [AUDIT_SCHEMA])
    yield database
    database.close()


def names(database):
    with database.reading() as transaction:
        return [row["name"] for row in transaction.fetch_all("SELECT name FROM audit_entry ORDER BY name", {})]


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_write_is_in_the_log_when_it_is_answered_and_no_value_is(tmp_path, request, kind):
    state = tmp_path / "state"
    flags = ("--database", request.getfixturevalue("postgres").new_database()) if kind == "postgres" else ()
    root = tmp_path / "shop"
    root.mkdir()
    with served(root, "--audit", *flags, extra_environment={"FIELDGUIDE_STATE": str(state)}) as server:
        session = session_of(server.url)
        answer = call(server.url, session, "add_task", user_id="ann", title=SECRET)
        server.process.kill()  # right after the answer: what was acknowledged is there

    assert answer.status == 200
    [line] = printed(state, *flags)
    told = {name: line[name] for name in ("project", "username", "action", "name", "outcome", "request")}
    assert told == {
        "project": "shop",
        "username": "ann",
        "action": "tools/call",
        "name": "add_task",
        "outcome": "ok",
        "request": "7",
    }
    assert line["at"] > "2026"
    assert json.loads(line["arguments"]) == {"user_id": "text of 3", "title": f"text of {len(SECRET)}"}
    assert SECRET not in json.dumps(line)


def dying(moment):
    return (sys.executable, dying_program.__file__, moment)


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
@pytest.mark.parametrize("moment", dying_program.MOMENTS)
def test_a_crash_leaves_a_task_with_its_row_or_neither(tmp_path, request, kind, moment):
    """The process is killed before the row, between row and commit, and between commit and answer."""
    address = "" if kind == "sqlite" else request.getfixturevalue("postgres").new_database()
    flags = ("--database", address) if address else ()
    given = {"FIELDGUIDE_STATE": str(tmp_path / "state")}
    (tmp_path / "shop").mkdir()
    with served(tmp_path / "shop", "--audit", *flags, extra_environment=given, program=dying(moment)) as server:
        session = session_of(server.url)
        with pytest.raises(OSError, match=r"."):
            call(server.url, session, "add_task", user_id="ann", title="Water the plants")
        assert server.process.wait(timeout=60) == -signal.SIGKILL

    assert_together(tmp_path / "state", address, has_both=moment == dying_program.AFTER_COMMIT)


@pytest.mark.parametrize("moment", [dying_program.BEFORE_COMMIT, dying_program.AFTER_COMMIT])
def test_the_same_holds_for_a_project_behind_the_wall(tmp_path, postgres, moment):
    address = postgres.new_database()
    service = Service(tmp_path, ("--database", address))
    (tmp_path / "shop").mkdir()
    service.run("team", "projects", "add", "shop", tmp_path / "shop")
    service.run("team", "projects", "grant", "ann", "shop", "--write")
    asked = {"name": "add_task", "arguments": {"title": "Count the till"}, "_meta": META}
    with service.serving(program=dying(moment)), pytest.raises(OSError, match=r"."):
        service.ask("ann", "shop", "tools/call", asked, **{**MODERN, "Mcp-Name": "add_task"})

    assert_together(tmp_path / "state", address, has_both=moment == dying_program.AFTER_COMMIT)


class Change:
    """A change that somebody makes."""

    def __init__(self, name):
        self.is_logged = False
        self._name = name

    def describe(self):
        return AuditRecord("shop", "ann", "tools/call", self._name, "ok")


def test_changes_at_once_have_one_row_each_and_those_taken_back_have_none(plain):
    database = AuditedDatabase(plain)

    def change(number):
        CHANGE.set(Change(f"tool_{number}"))
        for _ in range(2):  # a call that changes something twice has one row
            with suppress(NotFound), database.writing():
                if number % 2:
                    raise NotFound("There is no such thing.")

    with ThreadPoolExecutor(8) as threads:
        for number in range(80):
            threads.submit(copy_context().run, change, number)

    assert names(plain) == sorted(f"tool_{number}" for number in range(0, 80, 2))


def test_a_change_that_is_cancelled_before_its_row_is_not_kept(plain):
    cancellation = Cancellation()

    def change():
        CHANGE.set(Change("add_task"))
        with AuditedDatabase(plain).writing(cancellation):
            cancellation.set()

    with pytest.raises(Cancelled):
        copy_context().run(change)

    assert names(plain) == []


def assert_together(state, address, *, has_both):
    flags = ("--database", address) if address else ()
    lines = [line for line in printed(state, *flags) if line["name"] == "add_task"]
    assert (count_tasks(address, state), len(lines)) == ((1, 1) if has_both else (0, 0))


def count_tasks(address, state):
    if address:
        with psycopg.connect(address) as connection:
            return len(connection.execute("SELECT id FROM task").fetchall())
    [file] = state.glob("*/fieldguide.db")
    with closing(sqlite3.connect(file)) as connection:
        return len(connection.execute("SELECT id FROM task").fetchall())


def test_a_writing_call_that_fails_is_in_it_and_a_reading_one_is_not(tmp_path):
    state = tmp_path / "state"
    with served(tmp_path, "--audit", extra_environment={"FIELDGUIDE_STATE": str(state)}) as server:
        session = session_of(server.url)
        call(server.url, session, "list_tasks", user_id="ann")
        call(server.url, session, "complete_task", user_id="ann", task_id=7)

        assert [(line["name"], line["outcome"]) for line in printed(state)] == [("complete_task", "TaskNotFoundError")]


def test_postgres_shows_the_log_to_no_other_role(postgres):
    address = postgres.new_database()
    with closing(PostgresDatabase(address, [AUDIT_SCHEMA])) as database:
        assert names(database) == []
    with psycopg.connect(address) as connection:
        connection.execute("CREATE ROLE somebody_else")
        connection.execute("SET LOCAL ROLE somebody_else")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("SELECT * FROM audit_entry")
        connection.rollback()


INSERT = """
    INSERT INTO audit_entry (at, project, username, action, name, outcome, request, connection, arguments, milliseconds)
    VALUES (:at, :project, :user, 'tools/call', 'add_task', 'ok', '', '', '', 1)
"""


def test_the_lines_of_all_files_are_printed_by_time_project_and_user_and_as_csv(tmp_path):
    files = {}
    for folder in ("shop", "farm"):
        (tmp_path / "projects" / folder).mkdir(mode=0o700, parents=True)
        path = str(tmp_path / "projects" / folder / "fieldguide.db")
        files[folder] = SqliteDatabase(partial(str, path), [AUDIT_SCHEMA], lambda sentence: None)
    lines = (("ann", "shop"), ("bob", "farm"), ("ann", "shop"), ("=cmd()", "farm"))
    for day, (user, project) in enumerate(lines, 1):
        with files[project].writing() as transaction:
            transaction.execute(INSERT, {"at": f"2026-05-0{day}T00:00:00.000Z", "project": project, "user": user})
    for each in files.values():
        each.close()

    def users(*words):
        return [line["username"] for line in printed(tmp_path, *words)]

    assert users() == ["ann", "bob", "ann", "=cmd()"]
    assert users("--user", "ann") == ["ann", "ann"]
    assert users("--project", "farm") == ["bob", "=cmd()"]
    assert users("--since", "2026-05-02", "--until", "2026-05-04") == ["bob", "ann"]
    rows = [*csv.DictReader(io.StringIO(fieldguide(tmp_path, "--format", "csv").stdout))]
    assert [row["username"] for row in rows] == ["ann", "bob", "ann", "'=cmd()"]
    assert fieldguide(tmp_path, "--since", "yesterday").returncode == 2


def test_arguments_are_told_by_names_numbers_and_sizes():
    told = summarize_arguments(
        {"id": 7, "is": True, "text": SECRET, "list": [SECRET], "object": {"a": 1}, "none": None}
    )

    assert json.loads(told) == {
        "id": 7,
        "is": True,
        "text": f"text of {len(SECRET)}",
        "list": "list of 1",
        "object": "object of 1",
        "none": None,
    }
    assert len(summarize_arguments({f"{n:0200}": n for n in range(1000)})) < 3000
