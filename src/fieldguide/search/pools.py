"""Collects candidates from several pools of sources, such as code and prose, in one query of the index.

Each pool is ranked by itself: the best of it is the best that it has. How the pools' hits compare is for the caller to
say. Words are asked for once for all pools, and vectors are compared once for each chunk.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from fieldguide.search.engine import SearchEngine, SearchQuestion
from fieldguide.search.indexes.document_store import DocumentStore, StoredDocument
from fieldguide.search.ranking import MOST_COUNTED, FitJudge, FlooredSources, QueryWords, RankedChunks, weigh_terms
from fieldguide.search.types import ChunkPassage, Scope, locate_chunk, select_of_sources
from fieldguide.storage.database import Transaction
from fieldguide.text.cancellation import Cancellation

KEYWORD_SHARE = 0.35
NEAREST = 100  # chunks of each pool
MOST_WORDED = 200  # of all pools together
COMMON_SHARE = 0.1  # of the chunks hold a term that is common
FEWEST_TERMS = 3
LOOKED_AT = 60  # the best of each pool
MOST_BESIDE = 20
CODE_LOOKED_AT = 80
BEYOND = 3  # times as many, where half may lie beside the matter
FEWEST_CHUNKS = 10  # terms weigh something in an empty index too


class Pool(NamedTuple):
    """Sources that are ranked together, how well they must fit, and how many of their chunks are looked at.

    Of documents that are `is_beside` the matter, such as tests, a few are given beyond the limit. The words of a pool
    that `is_apart` are looked up by themselves, so that it takes no place from the others.
    """

    sources: tuple[int, ...]
    floored: tuple[FlooredSources, ...] = ()
    is_beside: Callable[[StoredDocument], bool] | None = None
    looked_at: int = LOOKED_AT
    is_apart: bool = False


class PoolCandidate(NamedTuple):
    """A chunk that may be a hit: how well it fits beside others of its pool (0 to 1), and how alike it truly is.

    `is_exact`: it holds a name of the question as it is written, or all of its rare words. `unsure`: nothing in its
    sources fits the question well.
    """

    chunk: int
    document: StoredDocument
    passage: ChunkPassage
    fused: float
    likeness: float
    is_exact: bool = False
    unsure: bool = False


class PooledCandidates(NamedTuple):
    """The candidates of each pool, best first, how much each term says in this index, and the question's words."""

    pools: Sequence[Sequence[PoolCandidate]]
    weights: Mapping[str, float]
    words: QueryWords


class PoolQuery(NamedTuple):
    """A question in one transaction."""

    engine: SearchEngine
    transaction: Transaction
    question: SearchQuestion
    vector: bytes
    words: QueryWords


def collect_candidates(
    engine: SearchEngine,
    text: str,
    pools: Sequence[Pool],
    *,
    names: tuple[str, ...] = (),
    needs_model: bool = False,
    cancellation: Cancellation | None = None,
) -> PooledCandidates:
    """The candidates of some pools for a question; where nothing fits, they are unsure."""
    together = Scope(tuple(source for pool in pools for source in pool.sources if not pool.is_apart))
    if not together.sources:
        together = Scope(tuple(source for pool in pools for source in pool.sources))
    question = SearchQuestion(text, together, LOOKED_AT, names=names, needs_model=needs_model)
    vector = engine.query_vector(question)
    with engine.database.reading(cancellation) as transaction:
        asking = PoolQuery(engine, transaction, question, vector, QueryWords(question.text, engine.embedder))
        terms = asking.words.terms
        total = engine.store(transaction).chunks(together.sources)
        counts = engine.index.counts(transaction, terms)
        telling = _telling(dict(zip(terms, counts, strict=True)), total)
        most_worded = max(MOST_WORDED, *(pool.looked_at for pool in pools))
        worded = engine.index.by_words(transaction, telling, together, most_worded)
        found: list[list[PoolCandidate]] = []
        for pool in pools:
            of_pool = worded
            if pool.is_apart and pool.sources:
                of_pool = engine.index.by_words(transaction, telling, Scope(pool.sources), pool.looked_at)
            found.append(_candidates(asking, pool, of_pool))
    return PooledCandidates(found, weigh_terms(terms, counts, max(total, FEWEST_CHUNKS)), asking.words)


def _telling(counts: Mapping[str, int], total: int) -> list[str]:
    """The terms that few chunks hold, or the rarest: to rank all that hold a common one takes long, and says little."""
    rare = [term for term, count in counts.items() if count <= COMMON_SHARE * total and count < MOST_COUNTED]
    return rare if len(rare) >= FEWEST_TERMS else sorted(counts, key=counts.__getitem__)[:FEWEST_TERMS]


def _candidates(asking: PoolQuery, pool: Pool, worded: Mapping[int, float]) -> list[PoolCandidate]:
    if not pool.sources:
        return []
    engine = asking.engine
    transaction = asking.transaction
    store = engine.store(transaction)
    judge = FitJudge(transaction, engine.index, asking.words)
    exact = judge.exact(Scope(pool.sources))
    of_pool = {chunk: worded[chunk] for chunk in select_of_sources(worded, pool.sources)}
    question = asking.question._replace(scope=Scope(pool.sources), candidates=max(NEAREST, _reach(pool)))
    near = engine.near(transaction, asking.vector, question)
    share = 1 - (1 - KEYWORD_SHARE) * asking.words.readable
    ranked = engine.fuse_candidates(transaction, question, asking.vector, near, of_pool, share, exact)
    ranked = ranked._replace(unsure=judge.unsure(ranked, pool.floored, exact))
    best, documents = _chosen(store, ranked, pool)
    passages = judge.read(best)
    return [
        PoolCandidate(
            chunk,
            documents[locate_chunk(chunk)[0]],
            passages[chunk],
            ranked.scores[chunk],
            1.0 - ranked.distances[chunk],
            is_exact=chunk in exact,
            unsure=chunk in ranked.unsure,
        )
        for chunk in best
    ]


def _chosen(store: DocumentStore, ranked: RankedChunks, pool: Pool) -> tuple[list[int], Mapping[int, StoredDocument]]:
    """The best chunks of a pool with their documents: up to a limit, and a few that lie beside the matter."""
    best = ranked.best_first(None)[: _reach(pool)]
    documents = store.numbered([locate_chunk(chunk)[0] for chunk in best])
    if pool.is_beside is None:
        return best, documents
    beside = {number for number, document in documents.items() if pool.is_beside(document)}
    left = {True: MOST_BESIDE, False: pool.looked_at}
    chosen: list[int] = []
    for chunk in best:
        is_beside = locate_chunk(chunk)[0] in beside
        if left[is_beside]:
            left[is_beside] -= 1
            chosen.append(chunk)
    return chosen, documents


def _reach(pool: Pool) -> int:
    """How many chunks must be looked at, where half may lie beside the matter."""
    return pool.looked_at if pool.is_beside is None else BEYOND * pool.looked_at
