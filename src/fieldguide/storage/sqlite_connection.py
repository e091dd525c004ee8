"""A connection to a SQLite file: opened so that nothing in the file acts by itself, and one transaction on it."""

import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from functools import lru_cache
from time import monotonic

from fieldguide.spine.cancellation import Cancellation
from fieldguide.storage.migrations import migrate
from fieldguide.storage.port import Parameters, Row, Schema
from fieldguide.storage.schema_check import SchemaObject, schema_objects
from fieldguide.storage.sqlite_file import address_of, is_read_only, make_private

BUSY_SECONDS = 20.0
STATEMENT_SECONDS = 30.0
STEPS_BETWEEN_LOOKS = 20_000


class SqliteTransaction:
    """A transaction on one connection; each of its statements has half a minute, or until its call is cancelled.

    The running statement looks for itself: an interrupt from another thread is lost between two statements, and may
    come so late that it hits the next call on this connection.
    """

    def __init__(self, connection: sqlite3.Connection, cancellation: Cancellation) -> None:
        self._connection = connection
        self._cancellation = cancellation

    def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        """The first row of a statement's result, or None."""
        with closing(self._run(sql, parameters)) as cursor:
            row: Row | None = cursor.fetchone()
        return row

    def fetch_all(self, sql: str, parameters: Parameters) -> Sequence[Row]:
        """Every row of a statement's result."""
        with closing(self._run(sql, parameters)) as cursor:
            return cursor.fetchall()

    def execute(self, sql: str, parameters: Parameters) -> int:
        """Run a statement; the number of rows that it changed."""
        with closing(self._run(sql, parameters)) as cursor:
            return cursor.rowcount

    def execute_many(self, sql: str, rows: Sequence[Parameters]) -> None:
        """Run a statement once for each of these rows."""
        self._limit()
        self._connection.executemany(sql, [dict(row) for row in rows]).close()

    def run_script(self, script: str) -> None:
        """Run the statements of a migration, however long they take; SQLite itself says where each ends."""
        self._connection.set_progress_handler(None, 0)
        statement = ""
        for line in script.splitlines(keepends=True):
            statement += line
            if sqlite3.complete_statement(statement):
                self._connection.execute(statement).close()
                statement = ""
        if statement.strip():
            self._connection.execute(statement).close()

    def _run(self, sql: str, parameters: Parameters) -> sqlite3.Cursor:
        self._limit()
        return self._connection.execute(sql, dict(parameters))

    def _limit(self) -> None:
        until = monotonic() + STATEMENT_SECONDS
        cancellation = self._cancellation
        self._connection.set_progress_handler(lambda: cancellation.is_set or monotonic() > until, STEPS_BETWEEN_LOOKS)


def open_connection(path: str, synchronous: str) -> sqlite3.Connection:
    """A connection to a file, for its owner alone; `synchronous` says how much a commit waits for the disk."""
    make_private(path)
    connection = sqlite3.connect(
        address_of(path), uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        connection.row_factory = sqlite3.Row
        connection.create_function("now", 0, _now)
        harden(connection)
        if not is_read_only(path):
            connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        connection.execute("PRAGMA foreign_keys = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def harden(connection: sqlite3.Connection) -> None:
    """Let nothing that stands in a file's schema call functions or touch SQLite's own tables."""
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    if sys.version_info >= (3, 12):
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)


@lru_cache(maxsize=8)
def made_schema(schemas: tuple[Schema, ...]) -> dict[str, SchemaObject]:
    """What our migrations make, seen in a database that nobody else has touched."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.row_factory = sqlite3.Row
        connection.create_function("now", 0, _now)
        migrate(SqliteTransaction(connection, Cancellation()), schemas, dialect="sqlite")
        return schema_objects(connection)


def check_every_page(connection: sqlite3.Connection) -> None:
    """Raise what SQLite raises for a damaged file, where any page of it is."""
    found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if found != "ok":
        raise corrupt(found)


def corrupt(problem: str) -> sqlite3.DatabaseError:
    """The error for a file that can't be used as it is."""
    error = sqlite3.DatabaseError(problem)
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
