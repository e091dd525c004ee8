"""The audit log read back: page by page, in the order of time, and checked chain by chain."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from fieldguide.storage.port import Database, Row
from fieldguide.teams.audit.chain import FIELDS, Head, link

PAGE = 1000
COLUMNS = ("at", *(name for name in FIELDS if name != "at"), "writer", "number", "hash")
ENTRIES = f"""
    SELECT {", ".join(COLUMNS)} FROM audit_entry
    WHERE (at, writer, number) > (:at, :writer, :number) AND at >= :since AND at < :until
      AND (CAST(:project AS TEXT) IS NULL OR project = :project)
      AND (CAST(:user AS TEXT) IS NULL OR username = :user)
    ORDER BY at, writer, number LIMIT :page
"""  # noqa: S608  names of ours
CHAIN = f"""
    SELECT {", ".join(COLUMNS)} FROM audit_entry
    WHERE writer = :writer AND number > :number ORDER BY number LIMIT :page
"""  # noqa: S608  names of ours
WRITERS = "SELECT writer, MIN(number) AS number FROM audit_entry GROUP BY writer ORDER BY writer"
ANCHORS = "SELECT writer, number, hash FROM audit_anchor ORDER BY writer, number"
FOREVER = "9"


class Wanted(NamedTuple):
    """Which lines are asked for: from a moment on, before a moment, of a project, of a user."""

    since: str = ""
    until: str = FOREVER
    project: str | None = None
    user: str | None = None


class Verdict(NamedTuple):
    """What a look through the chains found: how far each goes, and what is wrong."""

    rows: int
    heads: list[Head]
    problems: list[str]


def entries(database: Database, wanted: Wanted) -> Iterator[dict[str, Any]]:
    """Every line that is wanted, the oldest first; only a page of them is in memory."""
    place: dict[str, Any] = {"at": "", "writer": "", "number": 0}
    while True:
        with database.reading() as transaction:
            rows = transaction.fetch_all(ENTRIES, {**wanted._asdict(), **place, "page": PAGE})
        yield from ({name: row[name] for name in COLUMNS} for row in rows)
        if len(rows) < PAGE:
            return
        place = {name: rows[-1][name] for name in place}


def verified(database: Database, kept: Iterable[Head] = ()) -> Verdict:
    """Look through every chain; `kept` are heads of an earlier look, and each must still be there, or be pruned."""
    with database.reading() as transaction:
        first = {row["writer"]: row["number"] for row in transaction.fetch_all(WRITERS, {})}
        anchors = [Head(row["writer"], row["number"], row["hash"]) for row in transaction.fetch_all(ANCHORS, {})]
    pruned = {each.writer: each for each in anchors}  # the last one of each
    found = Found({each.writer: {each.number: each.hash} for each in kept})
    heads = [found.follow(database, writer, pruned.get(writer, Head(writer))) for writer in first]
    found.miss(pruned)
    return Verdict(found.rows, heads, found.problems)


class Found:
    """What is found on the way through the chains."""

    def __init__(self, kept: Mapping[str, dict[int, str]]) -> None:
        self._kept = {writer: {**hashes} for writer, hashes in kept.items()}
        self.rows = 0
        self.problems: list[str] = []

    def follow(self, database: Database, writer: str, head: Head) -> Head:
        """Go along one chain from where it begins; where it ends."""
        while True:
            with database.reading() as transaction:
                rows = transaction.fetch_all(CHAIN, {"writer": writer, "number": head.number, "page": PAGE})
            for row in rows:
                head = self._next(head, row)
            if len(rows) < PAGE:
                return head

    def miss(self, pruned: Mapping[str, Head]) -> None:
        """Tell of the heads of an earlier look that are nowhere, and were not pruned either."""
        for writer, hashes in self._kept.items():
            for number in hashes:
                if number > pruned.get(writer, Head(writer)).number:
                    self.problems.append(f"row {number} of writer {writer} is gone; it was there at an earlier look")

    def _next(self, head: Head, row: Row) -> Head:
        self.rows += 1
        number: int = row["number"]
        if number != head.number + 1:
            missing = (
                f"row {head.number + 1}" if number == head.number + 2 else f"rows {head.number + 1} to {number - 1}"
            )
            self.problems.append(f"{missing} of writer {head.writer}: missing")
        elif link(head, row) != row["hash"]:
            self.problems.append(f"row {number} of writer {head.writer}: changed, or the one before it")
        if self._kept.get(head.writer, {}).pop(number, row["hash"]) != row["hash"]:
            self.problems.append(f"row {number} of writer {head.writer} is not the one of an earlier look")
        return Head(head.writer, number, row["hash"])
