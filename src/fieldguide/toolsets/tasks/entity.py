"""A task: something a user means to do, with a title that says what."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from fieldguide.errors import InvalidArguments

MAX_TITLE = 200
MAX_DESCRIPTION = 1000


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


def check_title(title: object) -> str:
    """A title that a task can have: 1 to 200 characters, and not only blanks."""
    if not isinstance(title, str) or not title.strip():
        raise InvalidArguments("Title is required", detail="Invalid title length")
    if len(title) > MAX_TITLE:
        raise InvalidArguments("Title must be 200 characters or less", detail="Invalid title length")
    if "\0" in title:
        raise InvalidArguments("Title must not hold a null character")
    return title


def check_description(description: object) -> str:
    """A description that a task can have: up to 1000 characters, or none at all."""
    if not isinstance(description, str):
        raise InvalidArguments("Description must be a string")
    if len(description) > MAX_DESCRIPTION:
        raise InvalidArguments("Description must be 1000 characters or less", detail="Description too long")
    if "\0" in description:
        raise InvalidArguments("Description must not hold a null character")
    return description
