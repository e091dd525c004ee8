"""What an earlier version kept inside a project, taken over once, when the person says so.

The folder may as well have come with a clone. So its files are never opened in place: their bytes are copied, without
the journal that SQLite would roll back, and the copy is read through a connection that may do nothing but read columns
of plain tables. Each row is checked and written through our own schema.
"""

import os
import sqlite3
import stat
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any, NamedTuple

from fieldguide.errors import Refusal
from fieldguide.storage.port import Database, Schema, Transaction
from fieldguide.storage.sqlite_connection import harden
from fieldguide.storage.sqlite_file import address_of

COPIED = ("", "-wal")
MOST_BYTES = 1 << 30
MOST_VALUE_BYTES = 1 << 20
MOST_SECONDS = 120.0
BATCH = 500
STEPS_BETWEEN_LOOKS = 20_000
READING = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_TRANSACTION)
COLUMNS = "SELECT name FROM pragma_table_info(:table)"
PLAIN_TABLE = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'create table %' AND name = ?"


class Adopted(NamedTuple):
    """How many rows of a table were taken over."""

    table: str
    rows: int


def adopt(path: str, target: Database, schemas: Sequence[Schema], *, workspace: str) -> list[Adopted]:
    """Take over every row that fits our tables, all or none; a target that holds rows already is refused."""
    with TemporaryDirectory(dir=workspace, prefix="adopting-") as folder:
        copy = os.path.join(folder, "adopted.db")
        for suffix in COPIED:
            _copied(path + suffix, copy + suffix)
        try:
            with closing(_opened(copy)) as connection, target.writing() as transaction:
                return [
                    Adopted(table, _taken(connection, transaction, table))
                    for schema in schemas
                    for table in schema.tables
                ]
        except sqlite3.Error as error:
            raise Refusal(
                "What lies there is no database of ours, or a damaged one; nothing was taken over."
            ) from error


def _copied(source: str, target: str) -> None:
    """The bytes of a regular file, through no link, under a name that says nothing; what is not there is not copied."""
    with suppress(FileNotFoundError):
        descriptor = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or status.st_size > MOST_BYTES:
                raise Refusal("What lies there is no file of ours: a link, a device, or too large.")
            with open(target, "xb") as copy:
                while piece := file.read(1 << 20):
                    copy.write(piece)


def _opened(path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(address_of(path), uri=True, isolation_level=None)
    until = monotonic() + MOST_SECONDS
    connection.set_progress_handler(lambda: monotonic() > until, STEPS_BETWEEN_LOOKS)
    harden(connection)
    found = connection.execute("PRAGMA quick_check(1)").fetchone()
    if found is None or found[0] != "ok":
        connection.close()
        raise sqlite3.DatabaseError("damaged")
    return connection


def _taken(connection: sqlite3.Connection, transaction: Transaction, table: str) -> int:
    """Carry one table over; how many rows that were."""
    held = transaction.fetch_one(f"SELECT COUNT(*) AS held FROM {table}", {})  # noqa: S608  a name of ours
    if held is not None and held["held"]:
        raise Refusal(f"There are {held['held']} rows in {table!r} already: they are kept, and nothing was taken over.")
    if connection.execute(PLAIN_TABLE, (table,)).fetchone() is None:
        return 0
    columns = _shared_columns(connection, transaction, table)
    if not columns:
        return 0
    places = ", ".join(f":{name}" for name in columns)
    insert = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places})"  # noqa: S608  names of ours
    count = 0
    for batch in _batches(connection, table, columns):
        transaction.execute_many(insert, batch)
        count += len(batch)
    _go_on_numbering(connection, transaction, table)
    return count


def _shared_columns(connection: sqlite3.Connection, transaction: Transaction, table: str) -> list[str]:
    """The columns that a table has in both, in the order of the one that is taken over."""
    found = transaction.fetch_all("SELECT name FROM pragma_table_info(:table)", {"table": table})
    ours = {row["name"] for row in found}
    theirs = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    return [name for name in theirs if name in ours]


def _go_on_numbering(connection: sqlite3.Connection, transaction: Transaction, table: str) -> None:
    """A number that was once given out never comes again."""
    with suppress(sqlite3.OperationalError):  # a file without numbered tables has no such list
        row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
        if row is not None and isinstance(row[0], int):
            numbering = "UPDATE sqlite_sequence SET seq = MAX(seq, :last) WHERE name = :table"
            transaction.execute(numbering, {"table": table, "last": row[0]})


def _batches(connection: sqlite3.Connection, table: str, columns: Sequence[str]) -> Iterator[list[dict[str, Any]]]:
    """The rows of a plain table, read with no right but to read."""
    connection.set_authorizer(_may_only_read)
    try:
        rows = connection.execute(f"SELECT {', '.join(columns)} FROM {table}")  # noqa: S608  names of ours
        while found := rows.fetchmany(BATCH):
            yield [dict(zip(columns, map(_plain, row), strict=True)) for row in found]
    finally:
        connection.set_authorizer(None)


def _may_only_read(action: int, *_: str | None) -> int:
    return sqlite3.SQLITE_OK if action in READING else sqlite3.SQLITE_DENY


def _plain(value: Any) -> Any:
    if isinstance(value, str | bytes) and len(value) > MOST_VALUE_BYTES:
        raise Refusal("A value in it is larger than any of ours; nothing was taken over.")
    return value
