"""Which rows are in the search index: each carries the mark of the index that holds it; only the others are put.

The index may be deleted and made again at any time; the new one has another mark, so that every row counts as new.
"""

from collections.abc import Iterable
from typing import Any, Literal

from fieldguide.storage.port import Transaction

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
