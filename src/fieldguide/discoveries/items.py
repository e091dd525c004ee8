"""What the project's context is made of, and how much each part matters: 0.6 for how lately, 0.4 for how often used.

When the active items hold more than four fifths of the token budget, the least important fifth of them is archived.
Archived items are found as before; they are only not offered first.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from fieldguide.discoveries.discovery import as_moment
from fieldguide.storage.port import Transaction

RECENCY_SHARE = 0.6
ACCESS_SHARE = 0.4
FORGOTTEN_DAYS = 30.0
TOKEN_BUDGET = 100_000
FULL = 0.8
ARCHIVED_SHARE = 0.2
SECONDS_PER_DAY = 86_400.0


class Item(NamedTuple):
    """A part of the context."""

    type: str
    name: str
    score: float
    recency: float
    access: float
    uses: int
    tokens: int
    status: str
    last_accessed_at: datetime


def recency_factor(last: datetime, now: datetime) -> float:
    """1 today, 0 after thirty days."""
    days = (now - last).total_seconds() / SECONDS_PER_DAY
    return min(max(1.0 - days / FORGOTTEN_DAYS, 0.0), 1.0)


def score_of(recency: float, access: float) -> float:
    """How much an item matters."""
    return RECENCY_SHARE * recency + ACCESS_SHARE * access


class ItemRepository:
    """The context items of one project in the database."""

    def __init__(self, transaction: Transaction, project: str) -> None:
        self._transaction = transaction
        self._project = project

    def access(self, type_: str, name: str, *, tokens: int, now: datetime) -> None:
        """Count a use of an item; one that was archived is active again."""
        self._transaction.execute(
            """
            INSERT INTO context_item (
                project, type, name, score, recency_factor, access_factor, access_count, tokens, status,
                last_accessed_at
            )
            VALUES (:project, :type, :name, 1.0, 1.0, 1.0, 1, :tokens, 'active', :now)
            ON CONFLICT (project, type, name) DO UPDATE
            SET access_count = context_item.access_count + 1, tokens = excluded.tokens, status = 'active',
                last_accessed_at = excluded.last_accessed_at
            """,
            {"project": self._project, "type": type_, "name": name, "tokens": tokens, "now": _written(now)},
        )

    def all(self) -> list[Item]:
        """Every item, the most important first."""
        rows = self._transaction.fetch_all(
            """
            SELECT type, name, score, recency_factor, access_factor, access_count, tokens, status, last_accessed_at
            FROM context_item WHERE project = :project
            ORDER BY score DESC, type, name
            """,
            {"project": self._project},
        )
        return [
            Item(
                row["type"],
                row["name"],
                row["score"],
                row["recency_factor"],
                row["access_factor"],
                row["access_count"],
                row["tokens"],
                row["status"],
                as_moment(row["last_accessed_at"]),
            )
            for row in rows
        ]

    def rescore(self, now: datetime) -> None:
        """Give every item its score for this moment, and archive the least important ones if there are too many."""
        scored = self._scored(now)
        archived = prune(scored)
        self._transaction.execute_many(
            """
            UPDATE context_item
            SET score = :score, recency_factor = :recency, access_factor = :access,
                status = CASE WHEN :archive THEN 'archived' ELSE status END
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
                    "archive": (item.type, item.name) in archived,
                }
                for item in scored
            ],
        )

    def _scored(self, now: datetime) -> list[Item]:
        items = self.all()
        most = max((item.uses for item in items), default=1)
        found: list[Item] = []
        for item in items:
            recency, access = recency_factor(item.last_accessed_at, now), item.uses / most
            found.append(item._replace(recency=recency, access=access, score=score_of(recency, access)))
        return found


def prune(items: Sequence[Item]) -> set[tuple[str, str]]:
    """The items to archive: the lowest fifth of the active ones, when those fill most of the budget."""
    active = [item for item in items if item.status == "active"]
    if sum(item.tokens for item in active) <= FULL * TOKEN_BUDGET:
        return set()
    lowest = sorted(active, key=lambda item: (item.score, item.type, item.name))
    return {(item.type, item.name) for item in lowest[: max(1, int(len(active) * ARCHIVED_SHARE))]}


def _written(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds")
