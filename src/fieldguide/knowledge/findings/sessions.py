"""Work sessions: which files a connection read, when and how often, and the topics of a session.

A session begins with the first call of a connection that leaves a trace, and ends with the connection or after half an
hour without one; the next call begins another. After a week it is archived; nothing is ever deleted.
"""

import json
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from fieldguide.knowledge.findings.finding import UNMARKED, Finding, FindingRepository, parse_moment
from fieldguide.storage.database import Row, Transaction

IDLE = timedelta(minutes=30)
KEPT_COMPLETED = timedelta(days=7)
PAGE = 200


class FileAccess(NamedTuple):
    """How a session used a file."""

    path: str
    uses: int
    first: datetime
    last: datetime


class WorkSession(NamedTuple):
    """A session as it is kept."""

    id: str
    user: str | None
    status: str
    topics: Sequence[str]
    tool_calls: int
    discoveries: int
    started_at: datetime
    active_at: datetime
    ended_at: datetime | None
    files: Sequence[FileAccess] = ()

    @property
    def seconds(self) -> int:
        """How long it took, or has taken so far."""
        return round(((self.ended_at or self.active_at) - self.started_at).total_seconds())


class SessionRepository:
    """The sessions of one project in the database."""

    def __init__(self, transaction: Transaction, project: str) -> None:
        self._transaction = transaction
        self._project = project

    def touch(self, connection: str, *, user: str | None, now: datetime) -> str:
        """Count a call of a connection for its session, which begins now if none runs; the session's id."""
        self.close_idle(now=now)
        row = self._transaction.fetch_one(
            """
            INSERT INTO work_session (
                id, project, connection, user_id, status, topics, tool_calls, started_at, active_at
            )
            VALUES (:id, :project, :connection, :user, 'active', '[]', 1, :now, :now)
            ON CONFLICT (project, connection) WHERE status = 'active' DO UPDATE
            SET tool_calls = work_session.tool_calls + 1, active_at = excluded.active_at
            RETURNING id
            """,
            {
                "id": str(uuid.uuid4()),
                "project": self._project,
                "connection": connection,
                "user": user,
                "now": _written(now),
            },
        )
        assert row is not None  # noqa: S101  it was written or it was there
        return str(row["id"])

    def access(self, session: str, path: str, *, now: datetime) -> None:
        """Count that a session looked at a file."""
        self._transaction.execute(
            """
            INSERT INTO work_session_file (session_id, path, access_count, first_accessed_at, last_accessed_at)
            VALUES (:session, :path, 1, :now, :now)
            ON CONFLICT (session_id, path) DO UPDATE
            SET access_count = work_session_file.access_count + 1, last_accessed_at = excluded.last_accessed_at
            """,
            {"session": session, "path": path, "now": _written(now)},
        )

    def set_topics(self, session: str, topics: Sequence[str]) -> None:
        """Keep what a session was about."""
        self._transaction.execute(
            "UPDATE work_session SET topics = :topics WHERE id = :id",
            {"id": session, "topics": json.dumps(list(topics), ensure_ascii=False)},
        )

    def end(self, connections: Iterable[str], *, now: datetime) -> None:
        """End the sessions of connections that are gone."""
        self._transaction.execute_many(
            """
            UPDATE work_session SET status = 'completed', ended_at = :now
            WHERE project = :project AND connection = :connection AND status = 'active'
            """,
            [{"project": self._project, "connection": each, "now": _written(now)} for each in connections],
        )

    def close_idle(self, *, now: datetime) -> bool:
        """End the sessions that nobody has used for half an hour, archive old ones; whether any has ended."""
        ended = self._transaction.execute(
            """
            UPDATE work_session SET status = 'completed', ended_at = active_at
            WHERE project = :project AND status = 'active' AND active_at < :idle
            """,
            {"project": self._project, "idle": _written(now - IDLE)},
        )
        self._transaction.execute(
            """
            UPDATE work_session SET status = 'archived'
            WHERE project = :project AND status = 'completed' AND ended_at < :old
            """,
            {"project": self._project, "old": _written(now - KEPT_COMPLETED)},
        )
        return ended > 0

    def recent(self, limit: int, *, user: str | None = None) -> list[WorkSession]:
        """The latest sessions, newest first, with their files; of this user alone, where one is named."""
        rows = self._transaction.fetch_all(
            f"{SELECT} {OF_USER} ORDER BY started_at DESC, id LIMIT :limit",
            {"project": self._project, "user": user, "limit": limit},
        )
        return self._with_files(rows)

    def active(self, now: datetime, *, user: str | None = None) -> WorkSession | None:
        """The session that was used last, if it has not ended; of this user alone, where one is named."""
        row = self._transaction.fetch_one(
            f"{SELECT} {OF_USER} AND status = 'active' AND active_at >= :idle ORDER BY active_at DESC, id LIMIT 1",
            {"project": self._project, "user": user, "idle": _written(now - IDLE)},
        )
        return None if row is None else self._with_files([row])[0]

    def is_active(self, now: datetime, *, user: str | None = None) -> bool:
        """Whether a session runs; of this user alone, where one is named."""
        row = self._transaction.fetch_one(
            f"{RUNNING} {OF_USER} LIMIT 1",
            {"project": self._project, "user": user, "idle": _written(now - IDLE)},
        )
        return row is not None

    def unindexed(self, mark: str, limit: int) -> list[WorkSession]:
        """Some sessions that have ended and that the index with this mark does not hold, with their files."""
        given = {"project": self._project, "mark": mark, "limit": limit}
        ended = f"{SELECT} AND status <> 'active'"
        ranges = (self._transaction.fetch_all(f"{ended} AND {each} LIMIT :limit", given) for each in UNMARKED)
        return self._with_files(next(filter(None, ranges), ()))

    def untold(self) -> list[WorkSession]:
        """The sessions that have ended since the last pass of indexing and have no topics yet, with their files."""
        rows = self._transaction.fetch_all(
            f"{SELECT} AND status <> 'active' AND indexed_as IS NULL AND topics = '[]'", {"project": self._project}
        )
        return self._with_files(rows)

    def _with_files(self, rows: Sequence[Row]) -> list[WorkSession]:
        """Sessions with the files that they looked at, which are asked for a page of sessions at a time."""
        files: dict[str, list[FileAccess]] = {row["id"]: [] for row in rows}
        ids = list(files)
        for start in range(0, len(ids), PAGE):
            asked = {f"id_{number}": each for number, each in enumerate(ids[start : start + PAGE])}
            found = self._transaction.fetch_all(
                f"""
                SELECT session_id, path, access_count, first_accessed_at, last_accessed_at FROM work_session_file
                WHERE session_id IN ({", ".join(f":{name}" for name in asked)})
                ORDER BY access_count DESC, path
                """,  # noqa: S608  names of ours
                asked,
            )
            for row in found:
                files[row["session_id"]].append(_access(row))
        return [_session(row)._replace(files=tuple(files[row["id"]])) for row in rows]


SELECT = """
    SELECT id, user_id, status, topics, tool_calls, started_at, active_at, ended_at,
        (SELECT COUNT(*) FROM discovery WHERE discovery.session_id = work_session.id) AS discoveries
    FROM work_session WHERE project = :project
"""
RUNNING = """
    SELECT id FROM work_session WHERE project = :project AND status = 'active' AND active_at >= :idle
"""
OF_USER = "AND (CAST(:user AS TEXT) IS NULL OR user_id = :user)"


def format_utc_timestamp(moment: datetime) -> str:
    """A moment in UTC, as ISO 8601."""
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _written(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def _session(row: Row) -> WorkSession:
    ended: Any = row["ended_at"]
    return WorkSession(
        id=row["id"],
        user=row["user_id"],
        status=row["status"],
        topics=json.loads(row["topics"]),
        tool_calls=row["tool_calls"],
        discoveries=row["discoveries"],
        started_at=parse_moment(row["started_at"]),
        active_at=parse_moment(row["active_at"]),
        ended_at=None if ended is None else parse_moment(ended),
    )


def _access(row: Row) -> FileAccess:
    return FileAccess(
        row["path"], row["access_count"], parse_moment(row["first_accessed_at"]), parse_moment(row["last_accessed_at"])
    )


MOST_TOPICS = 5
PLAIN_FOLDERS = frozenset(("", "src", "lib", "app"))  # they hold everything, so they name nothing

ModuleOf = Callable[[str], str | None]


def write_topics(transaction: Transaction, project: str, module_of: ModuleOf) -> None:
    """Give every session that has ended the topics that it has not got yet."""
    sessions = SessionRepository(transaction, project)
    discoveries = FindingRepository(transaction, project)
    for session in sessions.untold():
        topics = find_topics(session.files, discoveries.of_session(session.id), module_of)
        sessions.set_topics(session.id, topics)


def find_topics(files: Iterable[FileAccess], discoveries: Iterable[Finding], module_of: ModuleOf) -> Sequence[str]:
    """The names that cover most looks and discoveries, most first; the same session always has the same ones."""
    counted: Counter[str] = Counter(each.module for each in discoveries if each.module)
    for file in files:
        counted[module_of(file.path) or _name_of(file.path)] += file.uses
    return [name for name, _ in sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_TOPICS]]


def _name_of(path: str) -> str:
    *folders, name = path.split("/")
    folder = folders[-1] if folders else ""
    return folder if folder not in PLAIN_FOLDERS else name.partition(".")[0] or name
