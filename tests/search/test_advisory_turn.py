"""The turn to index in PostgreSQL: one at a time, given back whatever happens, and no transaction idles meanwhile."""

import pytest

from fieldguide.search.engine import SCHEMA
from fieldguide.search.indexes import postgres
from fieldguide.search.indexes.postgres import hold_advisory_turn
from fieldguide.storage.postgres import PostgresDatabase
from fieldguide.text.errors import StorageFailed

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

    with hold_advisory_turn(ours, "/ann|"):
        assert idle_transactions(other) == 0
    with ours.writing() as transaction:
        transaction.fetch_one("SELECT 1 AS one", {})
        assert idle_transactions(other) == 1  # the connection that held it makes transactions again


def test_only_one_has_the_turn_and_an_error_gives_it_back(databases, monkeypatch):
    monkeypatch.setattr(postgres, "LONGEST_TURN_SECONDS", 0.0)
    ours, other = databases

    with hold_advisory_turn(ours, "/ann|"):
        with pytest.raises(StorageFailed), hold_advisory_turn(other, "/ann|"):
            pass
        with hold_advisory_turn(other, "/bob|"):
            pass
    with pytest.raises(ZeroDivisionError), hold_advisory_turn(ours, "/ann|"):
        raise ZeroDivisionError
    with hold_advisory_turn(other, "/ann|"):
        pass
