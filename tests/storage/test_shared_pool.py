"""One pool for each address in a process: bounded, shared by all who work there, closed by the last of them."""

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from fieldguide.storage.postgres import PostgresDatabase
from tests.storage.stores import NOTES, TASKS, add_note, texts

THREADS = 24


@pytest.fixture
def databases(postgres):
    address = postgres.new_database()
    opened = [PostgresDatabase(address, schemas, most_connections=4) for schemas in ([NOTES], [NOTES, TASKS]) * 3]
    yield opened
    for each in opened:
        each.close()


def connections(postgres, address: str) -> int:
    with psycopg.connect(postgres.new_database()) as connection:
        name = address.partition("?")[0].rpartition("/")[2]
        found = connection.execute("SELECT COUNT(*) FROM pg_stat_activity WHERE datname = %s", (name,)).fetchone()
    assert found is not None
    return int(found[0])


def test_all_who_work_at_one_address_share_a_bounded_number_of_connections(postgres, databases, monkeypatch):
    monkeypatch.setattr("fieldguide.storage.postgres.WAIT_SECONDS", 60.0)  # on a busy machine a turn takes long
    address = databases[0]._address
    most = []

    def work(number: int) -> None:
        database = databases[number % len(databases)]
        with database.reading() as transaction:
            most.append(transaction.fetch_one("SELECT COUNT(*) AS n FROM note", {})["n"])
            add_note(databases[(number + 1) % len(databases)], str(number))  # a second one while it has the first

    with ThreadPoolExecutor(THREADS) as threads:
        list(threads.map(work, range(THREADS * 4)))

    assert len(texts(databases[0])) == THREADS * 4
    assert connections(postgres, address) <= 4
