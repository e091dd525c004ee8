"""How an engine is put together: its database, its index, its model, and whose turn it is to index."""

import fcntl
import os
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from time import monotonic, sleep
from typing import Any

from fieldguide.errors import StorageFailed
from fieldguide.limits import Limits
from fieldguide.search.engine import SearchEngine, maker_of
from fieldguide.search.models import choose_embedder
from fieldguide.storage.port import Schema

TURN_SECONDS = 30.0
LOOK_SECONDS = 0.02
SCHEMA = Schema("search", "fieldguide.search", ("search_source", "search_document"))


def open_sqlite_engine(
    path: Callable[[], str], settings: Mapping[str, Any], tell: Callable[[str], None], limits: Limits | None = None
) -> SearchEngine:
    """An engine over a SQLite file of its own: the index is derived, so its writes never hold up those of users."""
    from fieldguide.search.index_sqlite import SqliteIndex
    from fieldguide.storage.sqlite import SqliteDatabase

    embedder = choose_embedder(settings)
    return SearchEngine(
        SqliteDatabase(path, [SCHEMA], tell, is_derived=True),
        SqliteIndex(embedder.dimensions, maker_of(embedder)),
        embedder,
        namespace="",
        turn=lambda name="": _file_turn(f"{path()}{name and '-' + name}.indexing"),
        limits=limits,
        file=path,
    )


def open_postgres_engine(
    address: str, namespace: str, settings: Mapping[str, Any], limits: Limits | None = None
) -> SearchEngine:
    """An engine in PostgreSQL; projects that share a database are told apart by their namespace."""
    from fieldguide.search.index_postgres import PostgresIndex, advisory_turn
    from fieldguide.storage.postgres import PostgresDatabase

    embedder = choose_embedder(settings)
    database = PostgresDatabase(address, [SCHEMA])
    return SearchEngine(
        database,
        PostgresIndex(embedder.dimensions, maker_of(embedder)),
        embedder,
        namespace=namespace,
        turn=lambda name="": advisory_turn(database, f"{namespace}{name}"),
        limits=limits,
    )


@contextmanager
def _file_turn(path: str) -> Generator[None]:
    """Hold a lock that ends with the process that holds it; where no file can be made, nobody else indexes either."""
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    except OSError:
        yield
        return
    try:
        _lock(lock)
        yield
    finally:
        os.close(lock)


def _lock(descriptor: int) -> None:
    """Wait for the turn, but not for ever: another process may have been stopped in the middle of its own."""
    until = monotonic() + TURN_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if monotonic() > until:
                raise StorageFailed("Another process is indexing this project, and does not come to an end.") from error
            sleep(LOOK_SECONDS)
        else:
            return
