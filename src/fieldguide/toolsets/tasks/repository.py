"""Defines a task, and stores the tasks of one user in the database.

In a service of many projects it carries the project too: a session that works for one says so.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from typing import Any, NamedTuple

from fieldguide.storage.database import Row, Transaction
from fieldguide.text.errors import InvalidArguments, NotFound

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
    """One task of one user; `is_started`, `priority` and `label` are what a person sets on the board."""

    id: int
    title: str
    description: str | None
    status: TaskStatus
    created_at: datetime
    is_started: bool = False
    priority: str = ""
    label: str = ""

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


MAX_LABEL = 40
PRIORITIES = ("", "low", "medium", "high")
"""From none to the most urgent; a task has the place of one."""


def check_label(label: str) -> str:
    """A label that a task can have: one short line, or none."""
    kept = " ".join(label.split())
    if len(kept) > MAX_LABEL or "\0" in kept:
        raise TaskValidationError(f"Label must be {MAX_LABEL} characters or less")
    return kept


def check_priority(priority: str) -> int:
    """The place of a priority by its name."""
    if priority not in PRIORITIES:
        raise TaskValidationError(f"Priority must be one of {', '.join(PRIORITIES[1:])}, or none")
    return PRIORITIES.index(priority)


LARGEST_ID = 2**63 - 1
COLUMNS = "id, title, description, completed, created_at, started, priority, label"
CHANGED: Mapping[str, Any] = {
    "title": None, "description": None, "completed": False, "started": False, "priority": 0, "label": ""
}  # fmt: skip
"""The columns that a change may name, each with what stands for one that is not changed."""
FROM_WANTED = """
    FROM task
    WHERE user_id = :user_id AND namespace = :namespace AND completed = :completed
        AND started IN (:started, :also_started)
        AND LOWER(title || ' ' || COALESCE(description, '') || ' ' || label) LIKE :words ESCAPE '!'
"""


class TaskQuery(NamedTuple):
    """Which tasks a person looks at: of one state, with some words in them, and which page of those.

    `is_started` tells those that are in progress from those that are not; None means both.
    """

    is_completed: bool
    words: str = ""
    limit: int = 50
    offset: int = 0
    is_started: bool | None = None


class PostgreSQLTaskRepository:
    """The tasks of one user, and no others, in plain SQL that PostgreSQL and SQLite both take.

    A task that is not there and one that is another's are the same.
    """

    def __init__(self, session: Transaction, user_id: str) -> None:
        if not isinstance(user_id, str) or not user_id.strip():  # pyright: ignore[reportUnnecessaryIsInstance]  # spec 6.1
            raise ValueError("A task repository belongs to a user.")
        self._session = session
        self._whose = {"namespace": session.tenant, "user_id": user_id}

    def add(self, title: str, description: str | None) -> Task:
        """Keep a new task."""
        row = self._session.fetch_one(
            f"""
            INSERT INTO task (user_id, namespace, title, description, completed, created_at, updated_at)
            VALUES (:user_id, :namespace, :title, :description, FALSE, now(), now())
            RETURNING {COLUMNS}
            """,  # noqa: S608  names of ours
            {**self._whose, "title": title, "description": description},
        )
        assert row is not None  # noqa: S101  an insert gives back its row
        return _task(row)

    def get_by_id(self, task_id: int) -> Task | None:
        """A task, or None: not there and not yours are the same."""
        row = self._session.fetch_one(
            f"""
            SELECT {COLUMNS}
            FROM task
            WHERE user_id = :user_id AND namespace = :namespace AND id = :task_id
            """,  # noqa: S608  names of ours
            self._named(task_id),
        )
        return None if row is None else _task(row)

    def get_all(self) -> list[Task]:
        """Every task, newest first."""
        rows = self._session.fetch_all(
            f"""
            SELECT {COLUMNS}
            FROM task
            WHERE user_id = :user_id AND namespace = :namespace
            ORDER BY created_at DESC, id DESC
            """,  # noqa: S608  names of ours
            self._whose,
        )
        return [_task(row) for row in rows]

    def update(self, task_id: int, changes: Mapping[str, Any]) -> Task:
        """Change the named fields; TaskNotFoundError when there is no such task."""
        row = self._session.fetch_one(
            f"""
            UPDATE task
            SET title = CASE WHEN :has_title THEN :title ELSE title END,
                description = CASE WHEN :has_description THEN :description ELSE description END,
                completed = CASE WHEN :has_completed THEN :completed ELSE completed END,
                started = CASE WHEN :has_started THEN :started ELSE started END,
                priority = CASE WHEN :has_priority THEN :priority ELSE priority END,
                label = CASE WHEN :has_label THEN :label ELSE label END,
                updated_at = now()
            WHERE user_id = :user_id AND namespace = :namespace AND id = :task_id
            RETURNING {COLUMNS}
            """,  # noqa: S608  names of ours
            {
                **self._named(task_id),
                **{f"has_{name}": name in changes for name in CHANGED},
                **{name: changes.get(name, default) for name, default in CHANGED.items()},
            },
        )
        if row is None:
            raise TaskNotFoundError(task_id)
        return _task(row)

    def delete(self, task_id: int) -> bool:
        """Remove a task; whether there was one."""
        statement = "DELETE FROM task WHERE user_id = :user_id AND namespace = :namespace AND id = :task_id"
        return self._session.execute(statement, self._named(task_id)) > 0

    def get_page(self, wanted: "TaskQuery") -> list[Task]:
        """Some of the tasks of one state, the most urgent first, then the newest."""
        rows = self._session.fetch_all(
            f"""
            SELECT {COLUMNS} {FROM_WANTED}
            ORDER BY priority DESC, created_at DESC, id DESC
            LIMIT :limit OFFSET :offset
            """,
            {**self._wanted(wanted), "limit": wanted.limit, "offset": wanted.offset},
        )
        return [_task(row) for row in rows]

    def count_wanted(self, wanted: "TaskQuery") -> int:
        """How many tasks of one state there are."""
        row = self._session.fetch_one(f"SELECT COUNT(*) AS count {FROM_WANTED}", self._wanted(wanted))
        return int(row["count"]) if row else 0

    def _wanted(self, wanted: "TaskQuery") -> dict[str, Any]:
        escaped = wanted.words.lower().replace("!", "!!").replace("%", "!%").replace("_", "!_")
        return {
            **self._whose,
            "completed": wanted.is_completed,
            "started": bool(wanted.is_started),
            "also_started": wanted.is_started is None or wanted.is_started,
            "words": f"%{escaped}%",
        }

    def count(self) -> int:
        """How many tasks there are."""
        statement = "SELECT COUNT(*) AS count FROM task WHERE user_id = :user_id AND namespace = :namespace"
        row = self._session.fetch_one(statement, self._whose)
        return int(row["count"]) if row else 0

    def holds(self, number: int) -> bool:
        """Whether there are as many tasks as that.

        They are counted only where the number of the newest one allows it: no number is given out twice.
        """
        statement = """
            SELECT id FROM task
            WHERE user_id = :user_id AND namespace = :namespace
            ORDER BY created_at DESC, id DESC LIMIT 1
        """
        newest = self._session.fetch_one(statement, self._whose)
        return newest is not None and newest["id"] >= number and self.count() >= number

    def exists(self, task_id: int) -> bool:
        """Whether there is such a task."""
        return self.get_by_id(task_id) is not None

    def _named(self, task_id: int) -> dict[str, Any]:
        """The parameters that name a task; a number that no database has ever given out names none."""
        return {**self._whose, "task_id": task_id if task_id <= LARGEST_ID else 0}


def _task(row: Row) -> Task:
    created = row["created_at"]
    return Task(
        id=row["id"],
        title=row["title"],
        description=row["description"],
        status=TaskStatus.COMPLETED if row["completed"] else TaskStatus.PENDING,
        created_at=created if isinstance(created, datetime) else datetime.fromisoformat(created),
        is_started=bool(row["started"]),
        priority=PRIORITIES[min(max(int(row["priority"]), 0), len(PRIORITIES) - 1)],
        label=row["label"],
    )
