"""One suite for both databases: a test that asks for `store` or `database` runs against SQLite and PostgreSQL."""

from collections.abc import Iterator

import pytest

from tests.storage.stores import NOTES, TASKS, PostgresStore, SqliteStore, Store


@pytest.fixture(params=["sqlite", "postgres"])
def store(request) -> Store:
    """A place for a fresh database of each kind."""
    found: Store = request.getfixturevalue(f"{request.param}_store")
    return found


@pytest.fixture
def sqlite_store(tmp_path) -> Iterator[SqliteStore]:
    store = SqliteStore(tmp_path / "fieldguide.db")
    yield store
    store.close()


@pytest.fixture
def postgres_store(postgres) -> Iterator[PostgresStore]:
    store = PostgresStore(postgres.new_database())
    yield store
    store.close()


@pytest.fixture
def database(store):
    """A database with the tasks' tables and the suite's own."""
    return store.open(TASKS, NOTES)
