"""What people say of discoveries: that one holds, or that nobody is to be told of it; and the list to review them."""

import hashlib
from collections.abc import Iterable
from typing import Any, NamedTuple

from fieldguide.discoveries.discovery import ARCHIVED, CONFIRMED, OPEN, SELECT, Discovery, read_rows
from fieldguide.spine.answers.stale_places import StalePlace
from fieldguide.storage.port import Transaction

STATES = (OPEN, CONFIRMED, ARCHIVED)
WANTED = """
    AND review = :review AND (:type = '' OR type = :type)
    AND (LOWER(content) LIKE :words ESCAPE '!' OR LOWER(COALESCE(module, '')) LIKE :words ESCAPE '!')
"""


class Review(NamedTuple):
    """What was said of a discovery, when (ISO 8601), by whom, and what of it was stale then, as a hash."""

    state: str
    at: str
    by: str
    stale: str = ""


class Wanted(NamedTuple):
    """Which discoveries a person looks at."""

    review: str = OPEN
    type: str = ""
    words: str = ""
    limit: int = 50
    offset: int = 0


class Finding(NamedTuple):
    """A discovery with the places that it rests on and what of it no longer holds."""

    discovery: Discovery
    places: tuple[str, ...] = ()
    stale: tuple[StalePlace, ...] = ()

    @property
    def is_stale(self) -> bool:
        """Whether something no longer holds that was not so when it was confirmed."""
        is_known = self.discovery.review == CONFIRMED and self.discovery.reviewed_stale == hash_of(self.stale)
        return bool(self.stale) and not is_known


def hash_of(places: Iterable[StalePlace]) -> str:
    """What tells some stale places from others; empty for none."""
    told = "\n".join(each.told() for each in places)
    return hashlib.sha256(told.encode("utf-8", "replace")).hexdigest() if told else ""


class ReviewRepository:
    """The reviews of one project's discoveries in the database."""

    def __init__(self, transaction: Transaction, project: str) -> None:
        self._transaction = transaction
        self._project = project

    def set(self, identity: str, review: Review) -> None:
        """Keep what was said of a discovery, in place of what was said before."""
        self._transaction.execute(
            """
            UPDATE discovery
            SET review = :state, reviewed_at = :at, reviewed_by = :by, reviewed_stale = :stale
            WHERE project = :project AND id = :id
            """,
            {"project": self._project, "id": identity, **review._asdict()},
        )

    def page(self, wanted: Wanted) -> list[Discovery]:
        """Some discoveries, newest first."""
        sql = f"{SELECT} {WANTED} ORDER BY created_at DESC, id LIMIT :limit OFFSET :offset"
        given = {**self._given(wanted), "limit": wanted.limit, "offset": wanted.offset}
        return read_rows(self._transaction.fetch_all(sql, given))

    def count(self, wanted: Wanted) -> int:
        """How many there are of the same."""
        sql = f"SELECT COUNT(*) AS count FROM discovery WHERE project = :project {WANTED}"  # noqa: S608  words of ours
        row = self._transaction.fetch_one(sql, self._given(wanted))
        return int(row["count"]) if row else 0

    def counts(self) -> dict[str, int]:
        """How many there are in each state."""
        sql = "SELECT review, COUNT(*) AS count FROM discovery WHERE project = :project GROUP BY review"
        rows = self._transaction.fetch_all(sql, {"project": self._project})
        return {**dict.fromkeys(STATES, 0), **{str(row["review"]): int(row["count"]) for row in rows}}

    def _given(self, wanted: Wanted) -> dict[str, Any]:
        escaped = wanted.words.lower().replace("!", "!!").replace("%", "!%").replace("_", "!_")
        return {"project": self._project, "review": wanted.review, "type": wanted.type, "words": f"%{escaped}%"}
