"""Whose task it is: nobody sees, changes or even suspects another user's tasks, by any of the five tools."""

import json
from typing import Any

import pytest

from tests.proves import proves
from tests.raw_client import RawClient

TASKS = ("--toolsets", "tasks")
ALL_FIVE: dict[str, dict[str, Any]] = {
    "add_task": {"title": "x"},
    "list_tasks": {},
    "complete_task": {"task_id": 3},
    "delete_task": {"task_id": 3},
    "update_task": {"task_id": 3, "title": "x"},
}
ON_ONE_TASK = [
    ("complete_task", {}),
    ("delete_task", {}),
    ("update_task", {"title": "Taken over"}),
    ("update_task", {"description": "Taken over"}),
]


@pytest.fixture
def client(project, database_flags):
    with RawClient(project.root, *TASKS, *database_flags).ready() as client:
        yield client


def told(client, tool, **arguments):
    return json.loads(client.call(tool, **arguments)["content"][0]["text"])


def line(client, tool, **arguments):
    """The answer as the bytes that came, under an id that is always the same."""
    params = {"name": tool, "arguments": arguments}
    client.send({"jsonrpc": "2.0", "id": "same", "method": "tools/call", "params": params})
    return client.receive_line()


@proves("S1-40")
def test_task_42_of_user_a_is_not_found_by_user_b_and_stays(client):
    for number in range(1, 43):
        told(client, "add_task", user_id="user_A", title=f"Task {number}")

    result = client.call("delete_task", user_id="user_B", task_id=42)

    assert json.loads(result["content"][0]["text"]) == {"error": "Task not found", "task_id": 42}
    assert "another user" not in json.dumps(result)
    assert told(client, "list_tasks", user_id="user_A")[0] == {
        "id": 42,
        "title": "Task 42",
        "description": None,
        "completed": False,
    }


@proves("S1-33", "S1-39", "S1-49", "S1-61")
@pytest.mark.each_database
def test_another_users_task_and_none_are_answered_with_the_same_bytes(client):
    task = told(client, "add_task", user_id="ann", title="Ann's own")["task_id"]

    for tool, more in ON_ONE_TASK:
        theirs, none = (line(client, tool, user_id="bob", task_id=number, **more) for number in (task, 987))
        assert theirs == none.replace(b"987", str(task).encode())


@proves("S1-64", "S1-4", "S1-55", "S1-63")
@pytest.mark.each_database
def test_none_of_the_five_tools_reaches_another_users_tasks(client):
    for title in ("Ann's first", "Ann's second", "Ann's own"):
        told(client, "add_task", user_id="ann", title=title, description="Secret")
    nothing_of_bobs = line(client, "list_tasks", user_id="bob")
    before = line(client, "list_tasks", user_id="ann")

    answers = [line(client, tool, user_id="bob", **arguments) for tool, arguments in ALL_FIVE.items()]

    assert nothing_of_bobs == b'{"jsonrpc":"2.0","id":"same","result":{"content":[{"type":"text","text":"[]"}]}}'
    assert line(client, "list_tasks", user_id="ann") == before
    assert not any(b"Ann" in answer or b"Secret" in answer for answer in answers)
    assert [task["title"] for task in told(client, "list_tasks", user_id="bob")] == ["x"]


@proves("S1-64")
@pytest.mark.each_database
def test_users_that_only_look_alike_are_not_the_same(client):
    users = ["ann", "Ann", "ann ", " ann", "añn", "an\u0303n", "ann%", "' OR ''='", "*", "ann\n"]

    for user in users:
        told(client, "add_task", user_id=user, title=f"Of {user!r}")

    for user in users:
        assert [task["title"] for task in told(client, "list_tasks", user_id=user)] == [f"Of {user!r}"]
    assert told(client, "list_tasks", user_id="ANN") == []


@proves("D-11", "S1-4")
@pytest.mark.each_database
def test_a_bound_server_acts_for_its_user_alone(project, database_flags):
    with RawClient(project.root, *TASKS, *database_flags).ready() as free:
        for title in ("Ann's first", "Ann's second", "Ann's own"):
            told(free, "add_task", user_id="ann", title=title)
        bobs = told(free, "add_task", user_id="bob", title="Bob's own")["task_id"]

    with RawClient(project.root, *TASKS, *database_flags, "--user", "bob").ready() as bound:
        left_out = line(bound, "list_tasks")
        named = line(bound, "list_tasks", user_id="bob")
        denied = [line(bound, tool, user_id="ann", **given) for tool, given in ALL_FIVE.items()]
        odd = [line(bound, tool, user_id=5, **given) for tool, given in ALL_FIVE.items()]
        empty = [line(bound, tool, user_id="", **given) for tool, given in ALL_FIVE.items()]
        not_yours = told(bound, "complete_task", task_id=3)
        added = told(bound, "add_task", title="Bob's second")
        completed = told(bound, "complete_task", task_id=bobs)
        updated = told(bound, "update_task", task_id=bobs, title="Bob's first")
        deleted = told(bound, "delete_task", task_id=added["task_id"])

    assert left_out == named
    assert b"Bob's own" in left_out
    assert b"Ann's own" not in left_out
    assert len({*denied, *odd, *empty}) == 1
    assert json.loads(denied[0])["result"] == {
        "content": [{"type": "text", "text": '{"error":"Access denied"}'}],
        "isError": True,
    }
    assert not_yours == {"error": "Task not found", "task_id": 3}
    assert [each["status"] for each in (added, completed, updated, deleted)] == [
        "created",
        "completed",
        "updated",
        "deleted",
    ]
    with RawClient(project.root, *TASKS, *database_flags).ready() as free:
        assert len(told(free, "list_tasks", user_id="ann")) == 3
        assert [task["title"] for task in told(free, "list_tasks", user_id="bob")] == ["Bob's first"]
