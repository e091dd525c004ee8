"""Scores the items of a project's context by recency and use, and prunes the least relevant.

When the active items hold more than four fifths of the token budget, the least important fifth of them is archived.
Archived items are found as before; they are only not offered first.

A use writes the one item that was used and the project's totals, however many items there are. Scores are those of the
moment in which somebody looks at them; the columns keep what they were at each item's last use.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from fieldguide.knowledge.findings.finding import parse_moment
from fieldguide.storage.database import Row, Transaction

RECENCY_SHARE = 0.6
ACCESS_SHARE = 0.4
FORGOTTEN_DAYS = 30.0
TOKEN_BUDGET = 100_000
FULL = 0.8
ARCHIVED_SHARE = 0.2
SECONDS_PER_DAY = 86_400.0


class ContextItem(NamedTuple):
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


def compute_recency_factor(last: datetime, now: datetime) -> float:
    """1 today, 0 after thirty days."""
    days = (now - last).total_seconds() / SECONDS_PER_DAY
    return min(max(1.0 - days / FORGOTTEN_DAYS, 0.0), 1.0)


def compute_score(recency: float, access: float) -> float:
    """How much an item matters."""
    return RECENCY_SHARE * recency + ACCESS_SHARE * access


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
                "score": compute_score(1.0, access),
                "access": access,
                "uses": uses,
                "tokens": tokens,
                "now": _written(now),
            },
        )
        self._keep_total(ContextTotal(total.active_tokens + tokens - held, most))

    def archive_lowest(self, now: datetime) -> None:
        """Archive the least important of the active items, if those hold too much.

        Only then all active items are looked at; a fifth of them goes, and comes back by being used alone.
        """
        total = self._locked_total()
        if total.active_tokens <= FULL * TOKEN_BUDGET:
            return
        rows = self._transaction.fetch_all(f"{SELECT} AND status = 'active'", {"project": self._project})
        items = [_item(row, total.most_uses, now) for row in rows]
        lowest = prune_items(items)
        self._archive(lowest)
        held = sum(item.tokens for item in items) - sum(item.tokens for item in lowest)
        self._keep_total(ContextTotal(held, total.most_uses))

    def all(self, now: datetime) -> list[ContextItem]:
        """Every item with its score for this moment, the most important first."""
        rows = self._transaction.fetch_all(f"{SELECT} ORDER BY type, name", {"project": self._project})
        most = max((row["access_count"] for row in rows), default=1)
        return sorted((_item(row, most, now) for row in rows), key=lambda item: -item.score)

    def _locked_total(self) -> "ContextTotal":
        """The project's totals; nobody else can change them until we are done."""
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

    def _keep_total(self, total: "ContextTotal") -> None:
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


class ContextTotal(NamedTuple):
    """What a project's active items hold, and how often the item was used that was used most."""

    active_tokens: int
    most_uses: int


SELECT = """
    SELECT type, name, access_count, tokens, status, last_accessed_at FROM context_item WHERE project = :project
"""


def prune_items(items: Sequence[ContextItem]) -> list[ContextItem]:
    """The items to archive: the lowest fifth of the active ones, when those fill most of the budget."""
    active = [item for item in items if item.status == "active"]
    if sum(item.tokens for item in active) <= FULL * TOKEN_BUDGET:
        return []
    lowest = sorted(active, key=lambda item: (item.score, item.type, item.name))
    return lowest[: max(1, int(len(active) * ARCHIVED_SHARE))]


def _item(row: Row, most_uses: int, now: datetime) -> ContextItem:
    last = parse_moment(row["last_accessed_at"])
    uses = row["access_count"]
    recency = compute_recency_factor(last, now)
    access = uses / most_uses
    return ContextItem(
        type=row["type"],
        name=row["name"],
        score=compute_score(recency, access),
        recency=recency,
        access=access,
        uses=uses,
        tokens=row["tokens"],
        status=row["status"],
        last_accessed_at=last,
    )


def _written(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds")
