"""What people say of discoveries: kept in both databases, and obeyed by the index and by what agents are given."""

from datetime import UTC, datetime, timedelta

import pytest

from fieldguide.discoveries.discovery import ARCHIVED, CONFIRMED, OPEN, DiscoveryRepository, new_discovery
from fieldguide.discoveries.indexing import DISCOVERIES, index_discoveries, record, review
from fieldguide.discoveries.reviewing import Finding, Review, ReviewRepository, Wanted, hash_of
from fieldguide.spine.answers.stale_places import StalePlace
from fieldguide.staleness.ties.upkeep import as_text
from tests.proves import proves
from tests.search.engines import SqlitePlace

NOW = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
PROJECT = "garden|"
AT = "2026-05-06T07:08:09Z"


@pytest.fixture
def engine(tmp_path):
    place = SqlitePlace(tmp_path / "index.db")
    yield place.open()
    place.close()


def held(engine):
    return sum(each.documents for each in engine.sources(DISCOVERIES))


@proves("Z-72")
def test_what_is_archived_leaves_the_index_and_the_latest_and_comes_back(database, engine):
    found = new_discovery("rule", "Water the beds at dawn.")
    record(database, engine, PROJECT, found)
    record(database, engine, PROJECT, new_discovery("rule", "Weed the paths."))

    review(database, engine, PROJECT, found.id, Review(ARCHIVED, AT, "ann"))
    index_discoveries(database, engine, PROJECT)
    archived = held(engine)
    with database.reading() as transaction:
        latest = DiscoveryRepository(transaction, PROJECT).latest(10)
        kept = DiscoveryRepository(transaction, PROJECT).find(found.id)
    review(database, engine, PROJECT, found.id, Review(OPEN, AT, "ann"))

    assert archived == 1
    assert [each.content for each in latest] == ["Weed the paths."]
    assert kept is not None
    assert (kept.review, kept.reviewed_at, kept.reviewed_by) == (ARCHIVED, AT, "ann")
    assert held(engine) == 2


@proves("Z-72")
def test_a_review_of_what_is_not_there_says_so(database, engine):
    assert review(database, engine, PROJECT, "nothing", Review(CONFIRMED, AT, "ann")) is None


@proves("Z-71")
def test_discoveries_are_paged_by_state_kind_and_words(database):
    with database.writing() as transaction:
        repository = DiscoveryRepository(transaction, PROJECT)
        for number in range(5):
            at = NOW + timedelta(minutes=number)
            repository.add(new_discovery("rule", f"Rule {number} of 100%", module="beds", at=at))
        repository.add(new_discovery("issue", "Frost", at=NOW))
        DiscoveryRepository(transaction, "another|").add(new_discovery("rule", "Not ours", at=NOW))

    with database.reading() as transaction:
        reviews = ReviewRepository(transaction, PROJECT)
        page = reviews.page(Wanted(type="rule", limit=2, offset=2))

        assert [each.content for each in page] == ["Rule 2 of 100%", "Rule 1 of 100%"]
        assert reviews.count(Wanted()) == 6
        assert reviews.count(Wanted(words="BEDS")) == 5
        assert reviews.count(Wanted(words="100%")) == 5
        assert reviews.count(Wanted(words="1_0")) == 0
        assert reviews.counts() == {OPEN: 6, CONFIRMED: 0, ARCHIVED: 0}


@proves("Z-72")
def test_what_was_confirmed_is_stale_again_only_when_something_else_changes():
    place = StalePlace("finding://1", 0, "src/a.py", "path", "gone")
    other = place._replace(says="src/b.py")
    found = new_discovery("rule", "It is in `src/a.py`.", at=NOW)
    confirmed = found._replace(review=CONFIRMED, reviewed_at=AT, reviewed_stale=hash_of([place]))

    assert Finding(found, stale=(place,)).is_stale
    assert not Finding(confirmed, stale=(place,)).is_stale
    assert Finding(confirmed, stale=(place, other)).is_stale
    assert not Finding(confirmed).is_stale
    assert as_text(confirmed).moment == AT
