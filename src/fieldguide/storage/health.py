"""Looks a database over without changing it: for the doctor, and for whoever doubts a disk."""

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from urllib.parse import quote

from fieldguide.errors import StorageFailed
from fieldguide.storage.port import Database, Schema


def file_problems(path: str) -> list[str]:
    """What is wrong with a SQLite file; nothing when it is well or not there yet."""
    if not os.path.exists(path):
        return []
    try:
        with closing(_opened(path)) as connection:
            found = [row[0] for row in connection.execute("PRAGMA integrity_check(5)")]
    except sqlite3.Error as error:
        return [str(error)]
    return [] if found == ["ok"] else found


def missing_tables(path: str, schemas: Sequence[Schema]) -> list[str]:
    """The tables of these schemas that a SQLite file lacks; all of them when it is no SQLite file."""
    wanted = [table for schema in schemas for table in schema.tables]
    try:
        with closing(_opened(path)) as connection:
            found = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except sqlite3.Error:
        return wanted
    return [table for table in wanted if table not in found]


def rows_in(path: str, tables: Sequence[str]) -> int:
    """How many rows some tables of a SQLite file hold together; none where there is no such file or table."""
    if not os.path.isfile(path):
        return 0
    count = 0
    with closing(_opened(path)) as connection:
        for table in tables:
            with suppress(sqlite3.Error):
                count += connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]  # noqa: S608  a name of ours
    return count


def server_problems(database: Database) -> list[str]:
    """What is wrong with a database server; nothing when it answers."""
    try:
        with database.reading() as transaction:
            transaction.fetch_one("SELECT 1 AS one", {})
    except StorageFailed as error:
        cause = error.__cause__
        return [str(cause).strip().splitlines()[0] if cause and str(cause).strip() else error.message]
    return []


def walls_missing(database: Database, schemas: Sequence[Schema]) -> list[str]:
    """What is wrong with the walls between the projects of a database server; it must answer."""
    from fieldguide.storage.wall_check import wall_problems

    with database.reading() as transaction:
        return wall_problems(transaction, schemas)


def _opened(path: str) -> sqlite3.Connection:
    """To look and not to touch; where nobody may write, as the file lies there."""
    can_write = os.access(path, os.W_OK) and os.access(os.path.dirname(path), os.W_OK)
    return sqlite3.connect(f"file:{quote(os.fsencode(path))}?mode=ro{'' if can_write else '&immutable=1'}", uri=True)
