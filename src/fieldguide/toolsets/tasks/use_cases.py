"""What can be done with tasks: one class a use case, each over a repository of one user."""

from typing import Any

from fieldguide.errors import InvalidArguments, Refusal
from fieldguide.limits import Limits
from fieldguide.toolsets.tasks.entity import Task, TaskNotFoundError, check_description, check_title
from fieldguide.toolsets.tasks.repository import TaskRepository


class AddTaskUseCase:
    """Begin a task, unless its user has too many."""

    def __init__(self, repository: TaskRepository, limits: Limits | None = None) -> None:
        self._repository = repository
        self._limits = limits

    def execute(self, title: str, description: str | None = None) -> Task:
        """The task as it was kept; an empty description is one, none is none."""
        kept = None if description is None else check_description(description)
        if self._limits is not None and self._repository.holds(self._limits.tasks_per_user):
            raise Refusal(f"Too many tasks: {self._limits.told('tasks_per_user')}.")
        return self._repository.add(check_title(title), kept)


class ListTasksUseCase:
    """See every task."""

    def __init__(self, repository: TaskRepository) -> None:
        self._repository = repository

    def execute(self) -> list[Task]:
        """Newest first."""
        return self._repository.get_all()


class CompleteTaskUseCase:
    """Mark a task as done; done twice is done."""

    def __init__(self, repository: TaskRepository) -> None:
        self._repository = repository

    def execute(self, task_id: int) -> Task:
        """The task as it is now."""
        return self._repository.update(task_id, {"completed": True})


class UncompleteTaskUseCase:
    """Mark a task as still to do."""

    def __init__(self, repository: TaskRepository) -> None:
        self._repository = repository

    def execute(self, task_id: int) -> Task:
        """The task as it is now."""
        return self._repository.update(task_id, {"completed": False})


class DeleteTaskUseCase:
    """Remove a task for good."""

    def __init__(self, repository: TaskRepository) -> None:
        self._repository = repository

    def execute(self, task_id: int) -> None:
        """Gone, or TaskNotFoundError."""
        if not self._repository.delete(task_id):
            raise TaskNotFoundError(task_id)


class UpdateTaskUseCase:
    """Change a task's title or description, and nothing that is not named."""

    def __init__(self, repository: TaskRepository) -> None:
        self._repository = repository

    def execute(self, task_id: int, title: str | None = None, description: str | None = None) -> Task:
        """The task as it is now."""
        changes: dict[str, Any] = {}
        if title is not None:
            changes["title"] = check_title(title)
        if description is not None:
            changes["description"] = check_description(description)
        if not changes:
            raise InvalidArguments("At least title or description required")
        return self._repository.update(task_id, changes)
