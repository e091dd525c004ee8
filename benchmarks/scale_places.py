"""Where an index of a measurement is: a SQLite file, or a PostgreSQL server of the measurement's own."""

import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import psycopg

from benchmarks.process_usage import resident_bytes
from benchmarks.scale_corpus import Made
from fieldguide.search.engine import SearchEngine, open_postgres_engine, open_sqlite_engine
from fieldguide.search.types import NumberedDocument, SearchSource
from tests.databases import PostgresServer, postgres_server

SOURCE = SearchSource("documents", "dir:docs")
NAMESPACE = "scale|"
SHARED_BUFFERS = "2GB"
# As a server is set up that holds much; what is written is as safe as in the SQLite file.
SETTINGS = {
    "fsync": "on",
    "full_page_writes": "on",
    "shared_buffers": SHARED_BUFFERS,
    "max_wal_size": "16GB",
    "checkpoint_timeout": "30min",
}


class Place(Protocol):
    """One index: how to open it, and what it takes."""

    name: str

    def address(self) -> str:
        """What another process opens it by."""
        ...

    def disk_bytes(self) -> int:
        """How much of the disk it takes."""
        ...

    def server_bytes(self) -> int:
        """The memory of the process that serves the database; none where there is none."""
        ...


class SqlitePlace:
    """A file."""

    name = "SQLite"

    def __init__(self, path: Path) -> None:
        self._path = path

    def address(self) -> str:
        return str(self._path)

    def disk_bytes(self) -> int:
        return sum(each.stat().st_size for each in self._path.parent.glob(f"{self._path.name}*"))

    def server_bytes(self) -> int:
        return 0


class PostgresPlace:
    """A database of a server."""

    name = "PostgreSQL"

    def __init__(self, address: str) -> None:
        self._address = address

    def address(self) -> str:
        return self._address

    def disk_bytes(self) -> int:
        with psycopg.connect(self._address) as connection:
            row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
        return int(row[0]) if row else 0

    def server_bytes(self) -> int:
        """What its processes hold, shared memory counted once."""
        with psycopg.connect(self._address) as connection:
            row = connection.execute("SELECT pg_backend_pid()").fetchone()
            assert row is not None
            parent = int(Path(f"/proc/{row[0]}/stat").read_text().rpartition(")")[2].split()[1])
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        return sum(proportional_bytes(each) for each in [str(parent), *children])


def proportional_bytes(process: str) -> int:
    """A process's memory, with what it shares divided among those who share it."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)


def own_bytes() -> int:
    return resident_bytes(os.getpid())


def opened(address: str) -> SearchEngine:
    """The engine of an index, as a server has it."""
    if address.startswith("postgresql:"):
        return open_postgres_engine(address, NAMESPACE, {})
    return open_sqlite_engine(lambda: address, {}, print)


@contextmanager
def postgres() -> Iterator[PostgresServer]:
    """A server that is set up for much."""
    with postgres_server() as server:
        with psycopg.connect(server.new_database(), autocommit=True) as connection:
            for name, value in SETTINGS.items():
                connection.execute(f"ALTER SYSTEM SET {name} = '{value}'".encode())
        server.stop(signal.SIGINT)
        server.start()
        yield server


def source_of(writer: int) -> SearchSource:
    """The source that one of several writers fills."""
    return SOURCE._replace(name=f"{SOURCE.name}/{writer}") if writer else SOURCE


def put(engine: SearchEngine, documents: Sequence[Made], source: SearchSource = SOURCE) -> float:
    """What the engine's own `put` does, with vectors that are there already; how long that took."""
    began = time.monotonic()
    with engine.database.writing() as transaction:
        store = engine.store(transaction)
        number = store.add_source(source)
        placed = [
            NumberedDocument(store.put(number, new, maker=engine.maker), new, vectors) for new, vectors in documents
        ]
        engine.index.put(transaction, number, placed)
    return time.monotonic() - began


def settle(engine: SearchEngine, said: str) -> float:
    """End a sync, and wait for what follows it (an index of the nearest, statistics); how long that took."""
    began = time.monotonic()
    engine.finish(SOURCE, {"said": said})
    engine.settled()
    return time.monotonic() - began
