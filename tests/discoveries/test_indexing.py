"""Discoveries and sessions in the index: only what is new is read, and whatever was lost is found again."""

from datetime import UTC, datetime, timedelta

import pytest

from fieldguide.knowledge.findings.finding import FindingRepository, create_finding
from fieldguide.knowledge.findings.indexing import index_findings, index_sessions, record_finding
from fieldguide.knowledge.findings.sessions import SessionRepository
from tests.search.engines import SqlitePlace

NOW = datetime(2026, 3, 4, 5, 6, 7, 8, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
PROJECT = "garden|"


@pytest.fixture
def place(tmp_path):
    place = SqlitePlace(tmp_path / "index.db")
    yield place
    place.close()


@pytest.fixture
def engine(place):
    return place.open()


def end_sessions(database, numbers):
    with database.writing() as transaction:
        sessions = SessionRepository(transaction, PROJECT)
        for number in numbers:
            at = NOW + number * MINUTE
            session = sessions.touch(f"c{number}", user="ann" if number % 2 else None, now=at)
            sessions.access(session, f"src/{number}.py", now=at)
            sessions.access(session, "src/all.py", now=at)
        sessions.end([f"c{number}" for number in numbers], now=NOW)


def held(engine, kind):
    return sum(source.documents for source in engine.sources(kind))


def test_an_index_that_was_deleted_gets_everything_again(database, engine, tmp_path):
    end_sessions(database, range(5))
    index_sessions(database, engine, PROJECT)
    another = SqlitePlace(tmp_path / "another.db")

    assert index_sessions(database, another.open(), PROJECT) == 5
    assert index_sessions(database, another.open(), PROJECT) == 0

    another.close()


def test_a_discovery_that_the_index_never_got_is_found_by_the_next_pass(database, engine, monkeypatch):
    record_finding(database, engine, PROJECT, create_finding("rule", "Hold the lock", at=NOW))
    monkeypatch.setattr(engine, "put", killed)
    with pytest.raises(KeyboardInterrupt):
        record_finding(database, engine, PROJECT, create_finding("rule", "Let it go", at=NOW))
    monkeypatch.undo()
    assert held(engine, "discoveries") == 1

    assert index_findings(database, engine, PROJECT) == 1

    assert held(engine, "discoveries") == 2
    assert index_findings(database, engine, PROJECT) == 0


def test_a_discovery_that_was_forgotten_leaves_the_index(database, engine):
    wrong, right = create_finding("rule", "Hold it", at=NOW), create_finding("issue", "It hangs", at=NOW)
    for each in (wrong, right):
        record_finding(database, engine, PROJECT, each)
    with database.writing() as transaction:
        FindingRepository(transaction, PROJECT).remove(wrong.id)

    index_findings(database, engine, PROJECT)

    assert {source.name: source.documents for source in engine.sources("discoveries")} == {"issue\n": 1, "rule\n": 0}


def killed(*arguments):
    raise KeyboardInterrupt
