"""How much a part of the context matters, and which parts are archived when there are too many."""

from datetime import UTC, datetime, timedelta

import pytest

from fieldguide.knowledge.findings.sessions import ContextItem, compute_recency_factor, compute_score, prune_items
from tests.proves import proves

NOW = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)


def item(name, *, score=0.5, tokens=1, status="active"):
    return ContextItem("file", name, score, 1.0, 1.0, 1, tokens, status, NOW)


@proves("U3-5")
@pytest.mark.parametrize(("days", "factor"), [(-1, 1.0), (0, 1.0), (15, 0.5), (27, 0.1), (30, 0.0), (400, 0.0)])
def test_what_was_used_today_counts_fully_and_after_thirty_days_not_at_all(days, factor):
    assert compute_recency_factor(NOW - timedelta(days=days), NOW) == pytest.approx(factor)


@proves("U3-5")
def test_six_tenths_are_for_how_lately_and_four_for_how_often():
    assert compute_score(1.0, 0.0) == pytest.approx(0.6)
    assert compute_score(0.0, 1.0) == pytest.approx(0.4)
    assert compute_score(0.5, 0.25) == pytest.approx(0.4)


@proves("U3-5")
def test_up_to_four_fifths_of_the_budget_nothing_is_archived():
    items = [item(str(number), tokens=8_000) for number in range(10)]

    assert prune_items(items) == []
    assert prune_items([*items, item("one more", score=0.1)]) != []


@proves("U3-5")
def test_the_lowest_fifth_of_the_active_ones_is_archived():
    items = [item(f"{number:02}", score=number / 10, tokens=10_000) for number in range(10)]

    assert [each.name for each in prune_items(items)] == ["00", "01"]


def test_archived_items_neither_fill_the_budget_nor_are_archived_again():
    items = [item(f"{number:02}", tokens=10_000, status="archived") for number in range(20)]

    assert prune_items(items) == []


def test_one_item_that_fills_everything_is_archived_alone():
    [lowest] = prune_items([item("huge", tokens=90_000), item("lesser", score=0.1)])

    assert lowest.name == "lesser"
