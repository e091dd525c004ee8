"""Takes out of a ranking what does not fit its question at all, so that nothing stands where nothing was found."""

from collections.abc import Sequence
from typing import NamedTuple

from fieldguide.search.fitness import LOOKED_AT, MOST_COUNTED, UNLIKE, Floor, held_share, term_weights
from fieldguide.search.hits import Ranked
from fieldguide.search.indexes.store import DocumentStore
from fieldguide.search.port import Index, place_of
from fieldguide.storage.port import Transaction

WORDS_ALONE = Floor(likeness_weight=0.0, least=0.3, least_of_few=0.3)  # where the model can't read the question
READABLE = 0.5


class Floored(NamedTuple):
    """Sources, and how well the best of their chunks must fit."""

    sources: frozenset[int]
    floor: Floor


class Misfits:
    """Looks for them in one transaction; words are counted only where likeness alone does not tell."""

    def __init__(self, transaction: Transaction, index: Index, store: DocumentStore) -> None:
        self._transaction = transaction
        self._index = index
        self._store = store

    def taken_out(self, ranked: Ranked, floored: Sequence[Floored], terms: Sequence[str], readable: float) -> Ranked:
        """The ranking without the chunks of sources that hold nothing that fits."""
        for each in floored:
            floor = (each.floor if readable >= READABLE else WORDS_ALONE).asked(len(terms))
            chunks = [chunk for chunk in ranked.scores if self._store.source_of(chunk) in each.sources]
            if chunks and not self._fit(ranked, chunks, floor, terms):
                ranked = ranked.without(chunks)
        return ranked

    def _fit(self, ranked: Ranked, chunks: Sequence[int], floor: Floor, terms: Sequence[str]) -> bool:
        is_asked_for = bool(ranked.asked_for) and any(chunk in ranked.asked_for for chunk in chunks)
        nearest = 1.0 - min(ranked.distances[chunk] for chunk in chunks)
        if is_asked_for or (nearest >= UNLIKE and floor.is_sure(nearest)):
            return True
        total = self._store.chunks({self._store.source_of(chunk) for chunk in chunks})
        weights = term_weights(terms, self._index.counts(self._transaction, terms, MOST_COUNTED), total)
        looked_at = sorted(chunks, key=lambda chunk: -ranked.scores[chunk])[:LOOKED_AT]
        passages = self._index.passages(self._transaction, looked_at)
        documents = self._store.numbered([place_of(chunk)[0] for chunk in looked_at])
        found: list[tuple[float, float]] = []
        for chunk in looked_at:
            told = (documents[place_of(chunk)[0]].title, *passages[chunk].headings, passages[chunk].text)
            found.append((1.0 - ranked.distances[chunk], held_share(weights, told)))
        return floor.among(total).fits(found, len(terms))
