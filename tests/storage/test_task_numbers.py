"""Ids of tasks: counted for each user of a project on PostgreSQL, never given out twice."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from fieldguide.settings.access import bind_caller
from fieldguide.storage.postgres import PostgresDatabase
from fieldguide.toolsets.tasks.repository import PostgreSQLTaskRepository
from tests.proves import proves
from tests.storage.stores import TASKS


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


@proves("S1-15")
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


def test_two_servers_give_out_no_id_twice_and_none_of_a_deleted_task(address):
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
