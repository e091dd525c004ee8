"""How search fares as the index grows: start, first search, later ones, memory, and one changed file, in one table.

Every size is asked by a fresh process. Up to 340,000 the chunks are different and real; beyond that they are the same
again under other document names, copied in the database, and the row says `synthetic`.
"""

import argparse
import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks import clean_environment, real_text, report
from benchmarks.engines import Engine, find_embedder, read_document
from benchmarks.process_usage import resident_bytes
from benchmarks.report import Goal
from fieldguide.search.engine import SearchQuestion
from fieldguide.search.indexes import sqlite as sqlite_index
from fieldguide.search.models.choice import BUILT_IN
from fieldguide.search.types import POSITION_BITS, NewDocument, Scope, SearchSource

SIZES = (10_000, 36_000, 143_000, 334_000, 1_000_000)
REAL = 340_000
QUERIES = 60
COMPARED = 20
LIMIT = 10
BATCH = 100
SECONDS = 900.0
SOURCE = SearchSource("benchmark", "growth")
CHANGED = "changed/by/the/benchmark.md"
MILLISECONDS, MEBIBYTE = 1e3, 2**20
ALL_WORDS = 1 << 40
COPIED = 500
COPY = (
    """
    INSERT INTO search_document (id, source_id, name, title, outline, size, chunks, hash, stamp, maker)
    SELECT id + :shift, source_id, name || '#' || :shift, title, outline, size, chunks, hash, stamp, maker
    FROM search_document WHERE id >= :start AND id < :end
    """,
    """
    INSERT INTO search_text (document_id, text)
    SELECT document_id + :shift, text FROM search_text WHERE document_id >= :start AND document_id < :end
    """,
    """
    INSERT INTO search_vectors (document_id, source_id, revision, maker, vectors)
    SELECT document_id + :shift, source_id, revision + :shift, maker, vectors
    FROM search_vectors WHERE document_id >= :start AND document_id < :end
    """,
    f"""
    INSERT INTO search_chunk (rowid, title, headings, body, hidden, start_line, end_line)
    SELECT rowid + (:shift << {POSITION_BITS}), title, headings, body, hidden, start_line, end_line
    FROM search_chunk WHERE rowid >= (:start << {POSITION_BITS}) AND rowid < (:end << {POSITION_BITS})
    """,  # noqa: S608  a constant of ours
)


@dataclass(frozen=True, slots=True)
class Fared:
    """What a fresh process found at one size; seconds, bytes, and the share of hits that ranking every chunk gives."""

    chunks: int
    start: float
    first_search: float
    p50: float
    p95: float
    cpu_p50: float
    resident: int
    changed_file: float
    same_hits: float


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.index_growth", description=__doc__)
    add = parser.add_argument
    add("--sizes", default=",".join(map(str, SIZES)), help="how many chunks, with commas between")
    add("--keep", type=Path, help="a folder to keep the indexes in, and to take them from the next time")
    add("--seconds", type=float, default=SECONDS, help="when to stop filling indexes")
    add("--json", type=Path, metavar="FILE", help="also write every figure to FILE")
    add("--check", action="store_true", help="exit with 1 if a goal is missed")
    add("--ask", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    real_text.need(real_text.KUBERNETES, real_text.TRAINING, real_text.QUESTIONS)
    if options.ask:
        print(json.dumps(asdict(ask(options.ask))))
        return 0
    with tempfile.TemporaryDirectory(prefix="fieldguide-benchmark-") as folder:
        return run(options, options.keep or Path(folder))


def run(options: argparse.Namespace, folder: Path) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    sizes = sorted(int(size) for size in options.sizes.split(","))
    measured: list[Fared] = []
    before: Path | None = None
    until = time.monotonic() + options.seconds
    for size in sizes:
        before = filled(folder, size, before, until=until)
        if before is None:
            print(f"{size:,} chunks could not be filled in {options.seconds:.0f} s", file=sys.stderr)
            break
        measured.append(asked(before))
        print(f"{measured[-1].chunks:,} chunks measured", file=sys.stderr)
    goals = judge(measured)
    print(f"Search as the index grows.\n{report.describe_machine()}\n")
    print_table(measured)
    print(report.format_goals(goals))
    if options.json:
        figures = {"growth": [asdict(each) for each in measured]}
        report.write_json(options.json, benchmark="index growth", figures=figures, goals=goals)
    return int(options.check and any(goal.verdict != "reached" for goal in goals))


def filled(folder: Path, size: int, before: Path | None, *, until: float) -> Path | None:
    """An index of at least this many chunks, made from the one before; None when that takes too long."""
    path = folder / f"{size}.db"
    if path.exists():
        return path
    growing = folder / "growing.db"
    growing.unlink(missing_ok=True)
    if before is not None:
        shutil.copyfile(before, growing)
    engine = Engine(growing, find_embedder(BUILT_IN))
    held = count(engine)
    for batch in batches(min(size, REAL), skipped=held):
        engine.put(SOURCE, batch)
        if time.monotonic() > until:
            return None
    engine.finish(SOURCE, {})
    held = count(engine)
    engine.database.close()
    if held < size:
        copy_more(growing, size - held, until=until)
    return growing.rename(path) if time.monotonic() < until else None


def copy_more(path: Path, chunks: int, *, until: float) -> int:
    """Copy all documents under other names, again and again; how many chunks there are more."""
    copied = 0
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        first, last = connection.execute("SELECT MIN(id), MAX(id) FROM search_document").fetchone()
        turn = 0
        while copied < chunks:
            turn += 1
            for start in range(first, last + 1, COPIED):
                if time.monotonic() > until or copied >= chunks:
                    return copied
                end = min(start + COPIED, last + 1)
                shift = turn * (last + 1 - first)
                copied += copy_documents(connection, {"start": start, "end": end, "shift": shift})
    return copied


def copy_documents(connection: sqlite3.Connection, span: dict[str, int]) -> int:
    """Copy the documents of a span of numbers; how many chunks they have."""
    connection.execute("BEGIN IMMEDIATE")
    for statement in COPY:
        connection.execute(statement, span)
    count = "SELECT SUM(chunks) FROM search_document WHERE id >= :start AND id < :end"
    chunks = int(connection.execute(count, span).fetchone()[0] or 0)
    connection.execute("COMMIT")
    return chunks


def count(engine: Engine) -> int:
    """How many chunks an index has."""
    with engine.database.reading() as transaction:
        row = transaction.fetch_one("SELECT COALESCE(SUM(chunks), 0) AS held FROM search_document", {})
    return int(row["held"]) if row else 0


def batches(chunks: int, *, skipped: int) -> Iterator[list[NewDocument]]:
    """Real documents beyond the chunks that are in the index already, many at once."""
    documents = real_text.real_documents(chunks)
    seen = 0
    while seen < skipped:
        seen += len(next(documents).chunks)
    while batch := list(islice(documents, BATCH)):
        yield batch


def asked(path: Path) -> Fared:
    """What a process of its own measures; the times from its start are taken here."""
    command = [sys.executable, "-m", "benchmarks.index_growth", "--ask", str(path)]
    environment = {**clean_environment(), "BEGAN": str(time.time())}
    done = subprocess.run(command, cwd=report.REPOSITORY, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return Fared(**json.loads(done.stdout.splitlines()[-1]))


def ask(path: Path) -> Fared:
    """Open an index, ask it, and change one document of it."""
    import os

    began = float(os.environ.get("BEGAN", time.time()))
    engine = Engine(path, find_embedder(BUILT_IN))
    scope = Scope((engine.sources(SOURCE.kind)[0].id,))
    start = time.time() - began
    queries = real_text.real_queries()
    first = search(engine, queries[0], scope)
    first_search = time.time() - began
    assert first
    spent = [timed(engine, query, scope) for query in queries[1 : QUERIES + 1]]
    changed = change_one(engine, scope)
    resident = resident_bytes(os.getpid())
    return Fared(
        chunks=count(engine),
        start=start,
        first_search=first_search,
        p50=report.percentile([wall for wall, _ in spent], 0.50),
        p95=report.percentile([wall for wall, _ in spent], 0.95),
        cpu_p50=report.percentile([cpu for _, cpu in spent], 0.50),
        resident=resident,
        changed_file=changed,
        same_hits=compare(engine, queries[1 : COMPARED + 1], scope),
    )


def search(engine: Engine, text: str, scope: Scope) -> list[Any]:
    return [(hit.document, hit.position) for hit in engine.search(SearchQuestion(text, scope, LIMIT))]


def timed(engine: Engine, text: str, scope: Scope) -> tuple[float, float]:
    """Seconds of one search, by the wall clock and of the processor."""
    began, busy = time.perf_counter(), time.thread_time()
    search(engine, text, scope)
    return time.perf_counter() - began, time.thread_time() - busy


def change_one(engine: Engine, scope: Scope) -> float:
    """Seconds from a changed file to the first search that finds what is new in it."""
    engine.put(SOURCE, [read_document(CHANGED, "# Before\n\nNothing of note.")])
    search(engine, "note", scope)
    began = time.perf_counter()
    engine.put(SOURCE, [read_document(CHANGED, f"# After\n\nThe zanzibarian quokka, {began}.")])
    found = search(engine, "zanzibarian quokka", scope)
    seconds = time.perf_counter() - began
    assert found[0][0] == CHANGED
    engine.finish(SOURCE, {}, gone=[CHANGED])
    return seconds


def compare(engine: Engine, queries: Sequence[str], scope: Scope) -> float:
    """The share of the hits that are the same when every chunk with any of the words is ranked.

    A copy stands for its original: which of several equals comes first is chance.
    """
    found = [originals(engine, query, scope) for query in queries]
    before, sqlite_index.SMALL_INDEX = sqlite_index.SMALL_INDEX, ALL_WORDS
    whole = [originals(engine, query, scope) for query in queries]
    sqlite_index.SMALL_INDEX = before
    return sum(len(some & all_) for some, all_ in zip(found, whole, strict=True)) / sum(map(len, whole))


def originals(engine: Engine, query: str, scope: Scope) -> set[tuple[str, int]]:
    return {(name.partition("#")[0], position) for name, position in search(engine, query, scope)}


def judge(measured: Sequence[Fared]) -> list[Goal]:
    if not measured:
        return []
    last = measured[-1]
    named = f"{last.chunks:,} chunks"
    return [
        Goal(f"search of {named}, p50, ms", "the clock", "at most", 60, last.p50 * MILLISECONDS),
        Goal(f"search of {named}, p50, CPU ms", "the clock", "at most", 60, last.cpu_p50 * MILLISECONDS),
        Goal(f"one changed file, {named}, s", "the clock", "at most", 0.5, last.changed_file),
        Goal(f"first search after a start, {named}, s", "the clock", "at most", 1.0, last.first_search),
        Goal(f"memory, {named}, MiB", "the kernel", "at most", 600, last.resident / MEBIBYTE),
        Goal(f"hits at {LIMIT}, {named}", "every chunk ranked", "at least", 0.99, last.same_hits),
    ]


def print_table(measured: Sequence[Fared]) -> None:
    rows = [
        [
            f"{each.chunks:,}",
            "real" if each.chunks < REAL + REAL // 100 else "synthetic",
            f"{each.start:.2f}",
            f"{each.first_search:.2f}",
            f"{each.p50 * MILLISECONDS:.1f} / {each.p95 * MILLISECONDS:.1f}",
            f"{each.cpu_p50 * MILLISECONDS:.1f}",
            f"{each.resident / MEBIBYTE:.0f}",
            f"{each.changed_file:.2f}",
            f"{each.same_hits:.3f}",
        ]
        for each in measured
    ]
    header = [
        "chunks",
        "text",
        "start, s",
        "first search, s",
        "search, ms p50 / p95",
        "CPU p50, ms",
        "memory, MiB",
        "one changed file, s",
        "same hits as ranking every chunk",
    ]
    print(report.format_table(header, rows), end="\n\n")


if __name__ == "__main__":
    sys.exit(main())
