"""Database, Transaction and Schema as repositories see them; numbered migrations; a database that opens on first use.

A server that finds an unknown migration in a database does not start.
"""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, Protocol

from fieldguide.text.cancellation import Cancellation
from fieldguide.text.errors import Misconfiguration

Row = Mapping[str, Any]
Parameters = Mapping[str, Any]
Dialect = Literal["sqlite", "postgres"]
DATABASE_FILE = "fieldguide.db"
"""A project's SQLite file in its state folder."""
SERVICE_FILE = "service.db"
LEDGER = """
    CREATE TABLE IF NOT EXISTS schema_migration (
        toolset TEXT NOT NULL,
        number INTEGER NOT NULL,
        name TEXT NOT NULL,
        applied_at TEXT NOT NULL,
        PRIMARY KEY (toolset, number)
    )
"""


class Transaction(Protocol):
    """One unit of work: committed when its block ends, taken back when an error leaves it.

    SQL is written once for both databases: parameters are `:name`, `now()` is the time in UTC, and what a statement
    changes it gives back by `RETURNING`.
    """

    @property
    def tenant(self) -> str:
        """The namespace of the project of a service that it works for; empty outside of a service."""
        ...

    def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        """The first row of a statement's result, or None."""
        ...

    def fetch_all(self, sql: str, parameters: Parameters) -> Sequence[Row]:
        """Every row of a statement's result."""
        ...

    def execute(self, sql: str, parameters: Parameters) -> int:
        """Run a statement; the number of rows that it changed."""
        ...

    def execute_many(self, sql: str, rows: Sequence[Parameters]) -> None:
        """Run a statement once for each of these rows."""
        ...

    def run_script(self, script: str) -> None:
        """Run the statements of a migration as they stand, triggers and functions too, however long they take."""
        ...


class OwnerTransaction(Protocol):
    """What the transactions of both databases can do beyond that, for the audit log."""

    def finish_as_owner(self, sql: str, parameters: Parameters) -> None:
        """Run the last statement of the transaction, with the rights of the service itself where it has a tenant.

        It may commit with it; otherwise that is done when the block ends.
        """
        ...


class BeginTransaction(Protocol):
    """Begins a transaction for as long as a block runs; a cancelled call stops its query."""

    def __call__(self, cancellation: Cancellation | None = None) -> AbstractContextManager[Transaction]:
        """A transaction, committed when the block has ended."""
        ...


class Database(Protocol):
    """A database that is opened when it is first needed and may be used from any thread."""

    @property
    def reading(self) -> BeginTransaction:
        """Begins a transaction that only reads."""
        ...

    @property
    def writing(self) -> BeginTransaction:
        """Begins a transaction that writes; what it wrote is safe on disk when the block has ended."""
        ...

    @property
    def dialect(self) -> Dialect:
        """The kind of its SQL, which its migrations are written in."""
        ...

    def describe(self) -> str:
        """Which database this is, for people: without a password."""
        ...

    def close(self) -> None:
        """Give back every connection."""
        ...


class Schema(NamedTuple):
    """What a toolset keeps in the database: its migrations.

    `package` holds a folder (`migrations`, unless `folder` names another) with files such as `0001_tasks.sqlite.sql`
    and `0001_tasks.postgres.sql`.
    """

    toolset: str
    package: str
    folder: str = "migrations"


FINDINGS_SCHEMA = Schema("context", "fieldguide.knowledge.findings")
"""Findings and work sessions: two toolsets keep them in the same tables."""


class Migration(NamedTuple):
    """One step of one toolset."""

    toolset: str
    number: int
    name: str
    script: str


def migrate(transaction: Transaction, schemas: Iterable[Schema], *, dialect: str) -> list[Migration]:
    """Apply what is missing; the caller holds the lock and commits. A database from the future is refused."""
    transaction.execute(LEDGER, {})
    missing = find_missing_migrations(transaction, schemas, dialect=dialect)
    for migration in missing:
        transaction.run_script(migration.script)
        transaction.execute(
            "INSERT INTO schema_migration (toolset, number, name, applied_at) VALUES (:toolset, :number, :name, now())",
            {"toolset": migration.toolset, "number": migration.number, "name": migration.name},
        )
    return missing


def find_missing_migrations(transaction: Transaction, schemas: Iterable[Schema], *, dialect: str) -> list[Migration]:
    """The steps that a database lacks, in order; reading is enough to tell."""
    rows = transaction.fetch_all("SELECT toolset, number FROM schema_migration", {})
    missing: list[Migration] = []
    for schema in schemas:
        known = read_migrations(schema, dialect=dialect)
        applied = {row["number"] for row in rows if row["toolset"] == schema.toolset}
        newest = max(applied, default=0)
        if newest > len(known):
            raise Misconfiguration(
                f"The database holds version {newest} of the {schema.toolset} tables, this server knows {len(known)}: "
                "update fieldguide, or serve another database."
            )
        missing += [each for each in known if each.number not in applied]
    return missing


def read_migrations(schema: Schema, *, dialect: str) -> list[Migration]:
    """The steps of a toolset for one kind of database, in order; a gap in the numbers is an error."""
    from importlib.resources import files  # not needed at start

    from fieldguide.text import regex as re

    found: list[Migration] = []
    for entry in files(schema.package).joinpath(schema.folder).iterdir():
        match = re.fullmatch(r"(\d{4})_(\w+)\.(sqlite|postgres)\.sql", entry.name)
        if match and match.group(3) == dialect:
            script = entry.read_text(encoding="utf-8")
            found.append(Migration(schema.toolset, int(match.group(1)), match.group(2), script))
    found.sort(key=lambda migration: migration.number)
    if [migration.number for migration in found] != list(range(1, len(found) + 1)):
        raise Misconfiguration(f"The migrations of {schema.toolset!r} for {dialect} are not numbered 1, 2, 3 ….")
    return found


class LateDatabase:
    """Stands for a database until it is first used; from then on its transactions are those of the real one."""

    def __init__(self, choose: Callable[[], Database]) -> None:
        self._choose = choose
        self._lock = threading.Lock()
        self._database: Database | None = None
        self.reading: BeginTransaction = lambda cancellation=None: self.chosen().reading(cancellation)
        self.writing: BeginTransaction = lambda cancellation=None: self.chosen().writing(cancellation)

    @property
    def dialect(self) -> Dialect:
        """The kind of its SQL."""
        return self.chosen().dialect

    def describe(self) -> str:
        """Which database this is."""
        return self.chosen().describe()

    def close(self) -> None:
        """Close it, if it was ever opened."""
        if self._database is not None:
            self._database.close()

    def chosen(self) -> Database:
        """The database itself."""
        with self._lock:
            if self._database is None:
                self._database = self._choose()
                self.reading = self._database.reading
                self.writing = self._database.writing
            return self._database
