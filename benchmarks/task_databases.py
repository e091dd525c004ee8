"""The database that tasks are kept in, with its bare rival on the same disk and a way to fill it."""

import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

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


class SqliteDatabase:
    """A project's own file; the rival has the same pragmas, the same table and its own file beside it."""

    def __init__(self, project: Path) -> None:
        self.project = project

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


@contextmanager
def databases(disk: Path) -> Iterator[Callable[[], SqliteDatabase]]:
    """A way to new databases; all of it is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix=".fieldguide-benchmark-", dir=disk) as root:
        folder = Path(root).resolve()
        yield lambda: SqliteDatabase(Path(tempfile.mkdtemp(dir=folder)))


def file_system(folder: Path) -> str:
    """The kind of file system that a folder is on, by the kernel's list of mounts."""
    place = folder.resolve()
    mounts = [line.split() for line in Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()]
    inside = [(len(where), kind) for _, where, kind, *_ in mounts if place.is_relative_to(where)]
    return max(inside, key=lambda each: each[0])[1]
