"""What the task tools say when the database does not do its part: the specification's sentence, and nothing more."""

import re
import sqlite3
from contextlib import closing
from typing import Any

import psycopg
import pytest

from tests.proves import proves
from tests.raw_client import RawClient

TASKS = ("--toolsets", "tasks")
CALLS: dict[str, dict[str, Any]] = {
    "add_task": {"user_id": "ann", "title": "x"},
    "list_tasks": {"user_id": "ann"},
    "complete_task": {"user_id": "ann", "task_id": 7},
    "delete_task": {"user_id": "ann", "task_id": 7},
    "update_task": {"user_id": "ann", "task_id": 7, "title": "x"},
}
TEXTS = {
    "add_task": '{"error":"Failed to create task"}',
    "list_tasks": '{"error":"Failed to list tasks"}',
    "complete_task": '{"error":"Failed to complete task","task_id":7}',
    "delete_task": '{"error":"Failed to delete task","task_id":7}',
    "update_task": '{"error":"Failed to update task","task_id":7}',
}
EVERY_FAILURE = {tool: {"content": [{"type": "text", "text": text}], "isError": True} for tool, text in TEXTS.items()}


def drop_table(project, database_flags):
    if database_flags:
        with psycopg.connect(database_flags[1]) as connection:
            connection.execute("DROP TABLE task")
    else:
        with closing(sqlite3.connect(project.state / "fieldguide.db")) as file:
            file.execute("DROP TABLE task")


@proves("S1-19", "D-30", "D-33", "S1-66")
@pytest.mark.each_database
def test_a_statement_that_fails_is_told_in_the_specified_words(project, database_flags):
    with RawClient(project.root, *TASKS, *database_flags).ready() as client:
        before = {tool: client.call(tool, **arguments).get("isError") for tool, arguments in CALLS.items()}
        drop_table(project, database_flags)

        after = {tool: client.call(tool, **arguments) for tool, arguments in CALLS.items()}

    assert before["add_task"] is None
    assert after == EVERY_FAILURE


@proves("S1-19", "D-30")
def test_a_database_that_cant_be_opened_is_told_in_the_same_words_however_often(project):
    (project.state / "fieldguide.db").mkdir(parents=True)

    with RawClient(project.root, *TASKS).ready() as client:
        rounds = [{tool: client.call(tool, **arguments) for tool, arguments in CALLS.items()} for _ in range(7)]
        refused = client.call("add_task", user_id="ann", title="")

    assert rounds[:5] == [EVERY_FAILURE] * 5
    for resting in rounds[5:]:  # now it is the circuit breaker that answers
        assert {tool: result["content"][0]["text"] for tool, result in resting.items()} == TEXTS
        assert all(re.fullmatch(r"Try again in \d+ seconds\.", each["content"][1]["text"]) for each in resting.values())
    assert refused["content"][0]["text"] == '{"error":"Title is required","detail":"Invalid title length"}'
