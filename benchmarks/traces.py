"""What a look at a file and a session that ends cost, as what is kept of earlier ones grows."""

import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.report import Goal
from fieldguide.app import open_engine
from fieldguide.knowledge.findings.indexing import index_sessions
from fieldguide.knowledge.findings.sessions import ContextItemRepository, SessionRepository
from fieldguide.search.engine import SearchEngine
from fieldguide.settings.config import read_settings
from fieldguide.spine.journal import Journal, Metrics
from fieldguide.storage.database import FINDINGS_SCHEMA
from fieldguide.storage.sqlite import SqliteDatabase

SIZES = (100, 10_000, 100_000)
REPEATED = 40
NOW = datetime.now(UTC)
ITEM = "INSERT INTO context_item VALUES ('', 'file', :name, 1.0, 1.0, 1.0, 1, 0, 'active', :now)"
SESSION = """
    INSERT INTO work_session (
        id, project, connection, status, topics, tool_calls, started_at, active_at, ended_at, indexed_as
    )
    VALUES (:name, '', :name, 'archived', '["x"]', 1, :now, :now, :now, :mark)
"""


def main() -> int:
    rows: list[list[str]] = []
    looks: list[float] = []
    passes: list[float] = []
    for size in SIZES:
        with tempfile.TemporaryDirectory(prefix=".fieldguide-benchmark-", dir=Path.cwd()) as folder:
            look, session = measure(Path(folder).resolve(), size)
        looks.append(look)
        passes.append(session)
        rows.append([f"{size:,}", f"{look * 1e3:.2f}", f"{session * 1e3:.2f}"])
    print(report.describe_machine())
    print(report.format_table(["items and sessions", "a look, CPU ms", "a session indexed, CPU ms"], rows))
    goals = [
        Goal("a look at 100,000", "at 100", "at most", 2.0, report.divide(looks[-1], looks[0])),
        Goal("a session at 100,000", "at 100", "at most", 2.0, report.divide(passes[-1], passes[0])),
    ]
    print(report.format_goals(goals))
    return 0


def measure(folder: Path, size: int) -> tuple[float, float]:
    """The processor time of a look, and of a session that ends and is indexed, beside so many earlier ones."""
    database = SqliteDatabase(lambda: str(folder / "fieldguide.db"), [FINDINGS_SCHEMA], print)
    environment = {"FIELDGUIDE_STATE": str(folder / "state")}
    engine = open_engine(read_settings({"project": str(folder)}, environment), Journal(Metrics()))
    _end_session(database, engine, 0)
    with database.writing() as transaction:
        [indexed] = transaction.fetch_all("SELECT indexed_as FROM work_session", {})
        names = [{"name": f"{number:07}.py", "now": NOW.isoformat()} for number in range(size)]
        transaction.execute_many(ITEM, names)
        transaction.execute_many(SESSION, [{**each, "mark": indexed["indexed_as"]} for each in names])
    try:
        look = _cpu(lambda number: _look(database, f"{number:07}.py"))
        return look, _cpu(lambda number: _end_session(database, engine, number + 1))
    finally:
        engine.database.close()
        database.close()


def _look(database: SqliteDatabase, path: str) -> None:
    with database.writing() as transaction:
        sessions, items = SessionRepository(transaction, ""), ContextItemRepository(transaction, "")
        sessions.close_idle(now=NOW)
        sessions.access(sessions.touch("reader", user=None, now=NOW), path, now=NOW)
        items.access("file", path, tokens=1, now=NOW)
        items.archive_lowest(NOW)


def _end_session(database: SqliteDatabase, engine: SearchEngine, number: int) -> None:
    with database.writing() as transaction:
        sessions = SessionRepository(transaction, "")
        sessions.access(sessions.touch(f"one {number}", user=None, now=NOW), "a.py", now=NOW)
        sessions.end([f"one {number}"], now=NOW)
    index_sessions(database, engine, "", is_first=False)


def _cpu(work: Callable[[int], Any]) -> float:
    started = time.process_time()
    for number in range(REPEATED):
        work(number)
    return (time.process_time() - started) / REPEATED


if __name__ == "__main__":
    raise SystemExit(main())
