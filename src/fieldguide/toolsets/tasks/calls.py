"""Runs the task tools: checks their arguments, and executes the use cases in a database session."""

from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NamedTuple

from fieldguide.settings.limits import Limits
from fieldguide.spine.tool import Answer, Call, compact_json
from fieldguide.spine.toolset import FailedCall, TaskCard, make_error_answer
from fieldguide.storage.database import Database, Transaction
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.errors import CircuitOpen, Failure, FieldguideError, InvalidArguments, Refusal
from fieldguide.toolsets.tasks.repository import (
    PostgreSQLTaskRepository,
    Task,
    TaskNotFoundError,
    TaskQuery,
    check_description,
    check_label,
    check_priority,
    check_title,
)

STATUSES = ("all", "pending", "completed")
MAX_USER = 255


def check_add(arguments: Mapping[str, Any]) -> None:
    """A user and a title; perhaps a description."""
    _check_user(arguments)
    check_title(arguments.get("title"))
    if arguments.get("description") is not None:
        check_description(arguments["description"])


def check_list(arguments: Mapping[str, Any]) -> None:
    """A user; perhaps a status."""
    _check_user(arguments)
    if arguments.get("status", "all") not in STATUSES:
        raise InvalidArguments("Invalid status")


def check_task(arguments: Mapping[str, Any]) -> None:
    """A user and a task."""
    _check_user(arguments)
    task_id = arguments.get("task_id")
    if type(task_id) is not int or task_id < 1:
        raise InvalidArguments("Invalid task ID")


def check_update(arguments: Mapping[str, Any]) -> None:
    """A user, a task, and at least one thing to change."""
    check_task(arguments)
    if arguments.get("title") is None and arguments.get("description") is None:
        raise InvalidArguments("At least title or description required")
    if arguments.get("title") is not None:
        check_title(arguments["title"])
    if arguments.get("description") is not None:
        check_description(arguments["description"])


def _check_user(arguments: Mapping[str, Any]) -> None:
    user = arguments.get("user_id")
    if not isinstance(user, str) or not user.strip() or "\0" in user or len(user) > MAX_USER:
        raise InvalidArguments("400 Bad Request", field="user_id")


def tell(error: FieldguideError, failing: FailedCall) -> Answer:
    """The message with its details; of a failure only the specification's sentence, and when to try again."""
    if isinstance(error, Failure) and failing.tool.wording.failure_message:
        named = {"task_id": failing.arguments["task_id"]} if "task_id" in failing.arguments else {}
        told = make_error_answer(compact_json({"error": failing.tool.wording.failure_message, **named}))
        if isinstance(error, CircuitOpen):
            return told._replace(blocks=tuple({"type": "text", "text": text} for text in (told.text, error.hint)))
        return told
    return make_error_answer(compact_json({"error": error.message, **error.details}))


class AddTaskUseCase(NamedTuple):
    """Begin a task, unless its user has too many."""

    repository: PostgreSQLTaskRepository
    limits: Limits | None = None

    def execute(self, title: str, description: str | None = None) -> Task:
        """The task as it was kept; an empty description is one, none is none."""
        kept = None if description is None else check_description(description)
        if self.limits is not None and self.repository.holds(self.limits.tasks_per_user):
            raise Refusal(f"Too many tasks: {self.limits.told('tasks_per_user')}.")
        return self.repository.add(check_title(title), kept)


class ListTasksUseCase(NamedTuple):
    """See every task."""

    repository: PostgreSQLTaskRepository

    def execute(self) -> list[Task]:
        """Newest first."""
        return self.repository.get_all()


class CompleteTaskUseCase(NamedTuple):
    """Mark a task as done; done twice is done."""

    repository: PostgreSQLTaskRepository

    def execute(self, task_id: int) -> Task:
        """The task as it is now."""
        return self.repository.update(task_id, {"completed": True})


class UncompleteTaskUseCase(NamedTuple):
    """Mark a task as still to do, or as in progress."""

    repository: PostgreSQLTaskRepository

    def execute(self, task_id: int, *, is_started: bool = False) -> Task:
        """The task as it is now."""
        return self.repository.update(task_id, {"completed": False, "started": is_started})


class ArrangeTaskUseCase(NamedTuple):
    """Set what a person sees of a task on the board: how urgent it is, and its label."""

    repository: PostgreSQLTaskRepository

    def execute(self, task_id: int, priority: str, label: str) -> Task:
        """The task as it is now."""
        return self.repository.update(task_id, {"priority": check_priority(priority), "label": check_label(label)})


class DeleteTaskUseCase(NamedTuple):
    """Remove a task for good."""

    repository: PostgreSQLTaskRepository

    def execute(self, task_id: int) -> None:
        """Gone, or TaskNotFoundError."""
        if not self.repository.delete(task_id):
            raise TaskNotFoundError(task_id)


class UpdateTaskUseCase(NamedTuple):
    """Change a task's title or description, and nothing that is not named."""

    repository: PostgreSQLTaskRepository

    def execute(self, task_id: int, title: str | None = None, description: str | None = None) -> Task:
        """The task as it is now."""
        changes: dict[str, Any] = {}
        if title is not None:
            changes["title"] = check_title(title)
        if description is not None:
            changes["description"] = check_description(description)
        if not changes:
            raise InvalidArguments("At least title or description required")
        return self.repository.update(task_id, changes)


@contextmanager
def get_session(
    begin: Callable[[Cancellation], AbstractContextManager[Transaction]], call: Call
) -> Generator[Transaction]:
    """The database session of one call, begun to read or to write: closed however its block ends."""
    with begin(call.cancellation) as session:
        yield session


def add_task(database: Database, call: Call, limits: Limits | None = None) -> dict[str, Any]:
    """`add_task`, for a user who has not too many tasks."""
    with get_session(database.writing, call) as session:
        repository = PostgreSQLTaskRepository(session, call.arguments["user_id"])
        task = AddTaskUseCase(repository, limits).execute(call.arguments["title"], call.arguments.get("description"))
    return {"task_id": task.id, "status": "created", "title": task.title}


def list_tasks(database: Database, call: Call) -> list[dict[str, Any]]:
    """`list_tasks`."""
    with get_session(database.reading, call) as session:
        repository = PostgreSQLTaskRepository(session, call.arguments["user_id"])
        tasks = ListTasksUseCase(repository).execute()
    status = call.arguments.get("status", "all")
    return [_describe(task) for task in tasks if status in ("all", task.status.value)]


def _describe(task: Task) -> dict[str, Any]:
    """A task as an agent reads it; what a person set on the board is there only where it was set."""
    told = {"id": task.id, "title": task.title, "description": task.description, "completed": task.is_completed}
    if task.is_started and not task.is_completed:
        told["in_progress"] = True
    if task.priority:
        told["priority"] = task.priority
    if task.label:
        told["label"] = task.label
    return told


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


def page(database: Database, user: str, state: str, words: str, limit: int, offset: int) -> tuple[list[TaskCard], int]:
    """Some of a user's tasks of one state (`pending`, `started` or `completed`), and how many there are."""
    is_started = None if state == "completed" else state == "started"
    wanted = TaskQuery(state == "completed", words, limit, offset, is_started)
    with database.reading() as session:
        repository = PostgreSQLTaskRepository(session, user)
        return [*map(_card, repository.get_page(wanted))], repository.count_wanted(wanted)


def task(database: Database, user: str, task_id: int) -> TaskCard | None:
    """A task of a user; None where there is none."""
    with database.reading() as session:
        found = PostgreSQLTaskRepository(session, user).get_by_id(task_id)
    return None if found is None else _card(found)


def reopen(database: Database, user: str, task_id: int, is_started: bool) -> TaskCard:
    """Mark a task as still to do, or as in progress."""
    with database.writing() as session:
        repository = PostgreSQLTaskRepository(session, user)
        return _card(UncompleteTaskUseCase(repository).execute(task_id, is_started=is_started))


def arrange(database: Database, user: str, task_id: int, priority: str, label: str) -> TaskCard:
    """Set how urgent a task is, and its label."""
    with database.writing() as session:
        return _card(ArrangeTaskUseCase(PostgreSQLTaskRepository(session, user)).execute(task_id, priority, label))


def _card(found: Task) -> TaskCard:
    return TaskCard(
        found.id,
        found.title,
        found.description or "",
        found.is_completed,
        found.created_at,
        found.is_started,
        found.priority,
        found.label,
    )
