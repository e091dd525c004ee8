"""The task tools as plain functions in one's own process: the words of the wire, and a user that nobody can change."""

import json
from typing import Any

import pytest

from fieldguide import tasks_for
from tests.raw_client import RawClient

NAMES = ["add_task", "complete_task", "delete_task", "list_tasks", "update_task"]
STORY: list[tuple[str, dict[str, Any]]] = [
    ("add_task", {"title": "Bread ’ü 日本 %s :name"}),
    ("add_task", {"title": "Milk", "description": ""}),
    ("add_task", {"title": "Eggs", "description": None}),
    ("add_task", {"title": ""}),
    ("add_task", {"title": "x" * 201}),
    ("add_task", {"title": "x", "description": "x" * 1001}),
    ("add_task", {"title": "half a character \ud800"}),
    ("add_task", {"title": "x", "user_id": "bob"}),
    ("add_task", {"title": "Own name", "user_id": "ann"}),
    ("add_task", {}),
    ("complete_task", {"task_id": 1}),
    ("complete_task", {"task_id": 1}),
    ("complete_task", {"task_id": 99}),
    ("complete_task", {"task_id": 2**70}),
    ("complete_task", {"task_id": "1"}),
    ("update_task", {"task_id": 2}),
    ("update_task", {"task_id": 2, "description": "1 l"}),
    ("update_task", {"task_id": 2, "title": "Oat milk"}),
    ("delete_task", {"task_id": 3}),
    ("delete_task", {"task_id": 3}),
    ("delete_task", {"task_id": True}),
    ("list_tasks", {}),
    ("list_tasks", {"status": "pending"}),
    ("list_tasks", {"status": "completed"}),
    ("list_tasks", {"status": "late"}),
]


@pytest.fixture
def tasks(project):
    with tasks_for("ann", project=project.root) as functions:
        yield functions


def over_the_wire(root):
    """What the server says to the same story."""
    with RawClient(root, "--user", "ann").ready() as client:
        return [json.loads(client.call(name, **arguments)["content"][0]["text"]) for name, arguments in STORY]


def assert_same_story(tasks, wire):
    objects = [tasks.call(name, arguments) for name, arguments in STORY]

    for (name, arguments), spoken, answered in zip(STORY, wire, objects, strict=True):
        assert answered == spoken, (name, arguments)


def test_the_answers_are_those_of_the_wire(tasks, tmp_path):
    (tmp_path / "other").mkdir()

    assert_same_story(tasks, over_the_wire(tmp_path / "other"))


@pytest.mark.parametrize("claimed", ["bob", "", None, 1, ["ann"], {"ann": 1}])
def test_no_argument_changes_the_user(tasks, claimed):
    for name in NAMES:
        assert tasks.call(name, {"user_id": claimed, "title": "x", "task_id": 1}) == {"error": "Access denied"}
        assert tasks.call(name, json.dumps({"user_id": claimed})) == {"error": "Access denied"}


@pytest.mark.parametrize("user", ["", "  ", "\n", "a\0b", None, 5, ["ann"]])
def test_without_a_user_there_are_no_functions(project, user):
    with pytest.raises(ValueError, match="need a user"):
        tasks_for(user, project=project.root)


def test_arguments_come_as_an_object_or_as_json_text(tasks):
    assert tasks.call("add_task", '{"title": "Bread"}')["task_id"] == 1
    assert tasks.call("add_task", {"title": "Milk"})["task_id"] == 2
    assert tasks.call("list_tasks", "") == tasks.call("list_tasks", {}) == tasks.list_tasks()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("{", "The arguments are not JSON: "),
        ("[" * 100_000, "The arguments are not JSON: "),
        ('{"task_id": ' + "9" * 5000 + "}", "The arguments are not JSON: "),
        ("[]", "The arguments must be a JSON object."),
        ("null", "The arguments must be a JSON object."),
        (None, "The arguments must be a JSON object."),
        ([("title", "x")], "The arguments must be a JSON object."),
    ],
)
def test_arguments_that_are_no_object_are_answered_with_a_sentence(tasks, arguments, sentence):
    answer = tasks.call("add_task", arguments)

    assert answer.keys() == {"error"}
    assert answer["error"].startswith(sentence)


@pytest.mark.parametrize("name", ["drop_tasks", "", "tasks/add", "__class__", "close"])
def test_a_name_that_no_tool_has_is_answered_with_those_that_there_are(tasks, name):
    assert tasks.call(name, {}) == {"error": f"Tool not found: {name}", "tool": name, "available": NAMES}


def test_the_schemas_are_those_of_the_server_without_the_user(tasks, project):
    with RawClient(project.root, "--user", "ann", "--toolsets", "tasks").ready() as client:
        listed = client.request("tools/list")["result"]["tools"]

    for_openai, for_anthropic = tasks.openai_tools(), tasks.anthropic_tools()

    described = [(each["name"], each["description"], each["inputSchema"]) for each in listed]
    assert [(each["name"], each["description"], each["input_schema"]) for each in for_anthropic] == described
    assert [tuple(each["function"].values()) for each in for_openai] == described
    assert [list(each["function"]) for each in for_openai] == [["name", "description", "parameters"]] * 5
    assert {each["type"] for each in for_openai} == {"function"}
    assert "user_id" not in json.dumps([for_openai, for_anthropic])


def test_a_failure_is_the_specified_sentence_and_its_cause_is_logged(project, caplog):
    project.write_state("fieldguide.db/in-the-way", "")

    with tasks_for("ann", project=project.root) as tasks:
        answers = [tasks.add_task("x"), tasks.complete_task(7), tasks.list_tasks()]

    assert answers == [
        {"error": "Failed to create task"},
        {"error": "Failed to complete task", "task_id": 7},
        {"error": "Failed to list tasks"},
    ]
    assert [record.name for record in caplog.records] == ["fieldguide.in_process"] * 3
    assert "unable to open database file" in caplog.text


def test_settings_of_the_project_hold(project):
    project.write("fieldguide.toml", 'read_only = true\nuser = "bob"\ntoolsets = ["directive"]\n')

    with tasks_for("ann", project=project.root) as tasks:
        assert [tool["name"] for tool in tasks.anthropic_tools()] == ["list_tasks"]
        assert tasks.list_tasks() == []
        assert tasks.add_task("x")["error"] == "Tool not found: add_task"
        assert tasks.call("list_tasks", {"user_id": "bob"}) == {"error": "Access denied"}
