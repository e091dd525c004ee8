"""A finding with its evidence, and the repository that stores it.

The index may be deleted and made again at any time; the new one has another mark, so that every row counts as new.
"""

import hashlib
import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple, cast

from fieldguide.settings.limits import Limits
from fieldguide.storage.database import Row, Transaction
from fieldguide.text.citation import StalePlace
from fieldguide.text.errors import InvalidArguments, Refusal
from fieldguide.text.secrets import mask_secret_values, mask_secret_values_in_json

Table = Literal["discovery", "work_session"]
UNMARKED = ("indexed_as IS NULL", "indexed_as < :mark", "indexed_as > :mark")  # each by itself is a range of the index
IS_DONE = {"discovery": "", "work_session": "AND status <> 'active'"}  # one that runs is not searched


class IndexMarks:
    """The marks on the rows of one project in one table."""

    def __init__(self, transaction: Transaction, table: Table, project: str) -> None:
        self._transaction = transaction
        self._table = table
        self._project = project

    def count(self, mark: str) -> int:
        """How many rows carry a mark."""
        row = self._transaction.fetch_one(
            f"SELECT COUNT(*) AS count {self._rows} AND indexed_as = :mark", self._of(mark)
        )
        return int(row["count"]) if row else 0

    def marked(self, mark: str) -> set[str]:
        """The ids of the rows that carry a mark."""
        found = self._transaction.fetch_all(f"SELECT id {self._rows} AND indexed_as = :mark", self._of(mark))
        return {row["id"] for row in found}

    def all(self) -> set[str]:
        """The ids of all rows that belong into an index."""
        return {row["id"] for row in self._transaction.fetch_all(f"SELECT id {self._rows}", {"project": self._project})}

    def set(self, ids: Iterable[str], mark: str | None) -> None:
        """Give rows a mark, or take it from them."""
        self._transaction.execute_many(
            f"UPDATE {self._table} SET indexed_as = :mark WHERE id = :id",  # noqa: S608  a name of ours
            [{"id": each, "mark": mark} for each in ids],
        )

    @property
    def _rows(self) -> str:
        return f"FROM {self._table} WHERE project = :project {IS_DONE[self._table]}"

    def _of(self, mark: str) -> dict[str, Any]:
        return {"project": self._project, "mark": mark}


TYPES = ("pattern", "rule", "decision", "issue")
MOST_CHARACTERS = 4000


class Finding(NamedTuple):
    """What was found out, of which kind, where, when, and how we know."""

    id: str
    type: str
    content: str
    module: str | None
    session: str | None
    evidence: Mapping[str, Any]
    created_at: datetime

    @property
    def date(self) -> str:
        """When it was found out, in UTC, as ISO 8601."""
        return self.created_at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")

    @property
    def files(self) -> list[str]:
        """The files that it rests on."""
        listed: Any = self.evidence.get("files")
        if not isinstance(listed, list):
            return []
        return [each for each in cast("Any", listed) if isinstance(each, str)]


def create_finding(
    type_: str,
    content: str,
    *,
    module: str | None = None,
    session: str | None = None,
    evidence: Mapping[str, Any] | None = None,
    at: datetime | None = None,
) -> Finding:
    """A discovery that can be kept, without values that look like live secrets; a sentence says why another can't."""
    text = mask_secret_values(content.strip())
    if type_ not in TYPES:
        raise InvalidArguments(f"A discovery is one of {', '.join(TYPES)}, not {type_!r}.")
    if not text or "\0" in text:
        raise InvalidArguments("A discovery must say something.")
    if len(text) > MOST_CHARACTERS:
        raise InvalidArguments(f"A discovery has at most {MOST_CHARACTERS} characters.")
    name = mask_secret_values(module.strip()) if module else None
    shown = mask_secret_values_in_json(dict(evidence or {}))
    return Finding(str(uuid.uuid4()), type_, text, name or None, session, shown, at or datetime.now(UTC))


class FindingRepository:
    """The discoveries of one project in the database."""

    def __init__(self, transaction: Transaction, project: str) -> None:
        self._transaction = transaction
        self._project = project

    def add(self, new: Finding, *, indexed_as: str | None = None) -> Finding | None:
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
                "fingerprint": compute_fingerprint(new),
                "created_at": new.created_at.isoformat(timespec="microseconds"),
                "indexed_as": indexed_as,
            },
        )
        return new if row else None

    def all(self) -> list[Finding]:
        """Every discovery, newest first."""
        return read_rows(self._transaction.fetch_all(f"{SELECT} ORDER BY created_at DESC, id", self._scope))

    def latest(self, limit: int, *, module: str | None = None) -> list[Finding]:
        """The newest discoveries; of one module alone, where one is named."""
        of_module = "AND (CAST(:module AS TEXT) IS NULL OR module = :module)"
        sql = f"{SELECT} {of_module} ORDER BY created_at DESC, id LIMIT :limit"
        return read_rows(self._transaction.fetch_all(sql, {**self._scope, "module": module, "limit": limit}))

    def unindexed(self, mark: str, limit: int) -> list[Finding]:
        """Some discoveries that the index with this mark does not hold and should."""
        given = {**self._scope, "mark": mark, "limit": limit}
        sql = f"{SELECT} AND {{}} LIMIT :limit"
        ranges = (self._transaction.fetch_all(sql.format(each), given) for each in UNMARKED)
        return read_rows(next(filter(None, ranges), ()))

    def of_session(self, session: str) -> list[Finding]:
        """The discoveries that a session made, oldest first."""
        sql = f"{SELECT} AND session_id = :session ORDER BY created_at, id"
        return read_rows(self._transaction.fetch_all(sql, {**self._scope, "session": session}))

    def find(self, identity: str) -> Finding | None:
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

    def page(self, wanted: "FindingQuery") -> list[Finding]:
        """Some discoveries that fit, newest first."""
        sql = f"{SELECT} {WANTED} ORDER BY created_at DESC, id LIMIT :limit OFFSET :offset"
        given = {"type": wanted.type, "words": wanted.pattern, "limit": wanted.limit, "offset": wanted.offset}
        return read_rows(self._transaction.fetch_all(sql, {**self._scope, **given}))

    def count_fitting(self, wanted: "FindingQuery") -> int:
        """How many there are of the same."""
        sql = f"SELECT COUNT(*) AS count FROM discovery WHERE project = :project {WANTED}"  # noqa: S608  words of ours
        row = self._transaction.fetch_one(sql, {**self._scope, "type": wanted.type, "words": wanted.pattern})
        return int(row["count"]) if row else 0

    def check(self, limits: Limits) -> None:
        """Refuse, and with it what was added in this transaction, when there are more than there may be."""
        if self.count() > limits.discoveries:
            raise Refusal(f"Too many discoveries: {limits.told('discoveries')}.")

    @property
    def _scope(self) -> dict[str, Any]:
        return {"project": self._project}


COLUMNS = "id, session_id, type, content, module, evidence, created_at"
SELECT = f"SELECT {COLUMNS} FROM discovery WHERE project = :project"  # noqa: S608  names of ours


def compute_fingerprint(discovery: Finding) -> str:
    """What makes two discoveries the same: kind, module and words, whatever their case and spaces."""
    words = " ".join(discovery.content.casefold().split())
    return hashlib.sha256(f"{discovery.type}\n{discovery.module or ''}\n{words}".encode()).hexdigest()


def parse_moment(value: Any) -> datetime:
    """A moment as either database gives it."""
    return value if isinstance(value, datetime) else datetime.fromisoformat(value)


def read_rows(rows: Sequence[Row]) -> list[Finding]:
    """Rows of the table as discoveries."""
    return [
        Finding(
            id=row["id"],
            type=row["type"],
            content=mask_secret_values(row["content"]),  # an earlier version may have kept one
            module=row["module"],
            session=row["session_id"],
            evidence=mask_secret_values_in_json(json.loads(row["evidence"])),
            created_at=parse_moment(row["created_at"]),
        )
        for row in rows
    ]


WANTED = """
    AND (:type = '' OR type = :type)
    AND (LOWER(content) LIKE :words ESCAPE '!' OR LOWER(COALESCE(module, '')) LIKE :words ESCAPE '!')
"""


class FindingQuery(NamedTuple):
    """Which discoveries a person looks at."""

    type: str = ""
    words: str = ""
    limit: int = 50
    offset: int = 0

    @property
    def pattern(self) -> str:
        """What `LIKE` takes for the words."""
        escaped = self.words.lower().replace("!", "!!").replace("%", "!%").replace("_", "!_")
        return f"%{escaped}%"


class CitedFinding(NamedTuple):
    """A discovery with the places that it rests on and what of it no longer holds."""

    finding: Finding
    places: tuple[str, ...] = ()
    stale: tuple[StalePlace, ...] = ()
