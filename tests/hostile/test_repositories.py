"""A strange repository is data: whatever is in it, nothing outside is touched, nobody called, and the server lives."""

import json
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress

import pytest

from tests.hostile.repositories import BUILDERS, FORGED, hot_journal_for, small_database
from tests.hostile.world import CANARY, World
from tests.processes import PATIENCE_SECONDS
from tests.raw_client import RawClient
from tests.raw_http import INITIALIZE, ask
from tests.servers import FIELDGUIDE, http_server

COMMANDS = (
    ("index",),
    ("status",),
    ("doctor",),
    ("find", "words"),
    ("brief", "words"),
    ("documents", "sync"),
    ("documents", "list"),
    ("check",),
    ("status", "--overview"),
    ("call",),
)
CALLS: tuple[tuple[str, dict[str, str]], ...] = (
    ("documents_list_collections", {}),
    ("documents_search", {"query": "words to search for"}),
    ("context_search", {"query": "what was decided"}),
    ("read_file", {"path": "docs/guide.md"}),
    ("read_file", {"path": "linked/diary.md"}),
    ("grep_codebase", {"pattern": "CANARY"}),
    ("search-architecture", {"query": "decision"}),
    ("check-adr-alignment", {"decision_description": "We will use spaces", "decision_context": "We need some"}),
    ("validate-against-pattern", {"pattern_name": "bomb", "code": " " * 50_000, "language": "python"}),
    ("list_tasks", {"user_id": "ann"}),
    ("directive/files.list", {}),
)


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path)
    yield made
    made.close()


@pytest.fixture(params=sorted(BUILDERS))
def hostile(request, world):
    BUILDERS[request.param](world)
    return world


def run_all(world: World) -> dict[str, str]:
    """Every command at once, as a person would type them in the clone; what they printed."""
    running = {
        " ".join(words): subprocess.Popen(
            [FIELDGUIDE, *words],
            cwd=world.repository,
            env=world.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        for words in COMMANDS
    }
    until = time.monotonic() + PATIENCE_SECONDS
    return {
        name: process.communicate(timeout=max(1.0, until - time.monotonic()))[0].decode(errors="replace")
        for name, process in running.items()
    }


def test_no_command_touches_anything_outside_or_calls_anybody(hostile):
    printed = run_all(hostile)

    assert hostile.harm() == []
    assert [name for name, text in printed.items() if CANARY in text or "Traceback" in text] == []
    assert not (hostile.repository / "imported").exists()
    assert [name for name, text in printed.items() if any(mark in text for mark in ("\x1b", "\x07", "\x9b"))] == []


def test_a_server_touches_nothing_outside_answers_on_and_ends_in_time(hostile):
    with RawClient(hostile.repository, extra_environment=hostile.environment()).ready() as client:
        asked = [client.submit("tools/call", name=name, arguments=arguments) for name, arguments in CALLS]
        asked += [client.submit(method) for method in ("resources/list", "prompts/list", "tools/list")]
        asked.append(client.submit("resources/read", uri="context://project/overview"))
        pongs = [client.request("ping")["result"] for _ in range(3)]
        answers = [client.answer(number) for number in asked]
        client.process.send_signal(signal.SIGTERM)
        client.process.wait(30)  # who opened a pipe or ran a program of these repositories would wait for ever

    assert hostile.harm() == []
    assert CANARY not in json.dumps(answers)
    assert FORGED not in json.dumps(answers)
    assert not (hostile.repository / "imported").exists()
    assert pongs == [{}] * 3


def test_over_http_nothing_outside_is_touched(world):
    BUILDERS["settings with power"](world)
    with http_server(world.repository, extra_environment=world.environment()) as url:
        session = {"Mcp-Session-Id": ask(url, INITIALIZE).headers["mcp-session-id"]}
        answers = [ask(url, message("tools/call", name=name, arguments=given), **session) for name, given in CALLS]
        pong = ask(url, message("ping"), **session)
    told = "".join(answer.text for answer in answers)

    assert world.harm() == []
    assert CANARY not in told
    assert FORGED not in told
    assert {answer.status for answer in (*answers, pong)} == {200}


def message(method, **params):
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def test_the_journal_that_deletes_is_a_real_one(world):
    path = world.repository / "index.db"
    small_database(path)
    (world.repository / "index.db-journal").write_bytes(hot_journal_for(world.victim))

    with closing(sqlite3.connect(path)) as connection, suppress(sqlite3.Error):
        connection.execute("SELECT * FROM x").fetchall()

    assert not world.victim.exists()


def test_what_a_repository_asks_for_is_told_by_name(world):
    BUILDERS["collections outside"](world)
    (world.repository / "docs").unlink()
    BUILDERS["settings with power"](world)

    printed = run_all(world)

    for name in ("status", "doctor"):
        ignored = next(line for line in printed[name].splitlines() if ": ignored, because" in line)
        for what in ("database", "user", "[search]", "http"):
            assert what in ignored, (name, what)
        assert "evil@127" not in printed[name]
    assert "outside of the project, so left out: home, ssh, up" in printed["doctor"]


def test_python_m_imports_nothing_from_the_clone(world):
    BUILDERS["modules and programs"](world)

    done = subprocess.run(
        [sys.executable, "-m", "fieldguide", "status"],
        cwd=world.repository,
        env=world.environment(),
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stderr
    assert not (world.repository / "imported").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("init", "--yes"),
        ("init", "directive"),
        ("patterns", "add", "error-handling"),
        ("documents", "add", "more", "more"),
    ],
    ids=" ".join,
)
def test_a_command_that_writes_into_the_project_follows_no_link_out_of_it(world, words):
    (world.repository / "more").mkdir()
    for name in (".context", "directive", "mcp"):
        (world.repository / name).symlink_to(world.home)
    (world.repository / "context.json").symlink_to(world.home / "collections.json")

    done = subprocess.run([FIELDGUIDE, *words], cwd=world.repository, env=world.environment(), capture_output=True)

    assert done.returncode in (1, 2)
    assert world.harm() == []
