"""The one way in which rows leave the audit log: the oldest of each chain, and where it goes on is kept."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from fieldguide.storage.port import Database, Row, Transaction

BEFORE = """
    SELECT writer, COALESCE(MIN(CASE WHEN at >= :moment THEN number END) - 1, MAX(number)) AS number
    FROM audit_entry GROUP BY writer
    HAVING MIN(at) < :moment
"""
ANCHOR = """
    INSERT INTO audit_anchor (writer, number, hash, pruned_at)
    SELECT writer, number, hash, :now FROM audit_entry WHERE writer = :writer AND number = :number
"""
DELETE = "DELETE FROM audit_entry WHERE writer = :writer AND number <= :number"


def prune(database: Database, *, older_than_days: int, now: datetime | None = None) -> int:
    """Remove the rows that are so old, and say how many they were."""
    moment = (now or datetime.now(UTC)) - timedelta(days=older_than_days)
    with database.writing() as transaction:
        _allow(transaction, database.dialect)
        removed = sum(_cut(transaction, row["writer"], row["number"], now) for row in _old(transaction, moment))
        _forbid(transaction, database.dialect)
    return removed


def stamp(moment: datetime) -> str:
    """A moment as the log writes it."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _old(transaction: Transaction, moment: datetime) -> Sequence[Row]:
    return transaction.fetch_all(BEFORE, {"moment": stamp(moment)})


def _cut(transaction: Transaction, writer: str, number: int, now: datetime | None) -> int:
    place = {"writer": writer, "number": number}
    transaction.execute(ANCHOR, {**place, "now": stamp(now or datetime.now(UTC))})
    return transaction.execute(DELETE, place)


def _allow(transaction: Transaction, dialect: str) -> None:
    if dialect == "postgres":
        transaction.fetch_one("SELECT set_config('fieldguide.audit_prune', 'on', true) AS was", {})
    else:
        transaction.execute("INSERT INTO audit_pruning (allowed) VALUES (1)", {})


def _forbid(transaction: Transaction, dialect: str) -> None:
    if dialect == "sqlite":
        transaction.execute("DELETE FROM audit_pruning", {})
