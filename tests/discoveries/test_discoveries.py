"""Discoveries in the database: kept once for each project, newest first."""

from datetime import UTC, datetime, timedelta

import pytest

from fieldguide.knowledge.findings.finding import FindingRepository, create_finding
from fieldguide.text.errors import StorageFailed
from tests.proves import proves

NOW = datetime(2026, 3, 4, 5, 6, 7, 8, tzinfo=UTC)


@pytest.fixture
def repository(database):
    with database.writing() as transaction:
        yield FindingRepository(transaction, "garden|")


@proves("U3-2")
def test_a_discovery_comes_back_as_it_was_kept(repository):
    evidence = {"extractedFrom": "guide_record", "confidence": 0.9, "files": ["ä 🦊.py"]}
    new = create_finding("decision", "Use\nUTC — 🦊", module="auth", session="s1", evidence=evidence, at=NOW)

    repository.add(new)

    assert repository.find(new.id) == new
    assert repository.find("another") is None
    assert repository.of_session("s1") == [new]
    assert repository.of_session("s2") == []


def test_the_same_words_are_kept_once(repository):
    first = repository.add(create_finding("rule", "Hold the lock", at=NOW))

    assert repository.add(create_finding("rule", "hold  THE lock", session="other")) is None
    assert repository.add(create_finding("rule", "Hold the lock", module="auth", at=NOW)) is not None
    assert repository.add(create_finding("issue", "Hold the lock", at=NOW)) is not None
    assert repository.count() == 3
    assert first in repository.all()


def test_the_newest_come_first(repository):
    for days in (2, 0, 1):
        repository.add(create_finding("rule", f"{days} days old", at=NOW - timedelta(days=days)))

    assert [each.content for each in repository.all()] == ["0 days old", "1 days old", "2 days old"]


def test_projects_in_one_database_do_not_see_each_other(database):
    new = create_finding("rule", "Hold the lock")
    with database.writing() as transaction:
        FindingRepository(transaction, "garden|").add(new)
        other = FindingRepository(transaction, "orchard|")

        assert (other.all(), other.count(), other.find(new.id)) == ([], 0, None)
        assert other.add(create_finding("rule", "Hold the lock")) is not None


def test_the_database_refuses_what_is_no_type(database):
    odd = create_finding("rule", "x")._replace(type="idea")

    with pytest.raises(StorageFailed), database.writing() as transaction:
        FindingRepository(transaction, "garden|").add(odd)
