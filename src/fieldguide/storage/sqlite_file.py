"""One SQLite file on disk: opened for its owner alone, locked, migrated, and checked for foreign schema objects.

A trigger runs when we write, a view can stand in a table's place: a file that somebody else has had in hand is known by
them.
"""

import os
import sqlite3
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote

from fieldguide.files.file_system import PRIVATE_FILE, wait_for_file_lock
from fieldguide.storage.database import Schema, Transaction, find_missing_migrations, migrate
from fieldguide.text.errors import StorageFailed

BUSY_SECONDS = 20.0
Begin = Callable[[sqlite3.Connection], Transaction]
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


def find_foreign_object(connection: sqlite3.Connection, expected: Mapping[str, SchemaObject]) -> str | None:
    """The first thing that is not as our migrations leave it, in words; None when all is ours.

    Tables of toolsets that are not served now are nobody's business here.
    """
    found = list_schema_objects(connection)
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
    can_write = os.access(path, os.W_OK) and os.access(os.path.dirname(path), os.W_OK)
    return os.path.exists(path) and not can_write


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
        wait_for_file_lock(lock)
        yield
    finally:
        os.close(lock)


def open_connection(path: str, synchronous: str) -> sqlite3.Connection:
    """A connection to a file, for its owner alone; `synchronous` says how much a commit waits for the disk."""
    make_private(path)
    connection = sqlite3.connect(
        build_sqlite_uri(path), uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        harden(connection)
        if not is_read_only(path):
            connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        connection.execute("PRAGMA fullfsync = ON")  # on macOS a plain sync leaves data in the disk's own cache
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


def make_corruption_error(problem: str) -> sqlite3.DatabaseError:
    """The error for a file that can't be used as it is."""
    error = sqlite3.DatabaseError(problem)
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error


def is_corruption(error: sqlite3.Error) -> bool:
    """Whether a file is no database, or one that is damaged."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)


def check_integrity(connection: sqlite3.Connection) -> None:
    """Look at every page; an error that `is_corruption` says what is wrong."""
    problem = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if problem != "ok":
        raise make_corruption_error(problem)


def find_file_problems(path: str) -> list[str]:
    """What is wrong with a SQLite file; empty if it is intact or does not exist yet."""
    if not os.path.exists(path):
        return []
    try:
        with closing(_open_to_read(path)) as connection:
            found = [row[0] for row in connection.execute("PRAGMA integrity_check(5)")]
    except sqlite3.Error as error:
        return [str(error)]
    return [] if found == ["ok"] else found


def count_rows(path: str, tables: Sequence[str]) -> int:
    """How many rows some tables of a SQLite file hold together; none where there is no such file or table."""
    if not os.path.isfile(path):
        return 0
    count = 0
    with closing(_open_to_read(path)) as connection:
        for table in tables:
            with suppress(sqlite3.Error):
                count += connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]  # noqa: S608  a name of ours
    return count


def copy_file(path: str, target: str) -> None:
    """Write a copy of a SQLite file, as its latest commit left it."""
    try:
        with closing(_open_to_read(path)) as connection:
            connection.execute("VACUUM INTO ?", (target,))
    except sqlite3.Error as error:
        raise StorageFailed(f"The copy could not be written: {error}.") from error


def _open_to_read(path: str) -> sqlite3.Connection:
    """A read-only connection; immutable where nobody can write."""
    can_write = os.access(path, os.W_OK) and os.access(os.path.dirname(path), os.W_OK)
    return sqlite3.connect(f"file:{quote(os.fsencode(path))}?mode=ro{'' if can_write else '&immutable=1'}", uri=True)


def bring_up_to_date(connection: sqlite3.Connection, begin: Begin, schemas: Sequence[Schema]) -> None:
    """Apply the missing migrations; mostly there are none, and nobody who only reads waits for a writer."""
    transaction = begin(connection)
    connection.execute("BEGIN")
    ledger = transaction.fetch_one("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema_migration'", {})
    is_current = ledger is not None and not find_missing_migrations(transaction, schemas, dialect="sqlite")
    connection.execute("COMMIT")
    if not is_current:
        connection.execute("BEGIN IMMEDIATE")
        migrate(transaction, schemas, dialect="sqlite")
        connection.execute("COMMIT")


@lru_cache(maxsize=8)
def build_expected_schema(schemas: tuple[Schema, ...], begin: Begin) -> dict[str, SchemaObject]:
    """What our migrations make, seen in a database that nobody else has touched."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(begin(connection), schemas, dialect="sqlite")
        return list_schema_objects(connection)
