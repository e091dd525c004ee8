"""The task tools as plain functions of one user, for an agent layer that lives in our process and injects the user."""

import json
import os
from collections.abc import Mapping
from copy import deepcopy
from types import TracebackType
from typing import Any, Self, cast

from fieldguide.app import App, build_app
from fieldguide.config import read_settings
from fieldguide.errors import Failure, FieldguideError, ToolNotFound
from fieldguide.in_process.running import BlockingExecutor, log, tell
from fieldguide.spine.contract import Tool
from fieldguide.spine.dialect import Failing, Fault

TOOLSET = "tasks"

Answered = dict[str, Any]


def open_tasks(user_id: str, *, project: str | os.PathLike[str], database: str | None) -> "TaskFunctions":
    """The tasks of one user in the database that a server of this project would use; a user without a name is none."""
    if not isinstance(user_id, str) or not user_id.strip() or "\0" in user_id:  # pyright: ignore[reportUnnecessaryIsInstance]  # a border
        raise ValueError("A user's tasks need a user: user_id must be a text that is not empty.")
    given = {"project": os.fspath(project), "database": database, "user": user_id, "toolsets": (TOOLSET,)}
    return TaskFunctions(build_app(read_settings(given, os.environ), write_journal=tell))


class TaskFunctions:
    """The five task tools without `user_id`: it is bound, and no argument can change it.

    Every function answers with the JSON value that the tool's text holds on the wire, an error too: `{"error": …}`.
    They may be called from any thread, also one that runs an event loop, which waits as for any plain function.
    """

    def __init__(self, app: App) -> None:
        self._app = app
        self._executor = app.executor
        self._blocking = BlockingExecutor(app.executor)

    def add_task(self, title: str, description: str | None = None) -> Answered:
        """Create a new task for the user."""
        return self._named("add_task", title=title, description=description)

    def list_tasks(self, status: str = "all") -> list[Answered] | Answered:
        """Retrieve user's tasks with optional status filter: all, pending or completed."""
        return cast("list[Answered] | Answered", self.call("list_tasks", {"status": status}))

    def complete_task(self, task_id: int) -> Answered:
        """Mark a task as completed."""
        return self._named("complete_task", task_id=task_id)

    def delete_task(self, task_id: int) -> Answered:
        """Permanently remove a task."""
        return self._named("delete_task", task_id=task_id)

    def update_task(self, task_id: int, title: str | None = None, description: str | None = None) -> Answered:
        """Modify a task's title or description."""
        return self._named("update_task", task_id=task_id, title=title, description=description)

    def openai_tools(self) -> list[dict[str, Any]]:
        """The tools as OpenAI's chat completions take them in `tools`."""
        return [
            {
                "type": "function",
                "function": {"name": tool.name, "description": tool.description, "parameters": self._schema(tool)},
            }
            for tool in self._executor.registry.all()
        ]

    def anthropic_tools(self) -> list[dict[str, Any]]:
        """The tools as Anthropic's messages take them in `tools`."""
        return [
            {"name": tool.name, "description": tool.description, "input_schema": self._schema(tool)}
            for tool in self._executor.registry.all()
        ]

    def call(self, name: str, arguments: Mapping[str, Any] | str) -> Any:
        """Run what a model asked for: arguments are Anthropic's object or OpenAI's JSON text; errors are answers."""
        try:
            given = _parsed(arguments)
            tool = self._executor.registry.find(name)
        except ValueError as error:
            return {"error": str(error)}
        except ToolNotFound as error:
            return {"error": error.message, **error.details}
        try:
            return self._blocking.execute(tool.name, given).value
        except FieldguideError as error:
            if isinstance(error, Failure):
                log.error("%s: %s (%s)", tool.name, error.message, repr(error.__cause__))
            (toolset,) = self._app.toolsets
            told = toolset.dialect.tell(error, Failing(tool, given, is_modern=True))
            return {"error": told.message} if isinstance(told, Fault) else json.loads(told.text)

    def close(self) -> None:
        """Give back the database's connections; a later call would open new ones."""
        self._blocking.close()
        self._app.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _named(self, name: str, **arguments: Any) -> Answered:
        given = {key: value for key, value in arguments.items() if value is not None}
        return cast("Answered", self.call(name, given))

    def _schema(self, tool: Tool) -> dict[str, Any]:
        """A copy, because frameworks write into the schemas that they are given."""
        return deepcopy(dict(self._executor.identity.shown_schema(tool, None)))


def _parsed(arguments: Any) -> Mapping[str, Any]:
    """The arguments as an object; ValueError with a sentence when they are none. No text at all is no argument."""
    value: Any = arguments
    if isinstance(arguments, str):
        try:
            value = json.loads(arguments or "{}")
        except (ValueError, RecursionError) as error:
            raise ValueError(f"The arguments are not JSON: {error}.") from error
    if not isinstance(value, Mapping):
        raise ValueError("The arguments must be a JSON object.")  # noqa: TRY004  one kind of error: words for the model
    return cast("Mapping[str, Any]", value)
