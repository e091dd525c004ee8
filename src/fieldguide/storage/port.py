"""What a repository needs of a database: transactions that run plain SQL with named parameters."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, Protocol

from fieldguide.spine.cancellation import Cancellation

Row = Mapping[str, Any]
Parameters = Mapping[str, Any]
Dialect = Literal["sqlite", "postgres"]


class Transaction(Protocol):
    """One unit of work: committed when its block ends, taken back when an error leaves it.

    SQL is written once for both databases: parameters are `:name`, `now()` is the time in UTC, and what a statement
    changes it gives back by `RETURNING`.
    """

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


def tenant_of(transaction: Transaction) -> str:
    """The namespace of the project of a service that a transaction works for; nothing outside of a service."""
    return str(getattr(transaction, "tenant", ""))


class Schema(NamedTuple):
    """What a toolset keeps in the database: its migrations, and its tables in the order in which they can be filled.

    `package` holds a folder `migrations` with files such as `0001_tasks.sqlite.sql` and `0001_tasks.postgres.sql`.
    `released` is how many of the steps for PostgreSQL the version before this one knows: its servers work on beside
    later ones. `deploy/previous-version` names that version.
    """

    toolset: str
    package: str
    tables: tuple[str, ...]
    released: int = 0
