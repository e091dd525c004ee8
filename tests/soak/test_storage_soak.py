"""Long runs against the database: servers killed fifty times, and a PostgreSQL that is away for a while."""

import time
from concurrent.futures import ThreadPoolExecutor

from fieldguide.errors import StorageFailed
from fieldguide.storage.port import Database
from tests.databases import postgres_server
from tests.storage.stores import NOTES, PostgresStore, add_note, texts
from tests.storage.storms import kill_again_and_again

KILLS = 50
OUTAGE_SECONDS = 40.0
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


def answers(database: Database) -> bool:
    try:
        return texts(database) == ["before"]
    except StorageFailed:
        return False
