"""A finding with its evidence, its review by people, and the repositories that store both.

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
IS_DONE = {"discovery": "review <> 'archived'", "work_session": "status <> 'active'"}  # one that runs is not searched


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
        return f"FROM {self._table} WHERE project = :project AND {IS_DONE[self._table]}"

    def _of(self, mark: str) -> dict[str, Any]:
        return {"project": self._project, "mark": mark}


TYPES = ("pattern", "rule", "decision", "issue")
MOST_CHARACTERS = 4000
OPEN = "open"
CONFIRMED = "confirmed"
ARCHIVED = "archived"
"""What a person said of a discovery: nothing yet, that it holds, or that nobody is to be told of it."""
NOT_ARCHIVED = "review <> 'archived'"


class Finding(NamedTuple):
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
        """The newest discoveries that are not archived; of one module alone, where one is named."""
        of_module = "AND (CAST(:module AS TEXT) IS NULL OR module = :module)"
        sql = f"{SELECT} AND {NOT_ARCHIVED} {of_module} ORDER BY created_at DESC, id LIMIT :limit"
        return read_rows(self._transaction.fetch_all(sql, {**self._scope, "module": module, "limit": limit}))

    def unindexed(self, mark: str, limit: int) -> list[Finding]:
        """Some discoveries that the index with this mark does not hold and should."""
        given = {**self._scope, "mark": mark, "limit": limit}
        sql = f"{SELECT} AND {NOT_ARCHIVED} AND {{}} LIMIT :limit"
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
            review=row["review"],
            reviewed_at=row["reviewed_at"],
            reviewed_by=row["reviewed_by"],
            reviewed_stale=row["reviewed_stale"],
        )
        for row in rows
    ]


STATES = (OPEN, CONFIRMED, ARCHIVED)
WANTED = """
    AND review = :review AND (:type = '' OR type = :type)
    AND (LOWER(content) LIKE :words ESCAPE '!' OR LOWER(COALESCE(module, '')) LIKE :words ESCAPE '!')
"""


class FindingReview(NamedTuple):
    """What was said of a discovery, when (ISO 8601), by whom, and what of it was stale then, as a hash."""

    state: str
    at: str
    by: str
    stale: str = ""


class FindingQuery(NamedTuple):
    """Which discoveries a person looks at."""

    review: str = OPEN
    type: str = ""
    words: str = ""
    limit: int = 50
    offset: int = 0


class ReviewedFinding(NamedTuple):
    """A discovery with the places that it rests on and what of it no longer holds."""

    discovery: Finding
    places: tuple[str, ...] = ()
    stale: tuple[StalePlace, ...] = ()

    @property
    def is_stale(self) -> bool:
        """Whether something no longer holds that was not so when it was confirmed."""
        is_known = self.discovery.review == CONFIRMED and self.discovery.reviewed_stale == hash_stale_places(self.stale)
        return bool(self.stale) and not is_known


def hash_stale_places(places: Iterable[StalePlace]) -> str:
    """What tells some stale places from others; empty for none."""
    told = "\n".join(each.told() for each in places)
    return hashlib.sha256(told.encode("utf-8", "replace")).hexdigest() if told else ""


class ReviewRepository:
    """The reviews of one project's discoveries in the database."""

    def __init__(self, transaction: Transaction, project: str) -> None:
        self._transaction = transaction
        self._project = project

    def set(self, identity: str, review: FindingReview) -> None:
        """Keep what was said of a discovery, in place of what was said before."""
        self._transaction.execute(
            """
            UPDATE discovery
            SET review = :state, reviewed_at = :at, reviewed_by = :by, reviewed_stale = :stale
            WHERE project = :project AND id = :id
            """,
            {"project": self._project, "id": identity, **review._asdict()},
        )

    def page(self, wanted: FindingQuery) -> list[Finding]:
        """Some discoveries, newest first."""
        sql = f"{SELECT} {WANTED} ORDER BY created_at DESC, id LIMIT :limit OFFSET :offset"
        given = {**self._given(wanted), "limit": wanted.limit, "offset": wanted.offset}
        return read_rows(self._transaction.fetch_all(sql, given))

    def count(self, wanted: FindingQuery) -> int:
        """How many there are of the same."""
        sql = f"SELECT COUNT(*) AS count FROM discovery WHERE project = :project {WANTED}"  # noqa: S608  words of ours
        row = self._transaction.fetch_one(sql, self._given(wanted))
        return int(row["count"]) if row else 0

    def counts(self) -> dict[str, int]:
        """How many there are in each state."""
        sql = "SELECT review, COUNT(*) AS count FROM discovery WHERE project = :project GROUP BY review"
        rows = self._transaction.fetch_all(sql, {"project": self._project})
        return {**dict.fromkeys(STATES, 0), **{str(row["review"]): int(row["count"]) for row in rows}}

    def _given(self, wanted: FindingQuery) -> dict[str, Any]:
        escaped = wanted.words.lower().replace("!", "!!").replace("%", "!%").replace("_", "!_")
        return {"project": self._project, "review": wanted.review, "type": wanted.type, "words": f"%{escaped}%"}
