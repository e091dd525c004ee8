"""The task tools over a database that only watches: whom they hand over to, and what becomes of their sessions."""

import json
import tomllib
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import pytest

from fieldguide.app import build_app
from fieldguide.settings.config import Settings
from fieldguide.spine.tool import Call
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.errors import NotFound, StorageFailed
from fieldguide.toolsets.tasks import calls
from fieldguide.toolsets.tasks.repository import PostgreSQLTaskRepository, Task, TaskStatus
from fieldguide.toolsets.tasks.tools import toolset
from fieldguide.wire.protocol import Connection
from tests.fakes import make_services
from tests.proves import proves

PROJECT = Path(__file__).parent.parent.parent / "pyproject.toml"
CREATED = datetime(2026, 1, 1, tzinfo=UTC)
TASK = Task(id=7, title="Kept", description=None, status=TaskStatus.PENDING, created_at=CREATED)
BOARD = {"started": False, "priority": 0, "label": ""}
ROW = {"id": 7, "title": "Kept", "description": None, "completed": False, "created_at": CREATED, **BOARD}
ARGUMENTS: dict[str, dict[str, Any]] = {
    "add_task": {"user_id": "ann", "title": "Given", "description": "More"},
    "list_tasks": {"user_id": "ann"},
    "complete_task": {"user_id": "ann", "task_id": 7},
    "delete_task": {"user_id": "ann", "task_id": 7},
    "update_task": {"user_id": "ann", "task_id": 7, "title": "Given", "description": "More"},
}
FAILURES = {
    "add_task": {"error": "Failed to create task"},
    "list_tasks": {"error": "Failed to list tasks"},
    "complete_task": {"error": "Failed to complete task", "task_id": 7},
    "delete_task": {"error": "Failed to delete task", "task_id": 7},
    "update_task": {"error": "Failed to update task", "task_id": 7},
}
WRONG = [
    ("add_task", {"title": ""}, "Title is required"),
    ("list_tasks", {"status": "done"}, "Invalid status"),
    ("complete_task", {"task_id": 0}, "Invalid task ID"),
    ("delete_task", {"user_id": 5}, "400 Bad Request"),
    ("update_task", {"title": None, "description": None}, "At least title or description required"),
]


class WatchedDatabase:
    """A database with one row for everything, that fails at the moment it is told to and counts its sessions."""

    dialect: Literal["sqlite"] = "sqlite"
    tenant = ""

    def __init__(self, fails_at=None, row=ROW):
        self.fails_at = fails_at
        self.row = row
        self.opened = 0
        self.closed = 0
        self.committed = 0

    @contextmanager
    def writing(self, cancellation=None):
        self._reach("opening")
        self.opened += 1
        try:
            yield self
            self._reach("committing")
            self.committed += 1
        finally:
            self.closed += 1

    reading = writing

    def fetch_one(self, sql, parameters):
        self._reach("a statement")
        return self.row

    def fetch_all(self, sql, parameters):
        self._reach("a statement")
        return [self.row]

    def execute(self, sql, parameters):
        self._reach("a statement")
        return 1

    def execute_many(self, sql, parameters):
        self._reach("a statement")

    def run_script(self, script):
        self._reach("a statement")

    def describe(self):
        return "Watched"

    def close(self):
        """Nothing was opened."""

    def _reach(self, moment):
        if moment == self.fails_at:
            raise StorageFailed("The database could not do this.")


def call_of(tool, **more):
    return Call(tool=tool, arguments={**ARGUMENTS[tool], **more}, cancellation=Cancellation())


def run(tool, database, **more):
    """The tool as the plain function that it is."""
    return getattr(calls, tool)(database, call_of(tool, **more))


def answered(database, tool, **more):
    """The tool as a client calls it: the whole result."""
    services = make_services(database=database, engine=lambda: pytest.fail("tasks need no search engine"))
    app = build_app(Settings(), (toolset(services),), write_journal=lambda lines: None)
    return app.answer("tools/call", {"name": tool, "arguments": {**ARGUMENTS[tool], **more}}, Connection())


@proves("S1-6")
def test_every_tool_is_a_plain_function_and_the_sdk_is_the_official_one():
    answers = {tool: run(tool, WatchedDatabase()) for tool in ARGUMENTS}
    needed = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]["http"]

    assert answers == {
        "add_task": {"task_id": 7, "status": "created", "title": "Kept"},
        "list_tasks": [{"id": 7, "title": "Kept", "description": None, "completed": False}],
        "complete_task": {"task_id": 7, "status": "completed", "title": "Kept"},
        "delete_task": {"task_id": 7, "status": "deleted", "title": "Kept"},
        "update_task": {"task_id": 7, "status": "updated", "title": "Kept"},
    }
    assert any(each.startswith("mcp>") for each in needed)


@proves("S1-2", "S1-14", "S1-24", "S1-30", "S1-47", "S1-62")
@pytest.mark.parametrize(
    ("tool", "use_case", "handed_over", "given_back"),
    [
        ("add_task", "AddTaskUseCase", ("Given", "More"), TASK),
        ("list_tasks", "ListTasksUseCase", (), [TASK]),
        ("complete_task", "CompleteTaskUseCase", (7,), TASK),
        ("delete_task", "DeleteTaskUseCase", (7,), None),
        ("update_task", "UpdateTaskUseCase", (7, "Given", "More"), TASK),
    ],
)
def test_each_tool_hands_over_to_its_use_case_and_to_no_other(monkeypatch, tool, use_case, handed_over, given_back):
    seen = []
    for name in ("AddTask", "ListTasks", "CompleteTask", "DeleteTask", "UpdateTask"):

        def execute(self, *arguments, _name=f"{name}UseCase"):
            seen.append((_name, type(self.repository), arguments))
            return given_back

        monkeypatch.setattr(getattr(calls, f"{name}UseCase"), "execute", execute)

    run(tool, WatchedDatabase())

    assert seen == [(use_case, PostgreSQLTaskRepository, handed_over)]


@proves("S1-3")
@pytest.mark.parametrize("tool", ["add_task", "list_tasks", "complete_task", "update_task"])
def test_a_tool_writes_nothing_outside_of_its_use_case(monkeypatch, tool):
    for name, answer in {"AddTask": TASK, "ListTasks": [TASK], "CompleteTask": TASK, "UpdateTask": TASK}.items():
        monkeypatch.setattr(getattr(calls, f"{name}UseCase"), "execute", lambda *arguments, answer=answer: answer)

    run(tool, WatchedDatabase(fails_at="a statement"))


@proves("S1-5")
@pytest.mark.parametrize("tool", ["add_task", "complete_task", "delete_task", "update_task"])
def test_a_call_answers_from_its_own_database_whatever_was_called_before(tool):
    titles = [run(tool, WatchedDatabase(row={**ROW, "title": title}))["title"] for title in ("First", "Second")]

    assert titles == ["First", "Second"]


@proves("S1-37")
def test_delete_reads_the_title_before_the_use_case_removes_the_task(monkeypatch):
    seen = []

    def read(self, task_id):
        seen.append(("read", task_id))
        return TASK

    monkeypatch.setattr(PostgreSQLTaskRepository, "get_by_id", read)
    monkeypatch.setattr(calls.DeleteTaskUseCase, "execute", lambda self, task_id: seen.append(("removed", task_id)))

    answer = run("delete_task", WatchedDatabase())

    assert seen == [("read", 7), ("removed", 7)]
    assert answer["title"] == TASK.title


@proves("S1-8")
@pytest.mark.parametrize("tool", ARGUMENTS)
def test_every_call_has_one_session_which_is_closed_after_it_also_after_errors(tool):
    database, failing, empty = WatchedDatabase(), WatchedDatabase(fails_at="a statement"), WatchedDatabase(row=None)

    run(tool, database)
    run(tool, database)
    with pytest.raises(StorageFailed):
        run(tool, failing)
    if "task_id" in ARGUMENTS[tool]:
        with pytest.raises(NotFound, match="Task not found"):
            run(tool, empty)
        assert (empty.opened, empty.closed, empty.committed) == (1, 1, 0)

    assert (database.opened, database.closed, database.committed) == (2, 2, 2)
    assert (failing.opened, failing.closed, failing.committed) == (1, 1, 0)


@proves("S1-46", "S1-56")
@pytest.mark.anyio
@pytest.mark.parametrize(("tool", "wrong", "error"), WRONG)
async def test_arguments_are_refused_before_a_session_is_opened(tool, wrong, error):
    database = WatchedDatabase()

    result = answered(database, tool, **wrong)

    assert json.loads(result["content"][0]["text"])["error"] == error
    assert result["isError"] is True
    assert database.opened == 0


@proves("S1-19", "D-30", "D-33")
@pytest.mark.anyio
@pytest.mark.parametrize("moment", ["opening", "a statement", "committing"])
@pytest.mark.parametrize("tool", ARGUMENTS)
async def test_a_database_that_fails_at_any_moment_is_told_in_the_specified_words(tool, moment):
    database = WatchedDatabase(fails_at=moment)

    result = answered(database, tool)

    assert json.loads(result["content"][0]["text"]) == FAILURES[tool]
    assert set(result) == {"content", "isError"}
    assert result["isError"] is True
    assert database.opened == database.closed
