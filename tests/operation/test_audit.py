"""The audit log: what is in it, when it is there, and that nobody can change it."""

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
from datetime import UTC, datetime, timedelta
from time import time
from typing import Any

import psycopg
import pytest

from fieldguide.settings.limits import Limits
from fieldguide.spine.journal import CHANGE
from fieldguide.spine.oversight import AuditRecord, summarize_arguments
from fieldguide.storage.sqlite import SqliteDatabase
from fieldguide.team.audit import (
    AuditedDatabase,
    AuditQuery,
    AuditWriter,
    ChainHead,
    prune_audit,
    read_entries,
    verify_chains,
)
from fieldguide.team.registry import AUDIT_PENDING_SCHEMA, AUDIT_SCHEMA
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.errors import Cancelled, NotFound, StorageFailed
from tests.fakes import FakeClock
from tests.hosting.services import Service
from tests.operation import dying_program
from tests.operation.served import call, served, session_of
from tests.operation.test_many_projects import META, MODERN
from tests.proves import proves
from tests.raw_http import get
from tests.servers import FIELDGUIDE, environment

SECRET = "sesame-opens-everything"
DAY = 86_400.0


def fieldguide(state, *words):
    given = {**environment(), "FIELDGUIDE_STATE": str(state)}
    return subprocess.run([FIELDGUIDE, "team", "audit", *words], env=given, capture_output=True, text=True, timeout=30)


def exported(state, *words):
    done = fieldguide(state, "export", *words)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(params=["sqlite", "postgres"])
def kept(request, tmp_path):
    """A database with the log's tables, and a way to run SQL in it behind our back."""
    database: Any
    if request.param == "sqlite":
        file = tmp_path / "audit.db"
        database = SqliteDatabase(lambda: str(file), [AUDIT_SCHEMA], lambda sentence: None)

        def behind(*statements):
            with sqlite3.connect(file) as connection:
                for statement in statements:
                    connection.execute(statement)

    else:
        from fieldguide.storage.postgres import PostgresDatabase

        address = request.getfixturevalue("postgres").new_database()
        database = PostgresDatabase(address, [AUDIT_SCHEMA])

        def behind(*statements):
            with psycopg.connect(address) as connection:
                for statement in statements:
                    connection.execute(statement)

    yield database, behind
    database.close()


def record(name="add_task", effect="write", **more):
    return AuditRecord("shop", "ann", "tools/call", name, effect, "ok", **more)


def filled(database, count=5, **more):
    writer = AuditWriter(database, Limits(), **more)
    for number in range(count):
        writer.note(record(f"tool_{number}"))
    writer.flush()
    return writer


@proves("Z-224")
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
    [line] = exported(state, *flags)
    told = {name: line[name] for name in ("project", "username", "action", "name", "effect", "outcome", "request")}
    assert told == {
        "project": "shop",
        "username": "ann",
        "action": "tools/call",
        "name": "add_task",
        "effect": "write",
        "outcome": "ok",
        "request": "7",
    }
    assert line["at"] > "2026"
    assert json.loads(line["arguments"]) == {"user_id": "text of 3", "title": f"text of {len(SECRET)}"}
    assert SECRET not in json.dumps(line)


def dying(moment):
    return (sys.executable, dying_program.__file__, moment)


@proves("Z-224")
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


@proves("Z-224")
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
        return record(self._name)


@proves("Z-224", "Z-225")
@pytest.mark.parametrize("is_shared", [True, False])
def test_changes_at_once_have_one_row_each_and_those_taken_back_have_none(tmp_path, request, is_shared):
    """Changes in the log's own database (PostgreSQL), and in another one (SQLite)."""
    log: Any
    plain: Any
    if is_shared:
        from fieldguide.storage.postgres import PostgresDatabase

        schemas = [AUDIT_SCHEMA]
        log = plain = PostgresDatabase(request.getfixturevalue("postgres").new_database(), schemas)
    else:
        schemas = [AUDIT_PENDING_SCHEMA]
        log = SqliteDatabase(lambda: str(tmp_path / "audit.db"), [AUDIT_SCHEMA], lambda sentence: None)
        plain = SqliteDatabase(lambda: str(tmp_path / "shop.db"), schemas, lambda sentence: None)
    writer = AuditWriter(log, Limits())
    database, schema = writer.join(plain, is_shared=is_shared)
    assert schema in schemas

    def change(number):
        CHANGE.set(Change(f"tool_{number}"))
        for _ in range(2):  # a call that changes something twice has one row
            with suppress(NotFound), database.writing():
                if number % 2:
                    raise NotFound("There is no such thing.")

    with ThreadPoolExecutor(8) as threads:
        for number in range(80):
            threads.submit(copy_context().run, change, number)
    writer.close()

    kept = sorted(line["name"] for line in read_entries(log, AuditQuery()))
    assert kept == sorted(f"tool_{number}" for number in range(0, 80, 2))
    assert verify_chains(log).problems == []
    assert len(verify_chains(log).heads) <= 8
    for each in (log, plain):
        each.close()


@proves("Z-224")
def test_the_row_of_a_change_costs_postgres_no_round_trip_of_its_own(tmp_path, postgres):
    """The row is sent together with the commit, which the change needs anyway."""
    from fieldguide.storage.postgres import PostgresDatabase

    plain = PostgresDatabase(postgres.new_database(), [AUDIT_SCHEMA])
    database, _ = AuditWriter(plain, Limits()).join(plain, is_shared=True)

    def change(opened):
        CHANGE.set(Change("add_task"))
        with (tmp_path / "messages").open("wb") as messages:
            with opened.writing() as transaction:
                connection = transaction._connection.pgconn
                connection.trace(messages.fileno())
                transaction.fetch_one("SELECT 1 AS one", {})
            connection.untrace()
        return (tmp_path / "messages").read_text().count("ReadyForQuery")

    answers = [copy_context().run(change, opened) for opened in (plain, database)]

    assert answers[0] == answers[1] > 1
    assert [line["name"] for line in read_entries(plain, AuditQuery())] == ["add_task"]
    plain.close()


@proves("Z-224")
def test_a_change_whose_row_postgres_refuses_is_not_kept(postgres):
    from fieldguide.storage.postgres import PostgresDatabase

    plain = PostgresDatabase(postgres.new_database(), [AUDIT_SCHEMA])
    database = AuditedDatabase(plain, "INSERT INTO audit_entry (writer) VALUES (:writer)", [], time, lambda: None)

    def change():
        CHANGE.set(Change("add_task"))
        with database.writing() as transaction:
            transaction.execute("CREATE TABLE made (id BIGINT)", {})

    with pytest.raises(StorageFailed):
        copy_context().run(change)

    with plain.writing() as transaction:
        assert transaction.fetch_one("SELECT to_regclass('made') AS made", {}) == {"made": None}
    plain.close()


@proves("Z-224")
def test_a_change_that_is_cancelled_before_its_row_is_not_kept(postgres):
    from fieldguide.storage.postgres import PostgresDatabase

    plain = PostgresDatabase(postgres.new_database(), [AUDIT_SCHEMA])
    database, _ = AuditWriter(plain, Limits()).join(plain, is_shared=True)
    cancellation = Cancellation()

    def change():
        CHANGE.set(Change("add_task"))
        with database.writing(cancellation):
            cancellation.set()

    with pytest.raises(Cancelled):
        copy_context().run(change)

    assert [*read_entries(plain, AuditQuery())] == []
    plain.close()


def assert_together(state, address, *, has_both):
    flags = ("--database", address) if address else ()
    lines = [line for line in exported(state, *flags) if line["name"] == "add_task"]
    assert (count_tasks(address, state), len(lines)) == ((1, 1) if has_both else (0, 0))
    assert fieldguide(state, "verify", *flags).returncode == 0


def count_tasks(address, state):
    if address:
        with psycopg.connect(address) as connection:
            return len(connection.execute("SELECT id FROM task").fetchall())
    [file] = state.glob("*/fieldguide.db")
    with closing(sqlite3.connect(file)) as connection:
        return len(connection.execute("SELECT id FROM task").fetchall())


@proves("Z-224", "Z-226")
def test_reading_failing_and_refused_calls_are_in_it_when_the_server_has_ended(tmp_path):
    state = tmp_path / "state"
    with served(tmp_path, "--audit", extra_environment={"FIELDGUIDE_STATE": str(state)}) as server:
        session = session_of(server.url)
        call(server.url, session, "list_tasks", user_id="ann")
        call(server.url, session, "fail")
        call(server.url, session, "no_such_tool")
        get(server.url, "/mcp")
        server.process.terminate()
        server.process.communicate(timeout=60)

    told = [(line["name"], line["effect"], line["outcome"]) for line in exported(state)]

    assert told == [
        ("list_tasks", "read", "ok"),
        ("fail", "read", "ToolFailed"),
        ("no_such_tool", "refused", "ToolNotFound"),
        ("/mcp", "refused", "401"),
    ]
    assert fieldguide(state, "verify").stdout == "4 rows in 1 chains, and none was changed or taken out.\n"


@proves("Z-225")
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_entry SET username = 'bob'",
        "DELETE FROM audit_entry",
        "DELETE FROM audit_anchor",
        "UPDATE audit_anchor SET number = 9",
    ],
)
def test_the_database_refuses_to_change_or_remove_a_row(kept, statement):
    database, behind = kept
    filled(database)
    prune_audit(database, older_than_days=1, now=datetime.now(UTC) + timedelta(days=2))
    filled(database)

    with pytest.raises((sqlite3.DatabaseError, psycopg.Error), match="append-only"):
        behind(statement)

    assert len([*read_entries(database, AuditQuery())]) == 5


@proves("Z-225")
def test_postgres_refuses_to_empty_the_log_and_shows_it_to_no_other_role(postgres):
    from fieldguide.storage.postgres import PostgresDatabase

    address = postgres.new_database()
    database = PostgresDatabase(address, [AUDIT_SCHEMA])
    filled(database)
    with psycopg.connect(address) as connection, pytest.raises(psycopg.Error, match="append-only"):
        connection.execute("TRUNCATE audit_entry")
    with psycopg.connect(address) as connection:
        connection.execute("CREATE ROLE somebody_else")
        connection.execute("SET LOCAL ROLE somebody_else")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("SELECT * FROM audit_entry")
        connection.rollback()
    database.close()


FREE = {
    "sqlite": ("DROP TRIGGER audit_entry_fixed", "DROP TRIGGER audit_entry_kept"),
    "postgres": ("ALTER TABLE audit_entry DISABLE TRIGGER USER",),
}


@proves("Z-225")
def test_a_row_that_somebody_changed_or_took_out_is_found(kept):
    database, behind = kept
    filled(database)
    assert verify_chains(database).problems == []

    behind(*FREE[database.dialect], "UPDATE audit_entry SET username = 'bob' WHERE number = 2")
    [changed] = verify_chains(database).problems
    behind("DELETE FROM audit_entry WHERE number = 4")
    found = verify_chains(database).problems

    assert "row 2 of writer" in changed
    assert "changed" in changed
    assert any("row 4 of writer" in each and "missing" in each for each in found)


@proves("Z-225")
def test_the_last_rows_are_missed_where_an_earlier_look_was_kept(kept):
    database, behind = kept
    filled(database)
    heads = verify_chains(database).heads

    behind(*FREE[database.dialect], "DELETE FROM audit_entry WHERE number = 5")

    assert verify_chains(database).problems == []
    [missed] = verify_chains(database, heads).problems
    assert "row 5 of writer" in missed


@proves("Z-225")
def test_old_rows_are_pruned_and_what_is_left_is_still_whole(kept):
    database, _ = kept
    now = datetime.now(UTC).timestamp()
    clock = FakeClock(now - 10 * DAY)
    writer = filled(database, clock=clock)
    heads = verify_chains(database).heads
    clock.advance(9 * DAY)
    writer.note(record("new"))
    writer.flush()

    removed = prune_audit(database, older_than_days=5)

    assert removed == 5
    assert [line["name"] for line in read_entries(database, AuditQuery())] == ["new"]
    assert verify_chains(database, heads) == (
        1,
        [ChainHead(heads[0].writer, 6, verify_chains(database).heads[0].hash)],
        [],
    )
    assert prune_audit(database, older_than_days=5) == 0


@proves("Z-226")
def test_refusals_beyond_those_of_a_minute_are_one_row_with_their_number(kept):
    database, _ = kept
    clock = FakeClock(1_000_000.0)
    writer = AuditWriter(database, Limits(audit_refusals_per_minute=3), clock=clock)
    for _ in range(100):
        writer.note(record("/mcp", "refused"))
    clock.advance(60)
    writer.note(record("/later", "refused"))
    writer.flush()

    told = [(line["name"], line["outcome"]) for line in read_entries(database, AuditQuery())]

    assert sorted(told) == sorted([("/mcp", "ok")] * 3 + [("refusals", "97"), ("/later", "ok")])


class Away:
    """A database that is away until it is told to be there."""

    def __init__(self, database):
        self._database = database
        self.is_there = False

    def writing(self, cancellation=None):
        if not self.is_there:
            raise StorageFailed("The database could not do this.")
        return self._database.writing(cancellation)


@proves("Z-226")
def test_rows_that_could_not_be_kept_are_counted_and_the_log_says_so(tmp_path):
    database = SqliteDatabase(lambda: str(tmp_path / "audit.db"), [AUDIT_SCHEMA], lambda sentence: None)
    away: Any = Away(database)
    writer = AuditWriter(away, Limits(audit_rows_waiting=2))
    for _ in range(5):
        writer.note(record("list_tasks", "read"))
    writer.note(record("add_task", "write"))
    with pytest.raises(StorageFailed):
        writer.flush()

    away.is_there = True
    writer.flush()
    writer.flush()

    told = [(line["name"], line["outcome"]) for line in read_entries(database, AuditQuery())]
    assert told == [("list_tasks", "ok"), ("list_tasks", "ok"), ("add_task", "ok"), ("lost", "3")]
    assert writer.lost == 3
    assert verify_chains(database).problems == []
    database.close()


@proves("Z-227")
def test_the_log_is_exported_by_time_project_and_user_and_as_csv(tmp_path):
    (tmp_path / "service").mkdir(mode=0o700)
    database = SqliteDatabase(lambda: str(tmp_path / "service" / "audit.db"), [AUDIT_SCHEMA], lambda sentence: None)
    clock = FakeClock(datetime(2026, 5, 1, tzinfo=UTC).timestamp())
    writer = AuditWriter(database, Limits(), clock=clock)
    for user, project in (("ann", "shop"), ("bob", "shop"), ("ann", "farm"), ("=cmd()", "farm")):
        writer.note(record()._replace(user=user, project=project))
        clock.advance(DAY)
    writer.flush()
    database.close()

    def users(*words):
        return [line["username"] for line in exported(tmp_path, *words)]

    assert users("--user", "ann") == ["ann", "ann"]
    assert users("--project", "shop") == ["ann", "bob"]
    assert users("--since", "2026-05-02", "--until", "2026-05-04") == ["bob", "ann"]
    rows = [*csv.DictReader(io.StringIO(fieldguide(tmp_path, "export", "--format", "csv").stdout))]
    assert [row["username"] for row in rows] == ["ann", "bob", "ann", "'=cmd()"]
    assert fieldguide(tmp_path, "export", "--since", "yesterday").returncode == 2
    assert fieldguide(tmp_path, "prune", "--older-than", "1d").stdout == "Removed 4 rows that were older than 1 days.\n"


@proves("Z-224")
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
