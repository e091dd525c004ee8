"""Projects of a service on one database, as their callers, their keeper and the doctor meet them."""

import json
from contextlib import closing
from functools import partial

import psycopg
import pytest

from fieldguide.app import build_app
from fieldguide.settings.access import bind_caller
from fieldguide.settings.config import Settings
from fieldguide.spine.tool import Call
from fieldguide.storage.postgres import PostgresDatabase
from fieldguide.storage.sqlite import SqliteDatabase
from fieldguide.storage.transfer import find_wall_problems, list_expected_walls, transfer
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.errors import Refusal
from fieldguide.toolsets.tasks.repository import PostgreSQLTaskRepository
from tests.proves import proves
from tests.servers import run
from tests.storage.walls.houses import EVERYBODY, NOT_FOR_TENANTS, SCHEMAS, dump, tables

KEPT = ("task", "discovery", "work_session", "work_session_file", "context_item", "context_total")


def quiet(lines):
    assert lines


def doctor(project, address):
    """What it prints; whether it found something wrong."""
    done = run("doctor", "--project", project.root, code=None, FIELDGUIDE_DATABASE=address)
    return done.stdout, done.returncode


def call(app, tool, user, **given):
    found = Call(tool, {"user_id": user, **given}, Cancellation(), user=user)
    return json.loads(app.executor.execute(found).text)


@pytest.fixture
def apps(address, project):
    """Two projects of a service and one that is served alone."""
    alone = Settings(project=str(project.root), database=address, toolsets=("tasks",))
    settings = {"apple": alone._replace(tenant="apple"), "berry": alone._replace(tenant="berry"), "alone": alone}
    made = {name: build_app(each, write_journal=quiet) for name, each in settings.items()}
    yield made
    for app in made.values():
        app.database.close()


@proves("Z-177")
def test_the_same_user_has_other_tasks_in_each_project(apps):
    for name, app in apps.items():
        call(app, "add_task", "dora", title=f"in {name}")
    call(apps["berry"], "add_task", "dora", title="a second one")
    call(apps["berry"], "complete_task", "dora", task_id=1)

    listed = {name: [task["title"] for task in call(app, "list_tasks", "dora")] for name, app in apps.items()}
    completed = {name: call(app, "list_tasks", "dora", status="completed") for name, app in apps.items()}

    assert listed == {"apple": ["in apple"], "berry": ["a second one", "in berry"], "alone": ["in alone"]}
    assert [name for name, tasks in completed.items() if tasks] == ["berry"]
    for name in ("apple", "alone"):
        with pytest.raises(Refusal, match="Task not found"):
            call(apps[name], "complete_task", "dora", task_id=2)


@proves("Z-178")
def test_what_is_kept_of_all_projects_is_carried_to_another_database_and_back(postgres, address, owner, tmp_path):
    path, target = str(tmp_path / "backup.db"), postgres.new_database()
    kept = SCHEMAS[:2]
    with closing(SqliteDatabase(lambda: path, kept, print)) as file:
        transfer(owner, file, kept)
        with closing(PostgresDatabase(target, SCHEMAS)) as copy:
            carried = transfer(file, copy, kept)
            restored = dump(copy)

    assert [report.table for report in carried if report.rows] == [*KEPT]
    assert {table: restored[table] for table in KEPT} == {table: dump(owner)[table] for table in KEPT}
    for house in EVERYBODY:
        with closing(house.door(target)) as database:
            assert house.mark in bind_caller(house.user, partial(_titles, database, house.user))()


def _titles(database, user):
    with database.reading() as session:
        return [task.title for task in PostgreSQLTaskRepository(session, user).get_all()]


@proves("Z-179")
def test_the_walls_that_migrations_write_are_those_that_stand(owner):
    with owner.reading() as transaction:
        problems = find_wall_problems(transaction, SCHEMAS)

    assert problems == []
    assert sorted(list_expected_walls(SCHEMAS)) == sorted({*tables(owner)} - {*NOT_FOR_TENANTS})


@proves("Z-179")
def test_the_doctor_says_when_a_wall_is_missing(postgres, project):
    address = postgres.new_database()
    with closing(EVERYBODY[0].door(address)) as database, database.reading() as transaction:
        role = transaction.fetch_all("SELECT current_user AS role", {})[0]["role"]
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("ALTER TABLE task DISABLE ROW LEVEL SECURITY")
        connection.execute("DROP POLICY wall ON trace_mark")
        connection.execute(f"GRANT SELECT ON schema_migration TO {role}".encode())
        connection.execute(f"ALTER ROLE {role} BYPASSRLS".encode())

    ill, code = doctor(project, address)

    assert code == 1
    for problem in ("the table task has no wall", "the table trace_mark has no wall", f"the role {role} may do more"):
        assert problem in ill
    assert f"the table schema_migration is open to {role} without a wall" in ill
