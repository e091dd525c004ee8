"""A project whose index can't get whole for a while: somebody else has the turn to index it."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fieldguide.search.indexes.index_postgres import advisory_turn
from fieldguide.storage.postgres import PostgresDatabase
from fieldguide.storage.state_folder import state_folder


@contextmanager
def held_sqlite_turn(root: Path, name: str = "") -> Iterator[None]:
    """Hold the turn of a project whose index is a file; the turn of the architecture documents has a name."""
    path = Path(state_folder(str(root))) / f"index.db{name and '-' + name}.indexing"
    lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


@contextmanager
def held_postgres_turn(address: str, root: Path) -> Iterator[None]:
    """Hold the turn of a project whose index is in PostgreSQL."""
    database = PostgresDatabase(address, [])
    try:
        with advisory_turn(database, f"{os.path.realpath(root)}|"):
            yield
    finally:
        database.close()
