"""What the task tools refuse, in the specification's own words, and that nothing is done then."""

import json

import pytest

from tests.proves import proves
from tests.raw_client import RawClient

TITLE = "Invalid title length"
ONE_TASK = ("complete_task", "delete_task", "update_task")
ALL_FIVE = ("add_task", "list_tasks", *ONE_TASK)
LEFT_OUT = object()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with RawClient(tmp_path_factory.mktemp("project"), "--toolsets", "tasks").ready() as server:
        server.call("add_task", user_id="ann", title="Hers", description="As it was")
        yield server


@pytest.fixture
def client(server):
    """A server where ann has the one task with id 1, and is seen to have just that after every test."""
    yield server
    text = '[{"id":1,"title":"Hers","description":"As it was","completed":false}]'
    assert server.call("list_tasks", user_id="ann") == {"content": [{"type": "text", "text": text}]}


def refused(client, tool, **arguments):
    """The JSON of an error, in the order of its keys; what is LEFT_OUT is not sent."""
    given = {"user_id": "ann", "title": "New", "task_id": 1, **arguments}
    result = client.call(tool, **{name: value for name, value in given.items() if value is not LEFT_OUT})
    assert result == {"content": [{"type": "text", "text": result["content"][0]["text"]}], "isError": True}
    return json.loads(result["content"][0]["text"])


@proves("S1-16", "S1-59", "S1-65", "D-8")
@pytest.mark.parametrize("title", [LEFT_OUT, None, "", " ", "\t\n", "\u2003", 5, ["x"], True])
def test_a_task_needs_a_title_and_keeps_one(client, title):
    assert refused(client, "add_task", title=title) == {"error": "Title is required", "detail": TITLE}
    if title not in (LEFT_OUT, None):
        assert refused(client, "update_task", title=title) == {"error": "Title is required", "detail": TITLE}


@proves("S1-17", "S1-18", "S1-50", "S1-59", "S1-60", "D-8")
@pytest.mark.parametrize("tool", ["add_task", "update_task"])
@pytest.mark.parametrize("character", ["x", "🦊", "\u0301"])
def test_titles_and_descriptions_have_a_greatest_length(client, tool, character):
    title = refused(client, tool, title="x" + character * 200)
    description = refused(client, tool, description=character * 1001)

    assert title == {"error": "Title must be 200 characters or less", "detail": TITLE}
    assert description == {"error": "Description must be 1000 characters or less", "detail": "Description too long"}


@proves("S1-46")
@pytest.mark.parametrize("nothing", [{}, {"description": None}, {"title": None}, {"title": None, "description": None}])
def test_an_update_needs_something_to_change(client, nothing):
    error = refused(client, "update_task", **{"title": LEFT_OUT, **nothing})

    assert error == {"error": "At least title or description required"}


@proves("S1-57", "D-11", "S1-4")
@pytest.mark.parametrize("tool", ALL_FIVE)
def test_a_user_is_a_text_that_is_not_empty(client, tool):
    for user in (LEFT_OUT, None, "", "  ", 5, True, ["ann"], {"id": "ann"}, "ann\0"):
        assert refused(client, tool, user_id=user) == {"error": "400 Bad Request", "field": "user_id"}, user


@proves("S1-58", "S1-65")
@pytest.mark.parametrize("tool", ONE_TASK)
def test_a_task_id_is_a_positive_integer(client, tool):
    for task_id in (LEFT_OUT, None, 0, -1, -(2**70), "x", "1", 1.5, 1.0, True, False, [1], {}):
        assert refused(client, tool, task_id=task_id) == {"error": "Invalid task ID"}, task_id


@proves("D-30")
def test_a_status_is_one_of_three(client):
    wrong: list[object] = ["done", "", "ALL", " all", None, 1, True, ["all"], {}]
    for status in wrong:
        assert refused(client, "list_tasks", status=status) == {"error": "Invalid status"}, status


@proves("S1-66", "D-33")
@pytest.mark.parametrize(
    ("tool", "arguments", "keys"),
    [
        ("add_task", {"description": 5}, ["error"]),
        ("add_task", {"title": "null \0"}, ["error"]),
        ("add_task", {"title": "half \ud83e"}, ["error"]),
        ("add_task", {"user_id": "half \ud83e"}, ["error"]),
        ("update_task", {"description": "null \0"}, ["error"]),
    ],
)
def test_every_error_is_an_object_with_a_sentence_and_says_that_it_is_one(client, tool, arguments, keys):
    error = refused(client, tool, **arguments)

    assert list(error) == keys
    assert isinstance(error["error"], str)
    assert error["error"]
