"""Stores work sessions, their topics, and the context items that were used, scored by recency and use.

A session begins with the first recorded call of a connection, and ends with the connection or after half an hour
without a call. After a week it is archived; nothing is ever deleted.
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
MOST_TOPICS = 5
PLAIN_FOLDERS = frozenset(("", "src", "lib", "app"))  # they hold everything, so they name nothing
RECENCY_SHARE = 0.6
ACCESS_SHARE = 0.4
FORGOTTEN_DAYS = 30.0
TOKEN_BUDGET = 100_000
FULL = 0.8
ARCHIVED_SHARE = 0.2
SECONDS_PER_DAY = 86_400.0
SELECT = """
    SELECT id, user_id, status, topics, tool_calls, started_at, active_at, ended_at,
        (SELECT COUNT(*) FROM discovery WHERE discovery.session_id = work_session.id) AS discoveries
    FROM work_session WHERE project = :project
"""
OF_USER = "AND (CAST(:user AS TEXT) IS NULL OR user_id = :user)"
SELECT_ITEMS = """
    SELECT type, name, access_count, tokens, status, last_accessed_at FROM context_item WHERE project = :project
"""

ModuleOf = Callable[[str], str | None]


class FileAccess(NamedTuple):
    """How a session used a file."""

    path: str
    uses: int
    first: datetime
    last: datetime


class WorkSession(NamedTuple):
    """A session as it is stored."""

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
        """Count a call of a connection for its session, and begin one if none runs; return the session's id."""
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
        """Store the topics of a session."""
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
        """End the sessions that were idle for half an hour and archive old ones; return whether any has ended."""
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
                first = parse_moment(row["first_accessed_at"])
                last = parse_moment(row["last_accessed_at"])
                files[row["session_id"]].append(FileAccess(row["path"], row["access_count"], first, last))
        return [_session(row)._replace(files=tuple(files[row["id"]])) for row in rows]


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


def write_topics(transaction: Transaction, project: str, module_of: ModuleOf) -> None:
    """Store the topics of every ended session that has none yet."""
    sessions = SessionRepository(transaction, project)
    discoveries = FindingRepository(transaction, project)
    for session in sessions.untold():
        topics = find_topics(session.files, discoveries.of_session(session.id), module_of)
        sessions.set_topics(session.id, topics)


def find_topics(files: Iterable[FileAccess], discoveries: Iterable[Finding], module_of: ModuleOf) -> Sequence[str]:
    """The names with the most file uses and findings, most first, in a stable order."""
    counted: Counter[str] = Counter(each.module for each in discoveries if each.module)
    for file in files:
        counted[module_of(file.path) or _name_of(file.path)] += file.uses
    return [name for name, _ in sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_TOPICS]]


def _name_of(path: str) -> str:
    *folders, name = path.split("/")
    folder = folders[-1] if folders else ""
    return folder if folder not in PLAIN_FOLDERS else name.partition(".")[0] or name


class ContextTotal(NamedTuple):
    """The tokens of a project's active items, and the uses of the most used item."""

    active_tokens: int
    most_uses: int


class ContextItem(NamedTuple):
    """A file or document that was used, with its score."""

    type: str
    name: str
    score: float
    recency: float
    access: float
    uses: int
    tokens: int
    status: str
    last_accessed_at: datetime


class ContextItemRepository:
    """The context items of one project in the database."""

    def __init__(self, transaction: Transaction, project: str) -> None:
        self._transaction = transaction
        self._project = project

    def access(self, type_: str, name: str, *, tokens: int, now: datetime) -> None:
        """Count a use of an item; one that was archived is active again."""
        key = {"project": self._project, "type": type_, "name": name}
        total = self._locked_total()
        before = self._transaction.fetch_one(
            """
            SELECT access_count, tokens, status FROM context_item
            WHERE project = :project AND type = :type AND name = :name
            """,
            key,
        )
        uses = before["access_count"] + 1 if before else 1
        most = max(total.most_uses, uses)
        held = before["tokens"] if before and before["status"] == "active" else 0
        access = uses / most
        self._transaction.execute(
            """
            INSERT INTO context_item (
                project, type, name, score, recency_factor, access_factor, access_count, tokens, status,
                last_accessed_at
            )
            VALUES (:project, :type, :name, :score, 1.0, :access, :uses, :tokens, 'active', :now)
            ON CONFLICT (project, type, name) DO UPDATE
            SET score = excluded.score, recency_factor = 1.0, access_factor = excluded.access_factor,
                access_count = excluded.access_count, tokens = excluded.tokens, status = 'active',
                last_accessed_at = excluded.last_accessed_at
            """,
            {
                **key,
                "score": RECENCY_SHARE + ACCESS_SHARE * access,
                "access": access,
                "uses": uses,
                "tokens": tokens,
                "now": _written(now),
            },
        )
        self._keep_total(ContextTotal(total.active_tokens + tokens - held, most))

    def archive_lowest(self, now: datetime) -> None:
        """Archive the lowest fifth of the active items, if those exceed the budget; using an item makes it active."""
        total = self._locked_total()
        if total.active_tokens <= FULL * TOKEN_BUDGET:
            return
        rows = self._transaction.fetch_all(f"{SELECT_ITEMS} AND status = 'active'", {"project": self._project})
        items = [_item(row, total.most_uses, now) for row in rows]
        items.sort(key=lambda item: (item.score, item.type, item.name))
        lowest = items[: max(1, int(len(items) * ARCHIVED_SHARE))]
        self._archive(lowest)
        held = sum(item.tokens for item in items) - sum(item.tokens for item in lowest)
        self._keep_total(ContextTotal(held, total.most_uses))

    def all(self, now: datetime) -> list[ContextItem]:
        """Every item with its score for this moment, the most important first."""
        rows = self._transaction.fetch_all(f"{SELECT_ITEMS} ORDER BY type, name", {"project": self._project})
        most = max((row["access_count"] for row in rows), default=1)
        return sorted((_item(row, most, now) for row in rows), key=lambda item: -item.score)

    def _locked_total(self) -> ContextTotal:
        """Read the project's totals, and lock them until the end of the transaction."""
        row = self._transaction.fetch_one(
            """
            INSERT INTO context_total (project, active_tokens, most_uses) VALUES (:project, 0, 0)
            ON CONFLICT (project) DO UPDATE SET most_uses = context_total.most_uses
            RETURNING active_tokens, most_uses
            """,
            {"project": self._project},
        )
        assert row is not None  # noqa: S101  it was written or it was there
        return ContextTotal(row["active_tokens"], row["most_uses"])

    def _keep_total(self, total: ContextTotal) -> None:
        self._transaction.execute(
            "UPDATE context_total SET active_tokens = :tokens, most_uses = :uses WHERE project = :project",
            {"project": self._project, "tokens": total.active_tokens, "uses": total.most_uses},
        )

    def _archive(self, items: Sequence[ContextItem]) -> None:
        self._transaction.execute_many(
            """
            UPDATE context_item SET status = 'archived', score = :score, recency_factor = :recency,
                access_factor = :access
            WHERE project = :project AND type = :type AND name = :name
            """,
            [
                {
                    "project": self._project,
                    "type": item.type,
                    "name": item.name,
                    "score": item.score,
                    "recency": item.recency,
                    "access": item.access,
                }
                for item in items
            ],
        )


def _item(row: Row, most_uses: int, now: datetime) -> ContextItem:
    last = parse_moment(row["last_accessed_at"])
    uses = row["access_count"]
    days = (now - last).total_seconds() / SECONDS_PER_DAY
    recency = min(max(1.0 - days / FORGOTTEN_DAYS, 0.0), 1.0)  # 1 today, 0 after thirty days
    access = uses / most_uses
    return ContextItem(
        type=row["type"],
        name=row["name"],
        score=RECENCY_SHARE * recency + ACCESS_SHARE * access,
        recency=recency,
        access=access,
        uses=uses,
        tokens=row["tokens"],
        status=row["status"],
        last_accessed_at=last,
    )
