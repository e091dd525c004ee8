"""What the five task tools do: each opens a session of its own, hands over to a use case, and keeps nothing."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from fieldguide.errors import NotFound
from fieldguide.spine.contract import Call
from fieldguide.storage.port import Database, Transaction
from fieldguide.toolsets.tasks.repository import PostgreSQLTaskRepository
from fieldguide.toolsets.tasks.use_cases import (
    AddTaskUseCase,
    CompleteTaskUseCase,
    DeleteTaskUseCase,
    ListTasksUseCase,
    UpdateTaskUseCase,
)


@contextmanager
def get_session(database: Database, call: Call) -> Generator[Transaction]:
    """The database session of one call: committed when its block ends, closed however it ends."""
    with database.writing(call.cancellation) as session:
        yield session


def add_task(database: Database, call: Call) -> dict[str, Any]:
    """`add_task`."""
    with get_session(database, call) as session:
        repository = PostgreSQLTaskRepository(session, call.arguments["user_id"])
        task = AddTaskUseCase(repository).execute(call.arguments["title"], call.arguments.get("description"))
    return {"task_id": task.id, "status": "created", "title": task.title}


def list_tasks(database: Database, call: Call) -> list[dict[str, Any]]:
    """`list_tasks`."""
    with database.reading(call.cancellation) as session:
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
    with get_session(database, call) as session:
        repository = PostgreSQLTaskRepository(session, call.arguments["user_id"])
        task = CompleteTaskUseCase(repository).execute(call.arguments["task_id"])
    return {"task_id": task.id, "status": "completed", "title": task.title}


def delete_task(database: Database, call: Call) -> dict[str, Any]:
    """`delete_task`: the task is read first, for the title that the answer names."""
    task_id = call.arguments["task_id"]
    with get_session(database, call) as session:
        repository = PostgreSQLTaskRepository(session, call.arguments["user_id"])
        task = repository.get_by_id(task_id)
        if task is None:
            raise NotFound("Task not found", task_id=task_id)
        DeleteTaskUseCase(repository).execute(task_id)
    return {"task_id": task_id, "status": "deleted", "title": task.title}


def update_task(database: Database, call: Call) -> dict[str, Any]:
    """`update_task`."""
    with get_session(database, call) as session:
        repository = PostgreSQLTaskRepository(session, call.arguments["user_id"])
        task = UpdateTaskUseCase(repository).execute(
            call.arguments["task_id"], call.arguments.get("title"), call.arguments.get("description")
        )
    return {"task_id": task.id, "status": "updated", "title": task.title}
