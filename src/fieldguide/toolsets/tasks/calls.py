"""What the five task tools do: each opens a session of its own, hands over to a use case, and keeps nothing."""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from fieldguide.limits import Limits
from fieldguide.spine.cancellation import Cancellation
from fieldguide.spine.contract import Call
from fieldguide.storage.port import Database, Transaction
from fieldguide.toolsets.tasks.entity import TaskNotFoundError
from fieldguide.toolsets.tasks.repository import PostgreSQLTaskRepository
from fieldguide.toolsets.tasks.use_cases import (
    AddTaskUseCase,
    CompleteTaskUseCase,
    DeleteTaskUseCase,
    ListTasksUseCase,
    UpdateTaskUseCase,
)


@contextmanager
def get_session(
    begin: Callable[[Cancellation], AbstractContextManager[Transaction]], call: Call
) -> Generator[Transaction]:
    """The database session of one call, begun to read or to write: closed however its block ends."""
    with begin(call.cancellation) as session:
        yield session


def add_task(database: Database, call: Call, limits: Limits | None = None) -> dict[str, Any]:
    """`add_task`."""
    with get_session(database.writing, call) as session:
        repository = PostgreSQLTaskRepository(session, call.arguments["user_id"])
        task = AddTaskUseCase(repository, limits).execute(call.arguments["title"], call.arguments.get("description"))
    return {"task_id": task.id, "status": "created", "title": task.title}


def add_task_within(database: Database, limits: Limits, call: Call) -> dict[str, Any]:
    """`add_task`, for a user who has not too many tasks."""
    return add_task(database, call, limits)


def list_tasks(database: Database, call: Call) -> list[dict[str, Any]]:
    """`list_tasks`."""
    with get_session(database.reading, call) as session:
        repository = PostgreSQLTaskRepository(session, call.arguments["user_id"])
        tasks = ListTasksUseCase(repository).execute()
    status = call.arguments.get("status", "all")
    return [
        {"id": task.id, "title": task.title, "description": task.description, "completed": task.is_completed}
        for task in tasks
        if status in ("all", task.status.value)
    ]


def complete_task(database: Database, call: Call) -> dict[str, Any]:
    """`complete_task`."""
    with get_session(database.writing, call) as session:
        repository = PostgreSQLTaskRepository(session, call.arguments["user_id"])
        task = CompleteTaskUseCase(repository).execute(call.arguments["task_id"])
    return {"task_id": task.id, "status": "completed", "title": task.title}


def delete_task(database: Database, call: Call) -> dict[str, Any]:
    """`delete_task`: the task is read first, for the title that the answer names."""
    task_id = call.arguments["task_id"]
    with get_session(database.writing, call) as session:
        repository = PostgreSQLTaskRepository(session, call.arguments["user_id"])
        task = repository.get_by_id(task_id)
        if task is None:
            raise TaskNotFoundError(task_id)
        DeleteTaskUseCase(repository).execute(task_id)
    return {"task_id": task_id, "status": "deleted", "title": task.title}


def update_task(database: Database, call: Call) -> dict[str, Any]:
    """`update_task`."""
    with get_session(database.writing, call) as session:
        repository = PostgreSQLTaskRepository(session, call.arguments["user_id"])
        task = UpdateTaskUseCase(repository).execute(
            call.arguments["task_id"], call.arguments.get("title"), call.arguments.get("description")
        )
    return {"task_id": task.id, "status": "updated", "title": task.title}
