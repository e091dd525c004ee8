"""Places for databases: every `open` is another door to the same tables, as another process would have."""

import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg

from fieldguide.storage.database import Database, Schema
from fieldguide.storage.postgres import PostgresDatabase
from fieldguide.storage.sqlite import SqliteDatabase
from fieldguide.toolsets.tasks import tools

SCHEMAS = "tests.storage.schemas"
TASKS = tools.SCHEMA
NOTES = Schema("notes", f"{SCHEMAS}.notes")
NOTES_LATER = Schema("notes", f"{SCHEMAS}.notes_later")
GAP = Schema("gap", f"{SCHEMAS}.gap")
COUNTED = Schema("counted", f"{SCHEMAS}.counted")
FAILING = Schema("failing", f"{SCHEMAS}.failing")


class SqliteStore:
    """A path, and what was told about the file there."""

    # 10 billion rows: minutes
    slow_query = """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000000000)
        SELECT COUNT(*) AS rows FROM n
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.notices: list[str] = []
        self._opened: list[SqliteDatabase] = []

    def open(self, *schemas: Schema) -> SqliteDatabase:
        self._opened.append(SqliteDatabase(lambda: str(self.path), schemas, self.notices.append))
        return self._opened[-1]

    def close(self) -> None:
        for database in self._opened:
            database.close()

    def tables(self) -> set[str]:
        """The tables that are really there."""
        with closing(sqlite3.connect(self.path)) as connection:
            names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        return names - {"sqlite_sequence"}


class PostgresStore:
    """An address."""

    slow_query = "SELECT pg_sleep(120) IS NULL AS rows"

    def __init__(self, address: str) -> None:
        self.address = address
        self._opened: list[PostgresDatabase] = []

    def open(self, *schemas: Schema) -> PostgresDatabase:
        self._opened.append(PostgresDatabase(self.address, schemas))
        return self._opened[-1]

    def close(self) -> None:
        for database in self._opened:
            database.close()

    def tables(self) -> set[str]:
        """The tables that are really there."""
        with psycopg.connect(self.address) as connection:
            return {row[0] for row in connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")}

    def is_sleeping(self) -> bool:
        """Whether the slow query runs on the server now."""
        with psycopg.connect(self.address) as connection:
            return bool(
                connection.execute(
                    "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()"
                ).fetchall()
            )


Store = SqliteStore | PostgresStore


def add_note(database: Database, text: str) -> int:
    """Write a note in a transaction of its own; gives its id."""
    with database.writing() as transaction:
        row = transaction.fetch_one(
            "INSERT INTO note (text, written_at) VALUES (:text, now()) RETURNING id", {"text": text}
        )
    assert row is not None
    number: int = row["id"]
    return number


def texts(database: Database) -> list[str]:
    """The texts of every note, oldest first."""
    with database.reading() as transaction:
        return [row["text"] for row in transaction.fetch_all("SELECT text FROM note ORDER BY id", {})]
