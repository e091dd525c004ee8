"""Database, Transaction and Schema as repositories see them; numbered migrations; a database that opens on first use.

On PostgreSQL servers of two versions work side by side during an upgrade. A migration that is newer than the previous
version is recorded as `toolset+N`: servers that know at least N migrations keep working. A server that knows fewer, or
that finds an unknown migration recorded without `+N`, does not start.

A migration that rewrites a large table is one statement that opens with `-- Piece by piece`: it commits after each
piece, can be resumed, and runs after all others.
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
BESIDE = "+"
PIECE_BY_PIECE = "-- Piece by piece"
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
    def dialect(self) -> Dialect:
        """The kind of its SQL, for the few statements that can't be the same in both."""
        ...

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
        """The kind of its SQL, for the few statements that can't be the same in both."""
        ...

    def describe(self) -> str:
        """Which database this is, for people: without a password."""
        ...

    def close(self) -> None:
        """Give back every connection."""
        ...


class Schema(NamedTuple):
    """What a toolset keeps in the database: its migrations, and its tables in the order in which they can be filled.

    `package` holds a folder (`migrations`, unless `folder` names another) with files such as `0001_tasks.sqlite.sql`
    and `0001_tasks.postgres.sql`.
    `released` is how many of the steps for PostgreSQL the version before this one knows: its servers work on beside
    later ones. `deploy/previous-version` names that version. `counters` are tables (namespace, user_id, last) of the
    numbers that were given out, which a copy goes on from.
    """

    toolset: str
    package: str
    tables: tuple[str, ...]
    released: int = 0
    counters: tuple[str, ...] = ()
    folder: str = "migrations"


FINDINGS_SCHEMA = Schema(
    "context",
    "fieldguide.knowledge.findings",
    ("discovery", "work_session", "work_session_file", "context_item", "context_total"),
    released=3,
)
"""Findings and work sessions: two toolsets keep them in the same tables."""


class Migration(NamedTuple):
    """One step of one toolset."""

    toolset: str
    number: int
    name: str
    script: str
    works_with: int = 0

    @property
    def is_in_pieces(self) -> bool:
        """Whether it commits by itself, again and again."""
        return self.script.startswith(PIECE_BY_PIECE)

    @property
    def written_as(self) -> str:
        """Whose step this is, as the ledger has it."""
        return f"{self.toolset}{BESIDE}{self.works_with}" if self.works_with else self.toolset


def migrate(transaction: Transaction, schemas: Iterable[Schema], *, dialect: str) -> list[Migration]:
    """Apply what is missing; the caller holds the lock and commits. A database from the future is refused.

    What goes piece by piece is left: `migrate_in_pieces` applies it afterwards.
    """
    transaction.execute(LEDGER, {})
    missing = [each for each in find_missing_migrations(transaction, schemas, dialect=dialect) if not each.is_in_pieces]
    for migration in missing:
        _apply(transaction, migration)
    return missing


def migrate_in_pieces(connection: Transaction, schemas: Iterable[Schema], *, dialect: str) -> None:
    """Apply what goes through large tables; the caller holds a lock, and no transaction."""
    for migration in find_missing_migrations(connection, schemas, dialect=dialect):
        _apply(connection, migration)


def find_missing_migrations(transaction: Transaction, schemas: Iterable[Schema], *, dialect: str) -> list[Migration]:
    """The steps that a database lacks, in order; reading is enough to tell."""
    rows = transaction.fetch_all("SELECT toolset, number FROM schema_migration", {})
    missing: list[Migration] = []
    for schema in schemas:
        known = read_migrations(schema, dialect=dialect)
        applied = {row["number"]: row["toolset"] for row in rows if _owner(row["toolset"]) == schema.toolset}
        newest = max((number for number, said in applied.items() if not _goes_on(number, said, len(known))), default=0)
        if newest:
            raise Misconfiguration(
                f"The database holds version {newest} of the {schema.toolset} tables, this server knows {len(known)}: "
                "update fieldguide, or serve another database."
            )
        missing += [each for each in known if each.number not in applied]
    return missing


def _owner(written_as: str) -> str:
    return written_as.partition(BESIDE)[0]


def _goes_on(number: int, written_as: str, known: int) -> bool:
    """Whether a server that knows this many steps works on a database in which this one was made."""
    beside = written_as.partition(BESIDE)[2]
    return number <= known or (beside.isdecimal() and int(beside) <= known)


def read_migrations(schema: Schema, *, dialect: str) -> list[Migration]:
    """The steps of a toolset for one kind of database, in order; a gap in the numbers is an error."""
    from importlib.resources import files  # not needed at start

    from fieldguide.text import regex as re

    found: list[Migration] = []
    for entry in files(schema.package).joinpath(schema.folder).iterdir():
        match = re.fullmatch(r"(\d{4})_(\w+)\.(sqlite|postgres)\.sql", entry.name)
        if match and match.group(3) == dialect:
            script = entry.read_text(encoding="utf-8")
            number = int(match.group(1))
            is_newer = dialect == "postgres" and 0 < schema.released < number
            beside = schema.released if is_newer else 0
            found.append(Migration(schema.toolset, number, match.group(2), script, beside))
    found.sort(key=lambda migration: migration.number)
    if [migration.number for migration in found] != list(range(1, len(found) + 1)):
        raise Misconfiguration(f"The migrations of {schema.toolset!r} for {dialect} are not numbered 1, 2, 3 ….")
    return found


def _apply(transaction: Transaction, migration: Migration) -> None:
    transaction.run_script(migration.script)
    transaction.execute(
        "INSERT INTO schema_migration (toolset, number, name, applied_at) VALUES (:toolset, :number, :name, now())",
        {"toolset": migration.written_as, "number": migration.number, "name": migration.name},
    )


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
