"""A task: something a user means to do, with a title that says what."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum

from fieldguide.errors import InvalidArguments, NotFound

MAX_TITLE = 200
MAX_DESCRIPTION = 1000


class TaskValidationError(InvalidArguments):
    """A title or a description that no task can have."""


class TaskNotFoundError(NotFound):
    """No such task, or not yours: the same words."""

    def __init__(self, task_id: int) -> None:
        super().__init__("Task not found", task_id=task_id)


class TaskStatus(Enum):
    """Whether it is still to do."""

    PENDING = "pending"
    COMPLETED = "completed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One task of one user."""

    id: int
    title: str
    description: str | None
    status: TaskStatus
    created_at: datetime

    @property
    def is_completed(self) -> bool:
        """Whether it is done."""
        return self.status is TaskStatus.COMPLETED

    def complete(self) -> "Task":
        """The task, done; done twice is done."""
        return replace(self, status=TaskStatus.COMPLETED)


def check_title(title: object) -> str:
    """A title that a task can have: 1 to 200 characters, and not only blanks."""
    if not isinstance(title, str) or not title.strip():
        raise TaskValidationError("Title is required", detail="Invalid title length")
    if len(title) > MAX_TITLE:
        raise TaskValidationError("Title must be 200 characters or less", detail="Invalid title length")
    if "\0" in title:
        raise TaskValidationError("Title must not hold a null character")
    return title


def check_description(description: object) -> str:
    """A description that a task can have: up to 1000 characters, or none at all."""
    if not isinstance(description, str):
        raise TaskValidationError("Description must be a string")
    if len(description) > MAX_DESCRIPTION:
        raise TaskValidationError("Description must be 1000 characters or less", detail="Description too long")
    if "\0" in description:
        raise TaskValidationError("Description must not hold a null character")
    return description
