"""SQLite in a state folder, shared by threads and processes.

Write-ahead log, so that readers and the one writer never wait for each other; full sync, so that a commit survives a
power loss; `BEGIN IMMEDIATE`, so that a writer waits for its turn at the beginning and never fails half way.
"""

import os
import sqlite3
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from time import monotonic
from typing import NamedTuple

from fieldguide.storage.database import Dialect, Parameters, Row, Schema
from fieldguide.storage.sqlite_file import (
    BUSY_SECONDS,
    bring_up_to_date,
    build_expected_schema,
    check_integrity,
    find_foreign_object,
    hold_file_lock,
    is_corruption,
    is_read_only,
    make_corruption_error,
    open_connection,
    refuse_links,
    set_aside,
)
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.errors import Cancelled, FieldguideError, StorageFailed

STATEMENT_SECONDS = 30.0
STEPS_BETWEEN_LOOKS = 20_000


@dataclass(eq=False)
class SqliteTransaction:
    """A transaction on one connection; each of its statements has half a minute, or until its call is cancelled.

    The running statement looks for itself: an interrupt from another thread is lost between two statements, and may
    come so late that it hits the next call on this connection.
    """

    connection: sqlite3.Connection
    cancellation: Cancellation
    tenant: str = ""

    def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        """The first row of a statement's result, or None."""
        self._limit()
        with closing(self.connection.execute(sql, dict(parameters))) as cursor:
            row: Row | None = cursor.fetchone()
        return row

    def fetch_all(self, sql: str, parameters: Parameters) -> Sequence[Row]:
        """Every row of a statement's result."""
        self._limit()
        return self.connection.execute(sql, dict(parameters)).fetchall()

    def execute(self, sql: str, parameters: Parameters) -> int:
        """Run a statement; the number of rows that it changed."""
        self._limit()
        return self.connection.execute(sql, dict(parameters)).rowcount

    def execute_many(self, sql: str, rows: Sequence[Parameters]) -> None:
        """Run a statement once for each of these rows."""
        self._limit()
        self.connection.executemany(sql, [dict(row) for row in rows]).close()

    def finish_as_owner(self, sql: str, parameters: Parameters) -> None:
        """Run a statement: a file has one owner."""
        self.execute(sql, parameters)

    def run_script(self, script: str) -> None:
        """Run the statements of a migration, however long they take; SQLite itself says where each ends."""
        self.connection.set_progress_handler(None, 0)
        statement = ""
        for line in script.splitlines(keepends=True):
            statement += line
            if sqlite3.complete_statement(statement):
                self.connection.execute(statement).close()
                statement = ""
        if statement.strip():
            self.connection.execute(statement).close()

    def _limit(self) -> None:
        until = monotonic() + STATEMENT_SECONDS
        cancellation = self.cancellation
        self.connection.set_progress_handler(lambda: cancellation.is_set or monotonic() > until, STEPS_BETWEEN_LOOKS)


class FileIdentity(NamedTuple):
    """What a path names now: another inode there means that somebody has put the file aside or removed it."""

    path: str
    device: int
    inode: int
    is_read_only: bool


def identify(path: str) -> FileIdentity | None:
    """What the path names now; None when nothing is there."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    can_write = os.access(path, os.W_OK) and os.access(os.path.dirname(path), os.W_OK)
    return FileIdentity(path, status.st_dev, status.st_ino, is_read_only=not can_write)


def _begin(connection: sqlite3.Connection) -> SqliteTransaction:
    """A transaction that nobody cancels, on a connection that gives rows by name and knows `now()`."""
    connection.row_factory = sqlite3.Row
    connection.create_function("now", 0, _now)
    return SqliteTransaction(connection, Cancellation())


def _open(path: str, synchronous: str) -> sqlite3.Connection:
    return _begin(open_connection(path, synchronous)).connection


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")


IDLE_CONNECTIONS = 8


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
        self._file: FileIdentity | None = None
        self._is_suspect = False
        self._idle: list[sqlite3.Connection] = []

    def reading(self, cancellation: Cancellation | None = None) -> AbstractContextManager[SqliteTransaction]:
        """A transaction that only reads."""
        return self._transaction("BEGIN", cancellation or Cancellation())

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
            file = self._ready_file()
            with self._lock:
                connection = self._idle.pop() if self._idle else None
            connection = connection or self._open(file.path)
            is_sound = False
            try:
                connection.execute(begin)
                try:
                    yield SqliteTransaction(connection, cancellation)
                    cancellation.check()  # its caller was told that it failed: nothing of it may be kept
                    connection.execute("COMMIT")
                    is_sound = True
                except BaseException as error:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                    is_sound = isinstance(error, FieldguideError)  # declined: the connection is as good as before
                    raise
            finally:
                if is_sound:
                    connection.set_progress_handler(None, 0)
                with self._lock:
                    has_room = len(self._idle) < IDLE_CONNECTIONS and self._file == file and not file.is_read_only
                    if is_sound and has_room:
                        self._idle.append(connection)
                    else:
                        connection.close()
        except sqlite3.Error as error:
            if cancellation.is_set:
                raise Cancelled("The call was cancelled.") from error
            if is_corruption(error):
                with self._lock:  # the next call checks every page: those that a start reads may be intact
                    self._is_suspect = True
                    self._file = None
            raise StorageFailed("The database could not do this.") from error

    def _ready_file(self) -> FileIdentity:
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
        with hold_file_lock(path):
            try:
                with closing(self._open(path)) as connection:
                    self._check(connection, path)
            except sqlite3.DatabaseError as error:
                if not is_corruption(error):
                    raise
                aside = set_aside(path)
                self._tell(f"The database was damaged; it is kept as {aside}, and a new one was begun.")
                self._is_suspect = False
                with closing(self._open(path)) as connection:
                    self._check(connection, path)

    def _check(self, connection: sqlite3.Connection, path: str) -> None:
        if self._is_suspect:
            check_integrity(connection)
        if is_read_only(path):
            connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
            return
        bring_up_to_date(connection, _begin, self._schemas)
        problem = find_foreign_object(connection, build_expected_schema(tuple(self._schemas), _begin))
        if problem is not None and self._is_derived:
            raise make_corruption_error(problem)  # it is set aside and made again
        if problem is not None:
            raise StorageFailed(f"The database was changed by another program ({problem}); nothing in it is used.")
