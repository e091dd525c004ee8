"""What a fresh process finds in a large index: its first search, later ones, a changed file, and what is near."""

import csv
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks import real_text, report
from benchmarks.engines import read_document
from benchmarks.process_usage import cpu_seconds
from benchmarks.scale_places import SOURCE, opened, own_bytes
from fieldguide.search.engine import SearchEngine, SearchQuestion
from fieldguide.search.indexes import postgres
from fieldguide.search.ranking import CANDIDATES
from fieldguide.search.types import Scope

LIMIT = 10
WARM_UP = 10
QUESTIONS = 60
COMPARED = 40
UNSEEN = 120
SEED = 31
TURNS = 3
CHANGED = "changed/by/the/benchmark.md"
ALL = 1 << 40
ALIKE = 1e-9


@dataclass(frozen=True, slots=True)
class Asked:
    """Seconds of searches, bytes of this process, and the share of the nearest that were found.

    `recall` is over the questions by which it was chosen how much the index looks at, `unseen_recall` over others.

    The CPU seconds are those of this process and of the database server together: what the wall clock would show on a
    machine with nothing else to do.
    """

    first_search: float
    p50: float
    p95: float
    cpu_p50: float
    resident: int
    changed_file: float
    recall: float
    unseen_recall: float
    near_p50: float
    exact_p50: float


@dataclass(frozen=True, slots=True)
class Beside:
    """Two indexes asked the same questions in turn: the p50 of wall and processor seconds of each.

    The least of several turns counts, since other work on the machine only ever adds to them.
    """

    wall: tuple[float, float]
    cpu: tuple[float, float]


def chosen_questions() -> list[str]:
    """What people asked about Ray."""
    return real_text.real_queries([])[:QUESTIONS]


def unseen_questions() -> list[str]:
    """Questions that nothing was chosen by: more about Ray, and those that people wrote about code and documents."""
    found = real_text.real_queries([])[QUESTIONS:]
    for folder in ("code_questions", "plain_questions"):
        for file in sorted((report.REPOSITORY / "benchmarks" / folder).glob("*.tsv")):
            with file.open(encoding="utf-8", newline="") as lines:
                found += [row["question"] for row in csv.DictReader(lines, delimiter="\t")]
    return random.Random(SEED).sample(found, UNSEEN)


def ask_beside(addresses: Sequence[str]) -> Beside:
    """Ask two indexes every question in turn."""
    questions = chosen_questions()
    engines = [opened(address) for address in addresses]
    scopes = [whole_scope(engine) for engine in engines]
    for engine, scope in zip(engines, scopes, strict=True):
        for question in questions[:WARM_UP]:
            search(engine, question, scope)
    servers = [backends(engine) for engine in engines]
    spent: list[list[tuple[float, float]]] = [[], []]
    for question in questions:
        turns: list[list[tuple[float, float]]] = [[], []]
        for _ in range(TURNS):
            for place, engine in enumerate(engines):
                turns[place].append(timed(engine, question, scopes[place], servers[place]))
        for place, found in enumerate(turns):
            spent[place].append((min(wall for wall, _ in found), min(busy for _, busy in found)))
    walls = [report.percentile([wall for wall, _ in each], 0.50) for each in spent]
    busy = [report.percentile([busy for _, busy in each], 0.50) for each in spent]
    return Beside((walls[0], walls[1]), (busy[0], busy[1]))


def ask(address: str) -> Asked:
    """Open an index, ask it, and change one document of it."""
    queries = chosen_questions()
    engine = opened(address)
    began = time.perf_counter()
    scope = whole_scope(engine)
    search(engine, queries[0], scope)
    first = time.perf_counter() - began
    for query in queries[1 : WARM_UP + 1]:
        search(engine, query, scope)
    servers = backends(engine)
    spent = [timed(engine, query, scope, servers) for query in queries]
    recall, near, exact = (1.0, 0.0, 0.0)
    unseen = 1.0
    if engine.database.dialect == "postgres":
        recall, near, exact = compare(engine, queries[:COMPARED], scope)
        unseen, _, _ = compare(engine, unseen_questions(), scope)
    return Asked(
        first_search=first,
        p50=report.percentile([wall for wall, _ in spent], 0.50),
        p95=report.percentile([wall for wall, _ in spent], 0.95),
        cpu_p50=report.percentile([busy for _, busy in spent], 0.50),
        resident=own_bytes(),
        changed_file=change_one(engine, scope),
        recall=recall,
        unseen_recall=unseen,
        near_p50=near,
        exact_p50=exact,
    )


def whole_scope(engine: SearchEngine) -> Scope:
    """All that was put in: several writers have a source each."""
    return Scope(tuple(source.id for source in engine.sources(SOURCE.kind)))


def search(engine: SearchEngine, text: str, scope: Scope) -> list[str]:
    return [hit.document for hit in engine.search(SearchQuestion(text, scope, LIMIT))]


def backends(engine: SearchEngine) -> list[int]:
    """The processes that serve this one in PostgreSQL; none with SQLite."""
    if engine.database.dialect == "sqlite":
        return []
    with engine.database.reading() as transaction:
        rows = transaction.fetch_all("SELECT pid FROM pg_stat_activity WHERE datname = current_database()", {})
    return [row["pid"] for row in rows]


def timed(engine: SearchEngine, text: str, scope: Scope, servers: Sequence[int]) -> tuple[float, float]:
    """Seconds of one search: by the wall clock, and of processors, here and in the database server.

    To look at the servers' time takes a millisecond of ours, which is not the search's.
    """
    before = sum(map(cpu_seconds, servers))
    began, busy = time.perf_counter(), time.thread_time()
    search(engine, text, scope)
    wall, here = time.perf_counter() - began, time.thread_time() - busy
    return wall, here + sum(map(cpu_seconds, servers)) - before


def change_one(engine: SearchEngine, scope: Scope) -> float:
    """Seconds from a changed file to the first search that finds what is new in it."""
    engine.put(SOURCE, [read_document(CHANGED, "# Before\n\nNothing of note.")])
    search(engine, "note", scope)
    began = time.perf_counter()
    engine.put(SOURCE, [read_document(CHANGED, f"# After\n\nThe zanzibarian quokka, {began}.")])
    found = search(engine, "zanzibarian quokka", scope)
    seconds = time.perf_counter() - began
    assert found[0] == CHANGED
    engine.finish(SOURCE, {}, gone=[CHANGED])
    return seconds


def compare(engine: SearchEngine, queries: Sequence[str], scope: Scope) -> tuple[float, float, float]:
    """The share of the ten nearest that the index finds too, and what each way takes.

    One that is as near as the tenth is as good: which of several equals comes first is chance.
    """
    usual = postgres.FROM_CHUNKS
    found, near = nearest(engine, queries, scope)
    postgres.FROM_CHUNKS = ALL
    exact, slow = nearest(engine, queries, scope)
    postgres.FROM_CHUNKS = usual
    hits = wanted = 0
    for some, truth in zip(found, exact, strict=True):
        wanted += len(truth[:LIMIT])
        hits += sum(distance <= truth[:LIMIT][-1] + ALIKE for distance in some[:LIMIT])
    return hits / wanted, report.percentile(near, 0.5), report.percentile(slow, 0.5)


def nearest(engine: SearchEngine, queries: Sequence[str], scope: Scope) -> tuple[list[list[float]], list[float]]:
    found, spent = [], []
    for query in queries:
        vector = engine.embedder.embed_query(query)
        with engine.database.reading() as transaction:
            began = time.perf_counter()
            found.append(list(engine.index.by_vector(transaction, vector, scope, CANDIDATES).values()))
            spent.append(time.perf_counter() - began)
    return found, spent
