"""Whose tasks there are: for the person at the terminal, whose list is that of all who work for them. No tool asks."""

import os

from fieldguide.app import build_app
from fieldguide.config import read_settings
from fieldguide.in_process.running import tell
from fieldguide.storage.port import Database, Transaction

TOOLSET = "tasks"
MOST_USERS = 200


class TaskOwnerRepository:
    """The users that have tasks in a database; never the tasks themselves, and none of a service's projects."""

    def __init__(self, session: Transaction) -> None:
        self._session = session

    def users(self) -> list[str]:
        """Every user with a task, by name."""
        rows = self._session.fetch_all(
            "SELECT DISTINCT user_id FROM task WHERE namespace = '' ORDER BY user_id LIMIT :most", {"most": MOST_USERS}
        )
        return [row["user_id"] for row in rows]

    def owner(self, task_id: int) -> str | None:
        """Whose task that is."""
        statement = "SELECT user_id FROM task WHERE namespace = '' AND id = :task_id"
        row = self._session.fetch_one(statement, {"task_id": task_id})
        return None if row is None else str(row["user_id"])


def task_users(*, project: str | os.PathLike[str]) -> list[str]:
    """The users that have tasks in the database of a project on this machine."""
    database = _database(project)
    try:
        with database.reading() as session:
            return TaskOwnerRepository(session).users()
    finally:
        database.close()


def task_owner(task_id: int, *, project: str | os.PathLike[str]) -> str | None:
    """Whose task that is, in the database of a project on this machine."""
    database = _database(project)
    try:
        with database.reading() as session:
            return TaskOwnerRepository(session).owner(task_id)
    finally:
        database.close()


def _database(project: str | os.PathLike[str]) -> Database:
    settings = read_settings({"project": os.fspath(project), "toolsets": (TOOLSET,)}, os.environ)
    return build_app(settings, write_journal=tell).database
