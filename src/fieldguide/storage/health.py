"""Looks a database over without changing it: for the doctor, and for whoever doubts a disk."""

import os
import sqlite3
from contextlib import closing
from urllib.request import pathname2url

from fieldguide.errors import StorageFailed
from fieldguide.storage.port import Database


def file_problems(path: str) -> list[str]:
    """What is wrong with a SQLite file; nothing when it is well or not there yet."""
    if not os.path.exists(path):
        return []
    try:
        with closing(sqlite3.connect(f"file:{pathname2url(path)}?mode=ro", uri=True)) as connection:
            found = [row[0] for row in connection.execute("PRAGMA integrity_check(5)")]
    except sqlite3.Error as error:
        return [str(error)]
    return [] if found == ["ok"] else found


def server_problems(database: Database) -> list[str]:
    """What is wrong with a database server; nothing when it answers."""
    try:
        with database.reading() as transaction:
            transaction.fetch_one("SELECT 1 AS one", {})
    except StorageFailed as error:
        cause = error.__cause__
        return [str(cause).strip().splitlines()[0] if cause and str(cause).strip() else error.message]
    return []
