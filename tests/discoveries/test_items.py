"""Context items in the database: counted, scored and archived, never deleted."""

from datetime import UTC, datetime, timedelta

import pytest

from fieldguide.discoveries.items import ItemRepository
from tests.proves import proves

NOW = datetime(2026, 3, 4, 5, 6, 7, 8, tzinfo=UTC)


@pytest.fixture
def items(database):
    with database.writing() as transaction:
        yield ItemRepository(transaction, "garden|")


@proves("S3-36", "U3-2")
def test_each_use_is_counted_with_its_moment_and_size(items):
    items.access("file", "a.py", tokens=10, now=NOW)
    items.access("file", "a.py", tokens=12, now=NOW + timedelta(minutes=1))

    [item] = items.all()

    assert (item.type, item.name, item.uses, item.tokens, item.status) == ("file", "a.py", 2, 12, "active")
    assert item.last_accessed_at == NOW + timedelta(minutes=1)


@proves("U3-5", "S3-37")
def test_scores_are_those_of_the_moment(items):
    for _ in range(5):
        items.access("file", "often.py", tokens=1, now=NOW - timedelta(days=15))
    items.access("file", "lately.py", tokens=1, now=NOW)
    items.access("module", "never", tokens=1, now=NOW - timedelta(days=99))

    items.rescore(NOW)

    found = {item.name: item for item in items.all()}
    assert list(found) == ["often.py", "lately.py", "never"]
    assert (found["often.py"].recency, found["often.py"].access) == (pytest.approx(0.5), 1.0)
    assert found["often.py"].score == pytest.approx(0.7)
    assert found["lately.py"].score == pytest.approx(0.6 + 0.4 / 5)
    assert found["never"].score == pytest.approx(0.4 / 5)


@proves("U3-5")
def test_above_four_fifths_of_the_budget_the_lowest_fifth_is_archived_and_a_use_brings_it_back(items):
    for number in range(10):
        items.access("file", f"{number}.py", tokens=8_500, now=NOW - timedelta(days=number))

    items.rescore(NOW)

    assert {item.name for item in items.all() if item.status == "archived"} == {"8.py", "9.py"}
    assert len(items.all()) == 10
    items.access("file", "9.py", tokens=1, now=NOW)
    items.rescore(NOW)
    assert {item.name for item in items.all() if item.status == "archived"} == {"8.py"}


def test_projects_in_one_database_do_not_see_each_other(database):
    with database.writing() as transaction:
        ItemRepository(transaction, "garden|").access("file", "a.py", tokens=1, now=NOW)

        assert ItemRepository(transaction, "orchard|").all() == []
        assert len(ItemRepository(transaction, "garden|").all()) == 1
