"""Database, Transaction and Schema as repositories see them, and a database that opens on first use."""

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, Protocol

from fieldguide.text.cancellation import Cancellation

Row = Mapping[str, Any]
Parameters = Mapping[str, Any]
Dialect = Literal["sqlite", "postgres"]


class Transaction(Protocol):
    """One unit of work: committed when its block ends, taken back when an error leaves it.

    SQL is written once for both databases: parameters are `:name`, `now()` is the time in UTC, and what a statement
    changes it gives back by `RETURNING`.
    """

    @property
    def dialect(self) -> Dialect:
        """The kind of its SQL, for the few statements that can't be the same in both."""
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


class Database(Protocol):
    """A database that is opened when it is first needed and may be used from any thread."""

    def reading(self, cancellation: Cancellation | None = None) -> AbstractContextManager[Transaction]:
        """A transaction that only reads; a cancelled call stops its query."""
        ...

    def writing(self, cancellation: Cancellation | None = None) -> AbstractContextManager[Transaction]:
        """A transaction that writes; what it wrote is safe on disk when the block has ended."""
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


def find_tenant(transaction: Transaction) -> str:
    """The namespace of the project of a service that a transaction works for; nothing outside of a service."""
    return str(getattr(transaction, "tenant", ""))


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


class LateDatabase:
    """Stands for a database until it is needed, and for good from then on."""

    def __init__(self, choose: Callable[[], Database]) -> None:
        self._choose = choose
        self._lock = threading.Lock()
        self._database: Database | None = None

    def reading(self, cancellation: Cancellation | None = None) -> AbstractContextManager[Transaction]:
        """A transaction that only reads."""
        return self.chosen().reading(cancellation)

    def writing(self, cancellation: Cancellation | None = None) -> AbstractContextManager[Transaction]:
        """A transaction that writes."""
        return self.chosen().writing(cancellation)

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
        if self._database is None:
            with self._lock:
                if self._database is None:
                    self._database = self._choose()
        return self._database
