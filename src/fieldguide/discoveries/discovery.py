"""A discovery: something that work on the project found out, with its evidence."""

import hashlib
import json
import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from fieldguide.discoveries.index_marks import UNMARKED
from fieldguide.errors import InvalidArguments, Refusal
from fieldguide.limits import Limits
from fieldguide.secret_values import without_secret_values, without_secret_values_in
from fieldguide.storage.port import Row, Transaction

TYPES = ("pattern", "rule", "decision", "issue")
MOST_CHARACTERS = 4000
OPEN, CONFIRMED, ARCHIVED = "open", "confirmed", "archived"
"""What a person said of a discovery: nothing yet, that it holds, or that nobody is to be told of it."""
NOT_ARCHIVED = "review <> 'archived'"


class Discovery(NamedTuple):
    """What was found out, of which kind, where, when, and how we know; and what a person said of it since.

    `reviewed_stale` is what of it no longer held when it was reviewed, as a hash.
    """

    id: str
    type: str
    content: str
    module: str | None
    session: str | None
    evidence: Mapping[str, Any]
    created_at: datetime
    review: str = OPEN
    reviewed_at: str = ""
    reviewed_by: str = ""
    reviewed_stale: str = ""

    @property
    def date(self) -> str:
        """When it was found out, in UTC, as ISO 8601."""
        return self.created_at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def new_discovery(
    type_: str,
    content: str,
    *,
    module: str | None = None,
    session: str | None = None,
    evidence: Mapping[str, Any] | None = None,
    at: datetime | None = None,
) -> Discovery:
    """A discovery that can be kept, without values that look like live secrets; a sentence says why another can't."""
    text = without_secret_values(content.strip())
    if type_ not in TYPES:
        raise InvalidArguments(f"A discovery is one of {', '.join(TYPES)}, not {type_!r}.")
    if not text or "\0" in text:
        raise InvalidArguments("A discovery must say something.")
    if len(text) > MOST_CHARACTERS:
        raise InvalidArguments(f"A discovery has at most {MOST_CHARACTERS} characters.")
    name = without_secret_values(module.strip()) if module else None
    shown = without_secret_values_in(dict(evidence or {}))
    return Discovery(str(uuid.uuid4()), type_, text, name or None, session, shown, at or datetime.now(UTC))


class DiscoveryRepository:
    """The discoveries of one project in the database."""

    def __init__(self, transaction: Transaction, project: str) -> None:
        self._transaction = transaction
        self._project = project

    def add(self, new: Discovery, *, indexed_as: str | None = None) -> Discovery | None:
        """Keep a discovery; None when the same words of the same kind are already kept for that module.

        `indexed_as` is the mark of the index that it is put into at once.
        """
        row = self._transaction.fetch_one(
            """
            INSERT INTO discovery (
                id, project, session_id, type, content, module, evidence, fingerprint, created_at, indexed_as
            )
            VALUES (
                :id, :project, :session, :type, :content, :module, :evidence, :fingerprint, :created_at, :indexed_as
            )
            ON CONFLICT (project, fingerprint) DO NOTHING
            RETURNING id
            """,
            {
                "id": new.id,
                "project": self._project,
                "session": new.session,
                "type": new.type,
                "content": new.content,
                "module": new.module,
                "evidence": json.dumps(dict(new.evidence), ensure_ascii=False, sort_keys=True),
                "fingerprint": fingerprint(new),
                "created_at": new.created_at.isoformat(timespec="microseconds"),
                "indexed_as": indexed_as,
            },
        )
        return new if row else None

    def all(self) -> list[Discovery]:
        """Every discovery, newest first."""
        return read_rows(self._transaction.fetch_all(f"{SELECT} ORDER BY created_at DESC, id", self._scope))

    def latest(self, limit: int, *, module: str | None = None) -> list[Discovery]:
        """The newest discoveries that are not archived; of one module alone, where one is named."""
        of_module = "AND (CAST(:module AS TEXT) IS NULL OR module = :module)"
        sql = f"{SELECT} AND {NOT_ARCHIVED} {of_module} ORDER BY created_at DESC, id LIMIT :limit"
        return read_rows(self._transaction.fetch_all(sql, {**self._scope, "module": module, "limit": limit}))

    def unindexed(self, mark: str, limit: int) -> list[Discovery]:
        """Some discoveries that the index with this mark does not hold and should."""
        given = {**self._scope, "mark": mark, "limit": limit}
        sql = f"{SELECT} AND {NOT_ARCHIVED} AND {{}} LIMIT :limit"
        ranges = (self._transaction.fetch_all(sql.format(each), given) for each in UNMARKED)
        return read_rows(next(filter(None, ranges), ()))

    def of_session(self, session: str) -> list[Discovery]:
        """The discoveries that a session made, oldest first."""
        sql = f"{SELECT} AND session_id = :session ORDER BY created_at, id"
        return read_rows(self._transaction.fetch_all(sql, {**self._scope, "session": session}))

    def find(self, identity: str) -> Discovery | None:
        """A discovery by its id."""
        found = self._transaction.fetch_all(f"{SELECT} AND id = :id", {**self._scope, "id": identity})
        return read_rows(found)[0] if found else None

    def remove(self, identity: str) -> bool:
        """Forget a discovery that was wrong; whether there was one."""
        sql = "DELETE FROM discovery WHERE project = :project AND id = :id"
        return self._transaction.execute(sql, {**self._scope, "id": identity}) > 0

    def count(self) -> int:
        """How many there are."""
        row = self._transaction.fetch_one(
            "SELECT COUNT(*) AS count FROM discovery WHERE project = :project", self._scope
        )
        return int(row["count"]) if row else 0

    def check(self, limits: Limits) -> None:
        """Refuse, and with it what was added in this transaction, when there are more than there may be."""
        if self.count() > limits.discoveries:
            raise Refusal(f"Too many discoveries: {limits.told('discoveries')}.")

    @property
    def _scope(self) -> dict[str, Any]:
        return {"project": self._project}


COLUMNS = (
    "id, session_id, type, content, module, evidence, created_at, review, reviewed_at, reviewed_by, reviewed_stale"
)
SELECT = f"SELECT {COLUMNS} FROM discovery WHERE project = :project"  # noqa: S608  names of ours


def fingerprint(discovery: Discovery) -> str:
    """What makes two discoveries the same: kind, module and words, whatever their case and spaces."""
    words = " ".join(discovery.content.casefold().split())
    return hashlib.sha256(f"{discovery.type}\n{discovery.module or ''}\n{words}".encode()).hexdigest()


def as_moment(value: Any) -> datetime:
    """A moment as either database gives it."""
    return value if isinstance(value, datetime) else datetime.fromisoformat(value)


def read_rows(rows: Sequence[Row]) -> list[Discovery]:
    """Rows of the table as discoveries."""
    return [
        Discovery(
            id=row["id"],
            type=row["type"],
            content=without_secret_values(row["content"]),  # an earlier version may have kept one
            module=row["module"],
            session=row["session_id"],
            evidence=without_secret_values_in(json.loads(row["evidence"])),
            created_at=as_moment(row["created_at"]),
            review=row["review"],
            reviewed_at=row["reviewed_at"],
            reviewed_by=row["reviewed_by"],
            reviewed_stale=row["reviewed_stale"],
        )
        for row in rows
    ]
