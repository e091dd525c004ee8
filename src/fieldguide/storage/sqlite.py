"""SQLite in a state folder, shared by threads and processes; checks its file and schema.

A trigger runs when we write, a view can stand in a table's place: a file that somebody else has had in hand is known by
them.

Write-ahead log, so that readers and the one writer never wait for each other; full sync, so that a commit survives a
power loss; `BEGIN IMMEDIATE`, so that a writer waits for its turn at the beginning and never fails half way.
"""

import os
import sqlite3
import sys
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from datetime import UTC, datetime
from functools import lru_cache, partial
from time import monotonic
from typing import NamedTuple

from fieldguide.files.confined_folder import wait_for_file_lock as lock_file
from fieldguide.settings.folders import PRIVATE_FILE
from fieldguide.storage.database import Dialect, Parameters, Row, Schema, find_missing_migrations, migrate
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.errors import Cancelled, FieldguideError, StorageFailed

OBJECTS = "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"


class SchemaObject(NamedTuple):
    """A table, index, view or trigger as SQLite keeps it."""

    type: str
    name: str
    table: str
    sql: str | None


def list_schema_objects(connection: sqlite3.Connection) -> dict[str, SchemaObject]:
    """Everything that a file's schema names."""
    return {row[1]: SchemaObject(*row) for row in connection.execute(OBJECTS)}


def find_foreign_object(found: Mapping[str, SchemaObject], expected: Mapping[str, SchemaObject]) -> str | None:
    """The first thing that is not as our migrations leave it, in words; None when all is ours.

    Tables of toolsets that are not served now are nobody's business here.
    """
    ours = {each.name for each in expected.values() if each.type == "table"}
    for name, wanted in sorted(expected.items()):
        if name not in found:
            return f"{wanted.type} {name} is missing"
        if found[name] != wanted:
            return f"{name} is not the {wanted.type} that it was made as"
    for each in found.values():
        if each.type in ("trigger", "index") and each.table in ours and each.name not in expected:
            return f"{each.type} {each.name} on {each.table} is not ours"
    return None


BESIDE = ("", "-wal", "-shm", "-journal", ".lock")


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
    return FileIdentity(path, status.st_dev, status.st_ino, is_read_only(path))


def refuse_links(path: str) -> None:
    """Raise OSError where the database or a file beside it is a link: a project may not lead our writes elsewhere."""
    if any(os.path.islink(path + suffix) for suffix in BESIDE):
        raise OSError("the database is a link, which might lead anywhere")


def make_private(path: str) -> None:
    """Let the file be there for its owner alone before SQLite makes it; the files beside it follow its rights."""
    with suppress(FileExistsError, OSError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, PRIVATE_FILE))


def build_sqlite_uri(path: str) -> str:
    """The file as SQLite's URI; without a log beside it and where none can be made it is read as it lies there."""
    uri = "file:" + path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return f"{uri}?immutable=1" if is_read_only(path) and not os.path.exists(f"{path}-wal") else uri


def is_read_only(path: str) -> bool:
    """Whether the file is there and neither it nor its folder can be written to."""
    folder = os.path.dirname(path)
    return os.path.exists(path) and not (os.access(path, os.W_OK) and os.access(folder, os.W_OK))


def set_aside(path: str) -> str:
    """Rename a damaged database and what belongs to it; its new name says when."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    aside = f"{path}.damaged-{stamp}"
    for suffix in ("-wal", "-shm", ""):
        with suppress(FileNotFoundError):
            os.rename(path + suffix, aside + suffix)
    return aside


@contextmanager
def hold_file_lock(path: str) -> Generator[None]:
    """Hold the lock beside the file while it is opened, checked or replaced; readable media need none."""
    try:
        lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, PRIVATE_FILE)
    except OSError:
        yield
        return
    try:
        lock_file(lock)
        yield
    finally:
        os.close(lock)


BUSY_SECONDS = 20.0
STATEMENT_SECONDS = 30.0
STEPS_BETWEEN_LOOKS = 20_000


class SqliteTransaction:
    """A transaction on one connection; each of its statements has half a minute, or until its call is cancelled.

    The running statement looks for itself: an interrupt from another thread is lost between two statements, and may
    come so late that it hits the next call on this connection.
    """

    dialect: Dialect = "sqlite"

    def __init__(self, connection: sqlite3.Connection, cancellation: Cancellation) -> None:
        self._connection = connection
        self._cancellation = cancellation

    def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        """The first row of a statement's result, or None."""
        self._limit()
        with closing(self._connection.execute(sql, dict(parameters))) as cursor:
            row: Row | None = cursor.fetchone()
        return row

    def fetch_all(self, sql: str, parameters: Parameters) -> Sequence[Row]:
        """Every row of a statement's result."""
        self._limit()
        return self._connection.execute(sql, dict(parameters)).fetchall()

    def execute(self, sql: str, parameters: Parameters) -> int:
        """Run a statement; the number of rows that it changed."""
        self._limit()
        return self._connection.execute(sql, dict(parameters)).rowcount

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

    def _limit(self) -> None:
        until = monotonic() + STATEMENT_SECONDS
        cancellation = self._cancellation
        self._connection.set_progress_handler(lambda: cancellation.is_set or monotonic() > until, STEPS_BETWEEN_LOOKS)


def open_connection(path: str, synchronous: str) -> sqlite3.Connection:
    """A connection to a file, for its owner alone; `synchronous` says how much a commit waits for the disk."""
    make_private(path)
    connection = sqlite3.connect(
        build_sqlite_uri(path), uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
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
def build_expected_schema(schemas: tuple[Schema, ...]) -> dict[str, SchemaObject]:
    """What our migrations make, seen in a database that nobody else has touched."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.row_factory = sqlite3.Row
        connection.create_function("now", 0, _now)
        migrate(SqliteTransaction(connection, Cancellation()), schemas, dialect="sqlite")
        return list_schema_objects(connection)


def make_corruption_error(problem: str) -> sqlite3.DatabaseError:
    """The error for a file that can't be used as it is."""
    error = sqlite3.DatabaseError(problem)
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")


IDLE_CONNECTIONS = 8
NOT_A_DATABASE = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)


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
        self._open = partial(open_connection, synchronous="NORMAL" if is_derived else "FULL")
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
                self._give_back(connection, file, is_sound=is_sound)
        except sqlite3.Error as error:
            if cancellation.is_set:
                raise Cancelled("The call was cancelled.") from error
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in NOT_A_DATABASE:
                with self._lock:  # the next call checks every page: those that a start reads may be intact
                    self._is_suspect = True
                    self._file = None
            raise StorageFailed("The database could not do this.") from error

    def _give_back(self, connection: sqlite3.Connection, file: FileIdentity, *, is_sound: bool) -> None:
        if is_sound:
            connection.set_progress_handler(None, 0)
            with self._lock:
                if len(self._idle) < IDLE_CONNECTIONS and self._file == file and not file.is_read_only:
                    self._idle.append(connection)
                    return
        connection.close()

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
                problem = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
                if problem != "ok":
                    raise make_corruption_error(problem)
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
        problem = find_foreign_object(list_schema_objects(connection), build_expected_schema(tuple(self._schemas)))
        if problem is None:
            return
        if self._is_derived:
            raise make_corruption_error(problem)  # it is set aside and made again
        raise StorageFailed(f"The database was changed by another program ({problem}); nothing in it is used.")

    def _is_current(self, transaction: SqliteTransaction) -> bool:
        ledger = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'schema_migration'"
        if transaction.fetch_one(ledger, {}) is None:
            return False
        return not find_missing_migrations(transaction, self._schemas, dialect="sqlite")
