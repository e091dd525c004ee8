"""SQLite beside the project: several threads and several processes at once, and nothing acknowledged is ever lost.

Write-ahead log, so that readers and the one writer never wait for each other; full sync, so that a commit survives a
power loss; `BEGIN IMMEDIATE`, so that a writer waits for its turn at the beginning and never fails half way.
"""

import sqlite3
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from functools import lru_cache, partial
from time import monotonic

from fieldguide.errors import Cancelled, FieldguideError, StorageFailed
from fieldguide.spine.cancellation import Cancellation
from fieldguide.storage.migrations import migrate, missing_migrations
from fieldguide.storage.port import Dialect, Parameters, Row, Schema
from fieldguide.storage.schema_check import SchemaObject, foreign_object, schema_objects
from fieldguide.storage.sqlite_file import (
    File,
    address_of,
    identify,
    is_read_only,
    make_private,
    only_one_process,
    refuse_links,
    set_aside,
)

BUSY_SECONDS = 20.0
STATEMENT_SECONDS = 30.0
STEPS_BETWEEN_LOOKS = 20_000
IDLE_CONNECTIONS = 8
NOT_A_DATABASE = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)


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

    def _run(self, sql: str, parameters: Parameters) -> sqlite3.Cursor:
        self._limit()
        return self._connection.execute(sql, dict(parameters))

    def _limit(self) -> None:
        until = monotonic() + STATEMENT_SECONDS
        cancellation = self._cancellation
        self._connection.set_progress_handler(lambda: cancellation.is_set or monotonic() > until, STEPS_BETWEEN_LOOKS)


class SqliteDatabase:
    """One file, opened and brought up to date when it is first needed.

    What is derived from elsewhere may lose its last moments to a power cut, never its wholeness: it is made again.
    """

    def __init__(
        self,
        path: Callable[[], str],
        schemas: Sequence[Schema],
        tell: Callable[[str], None],
        *,
        is_derived: bool = False,
    ) -> None:
        self._open = partial(_open, synchronous="NORMAL" if is_derived else "FULL")
        self._is_derived = is_derived
        self._find_path = path
        self._schemas = schemas
        self._tell = tell
        self._lock = threading.Lock()
        self._turn = threading.Lock()
        self._file: File | None = None
        self._is_suspect = False
        self._idle: list[sqlite3.Connection] = []

    @contextmanager
    def reading(self, cancellation: Cancellation | None = None) -> Generator[SqliteTransaction]:
        """A transaction that only reads."""
        with self._transaction("BEGIN", cancellation or Cancellation()) as transaction:
            yield transaction

    @contextmanager
    def writing(self, cancellation: Cancellation | None = None) -> Generator[SqliteTransaction]:
        """A transaction that writes.

        The threads of a process take turns here. SQLite's own waiters sleep and try again: with 32 of them one waited
        as long as the whole storm lasted, and a second of writes took two.
        """
        if not self._turn.acquire(timeout=BUSY_SECONDS):
            raise StorageFailed("The database is busy.")
        try:
            with self._transaction("BEGIN IMMEDIATE", cancellation or Cancellation()) as transaction:
                yield transaction
        finally:
            self._turn.release()

    @property
    def dialect(self) -> Dialect:
        """The kind of its SQL."""
        return "sqlite"

    def describe(self) -> str:
        """Which database this is."""
        return f"SQLite, {self._ready_file().path}"

    def close(self) -> None:
        """Close the connections that nobody uses."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    @contextmanager
    def _transaction(self, begin: str, cancellation: Cancellation) -> Generator[SqliteTransaction]:
        try:
            cancellation.check()
            with self._connected() as connection:
                connection.execute(begin)
                try:
                    yield SqliteTransaction(connection, cancellation)
                    cancellation.check()  # its caller was told that it failed: nothing of it may be kept
                    connection.execute("COMMIT")
                except BaseException:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                    raise
        except sqlite3.Error as error:
            if cancellation.is_set:
                raise Cancelled("The call was cancelled.") from error
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in NOT_A_DATABASE:
                self._look_again()
            raise StorageFailed("The database could not do this.") from error

    @contextmanager
    def _connected(self) -> Generator[sqlite3.Connection]:
        file = self._ready_file()
        with self._lock:
            connection = self._idle.pop() if self._idle else None
        connection = connection or self._open(file.path)
        try:
            yield connection
        except FieldguideError:
            self._give_back(connection, file)  # declined, and rolled back: the connection is as good as before
            raise
        except BaseException:
            connection.close()
            raise
        self._give_back(connection, file)

    def _give_back(self, connection: sqlite3.Connection, file: File) -> None:
        connection.set_progress_handler(None, 0)
        with self._lock:
            if len(self._idle) < IDLE_CONNECTIONS and self._file == file and not file.is_read_only:
                self._idle.append(connection)
                return
        connection.close()

    def _ready_file(self) -> File:
        file = self._file
        if file is not None and identify(file.path) == file:
            return file
        self.close()
        with self._lock:
            if self._file is None or identify(self._file.path) != self._file:
                try:
                    path = self._find_path()
                    self._prepare(path)
                except (sqlite3.Error, OSError) as error:
                    raise StorageFailed("The database can't be opened.") from error
                self._file = identify(path)
                self._is_suspect = False
            if self._file is None:
                raise StorageFailed("The database was removed while it was opened.")
            return self._file

    def _prepare(self, path: str) -> None:
        """Bring the file up to date; one that is no database (any more) is set aside and never overwritten."""
        refuse_links(path)
        with only_one_process(path):
            try:
                self._migrate(path)
            except sqlite3.DatabaseError as error:
                if getattr(error, "sqlite_errorcode", 0) & 0xFF not in NOT_A_DATABASE:
                    raise
                aside = set_aside(path)
                self._tell(f"The database was damaged; it is kept as {aside}, and a new one was begun.")
                self._is_suspect = False
                self._migrate(path)

    def _migrate(self, path: str) -> None:
        with closing(self._open(path)) as connection:
            if self._is_suspect:
                _check_every_page(connection)
            if is_read_only(path):
                connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
                return
            transaction = SqliteTransaction(connection, Cancellation())
            connection.execute("BEGIN")
            is_current = self._is_current(transaction)
            connection.execute("COMMIT")
            if not is_current:  # in the common case it is: nobody who only reads waits for a writer
                connection.execute("BEGIN IMMEDIATE")
                migrate(transaction, self._schemas, dialect="sqlite")
                connection.execute("COMMIT")
            self._refuse_foreign_schema(connection)

    def _refuse_foreign_schema(self, connection: sqlite3.Connection) -> None:
        problem = foreign_object(schema_objects(connection), _made_schema(tuple(self._schemas)))
        if problem is None:
            return
        if self._is_derived:
            raise _corrupt(problem)  # it is set aside and made again
        raise StorageFailed(f"The database was changed by another program ({problem}); nothing in it is used.")

    def _is_current(self, transaction: SqliteTransaction) -> bool:
        ledger = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'schema_migration'"
        if transaction.fetch_one(ledger, {}) is None:
            return False
        return not missing_migrations(transaction, self._schemas, dialect="sqlite")

    def _look_again(self) -> None:
        """Have the next call look at every page: those that a start reads may be whole while others are not."""
        with self._lock:
            self._is_suspect, self._file = True, None


def _open(path: str, synchronous: str) -> sqlite3.Connection:
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
def _made_schema(schemas: tuple[Schema, ...]) -> dict[str, SchemaObject]:
    """What our migrations make, seen in a database that nobody else has touched."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.row_factory = sqlite3.Row
        connection.create_function("now", 0, _now)
        migrate(SqliteTransaction(connection, Cancellation()), schemas, dialect="sqlite")
        return schema_objects(connection)


def _check_every_page(connection: sqlite3.Connection) -> None:
    found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if found != "ok":
        raise _corrupt(found)


def _corrupt(problem: str) -> sqlite3.DatabaseError:
    error = sqlite3.DatabaseError(problem)
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
