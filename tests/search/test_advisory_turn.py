"""The turn to index in PostgreSQL: one at a time, given back whatever happens, and no transaction idles meanwhile."""

import pytest

from fieldguide.errors import StorageFailed
from fieldguide.search.indexes import index_postgres
from fieldguide.search.indexes.index_postgres import advisory_turn
from fieldguide.search.opening import SCHEMA
from fieldguide.storage.postgres import PostgresDatabase

IDLE = """
    SELECT COUNT(*) AS count FROM pg_stat_activity
    WHERE datname = current_database() AND state LIKE 'idle in transaction%'
"""


@pytest.fixture
def databases(postgres_address):
    opened = [PostgresDatabase(postgres_address, [SCHEMA]) for _ in range(2)]
    yield opened
    for database in opened:
        database.close()


def idle_transactions(database):
    with database.reading() as transaction:
        return transaction.fetch_one(IDLE, {})["count"]


def test_no_transaction_is_open_while_a_turn_is_held(databases):
    ours, other = databases

    with advisory_turn(ours, "/ann|"):
        assert idle_transactions(other) == 0
    with ours.writing() as transaction:
        transaction.fetch_one("SELECT 1 AS one", {})
        assert idle_transactions(other) == 1  # the connection that held it makes transactions again


def test_only_one_has_the_turn_and_an_error_gives_it_back(databases, monkeypatch):
    monkeypatch.setattr(index_postgres, "LONGEST_TURN_SECONDS", 0.0)
    ours, other = databases

    with advisory_turn(ours, "/ann|"):
        with pytest.raises(StorageFailed), advisory_turn(other, "/ann|"):
            pass
        with advisory_turn(other, "/bob|"):
            pass
    with pytest.raises(ZeroDivisionError), advisory_turn(ours, "/ann|"):
        raise ZeroDivisionError
    with advisory_turn(other, "/ann|"):
        pass
