"""One database for all: filled once, and whatever a test changes behind walls is its own."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from fieldguide.storage.postgres import PostgresDatabase
from tests.storage.walls.houses import EVERYBODY, SCHEMAS, House, fill


@pytest.fixture(scope="module")
def address(postgres) -> str:
    """Where rows of everybody are in every table."""
    found: str = postgres.new_database()
    with closing(PostgresDatabase(found, SCHEMAS)) as database:
        fill(database)
    return found


@pytest.fixture(scope="module")
def owner(address) -> Iterator[PostgresDatabase]:
    """The database as who owns it sees it."""
    with closing(PostgresDatabase(address, SCHEMAS)) as database:
        yield database


@pytest.fixture(scope="module")
def doors(address) -> Iterator[dict[House, PostgresDatabase]]:
    """The database as each one sees it."""
    opened = {house: house.door(address) for house in EVERYBODY}
    yield opened
    for each in opened.values():
        each.close()
