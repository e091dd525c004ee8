"""Servers that are killed, that share a project, and whose database goes away, under a storm of calls."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from fieldguide.storage.database import Database
from fieldguide.text.errors import StorageFailed
from tests.databases import postgres_server
from tests.processes import eventually
from tests.storage.stores import NOTES, PostgresStore, add_note, texts
from tests.storage.storms import REFUSED, created, doubled, kill_again_and_again, lost, stop_under_load
from tests.storage.task_servers import TaskClient, database_file, stored_titles

KILLS = 3  # fifty in `make soak`
WRITES_EACH = 300
IN_FLIGHT = 100


@pytest.fixture(scope="module")
def own_postgres():
    """A PostgreSQL server that no other test uses, so that it may be stopped."""
    with postgres_server() as server:
        yield server


def test_no_acknowledged_task_is_lost_or_doubled_when_servers_are_killed(project):
    kill_again_and_again(project.root, KILLS)


def test_two_servers_that_write_at_once_lose_nothing_and_lock_nobody_out(project):
    with TaskClient(project.root) as one, TaskClient(project.root) as two, ThreadPoolExecutor(2) as threads:
        answered = list(threads.map(write_storm, ("one", "two"), (one, two)))
        seen = one.titles()

    acknowledged = answered[0] | answered[1]
    assert len(acknowledged) == 2 * WRITES_EACH
    assert sorted(acknowledged.values()) == list(range(1, 2 * WRITES_EACH + 1))
    assert sorted(seen) == sorted(acknowledged)
    assert sorted(stored_titles(database_file(project.root))) == sorted(acknowledged)


def test_a_postgres_that_stops_under_load_answers_as_specified_and_loses_nothing(project, own_postgres):
    address = own_postgres.new_database()
    with TaskClient(project.root, "--database", address) as client:
        acknowledged = stop_under_load(client, own_postgres)
        refused = [client.call("add_task", user_id="ann", title="away") for _ in range(10)]
    own_postgres.start()
    with TaskClient(project.root, "--database", address) as client:  # the breaker of the other rests: see `make soak`
        returned = client.add("back")["task_id"]
        tasks = [(task["title"], task["id"]) for task in client.listed()]

    assert {result["content"][0]["text"] for result in refused} == {REFUSED}
    assert lost({**acknowledged, "back": returned}, tasks) == {}
    assert doubled(title for title, _ in tasks) == []
    assert "away" not in dict(tasks)


def test_a_database_object_finds_its_postgres_again(own_postgres):
    store = PostgresStore(own_postgres.new_database())
    database = store.open(NOTES)
    add_note(database, "before")

    own_postgres.stop()
    with pytest.raises(StorageFailed):
        add_note(database, "meanwhile")
    own_postgres.start()

    assert eventually(lambda: answers(database))
    add_note(database, "after")
    assert texts(database) == ["before", "after"]
    store.close()


def write_storm(name: str, client: TaskClient) -> dict[str, int]:
    """Write as fast as the server takes it; the titles and the ids that they were given."""
    given: dict[str, int] = {}
    for first in range(0, WRITES_EACH, IN_FLIGHT):
        titles = {client.begin_adding(f"{name}/{each}"): f"{name}/{each}" for each in range(first, first + IN_FLIGHT)}
        received = [client.receive() for _ in titles]
        given |= {titles[answer["id"]]: created(answer["result"])["task_id"] for answer in received}
    return given


def answers(database: Database) -> bool:
    try:
        return texts(database) == ["before"]
    except StorageFailed:
        return False
