"""Context items in the database: counted, scored and archived, never deleted."""

from datetime import UTC, datetime, timedelta

import pytest

from fieldguide.knowledge.findings.sessions import ContextItemRepository
from tests.proves import proves

NOW = datetime(2026, 3, 4, 5, 6, 7, 8, tzinfo=UTC)


@pytest.fixture
def items(database):
    with database.writing() as transaction:
        yield ContextItemRepository(transaction, "garden|")


@proves("S3-36", "U3-2")
def test_each_use_is_counted_with_its_moment_and_size(items):
    items.access("file", "a.py", tokens=10, now=NOW)
    items.access("file", "a.py", tokens=12, now=NOW + timedelta(minutes=1))

    [item] = items.all(NOW)

    assert (item.type, item.name, item.uses, item.tokens, item.status) == ("file", "a.py", 2, 12, "active")
    assert item.last_accessed_at == NOW + timedelta(minutes=1)


@proves("U3-5", "S3-37")
def test_scores_are_those_of_the_moment(items):
    for _ in range(5):
        items.access("file", "often.py", tokens=1, now=NOW - timedelta(days=15))
    items.access("file", "lately.py", tokens=1, now=NOW)
    items.access("module", "never", tokens=1, now=NOW - timedelta(days=99))

    found = {item.name: item for item in items.all(NOW)}
    assert list(found) == ["often.py", "lately.py", "never"]
    assert (found["often.py"].recency, found["often.py"].access) == (pytest.approx(0.5), 1.0)
    assert found["often.py"].score == pytest.approx(0.7)
    assert found["lately.py"].score == pytest.approx(0.6 + 0.4 / 5)
    assert found["never"].score == pytest.approx(0.4 / 5)


@proves("U3-5")
def test_above_four_fifths_of_the_budget_the_lowest_fifth_is_archived_and_a_use_brings_it_back(items):
    for number in range(10):
        items.access("file", f"{number}.py", tokens=8_500, now=NOW - timedelta(days=number))

    items.archive_lowest(NOW)

    assert {item.name for item in items.all(NOW) if item.status == "archived"} == {"8.py", "9.py"}
    assert len(items.all(NOW)) == 10
    items.access("file", "9.py", tokens=1, now=NOW)
    items.archive_lowest(NOW)
    assert {item.name for item in items.all(NOW) if item.status == "archived"} == {"8.py"}


def test_projects_in_one_database_do_not_see_each_other(database):
    with database.writing() as transaction:
        ContextItemRepository(transaction, "garden|").access("file", "a.py", tokens=1, now=NOW)

        assert ContextItemRepository(transaction, "orchard|").all(NOW) == []
        assert len(ContextItemRepository(transaction, "garden|").all(NOW)) == 1


def test_the_totals_are_those_of_the_items(items):
    for number in range(30):
        items.access("file", f"{number % 12}.py", tokens=7_000 + number, now=NOW + timedelta(minutes=number))
        items.archive_lowest(NOW + timedelta(minutes=number))

    held = [item for item in items.all(NOW) if item.status == "active"]
    total = items._transaction.fetch_one("SELECT active_tokens, most_uses FROM context_total", {})
    assert (total["active_tokens"], total["most_uses"]) == (sum(item.tokens for item in held), 3)
