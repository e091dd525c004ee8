"""The task tools on every wire and in both eras: the same JSON everywhere, and an array only where it is allowed."""

import json
import urllib.error
import urllib.request
from contextlib import closing
from typing import Any

import pytest

from fieldguide.app import build_app
from fieldguide.settings.config import read_settings
from fieldguide.toolsets.tasks.repository import PostgreSQLTaskRepository
from tests.proves import proves
from tests.raw_client import MODERN, RawClient
from tests.servers import AUTHORIZATION, environment, http_server, run

TASKS = ("--toolsets", "tasks")
INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "tests", "version": "0"},
}
ASKED_OF_EVERY_WIRE: list[tuple[str, dict[str, Any]]] = [
    ("list_tasks", {"user_id": "ann"}),
    ("complete_task", {"user_id": "ann", "task_id": 1}),
    ("update_task", {"user_id": "ann", "task_id": 1, "description": "Both pots 🦊"}),
    ("list_tasks", {"user_id": "ann", "status": "completed"}),
    ("list_tasks", {"user_id": "ann", "status": "done"}),
    ("delete_task", {"user_id": "bob", "task_id": 1}),
    ("add_task", {"user_id": "ann", "title": ""}),
    ("add_task", {"user_id": 5, "title": "x"}),
    ("update_task", {"user_id": "ann", "task_id": 1}),
    ("complete_task", {"user_id": "ann", "task_id": 2**70}),
]


def post(url, method, params, session=None):
    """A request over HTTP: its result, and the session that it opened."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    request = urllib.request.Request(url, data=body, headers=AUTHORIZATION)
    request.add_header("accept", "application/json, text/event-stream")
    request.add_header("content-type", "application/json")
    if session is not None:
        request.add_header("mcp-session-id", session)
    with urllib.request.urlopen(request, timeout=60) as response:
        text = response.read().decode()
        return json.loads(text.partition("data: ")[2] or text)["result"], response.headers["mcp-session-id"]


def run_command(project, tool, arguments, *flags):
    done = run("call", tool, json.dumps(arguments), "--project", project.root, "--json", *flags, code=None)
    assert done.stderr == ""
    return done.returncode, json.loads(done.stdout)


@proves("S1-65", "S1-66")
@pytest.mark.each_database
def test_stdio_http_and_the_command_line_give_the_same_json(project, database_flags):
    flags = (*TASKS, *database_flags)
    with RawClient(project.root, *flags).ready() as client:
        added = client.call("add_task", user_id="ann", title="Water the ferns")
        client.call("complete_task", user_id="ann", task_id=1)
        client.call("update_task", user_id="ann", task_id=1, description="Both pots 🦊")
        over_stdio = [client.call(tool, **arguments) for tool, arguments in ASKED_OF_EVERY_WIRE]

    with http_server(project.root, *flags) as url:
        _, session = post(url, "initialize", INITIALIZE)
        over_http = [
            post(url, "tools/call", {"name": tool, "arguments": arguments}, session)[0]
            for tool, arguments in ASKED_OF_EVERY_WIRE
        ]
        added_over_http, _ = post(
            url,
            "tools/call",
            {"name": "add_task", "arguments": {"user_id": "eve", "title": "Water the ferns"}},
            session,
        )
    called = [run_command(project, tool, arguments, *flags) for tool, arguments in ASKED_OF_EVERY_WIRE]

    by_command = [result for _, result in called]
    assert json.dumps(over_http) == json.dumps(over_stdio)
    assert json.dumps(by_command) == json.dumps(over_stdio)
    assert [code for code, _ in called] == [1 if result.get("isError") else 0 for result in over_stdio]
    assert [result.get("isError", False) for result in over_stdio] == [False] * 4 + [True] * 6
    task_id = 1 if "--database" in database_flags else 2  # PostgreSQL counts for each user
    assert json.loads(added_over_http["content"][0]["text"]) == {**added["structuredContent"], "task_id": task_id}


def keep_many(project, flags, count):
    """Tasks of Ann's, every third one completed, more than an answer's usual limit."""
    given = {"project": str(project.root), "toolsets": ("tasks",), "database": flags[1] if flags else None}
    app = build_app(read_settings(given, environment()), write_journal=lambda lines: None)
    with closing(app.database) as database, database.writing() as session:
        repository = PostgreSQLTaskRepository(session, "ann")
        for number in range(1, count + 1):
            task = repository.add(f"Task {number}", f"Water the ferns 漢 {number}")
            if number % 3 == 0:
                repository.update(task.id, {"completed": True})


@proves("S1-25", "S1-26", "D-40")
def test_thousands_of_tasks_are_listed_whole_on_every_wire(project, database_flags):
    count, flags = 3_000, (*TASKS, *database_flags)
    keep_many(project, database_flags, count)
    asked = [{"user_id": "ann"}, {"user_id": "ann", "status": "pending"}, {"user_id": "ann", "status": "completed"}]

    with RawClient(project.root, *flags).ready() as client:
        over_stdio = [client.call("list_tasks", **arguments) for arguments in asked]
    with http_server(project.root, *flags) as url:
        _, session = post(url, "initialize", INITIALIZE)
        over_http = [
            post(url, "tools/call", {"name": "list_tasks", "arguments": arguments}, session)[0] for arguments in asked
        ]
    code, by_command = run_command(project, "list_tasks", asked[0], *flags)

    assert over_http == over_stdio
    assert (code, by_command) == (0, over_stdio[0])
    assert all(len(result["content"]) == 1 for result in over_stdio)
    everything, pending, completed = (json.loads(result["content"][0]["text"]) for result in over_stdio)
    assert [task["title"] for task in everything] == [f"Task {number}" for number in range(count, 0, -1)]
    assert pending == [task for task in everything if not task["completed"]]
    assert completed == [task for task in everything if task["completed"]]
    assert len(completed) == count // 3


@proves("D-11")
def test_a_user_bound_over_http_is_held_to_as_well_and_no_rest_route_goes_around_it(project):
    with http_server(project.root, *TASKS, "--user", "ann") as url:
        _, session = post(url, "initialize", INITIALIZE)

        def told(tool, **arguments):
            result, _ = post(url, "tools/call", {"name": tool, "arguments": arguments}, session)
            return json.loads(result["content"][0]["text"])

        def page(path, body=None):
            asked = urllib.request.Request(url.removesuffix("/mcp") + path, body, headers=AUTHORIZATION)
            with urllib.request.urlopen(asked, timeout=60) as answer:
                return answer.read().decode()

        own = told("add_task", title="Ann's own")
        denied = told("list_tasks", user_id="bob")
        board = page("/tasks?user=bob&user_id=bob")
        with pytest.raises(urllib.error.HTTPError) as forged:
            page("/tasks", b"title=planted&user=bob")
        with pytest.raises(urllib.error.HTTPError) as missing:
            page("/api/tasks")

    assert own == {"task_id": 1, "status": "created", "title": "Ann's own"}
    assert denied == {"error": "Access denied"}
    assert "Ann&#x27;s own" in board
    assert "bob" not in board
    for refused, code in ((forged, 403), (missing, 404)):
        assert refused.value.code == code
        refused.value.close()


@proves("D-9")
@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_no_handshake_version_is_given_an_array_as_structured_content(project, version):
    with RawClient(project.root, *TASKS) as client:
        client.initialize(version)

        added = client.call("add_task", user_id="ann", title="x")
        tasks = client.call("list_tasks", user_id="ann")

    assert ("structuredContent" in added) is (version >= "2025-06-18")
    assert tasks == {"content": [{"type": "text", "text": tasks["content"][0]["text"]}]}
    assert tasks["content"][0]["text"] == '[{"id":1,"title":"x","description":null,"completed":false}]'


@proves("D-9", "D-33")
def test_the_new_era_is_given_the_array_and_errors_are_flagged_there_too(project):
    with RawClient(project.root, *TASKS) as client:

        def ask(tool, **arguments):
            return client.request("tools/call", name=tool, arguments=arguments, _meta=MODERN)["result"]

        empty = ask("list_tasks", user_id="ann")
        added = ask("add_task", user_id="ann", title="x")
        tasks = ask("list_tasks", user_id="ann")
        error = ask("complete_task", user_id="bob", task_id=1)

    assert (empty["structuredContent"], empty["content"][0]["text"]) == ([], "[]")
    assert added["structuredContent"] == {"task_id": 1, "status": "created", "title": "x"}
    assert tasks["structuredContent"] == [{"id": 1, "title": "x", "description": None, "completed": False}]
    assert json.loads(tasks["content"][0]["text"]) == tasks["structuredContent"]
    assert error["isError"] is True
    assert error["content"] == [{"type": "text", "text": '{"error":"Task not found","task_id":1}'}]
    assert "structuredContent" not in error
