"""One suite for both databases: a test that asks for `place` or `engine` runs against SQLite and PostgreSQL."""

from collections.abc import Iterator

import pytest

from fieldguide.search.engine import SearchEngine
from tests.search.engines import Place, PostgresPlace, SqlitePlace


@pytest.fixture(scope="session")
def postgres_address(postgres) -> str:
    """One database for all of these tests: each empties it when it leaves."""
    address: str = postgres.new_database()
    return address


@pytest.fixture(params=["sqlite", "postgres"])
def place(request, tmp_path) -> Iterator[Place]:
    """A place for an empty index of each kind."""
    if request.param == "sqlite":
        found: Place = SqlitePlace(tmp_path / "index.db")
    else:
        found = PostgresPlace(request.getfixturevalue("postgres_address"))
    yield found
    found.close()


@pytest.fixture
def engine(place) -> SearchEngine:
    """An engine whose model knows ferns, foxes, moss and ponds."""
    opened: SearchEngine = place.open()
    return opened
