"""One suite for both databases: a test that asks for `database` runs against SQLite and PostgreSQL."""

from collections.abc import Iterator

import pytest

from fieldguide.storage.database import FINDINGS_SCHEMA, Database
from fieldguide.storage.postgres import PostgresDatabase
from fieldguide.storage.sqlite import SqliteDatabase


@pytest.fixture(scope="session")
def postgres_address(postgres) -> str:
    """One database for all of these tests: each empties it when it leaves."""
    address: str = postgres.new_database()
    return address


@pytest.fixture(params=["sqlite", "postgres"])
def database(request, tmp_path) -> Iterator[Database]:
    """An empty database of each kind with the tables of discoveries and sessions."""
    if request.param == "sqlite":
        opened: Database = SqliteDatabase(
            lambda: str(tmp_path / "fieldguide.db"), [FINDINGS_SCHEMA], lambda notice: None
        )
        yield opened
    else:
        opened = PostgresDatabase(request.getfixturevalue("postgres_address"), [FINDINGS_SCHEMA])
        yield opened
        with opened.writing() as transaction:
            transaction.execute("TRUNCATE discovery, work_session, work_session_file, context_item, context_total", {})
    opened.close()
