"""Sessions in the database: one runs for each connection, until it is idle or over."""

from datetime import UTC, datetime, timedelta

import pytest

from fieldguide.knowledge.findings.finding import FindingRepository, create_finding
from fieldguide.knowledge.findings.sessions import FileAccess, SessionRepository, write_topics
from tests.proves import proves

NOW = datetime(2026, 3, 4, 5, 6, 7, 8, tzinfo=UTC)
IDLE = timedelta(minutes=30)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def sessions(database):
    with database.writing() as transaction:
        yield SessionRepository(transaction, "garden|")


@proves("U3-2", "U3-3")
def test_a_session_counts_its_calls_and_files(sessions):
    session = sessions.touch("c1", user="ann", now=NOW)
    sessions.access(session, "b.py", now=NOW)
    assert sessions.touch("c1", user="ann", now=NOW + MINUTE) == session
    sessions.access(session, "a.py", now=NOW + MINUTE)
    sessions.access(session, "b.py", now=NOW + MINUTE)

    [found] = sessions.recent(10)

    assert (found.id, found.user, found.status, found.tool_calls) == (session, "ann", "active", 2)
    assert (found.started_at, found.active_at, found.ended_at) == (NOW, NOW + MINUTE, None)
    assert (found.topics, found.discoveries, found.seconds) == ([], 0, 60)
    assert found.files == (FileAccess("b.py", 2, NOW, NOW + MINUTE), FileAccess("a.py", 1, NOW + MINUTE, NOW + MINUTE))


@proves("U3-3")
def test_half_an_hour_without_a_call_ends_a_session_and_the_next_call_begins_another(sessions):
    first = sessions.touch("c1", user=None, now=NOW)

    within = sessions.touch("c1", user=None, now=NOW + IDLE)
    after = sessions.touch("c1", user=None, now=NOW + 2 * IDLE + MINUTE)

    assert within == first != after
    [ended] = sessions.unindexed("", 10)
    assert (ended.id, ended.status, ended.ended_at) == (first, "completed", NOW + IDLE)
    active = sessions.active(NOW + 2 * IDLE + MINUTE)
    assert active is not None
    assert active.id == after


@proves("U3-3")
def test_a_session_that_is_idle_is_not_told_as_the_current_one(sessions):
    sessions.touch("c1", user=None, now=NOW)

    assert sessions.active(NOW + IDLE) is not None
    assert sessions.active(NOW + IDLE + MINUTE) is None


@proves("U3-3")
def test_connections_have_sessions_of_their_own_and_end_alone(sessions):
    one, two = (sessions.touch(connection, user=None, now=NOW) for connection in ("c1", "c2"))

    sessions.end(["c1", "unknown"], now=NOW + MINUTE)

    assert one != two
    assert [(each.id, each.ended_at) for each in sessions.unindexed("", 10)] == [(one, NOW + MINUTE)]
    assert sessions.touch("c2", user=None, now=NOW + MINUTE) == two


@proves("U3-3")
def test_a_session_is_archived_after_a_week_and_kept(sessions):
    session = sessions.touch("c1", user=None, now=NOW)
    sessions.end(["c1"], now=NOW)

    sessions.close_idle(now=NOW + timedelta(days=7))
    assert [each.status for each in sessions.unindexed("", 10)] == ["completed"]
    sessions.close_idle(now=NOW + timedelta(days=7, seconds=1))

    assert [(each.id, each.status) for each in sessions.unindexed("", 10)] == [(session, "archived")]


def test_closing_says_whether_any_session_ended(sessions):
    sessions.touch("c1", user=None, now=NOW)

    assert sessions.close_idle(now=NOW + IDLE) is False
    assert sessions.close_idle(now=NOW + IDLE + MINUTE) is True
    assert sessions.close_idle(now=NOW + IDLE + MINUTE) is False


def test_the_latest_sessions_come_first_and_projects_do_not_see_each_other(database):
    with database.writing() as transaction:
        garden, orchard = (SessionRepository(transaction, name) for name in ("garden|", "orchard|"))
        for minutes in range(3):
            garden.touch(f"c{minutes}", user=None, now=NOW + minutes * MINUTE)
        other = orchard.touch("c0", user=None, now=NOW)

        assert [each.started_at - NOW for each in garden.recent(2)] == [2 * MINUTE, MINUTE]
        assert [each.id for each in orchard.recent(10)] == [other]


@proves("U3-2", "U3-3", "U3-4")
def test_a_session_that_ended_is_given_topics_and_keeps_its_discoveries(database):
    with database.writing() as transaction:
        sessions = SessionRepository(transaction, "garden|")
        discoveries = FindingRepository(transaction, "garden|")
        session = sessions.touch("c1", user=None, now=NOW)
        running = sessions.touch("c2", user=None, now=NOW)
        for each in (session, running):
            sessions.access(each, "src/auth/service.py", now=NOW)
        discoveries.add(create_finding("rule", "Hold the lock. Rule: always.", module="locks", session=session))
        sessions.end(["c1"], now=NOW)

        write_topics(transaction, "garden|", lambda path: None)

        found = {each.id: each for each in sessions.recent(10)}
        assert (found[session].topics, found[session].discoveries) == (["auth", "locks"], 1)
        assert (found[running].topics, found[running].discoveries) == ([], 0)
        assert discoveries.count() == 1
