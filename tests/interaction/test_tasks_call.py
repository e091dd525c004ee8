"""The five task tools at work, on SQLite and on PostgreSQL: what they answer, and what is kept."""

import json
import sqlite3
from contextlib import closing

import psycopg
import pytest

from tests.proves import proves
from tests.raw_client import RawClient

EMOJI = "🦊"


@pytest.fixture
def client(project, database_flags):
    with RawClient(project.root, "--toolsets", "tasks", *database_flags).ready() as client:
        yield client


def told(client, tool, **arguments):
    """The JSON of an answer, of ann's unless told otherwise, which is no error and has nothing but that one text."""
    result = client.call(tool, **{"user_id": "ann", **arguments})
    assert "isError" not in result
    assert [block["type"] for block in result["content"]] == ["text"]
    return json.loads(result["content"][0]["text"])


def refused(client, tool, **arguments):
    result = client.call(tool, **{"user_id": "ann", **arguments})
    assert result == {"content": [{"type": "text", "text": result["content"][0]["text"]}], "isError": True}
    return result["content"][0]["text"]


def run_sql(project, database_flags, sql):
    """A statement in the server's database, past the server."""
    if not database_flags:
        with closing(sqlite3.connect(project.state / "fieldguide.db")) as file, file:
            file.execute(sql)
        return
    with psycopg.connect(database_flags[1]) as connection:
        connection.execute(sql.encode())


@proves("S1-15")
@pytest.mark.each_database
def test_add_answers_with_the_new_id_and_the_title(client):
    first = client.call("add_task", user_id="ann", title="Water the ferns", description="Both pots")
    second = told(client, "add_task", title="Feed the fox")

    value = {"task_id": 1, "status": "created", "title": "Water the ferns"}
    text = '{"task_id":1,"status":"created","title":"Water the ferns"}'
    assert first == {"content": [{"type": "text", "text": text}], "structuredContent": value}
    assert second == {"task_id": 2, "status": "created", "title": "Feed the fox"}


@proves("S1-17", "S1-18")
@pytest.mark.each_database
def test_two_hundred_characters_and_a_thousand_are_kept_whatever_their_bytes(client):
    characters = ("x", "é", EMOJI, "\u0301")

    for each in characters:
        assert told(client, "add_task", title=each * 200, description=each * 1000)["title"] == each * 200

    kept = [(task["title"], task["description"]) for task in told(client, "list_tasks")]
    assert kept == [(each * 200, each * 1000) for each in reversed(characters)]


@proves("S1-25", "D-9", "U1-4", "S1-18")
def test_a_description_is_null_when_none_was_given_and_empty_when_it_was_empty(client):
    told(client, "add_task", title="None given")
    told(client, "add_task", title="Null given", description=None)
    told(client, "add_task", title="Empty", description="")
    told(client, "add_task", title="  Kept  as it is ", description=" \n\tso is this ")

    tasks = told(client, "list_tasks")

    assert tasks == [
        {"id": 4, "title": "  Kept  as it is ", "description": " \n\tso is this ", "completed": False},
        {"id": 3, "title": "Empty", "description": "", "completed": False},
        {"id": 2, "title": "Null given", "description": None, "completed": False},
        {"id": 1, "title": "None given", "description": None, "completed": False},
    ]
    assert all(list(task) == ["id", "title", "description", "completed"] for task in tasks)
    assert all(type(task["id"]) is int and type(task["completed"]) is bool for task in tasks)


@proves("D-9")
@pytest.mark.each_database
def test_the_newest_stands_first_and_of_two_as_new_the_higher_id(client, project, database_flags):
    for title in ("a", "b", "c", "d"):
        told(client, "add_task", title=title)
    newest_first = [task["title"] for task in told(client, "list_tasks")]
    run_sql(project, database_flags, "UPDATE task SET created_at = '2026-01-01T00:00:00+00:00'")
    run_sql(project, database_flags, "UPDATE task SET created_at = '2026-01-02T00:00:00+00:00' WHERE title = 'b'")

    same_time = [task["title"] for task in told(client, "list_tasks")]

    assert newest_first == ["d", "c", "b", "a"]
    assert same_time == ["b", "d", "c", "a"]


@proves("S1-26", "S1-27", "S1-25", "U1-4")
def test_the_list_is_a_bare_array_of_what_the_status_asks_for(client):
    empty = client.call("list_tasks", user_id="ann")
    for title in ("first", "second", "third"):
        told(client, "add_task", title=title)
    no_completed = told(client, "list_tasks", status="completed")
    told(client, "complete_task", task_id=2)

    def ids(**status):
        return [task["id"] for task in told(client, "list_tasks", **status)]

    assert empty == {"content": [{"type": "text", "text": "[]"}]}
    assert no_completed == []
    assert (ids(), ids(status="all")) == ([3, 2, 1], [3, 2, 1])
    assert (ids(status="pending"), ids(status="completed")) == ([3, 1], [2])
    assert [task["completed"] for task in told(client, "list_tasks")] == [False, True, False]


@proves("S1-31", "S1-34", "D-10")
def test_completing_twice_gives_the_same_answer_and_leaves_the_rest(client):
    told(client, "add_task", title="Water the ferns", description="Both pots")

    first = client.call("complete_task", user_id="ann", task_id=1)
    second = client.call("complete_task", user_id="ann", task_id=1)

    value = {"task_id": 1, "status": "completed", "title": "Water the ferns"}
    text = '{"task_id":1,"status":"completed","title":"Water the ferns"}'
    assert first == {"content": [{"type": "text", "text": text}], "structuredContent": value}
    assert second == first
    assert told(client, "list_tasks") == [
        {"id": 1, "title": "Water the ferns", "description": "Both pots", "completed": True}
    ]


@proves("S1-38", "S1-39")
@pytest.mark.each_database
def test_a_deleted_task_is_gone_and_its_id_never_comes_back(client):
    told(client, "add_task", title="Stays")
    told(client, "add_task", title="Goes")

    deleted = client.call("delete_task", user_id="ann", task_id=2)
    again = refused(client, "delete_task", task_id=2)
    added = told(client, "add_task", title="New")

    value = {"task_id": 2, "status": "deleted", "title": "Goes"}
    text = '{"task_id":2,"status":"deleted","title":"Goes"}'
    assert deleted == {"content": [{"type": "text", "text": text}], "structuredContent": value}
    assert again == '{"error":"Task not found","task_id":2}'
    assert added["task_id"] == 3
    assert [task["title"] for task in told(client, "list_tasks")] == ["New", "Stays"]


@proves("S1-48", "S1-51", "S1-52")
def test_update_changes_what_is_given_and_nothing_else(client):
    told(client, "add_task", title="Another", description="Its own")
    told(client, "complete_task", task_id=1)

    def after(**changes):
        task_id = told(client, "add_task", title="Old", description="Both pots")["task_id"]
        updated = told(client, "update_task", task_id=task_id, **changes)
        task = told(client, "list_tasks")[0]
        assert list(updated.items()) == [("task_id", task_id), ("status", "updated"), ("title", task["title"])]
        assert (task["id"], task["completed"]) == (task_id, False)
        return task["title"], task["description"]

    assert after(title="New") == ("New", "Both pots")
    assert after(description="One pot") == ("Old", "One pot")
    assert after(title="New", description="One pot") == ("New", "One pot")
    assert after(description="") == ("Old", "")
    assert after(title="New", description=None) == ("New", "Both pots")
    assert after(title=None, description="One pot") == ("Old", "One pot")
    assert after(title=EMOJI * 200, description=EMOJI * 1000) == (EMOJI * 200, EMOJI * 1000)
    assert told(client, "list_tasks")[-1] == {
        "id": 1,
        "title": "Another",
        "description": "Its own",
        "completed": True,
    }
    assert told(client, "update_task", task_id=1, title="Changed")["status"] == "updated"
    assert told(client, "list_tasks", status="completed")[0]["title"] == "Changed"


@proves("S1-32", "S1-39", "S1-49", "U1-4")
def test_a_task_that_is_not_there_is_not_found_by_any_tool(client):
    for task_id in (1, 42, 2**31, 2**53 + 1, 2**63 - 1, 2**63, 2**70):
        expected = f'{{"error":"Task not found","task_id":{task_id}}}'

        assert refused(client, "complete_task", task_id=task_id) == expected
        assert refused(client, "delete_task", task_id=task_id) == expected
        assert refused(client, "update_task", task_id=task_id, title="x") == expected
        assert refused(client, "update_task", task_id=task_id, description="") == expected


@proves("S1-63")
@pytest.mark.each_database
def test_two_processes_and_repeated_calls_see_one_list(client, project, database_flags):
    with RawClient(project.root, "--toolsets", "tasks", *database_flags).ready() as other:
        ids = [told(each, "add_task", title="Again")["task_id"] for each in (client, other, client, other)]
        told(client, "complete_task", task_id=ids[1])
        told(other, "delete_task", task_id=ids[0])
        told(client, "update_task", task_id=ids[3], title="Changed")

        lists = [told(each, "list_tasks") for each in (client, other, client, other)]

    assert len(set(ids)) == 4
    assert [(task["id"], task["title"], task["completed"]) for task in lists[0]] == [
        (ids[3], "Changed", False),
        (ids[2], "Again", False),
        (ids[1], "Again", True),
    ]
    assert all(each == lists[0] for each in lists)


def test_a_task_outlives_the_server(project, database_flags):
    with RawClient(project.root, "--toolsets", "tasks", *database_flags).ready() as first:
        told(first, "add_task", title="Still here")
        first.process.kill()

    with RawClient(project.root, "--toolsets", "tasks", *database_flags).ready() as second:
        assert [task["title"] for task in told(second, "list_tasks")] == ["Still here"]
