"""A place for an empty index, and an engine over it."""

from collections.abc import Iterator

import pytest

from fieldguide.search.engine import SearchEngine
from tests.search.engines import SqlitePlace


@pytest.fixture
def place(tmp_path) -> Iterator[SqlitePlace]:
    """A place for an empty index."""
    found = SqlitePlace(tmp_path / "index.db")
    yield found
    found.close()


@pytest.fixture
def engine(place) -> SearchEngine:
    """An engine whose model knows ferns, foxes, moss and ponds."""
    opened: SearchEngine = place.open()
    return opened
