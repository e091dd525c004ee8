"""Long runs against the database: servers killed fifty times, and a PostgreSQL that is away for a while."""

import json
import time
from concurrent.futures import ThreadPoolExecutor

from fieldguide.storage.database import Database
from fieldguide.text.errors import StorageFailed
from tests.databases import postgres_server
from tests.storage.stores import NOTES, PostgresStore, add_note, texts
from tests.storage.storms import REFUSED, kill_again_and_again, lost, stop_under_load
from tests.storage.task_servers import TaskClient

KILLS = 50
OUTAGE_SECONDS = 40.0
REST_OF_BREAKER_SECONDS = 30.0
CALLERS = 4
CALLS_TO_FIND_IT = 2  # each waits five seconds for a connection


def test_no_acknowledged_task_is_lost_or_doubled_when_servers_are_killed_fifty_times(project):
    kill_again_and_again(project.root, KILLS)


def test_a_postgres_that_was_away_for_a_while_is_found_by_the_second_call():
    with postgres_server() as server:
        store = PostgresStore(server.new_database())
        database = store.open(NOTES)
        add_note(database, "before")
        server.stop()
        until = time.monotonic() + OUTAGE_SECONDS

        with ThreadPoolExecutor(CALLERS) as callers:
            while time.monotonic() < until:
                assert not any(callers.map(answers, [database] * CALLERS))
        server.start()

        assert any(answers(database) for _ in range(CALLS_TO_FIND_IT))
        store.close()


def test_a_server_whose_postgres_was_away_writes_again_when_its_breaker_has_rested(project):
    with postgres_server() as server, TaskClient(project.root, "--database", server.new_database()) as client:
        acknowledged = stop_under_load(client, server)
        server.start()
        returned = keep_trying(client, "back")
        tasks = [(task["title"], task["id"]) for task in client.listed()]

    assert lost({**acknowledged, "back": returned}, tasks) == {}


def keep_trying(client: TaskClient, title: str) -> int:
    """Add a task until it is kept: the breaker may have to rest first; gives its id."""
    until = time.monotonic() + 2 * REST_OF_BREAKER_SECONDS
    while "task_id" not in (answer := client.add(title)) and time.monotonic() < until:
        assert json.dumps(answer, separators=(",", ":")) == REFUSED
        time.sleep(0.25)
    number: int = answer["task_id"]
    return number


def answers(database: Database) -> bool:
    try:
        return texts(database) == ["before"]
    except StorageFailed:
        return False
