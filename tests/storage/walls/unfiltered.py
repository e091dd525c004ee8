"""Statements that have lost every condition which names a value: what a repository without its filters asks."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from fieldguide.storage.database import Database, Dialect, Parameters, Row, Transaction
from fieldguide.text.cancellation import Cancellation

VALUE = r"(?:CAST\(:\w+ AS [\w\[\]]+\)|:\w+)"
CONDITIONS = (
    rf"\(CAST\(:\w+ AS TEXT\) IS NULL OR [\w.]+ = {VALUE}\)",
    rf"[\w.]+ = ANY\({VALUE}\)",
    r"[\w.]+ IN \((?::\w+(?:, )?)+\)",
    rf"starts_with\([\w.]+, {VALUE}\)",
    rf"SUBSTR\([^)]*\) = {VALUE}",
    rf"[\w.]+ IS (?:NOT )?DISTINCT FROM {VALUE}",
    rf"\b(?!status|active_at|part|completed)[\w.]+ (?:=|<>|>=|<=|<|>) {VALUE}",
)
CONDITION = re.compile("|".join(CONDITIONS))


def unfiltered(sql: str) -> str:
    """A statement that asks for every row: conditions on values, behind the first WHERE, are true."""
    before, where, after = sql.partition("WHERE")
    return before + where + CONDITION.sub("TRUE", after)


class UnfilteredTransaction:
    """Runs what a repository says without its filters."""

    def __init__(self, transaction: Transaction, tenant: str) -> None:
        self._transaction = transaction
        self.tenant = tenant

    def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        return self._transaction.fetch_one(unfiltered(sql), parameters)

    def fetch_all(self, sql: str, parameters: Parameters) -> Sequence[Row]:
        return self._transaction.fetch_all(unfiltered(sql), parameters)

    def execute(self, sql: str, parameters: Parameters) -> int:
        return self._transaction.execute(unfiltered(sql), parameters)

    def execute_many(self, sql: str, rows: Sequence[Parameters]) -> None:
        self._transaction.execute_many(unfiltered(sql), rows)

    def run_script(self, script: str) -> None:
        raise AssertionError(script)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transaction, name)


class UnfilteredDatabase:
    """One transaction that is behind a wall, given out again and again; and taken back by whoever owns it."""

    def __init__(self, transaction: UnfilteredTransaction) -> None:
        self._transaction = transaction

    @contextmanager
    def reading(self, cancellation: Cancellation | None = None) -> Iterator[Transaction]:
        yield self._transaction

    writing = reading
    dialect: Dialect = "postgres"

    def describe(self) -> str:
        return "unfiltered"

    def close(self) -> None:
        return None


def is_database(found: UnfilteredDatabase) -> Database:
    """For the type checker: it has what a database has."""
    return found
