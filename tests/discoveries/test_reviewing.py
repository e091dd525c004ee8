"""What people say of discoveries: kept in both databases, and obeyed by the index and by what agents are given."""

from datetime import UTC, datetime, timedelta

import pytest

from fieldguide.knowledge.findings.finding import (
    ARCHIVED,
    CONFIRMED,
    OPEN,
    FindingQuery,
    FindingRepository,
    FindingReview,
    ReviewedFinding,
    ReviewRepository,
    create_finding,
    hash_stale_places,
)
from fieldguide.knowledge.findings.indexing import FINDING_SOURCES, index_findings, record_finding, review_finding
from fieldguide.knowledge.links.stale import to_unfiled_text
from fieldguide.text.citation import StalePlace
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
    return sum(each.documents for each in engine.sources(FINDING_SOURCES))


@proves("Z-72")
def test_what_is_archived_leaves_the_index_and_the_latest_and_comes_back(database, engine):
    found = create_finding("rule", "Water the beds at dawn.")
    record_finding(database, engine, PROJECT, found)
    record_finding(database, engine, PROJECT, create_finding("rule", "Weed the paths."))

    review_finding(database, engine, PROJECT, found.id, FindingReview(ARCHIVED, AT, "ann"))
    index_findings(database, engine, PROJECT)
    archived = held(engine)
    with database.reading() as transaction:
        latest = FindingRepository(transaction, PROJECT).latest(10)
        kept = FindingRepository(transaction, PROJECT).find(found.id)
    review_finding(database, engine, PROJECT, found.id, FindingReview(OPEN, AT, "ann"))

    assert archived == 1
    assert [each.content for each in latest] == ["Weed the paths."]
    assert kept is not None
    assert (kept.review, kept.reviewed_at, kept.reviewed_by) == (ARCHIVED, AT, "ann")
    assert held(engine) == 2


@proves("Z-72")
def test_a_review_of_what_is_not_there_says_so(database, engine):
    assert review_finding(database, engine, PROJECT, "nothing", FindingReview(CONFIRMED, AT, "ann")) is None


@proves("Z-71")
def test_discoveries_are_paged_by_state_kind_and_words(database):
    with database.writing() as transaction:
        repository = FindingRepository(transaction, PROJECT)
        for number in range(5):
            at = NOW + timedelta(minutes=number)
            repository.add(create_finding("rule", f"Rule {number} of 100%", module="beds", at=at))
        repository.add(create_finding("issue", "Frost", at=NOW))
        FindingRepository(transaction, "another|").add(create_finding("rule", "Not ours", at=NOW))

    with database.reading() as transaction:
        reviews = ReviewRepository(transaction, PROJECT)
        page = reviews.page(FindingQuery(type="rule", limit=2, offset=2))

        assert [each.content for each in page] == ["Rule 2 of 100%", "Rule 1 of 100%"]
        assert reviews.count(FindingQuery()) == 6
        assert reviews.count(FindingQuery(words="BEDS")) == 5
        assert reviews.count(FindingQuery(words="100%")) == 5
        assert reviews.count(FindingQuery(words="1_0")) == 0
        assert reviews.counts() == {OPEN: 6, CONFIRMED: 0, ARCHIVED: 0}


@proves("Z-72")
def test_what_was_confirmed_is_stale_again_only_when_something_else_changes():
    place = StalePlace("finding://1", 0, "src/a.py", "path", "gone")
    other = place._replace(says="src/b.py")
    found = create_finding("rule", "It is in `src/a.py`.", at=NOW)
    confirmed = found._replace(review=CONFIRMED, reviewed_at=AT, reviewed_stale=hash_stale_places([place]))

    assert ReviewedFinding(found, stale=(place,)).is_stale
    assert not ReviewedFinding(confirmed, stale=(place,)).is_stale
    assert ReviewedFinding(confirmed, stale=(place, other)).is_stale
    assert not ReviewedFinding(confirmed).is_stale
    assert to_unfiled_text(confirmed).moment == AT
