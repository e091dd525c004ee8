"""Work sessions: what a connection looked at is kept beside its answers, and found when it has ended."""

import sqlite3
from contextlib import closing, suppress

import pytest
from anyio.from_thread import start_blocking_portal

from tests.clients import http_client
from tests.context_wires import ask_by_command, ask_over_http, ask_over_stdio, write_code
from tests.processes import eventually
from tests.proves import proves
from tests.servers import http_server

FLAGS = ("--toolsets", "context,guide")
SESSION = "SELECT id, status, topics, tool_calls, ended_at FROM work_session ORDER BY started_at"
FILES = "SELECT session_id, path, access_count FROM work_session_file ORDER BY path"
ITEMS = "SELECT type, name, access_count, tokens, status, last_accessed_at FROM context_item ORDER BY name"


@pytest.fixture
def code(project):
    write_code(project)
    return project


def rows(project, sql):
    """What the database holds; nothing while the server has not made its tables yet."""
    with (
        suppress(sqlite3.OperationalError),
        closing(sqlite3.connect(f"file:{project.state / 'fieldguide.db'}?mode=ro", timeout=10, uri=True)) as connection,
    ):
        return connection.execute(sql).fetchall()
    return []


@proves("U3-3", "U3-2", "S3-36")
def test_a_session_ends_with_its_connection_and_keeps_what_it_looked_at(code):
    with ask_over_stdio(code) as ask:
        for path in ("src/server/auth/AuthService.ts", "src/server/auth/AuthService.ts", ".gitignore"):
            ask("read_file", path=path)
        ask("read_file", path="nowhere.ts")
        ask("guide_record", type="rule", content="Callers must hold the lock", module="users")

    [(session, status, topics, calls, ended)] = rows(code, SESSION)
    assert (status, topics, calls) == ("completed", '["auth", ".gitignore", "users"]', 4)
    assert ended is not None
    assert rows(code, FILES) == [(session, ".gitignore", 1), (session, "src/server/auth/AuthService.ts", 2)]
    assert rows(code, "SELECT session_id, type, module FROM discovery") == [(session, "rule", "users")]


@proves("S3-36", "U3-2")
def test_each_look_at_a_file_is_counted_in_the_context_items(code):
    ask = ask_by_command(code)
    ask("read_file", path="src/index.ts")
    [(kind, name, uses, tokens, status, first)] = rows(code, ITEMS)
    ask("read_file", path="src/index.ts")

    [(*_, again)] = rows(code, ITEMS)

    assert (kind, name, uses, status) == ("file", "src/index.ts", 1, "active")
    assert tokens == len((code.root / "src" / "index.ts").read_text("utf-8")) // 4
    assert rows(code, "SELECT access_count FROM context_item") == [(2,)]
    assert again > first


@proves("S3-37")
def test_an_answer_does_not_wait_for_what_is_recorded(code):
    with ask_over_stdio(code) as ask:
        ask("guide_record", type="rule", content="So that there is a database")
        with closing(sqlite3.connect(code.state / "fieldguide.db")) as connection:
            connection.execute("BEGIN IMMEDIATE")

            assert ask("read_file", path="src/index.ts").value["file"]["lines"] == 5
            assert connection.execute("SELECT COUNT(*) FROM context_item").fetchone() == (0,)

            connection.rollback()
        assert eventually(lambda: rows(code, "SELECT score FROM context_item") == [(1.0,)])


@proves("U3-3")
def test_requests_of_the_new_era_over_http_belong_to_one_session(code):
    with http_server(code.root, *FLAGS) as url, start_blocking_portal() as portal:
        for _ in range(2):
            with portal.wrap_async_context_manager(http_client(url, mode="auto")) as client:
                for path in ("src/index.ts", ".gitignore"):
                    portal.call(client.call_tool, "read_file", {"path": path})
        assert eventually(lambda: [row[3] for row in rows(code, SESSION)] == [4])

    [(_, status, _, calls, _)] = rows(code, SESSION)
    assert (status, calls) == ("completed", 4)


@proves("U3-3")
def test_calls_from_the_command_line_within_half_an_hour_are_one_session(code):
    for path in ("src/index.ts", ".gitignore"):
        ask_by_command(code)("read_file", path=path)

    [(_, status, _, calls, _)] = rows(code, SESSION)
    assert (status, calls) == ("active", 2)


@proves("U3-3", "U3-4", "S3-16")
def test_a_session_that_ended_is_found_and_invents_no_discovery(code):
    with ask_over_http(code) as ask:
        ask("read_file", path="src/server/users/UserRepository.ts")
        ask("guide_record", type="decision", content="We decided to keep records plain. Rule: must always be so.")

    found = ask_by_command(code)("context_search", query="session about users", limit=20).value["results"]

    [session] = [item for item in found if item["source"] == "session"]
    assert session["content"].startswith("Topics: users\nFiles: src/server/users/UserRepository.ts\n")
    [discovery] = [item for item in found if item["source"] == "discovery"]
    assert (discovery["session"], discovery["type"]) == (session["id"], "decision")
