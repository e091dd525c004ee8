"""Ids of tasks: counted for each user of a project on PostgreSQL, never given out twice, by servers of two versions."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import psycopg
import pytest

from fieldguide.settings.access import bind_caller
from fieldguide.storage.database import LEDGER, read_migrations
from fieldguide.storage.postgres import PostgresDatabase
from fieldguide.storage.transfer import transfer
from fieldguide.toolsets.tasks.repository import PostgreSQLTaskRepository
from tests.proves import proves
from tests.storage.stores import TASKS, SqliteStore

OLDER_TASK = """
    INSERT INTO task (user_id, title, completed, created_at, updated_at)
    VALUES (%(user)s, 'from before', FALSE, now(), now()) RETURNING id
"""


def added_before(connection, user):
    """The id of a new task of a server of the version before."""
    row = connection.execute(OLDER_TASK, {"user": user}).fetchone()
    return row[0]


def added(database, user="ann"):
    """The id of a new task."""

    def add():
        with database.writing() as session:
            return PostgreSQLTaskRepository(session, user).add("A task", None).id

    return bind_caller(user, add)()


def deleted(database, task_id, user="ann"):
    def delete():
        with database.writing() as session:
            return PostgreSQLTaskRepository(session, user).delete(task_id)

    return bind_caller(user, delete)()


def ids(database, user="ann"):
    with database.reading() as session:
        return sorted(task.id for task in PostgreSQLTaskRepository(session, user).get_all())


@pytest.fixture
def address(postgres):
    return postgres.new_database()


def released(address, *users):
    """A database as the version before left it, with a task of each of these users; the ids of the tasks."""
    with psycopg.connect(address) as connection:
        connection.execute(LEDGER.encode())
        for step in read_migrations(TASKS, dialect="postgres")[: TASKS.released]:
            connection.execute(step.script.encode())
            connection.execute("INSERT INTO schema_migration VALUES ('tasks', %s, %s, 'x')", (step.number, step.name))
        return [added_before(connection, user) for user in users]


@proves("Z-293", "S1-15")
def test_no_project_and_no_user_sees_in_an_id_what_others_add(address):
    with (
        closing(PostgresDatabase(address, [TASKS], tenant="apple|")) as apple,
        closing(PostgresDatabase(address, [TASKS], tenant="pear|")) as pear,
    ):
        first = added(apple), added(apple, "bob")
        others = [added(pear) for _ in range(5)]
        second = added(apple), added(apple, "bob")

    assert (first, second) == ((1, 1), (2, 2))
    assert others == [1, 2, 3, 4, 5]


@proves("Z-293")
def test_two_replicas_give_out_no_id_twice_and_none_of_a_deleted_task(address):
    with (
        closing(PostgresDatabase(address, [TASKS], tenant="apple|")) as one,
        closing(PostgresDatabase(address, [TASKS], tenant="apple|")) as other,
        ThreadPoolExecutor(8) as threads,
    ):
        given = list(threads.map(added, [one, other] * 40))
        deleted(one, max(given))
        after = added(other)

    assert sorted(given) == list(range(1, 81))
    assert after == 81


@proves("Z-293", "Z-176")
def test_tasks_from_before_keep_their_ids_and_a_server_from_before_counts_on(address):
    anns, bobs, carols = released(address, "ann", "bob", "carol")
    with closing(PostgresDatabase(address, [TASKS])) as database:
        kept = ids(database), ids(database, "bob")
        deleted(database, carols, "carol")
        new = added(database), added(database, "carol"), added(database, "dora")
        with psycopg.connect(address) as connection:
            older = [added_before(connection, user) for user in ("ann", "bob")]
        newer = added(database)

        assert kept == ([anns], [bobs])
        assert new == (4, 4, 4)
        assert (older, newer) == ([5, 4], 6)
        assert ids(database) == [anns, 4, 5, 6]


@proves("Z-293", "Z-178")
def test_a_copy_has_equal_ids_of_several_users_and_counts_on(address, postgres, tmp_path):
    store = SqliteStore(tmp_path / "kept.db")
    with (
        closing(PostgresDatabase(address, [TASKS])) as source,
        closing(PostgresDatabase(postgres.new_database(), [TASKS])) as restored,
        closing(store.open(TASKS)) as kept,
    ):
        for user in ("ann", "ann", "bob"):
            added(source, user)
        deleted(source, 2)
        transfer(source, kept, [TASKS])
        transfer(kept, restored, [TASKS])

        assert (ids(restored), ids(restored, "bob")) == ([1], [1])
        assert (added(restored), added(restored, "bob"), added(restored, "carol")) == (3, 2, 1)
        assert added(kept, "bob") == 3  # a file counts for all of its users together
