"""How the cost of a search grows with the index, from a thousand to a million chunks.

The first hundred thousand are different real chunks. A million are the same again under other document names, copied in
the database, vectors included: reading and embedding are not what is measured here.
"""

import sqlite3
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from benchmarks.engines import Engine
from benchmarks.plot import log_plot
from benchmarks.query_cost import QueryCost, measure_queries
from benchmarks.real_text import real_documents, real_queries
from benchmarks.report import REPOSITORY
from fieldguide.search.embedding import Embedder
from fieldguide.search.types import POSITION_BITS, NewDocument, SearchSource

SIZES = (1_000, 10_000, 100_000, 1_000_000)
DIFFERENT = 100_000
QUERIES = 60
MILLISECONDS = 1e3
PLOT = REPOSITORY / "docs" / "explain" / "search-growth.svg"
SOURCE = SearchSource("benchmark", "growth")
BATCH = 20
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
class Growth:
    """An index of one size: what a query costs, what filling it up from the size before took, and its file."""

    cost: QueryCost
    added_chunks: int
    filling_seconds: float
    file_bytes: int


def measure_growth(folder: Path, embedder: Embedder, *, limit_seconds: float) -> list[Growth]:
    """Fill one index further and further and ask it; what can't be filled in time is left out."""
    until = time.monotonic() + limit_seconds
    path = folder / "growth.db"
    engine = Engine(path, embedder)
    documents = list(real_documents(DIFFERENT))
    queries = real_queries(documents)[:QUERIES]
    measured: list[Growth] = []
    held = 0
    for size in SIZES:
        began, before = time.monotonic(), held
        if size <= DIFFERENT:
            held += put_more(engine, documents, size - held)
        else:
            held += copy_more(path, size - held, until=until)
        seconds = time.monotonic() - began
        print(f"{held:,} chunks after {seconds:.0f} s", file=sys.stderr)
        engine.finish(SOURCE, {"size": str(held)})
        source = engine.sources(SOURCE.kind)[0].id
        cost = measure_queries(engine, source, str(path), queries)
        measured.append(Growth(cost, held - before, seconds, path.stat().st_size))
    return measured


def put_more(engine: Engine, documents: list[NewDocument], chunks: int) -> int:
    """Put in as many of these documents as have so many chunks together, and take them off the list."""
    put = 0
    while put < chunks and documents:
        batch, documents[:BATCH] = documents[:BATCH], []
        engine.put(SOURCE, batch)
        put += sum(len(each.chunks) for each in batch)
    return put


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


def draw_growth(measured: Sequence[Growth]) -> None:
    """Write the plot of the documentation."""
    lines = {
        "search, p95": [(each.cost.chunks, each.cost.engine_p95 * MILLISECONDS) for each in measured],
        "search, p50": [(each.cost.chunks, each.cost.engine_p50 * MILLISECONDS) for each in measured],
        "bare FTS5 + scan, p50": [(each.cost.chunks, each.cost.bare_p50 * MILLISECONDS) for each in measured],
        "bare scan, p50": [(each.cost.chunks, each.cost.scan_p50 * MILLISECONDS) for each in measured],
    }
    title = "What a search costs as the index grows"
    PLOT.write_text(
        log_plot(lines, title=title, x_label="chunks in the index", y_label="milliseconds"), encoding="utf-8"
    )
