"""Candidates of several pools of sources, such as code and prose, from one look at the index.

Each pool is ranked by itself: the best of it is the best that it has. How the pools' hits compare is for the caller to
say. Words are asked for once for all pools, and vectors are compared once for each chunk.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fieldguide.search.embedding import reads_of
from fieldguide.search.engine import Question, SearchEngine
from fieldguide.search.fitness import MOST_COUNTED, term_weights
from fieldguide.search.fusion import fuse
from fieldguide.search.hits import Ranked, first_of_each
from fieldguide.search.indexes.store import StoredDocument
from fieldguide.search.misfits import Floored, Misfits
from fieldguide.search.port import Passage, Scope, place_of
from fieldguide.search.words import query_terms
from fieldguide.spine.cancellation import Cancellation
from fieldguide.storage.port import Transaction

KEYWORD_SHARE = 0.35
NEAREST = 100  # chunks of each pool
MOST_WORDED = 200  # of all pools together
MOST_HEADED = 30
COMMON_SHARE = 0.1  # of the chunks hold a term that is common
FEWEST_TERMS = 3
LOOKED_AT = 60  # the best of each pool
FEWEST_CHUNKS = 10  # terms weigh something in an empty index too


class Pool(NamedTuple):
    """Sources that are ranked together, and how well they must fit."""

    sources: tuple[int, ...]
    floored: tuple[Floored, ...] = ()


class Candidate(NamedTuple):
    """A chunk that may be a hit: how well it fits beside others of its pool (0 to 1), and how alike it truly is."""

    chunk: int
    document: StoredDocument
    passage: Passage
    fused: float
    likeness: float


class Pooled(NamedTuple):
    """The candidates of each pool, best first, and how much each term of the question says."""

    pools: Sequence[Sequence[Candidate]]
    weights: Mapping[str, float]


class Asking(NamedTuple):
    """A question in one transaction."""

    engine: SearchEngine
    transaction: Transaction
    question: Question
    vector: bytes
    terms: Sequence[str]


def pooled(
    engine: SearchEngine,
    text: str,
    pools: Sequence[Pool],
    *,
    names: tuple[str, ...] = (),
    looked_at: int = LOOKED_AT,
    cancellation: Cancellation | None = None,
) -> Pooled:
    """The candidates of some pools for a question, up to so many of each; a pool in which nothing fits has none."""
    everything = Scope(tuple(source for pool in pools for source in pool.sources))
    question = Question(text, everything, looked_at, names=names, candidates=max(NEAREST, looked_at))
    vector = engine.query_vector(question)
    with engine.database.reading(cancellation) as transaction:
        asking = Asking(engine, transaction, question, vector, query_terms(text))
        total = engine.store(transaction).chunks(everything.sources)
        counts = engine.index.counts(transaction, asking.terms, MOST_COUNTED)
        telling = _telling(dict(zip(asking.terms, counts, strict=True)), total)
        worded = engine.index.by_words(transaction, telling, everything, max(MOST_WORDED, looked_at))
        found = [_candidates(asking, pool, worded) for pool in pools]
    return Pooled(found, term_weights(asking.terms, counts, max(total, FEWEST_CHUNKS)))


def _telling(counts: Mapping[str, int], total: int) -> list[str]:
    """The terms that few chunks hold, or the rarest: to rank all that hold a common one takes long, and says little."""
    rare = [term for term, count in counts.items() if count <= COMMON_SHARE * total and count < MOST_COUNTED]
    return rare if len(rare) >= FEWEST_TERMS else sorted(counts, key=counts.__getitem__)[:FEWEST_TERMS]


def _candidates(asking: Asking, pool: Pool, worded: Mapping[int, float]) -> list[Candidate]:
    if not pool.sources:
        return []
    engine, transaction = asking.engine, asking.transaction
    store = engine.store(transaction)
    ranked = _ranked(asking, pool, {chunk: worded[chunk] for chunk in worded if store.source_of(chunk) in pool.sources})
    best = ranked.best_first(None)[: asking.question.limit]
    documents = store.numbered([place_of(chunk)[0] for chunk in best])
    passages = engine.index.passages(transaction, best)
    return [
        Candidate(
            chunk, documents[place_of(chunk)[0]], passages[chunk], ranked.scores[chunk], 1.0 - ranked.distances[chunk]
        )
        for chunk in best
    ]


def _ranked(asking: Asking, pool: Pool, worded: Mapping[int, float]) -> Ranked:
    """The chunks of a pool by their words and vectors, without those that do not fit at all."""
    engine, transaction, question = asking.engine, asking.transaction, asking.question
    scope = Scope(pool.sources)
    reads = reads_of(engine.embedder, question.text)
    near = engine.near(transaction, asking.vector, question._replace(scope=scope))
    headed = first_of_each(engine.index.headed(transaction, question.names, scope, MOST_HEADED))
    missing = [chunk for chunk in dict.fromkeys([*worded, *headed]) if chunk not in near]
    distances = {**near, **engine.index.distances(transaction, asking.vector, missing)}
    likeness = {chunk: 1.0 - distance for chunk, distance in distances.items()}
    share = 1 - (1 - KEYWORD_SHARE) * reads
    ranked = Ranked(fuse(worded, likeness, share), distances, headed)
    if pool.floored and hasattr(engine.embedder, "readable_share"):  # for other models' distances none was chosen
        misfits = Misfits(transaction, engine.index, engine.store(transaction))
        ranked = misfits.taken_out(ranked, pool.floored, asking.terms, reads)
    return ranked
