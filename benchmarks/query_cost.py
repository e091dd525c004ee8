"""What a query costs in the engine, beside the two things that it can't do without: an FTS5 query and a vector scan."""

import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np
import simsimd

from benchmarks import report
from benchmarks.engines import Engine
from fieldguide.search.engine import SearchQuestion
from fieldguide.search.ranking import CANDIDATES
from fieldguide.search.types import Scope
from fieldguide.text.words import extract_query_terms

LIMIT = 10
WARM_UP = 20
BARE = "SELECT rowid FROM search_chunk WHERE search_chunk MATCH ? ORDER BY bm25(search_chunk) LIMIT 100"

Act = Callable[[str], Any]


@dataclass(frozen=True, slots=True)
class QueryCost:
    """Seconds of a query over so many chunks; the bare sum is taken query by query.

    The CPU seconds are what the wall clock would show on a machine with nothing else to do.
    """

    chunks: int
    queries: int
    engine_p50: float
    engine_p95: float
    words_p50: float
    words_p95: float
    scan_p50: float
    scan_p95: float
    bare_p50: float
    bare_p95: float
    engine_cpu_p50: float
    bare_cpu_p50: float


def measure_queries(engine: Engine, source: int, path: str, queries: Sequence[str]) -> QueryCost:
    """Ask each query of each contender, in turns."""
    block = vector_block(path, engine.embedder.dimensions)
    embedded = {query: engine.embedder.embed_query(query) for query in queries}
    with closing(sqlite3.connect(path)) as connection:
        acts: list[Act] = [
            lambda query: engine.search(SearchQuestion(query, Scope((source,)), LIMIT)),
            lambda query: connection.execute(BARE, (match_any(query),)).fetchall(),
            lambda query: bare_scan(embedded[query], block),
        ]
        turns = take_turns(acts, queries)
    wall, busy = ([[turn[clock] for turn in each] for each in turns] for clock in (0, 1))
    figures = [report.percentile(each, part) for each in (*wall, summed(wall)) for part in (0.50, 0.95)]
    busy_figures = [report.percentile(each, 0.50) for each in (busy[0], summed(busy))]
    return QueryCost(len(block), len(queries), *figures, *busy_figures)


def summed(seconds: Sequence[Sequence[float]]) -> list[float]:
    """The bare FTS5 query and the bare scan, added query by query."""
    return [sum(both) for both in zip(seconds[1], seconds[2], strict=True)]


def take_turns(acts: Sequence[Act], queries: Sequence[str]) -> list[list[tuple[float, float]]]:
    """Everybody answers each query, and everybody is first equally often; wall clock and CPU seconds of each."""
    seconds: list[list[tuple[float, float]]] = [[] for _ in acts]
    for number, query in enumerate([*queries[:WARM_UP], *queries]):
        for place in range(len(acts)):
            turn = (place + number) % len(acts)
            began, busy = time.perf_counter(), time.thread_time()
            acts[turn](query)
            if number >= WARM_UP:
                seconds[turn].append((time.perf_counter() - began, time.thread_time() - busy))
    return seconds


def vector_block(path: str, dimensions: int) -> "np.ndarray[Any, np.dtype[np.int8]]":
    """Every vector of an index as one block."""
    with closing(sqlite3.connect(path)) as connection:
        held = b"".join(row[0] for row in connection.execute("SELECT vectors FROM search_vectors ORDER BY document_id"))
    return np.frombuffer(held, np.int8).reshape(-1, dimensions)


def bare_scan(vector: bytes, block: "np.ndarray[Any, np.dtype[np.int8]]") -> "np.ndarray[Any, Any]":
    """The hundred nearest rows."""
    query = np.frombuffer(vector, np.int8).reshape(1, -1)
    distances = np.asarray(simsimd.cdist(query, block, "cosine")).ravel()
    if len(distances) <= CANDIDATES:
        return np.argsort(distances)
    near = np.argpartition(distances, CANDIDATES)[:CANDIDATES]
    order: np.ndarray[Any, Any] = near[np.argsort(distances[near])]
    return order


def match_any(query: str) -> str:
    """The terms that the engine looks for, as a plain FTS5 query."""
    return " OR ".join('"' + term.replace('"', '""') + '"' for term in extract_query_terms(query)) or '""'
