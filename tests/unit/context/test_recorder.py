"""The trace that calls leave, with moments that a test chooses."""

from datetime import UTC, datetime, timedelta

import pytest

from fieldguide.knowledge.findings.sessions import SessionRepository
from fieldguide.storage.database import FINDINGS_SCHEMA
from fieldguide.storage.sqlite import SqliteDatabase
from fieldguide.text.errors import StorageFailed
from fieldguide.toolsets.context.upkeep import AccessedFile, AccessRecorder
from tests.fakes import make_services
from tests.processes import eventually
from tests.proves import proves
from tests.search.engines import SqlitePlace

NOW = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
LATER = NOW + timedelta(minutes=31)


@pytest.fixture
def services(project, tmp_path):
    """What a recorder is given: a database and an index of its own."""
    project.write(".context/project.yaml", "modules: {locks: {keyFiles: [{path: src/spine/lock.py}]}}\n")
    database = SqliteDatabase(lambda: str(tmp_path / "fieldguide.db"), [FINDINGS_SCHEMA], lambda notice: None)
    place = SqlitePlace(tmp_path / "index.db")
    engine = place.open()
    yield make_services(project.root, database=database, engine=lambda: engine)
    place.close()
    database.close()


@pytest.fixture
def recorder(services):
    return AccessRecorder(services)


def look(recorder, path="src/spine/lock.py", *, connection="c1", at=NOW):
    recorder.record(AccessedFile(connection, None, path, 400, at))
    assert eventually(recorder.flush)


def sessions(services):
    with services.database.reading() as transaction:
        return SessionRepository(transaction, services.namespace).recent(10)


def searchable(services):
    return sum(source.documents for source in services.engine().sources("sessions"))


@proves("U3-3")
def test_an_idle_session_gets_its_topics_and_is_made_searchable_by_the_next_look(recorder, services):
    look(recorder)
    assert searchable(services) == 0

    look(recorder, "main.py", connection="c2", at=LATER)

    running, ended = sessions(services)
    assert (running.status, running.topics) == ("active", [])
    assert (ended.status, ended.topics, ended.ended_at) == ("completed", ["locks"], NOW)
    assert searchable(services) == 1


@proves("U3-3")
def test_only_the_sessions_of_this_process_end_with_it(recorder, services):
    another = AccessRecorder(services)
    look(recorder)
    look(another, connection="c2")

    recorder.end_sessions()

    found = {each.status: each for each in sessions(services)}
    assert (found["completed"].topics, found["active"].topics) == (["locks"], [])


def test_a_process_that_recorded_nothing_ends_no_session_and_makes_no_database(recorder, tmp_path):
    recorder.end_sessions()
    was_made = (tmp_path / "fieldguide.db").exists()

    look(recorder)

    assert not was_made
    assert (tmp_path / "fieldguide.db").exists()


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (StorageFailed("The disk is full."), "The disk is full."),
        (ZeroDivisionError("who would have thought"), "ZeroDivisionError: who would have thought"),
    ],
)
def test_what_cannot_be_written_is_told_and_the_next_look_is_recorded(services, error, told):
    notices: list[str] = []
    down = [error]

    class Database:
        def writing(self):
            if down:
                raise down.pop()
            return services.database.writing()

        def reading(self):
            return services.database.reading()

    recorder = AccessRecorder(
        services._replace(database=Database(), note=lambda message, **fields: notices.append(fields["notice"]))
    )
    look(recorder)
    look(recorder)

    assert notices == [f"1 looks at files were not recorded: {told}"]
    assert [each.tool_calls for each in sessions(services)] == [1]


def test_looks_that_come_together_are_written_together(services):
    transactions: list[None] = []

    class Database:
        def writing(self):
            transactions.append(None)
            return services.database.writing()

    recorder = AccessRecorder(services._replace(database=Database()))
    for number in range(20):
        recorder.record(AccessedFile("c1", None, f"{number}.py", 4, NOW))
    assert eventually(recorder.flush)

    assert [each.tool_calls for each in sessions(services)] == [20]
    assert len(transactions) <= 2
