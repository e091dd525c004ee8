"""Three users at once, in any order, against a plain model: nobody sees, changes or suspects what is another's."""

import itertools
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fieldguide.app import build_app
from fieldguide.settings.config import Settings
from fieldguide.wire.connection import Connection
from tests.proves import proves

BLANK, LONG = " \n", "🦊" * 201
TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)
TITLES = st.one_of(TEXTS.map(lambda text: f"t{text}"), st.sampled_from([BLANK, LONG]))
DESCRIPTIONS = st.one_of(st.none(), TEXTS, st.just("d" * 1001))
ON_ONE_TASK: list[tuple[str, dict[str, Any]]] = [
    ("complete_task", {}),
    ("delete_task", {}),
    ("update_task", {"title": "Taken over", "description": "Taken over"}),
]

DONE = {"add_task": "created", "complete_task": "completed", "delete_task": "deleted", "update_task": "updated"}


class Step(NamedTuple):
    """One call: `user` and `task` count round what there is then, so that a task is another's two times of three."""

    tool: str
    user: int
    task: int
    title: str | None
    description: str | None
    status: str


STEPS = st.lists(
    st.builds(
        Step,
        tool=st.sampled_from(["add_task", "add_task", "list_tasks", "complete_task", "delete_task", "update_task"]),
        user=st.integers(0, 2),
        task=st.integers(0, 20),
        title=st.one_of(st.none(), TITLES),
        description=DESCRIPTIONS,
        status=st.sampled_from(["all", "pending", "completed"]),
    ),
    max_size=25,
)


class Model:
    """What three users must be told, in plain Python: each has a dictionary of tasks, and nothing else is shared."""

    def __init__(self, users: list[str]) -> None:
        self.users = users
        self.tasks: dict[str, dict[int, dict[str, Any]]] = {user: {} for user in users}
        self.given_ids: list[int] = []
        self.given_to: dict[str, list[int]] = {user: [] for user in users}

    def arguments(self, step: Step) -> dict[str, Any]:
        """The arguments of a step: an id is any that was ever given out, or one that never was."""
        ids = [*self.given_ids, max(self.given_ids, default=0) + 1000]
        named = {"task_id": ids[step.task % len(ids)]}
        texts = {
            key: text for key, text in (("title", step.title), ("description", step.description)) if text is not None
        }
        own: dict[str, dict[str, Any]] = {
            "add_task": texts,
            "list_tasks": {"status": step.status},
            "update_task": {**named, **texts},
        }
        return {"user_id": self.users[step.user], **own.get(step.tool, named)}

    def expect(self, tool: str, arguments: dict[str, Any], new_id: int) -> Any:
        """What the call must answer; the model is then as after it."""
        mine = self.tasks[arguments["user_id"]]
        if tool == "list_tasks":
            wanted = {"all": (False, True), "pending": (False,), "completed": (True,)}[arguments["status"]]
            return [task for task in reversed(mine.values()) if task["completed"] in wanted]
        error = refusal(tool, arguments)
        if error is not None:
            return error
        if tool == "add_task":
            assert new_id > max(self.given_to[arguments["user_id"]], default=0)
            self.given_to[arguments["user_id"]].append(new_id)
            self.given_ids.append(new_id)
            mine[new_id] = {"id": new_id, "title": None, "description": None, "completed": False}
        task_id = arguments.get("task_id", new_id)
        if task_id not in mine:
            return {"error": "Task not found", "task_id": task_id}
        task = mine.pop(task_id) if tool == "delete_task" else mine[task_id]
        task |= {key: arguments[key] for key in ("title", "description") if key in arguments}
        task["completed"] |= tool == "complete_task"
        return {"task_id": task_id, "status": DONE[tool], "title": task["title"]}

    def strangers(self) -> list[tuple[str, int]]:
        """Every user with every id that is not theirs: another's, or nobody's any more."""
        return [(user, task_id) for user in self.users for task_id in self.given_ids if task_id not in self.tasks[user]]


def refusal(tool: str, arguments: dict[str, Any]) -> dict[str, str] | None:
    """The error that the arguments alone lead to."""
    title, description = arguments.get("title"), arguments.get("description")
    if tool == "update_task" and title is None and description is None:
        return {"error": "At least title or description required"}
    if title == BLANK or (tool == "add_task" and title is None):
        return {"error": "Title is required", "detail": "Invalid title length"}
    if title == LONG:
        return {"error": "Title must be 200 characters or less", "detail": "Invalid title length"}
    if description is not None and len(description) > 1000:
        return {"error": "Description must be 1000 characters or less", "detail": "Description too long"}
    return None


class Caller:
    """An app in this process, called as a client would call it."""

    def __init__(self, project: str, database: str | None) -> None:
        given = Settings(project=project, database=database, toolsets=("tasks",))
        self.app = build_app(given, write_journal=lambda lines: None)
        self._connection = Connection()

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return self.app.answer("tools/call", {"name": tool, "arguments": arguments}, self._connection)

    def told(self, tool: str, arguments: dict[str, Any]) -> Any:
        """The JSON of an answer, which says that it is an error exactly when it is one."""
        result = self.call(tool, arguments)
        value = json.loads(result["content"][0]["text"])
        assert result.get("isError", False) == ("error" in value)
        return value


@contextmanager
def calling(project: str, database: str | None) -> Iterator[Caller]:
    caller = Caller(project, database)
    yield caller
    caller.app.database.close()


# The connection pool draws lots on its own threads; Hypothesis takes that for our strategies' doing.
@pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")
@proves("S1-33", "S1-39", "S1-49", "S1-61", "S1-63", "S1-64")
@pytest.mark.each_database
def test_whatever_three_users_do_each_has_only_their_own(project, database_flags):
    numbers = itertools.count()
    with calling(str(project.root), *(database_flags[1:] or [None])) as caller:

        @settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None)
        @given(STEPS)
        def check(steps: list[Step]) -> None:
            number = next(numbers)
            model = Model([f"ann-{number}", f"Ann-{number}", f"ann-{number} "])

            for step in steps:
                arguments = model.arguments(step)
                answer = caller.told(step.tool, arguments)
                new_id = answer.get("task_id", 0) if isinstance(answer, dict) else 0
                assert answer == model.expect(step.tool, arguments, new_id)
                assert_lists(caller, model)

            assert_nothing_is_suspected(caller, model)

        check()


def assert_lists(caller: Caller, model: Model) -> None:
    """Everybody sees all their own tasks, newest first, and no other."""
    for user in model.users:
        assert caller.told("list_tasks", {"user_id": user}) == list(reversed(model.tasks[user].values()))


def assert_nothing_is_suspected(caller: Caller, model: Model) -> None:
    """For each id, what is another's and what is nobody's any more are one answer, and asking changes nothing."""

    def probe() -> list[str]:
        named = [{"user_id": user, "task_id": task_id} for user, task_id in strangers]
        return [json.dumps(caller.call(tool, {**each, **more})) for each in named for tool, more in ON_ONE_TASK]

    strangers = model.strangers()

    before = probe()
    assert_lists(caller, model)
    for user, mine in model.tasks.items():
        for task_id in mine:
            caller.told("delete_task", {"user_id": user, "task_id": task_id})
    after = probe()

    assert before == after
    assert before == [not_found(task_id) for _, task_id in strangers for _ in ON_ONE_TASK]


def not_found(task_id: int) -> str:
    """The whole result for a task that is not there, as JSON."""
    text = f'{{"error":"Task not found","task_id":{task_id}}}'
    return json.dumps({"content": [{"type": "text", "text": text}], "isError": True})
