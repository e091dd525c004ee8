"""A transaction that counts how many rows go through it: what grows with the table shows, on any machine."""

from collections.abc import Sequence
from typing import Any

from fieldguide.storage.database import Parameters, Row, Transaction


class CountedTransaction:
    """Another transaction, with its rows counted."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction
        self.tenant = transaction.tenant
        self.statements = 0
        self.rows_read = 0
        self.rows_written = 0

    def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        self.statements += 1
        self.rows_read += 1
        return self._transaction.fetch_one(sql, parameters)

    def fetch_all(self, sql: str, parameters: Parameters) -> Sequence[Row]:
        self.statements += 1
        found = self._transaction.fetch_all(sql, parameters)
        self.rows_read += len(found)
        return found

    def execute(self, sql: str, parameters: Parameters) -> int:
        self.statements += 1
        changed = self._transaction.execute(sql, parameters)
        self.rows_written += changed
        return changed

    def execute_many(self, sql: str, rows: Sequence[Parameters]) -> None:
        self.statements += len(rows)
        self.rows_written += len(rows)
        self._transaction.execute_many(sql, rows)

    def run_script(self, script: str) -> Any:
        return self._transaction.run_script(script)
