"""From ranked chunks to hits: the best of them with their texts, so that one document does not take all the places."""

from collections.abc import Callable, Container, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from fieldguide.search.indexes.store import DocumentStore, StoredDocument
from fieldguide.search.port import Hit, Index, Passage, place_of
from fieldguide.storage.port import Transaction

MOST_ALSO = 5  # further places of a document that a hit names
MOST_BESIDE = 10
MOST_LOOKED_AT = 6  # chunks of one document
LOOKED_AT = 4  # times as many as are wanted, where half may lie beside the matter
MARK_LEVEL = 0  # in an outline: no heading, but what the document is

Item = TypeVar("Item")


class Ranked(NamedTuple):
    """Chunks by number: how well each fits, and how far away it is; those that are `asked_for` by name come first."""

    scores: Mapping[int, float]
    distances: Mapping[int, float]
    asked_for: Sequence[int] = ()

    def best_first(self, max_distance: float | None) -> list[int]:
        """The chunks that are near enough, best first; equal ones by their distance, then by their place."""
        near = [each for each in self.scores if max_distance is None or self.distances[each] <= max_distance]
        near.sort(key=lambda chunk: (-self.scores[chunk], self.distances[chunk], chunk))
        return list(dict.fromkeys([*self.asked_for, *near])) if self.asked_for else near

    def without(self, chunks: Iterable[int]) -> "Ranked":
        """The ranking without these chunks."""
        gone = frozenset(chunks)
        scores = {chunk: score for chunk, score in self.scores.items() if chunk not in gone}
        return self._replace(scores=scores, asked_for=[chunk for chunk in self.asked_for if chunk not in gone])


def first_of_each(chunks: Iterable[int]) -> list[int]:
    """Of each document the first of these chunks."""
    first: dict[int, int] = {}
    for chunk in chunks:
        first.setdefault(place_of(chunk)[0], chunk)
    return list(first.values())


def spread(
    items: Iterable[Item], place: Callable[[Item], Hashable], *, most: int | None, limit: int
) -> list[tuple[Item, list[Item]]]:
    """The first of these items, at most so many of one place; the first of a place carries those that are left out."""
    chosen: list[tuple[Item, list[Item]]] = []
    of_place: dict[Hashable, list[tuple[Item, list[Item]]]] = {}
    for item in items:
        if len(chosen) >= limit:
            break
        there = of_place.setdefault(place(item), [])
        if most is None or len(there) < most:
            there.append((item, []))
            chosen.append(there[-1])
        elif len(there[0][1]) < MOST_ALSO:
            there[0][1].append(item)
    return chosen


def gathered(
    transaction: Transaction,
    index: Index,
    store: DocumentStore,
    ranked: Ranked,
    *,
    limit: int,
    max_distance: float | None = None,
    most_of_one: int | None = None,
    is_beside: Callable[[StoredDocument], bool] | None = None,
) -> list[Hit]:
    """The best chunks as hits, best first; documents that are `is_beside` the matter give few, beyond the limit."""
    best = ranked.best_first(max_distance)
    if is_beside is None:
        chosen = spread(best, lambda chunk: place_of(chunk)[0], most=most_of_one, limit=limit)
        documents = store.numbered([place_of(chunk)[0] for chunk, _ in chosen])
    else:
        best = best[: LOOKED_AT * limit]
        documents = store.numbered([place_of(chunk)[0] for chunk in best])
        beside = {number for number, document in documents.items() if is_beside(document)}
        kept = _without_most(best, beside, limit, ranked.asked_for)
        chosen = spread(kept, lambda chunk: chunk, most=None, limit=len(kept))
    passages = index.passages(transaction, [each for chunk, also in chosen for each in (chunk, *also)])
    names = store.source_names({each.source for each in documents.values()})
    return [_hit(chunk, documents[place_of(chunk)[0]], names, passages, ranked, also) for chunk, also in chosen]


def _without_most(chunks: Sequence[int], beside: Container[int], limit: int, asked_for: Sequence[int]) -> list[int]:
    """The first of these chunks that are not beside the matter, a few of one document, and some of those that are."""
    left = {True: MOST_BESIDE, False: limit}
    of_document: dict[int, int] = {}
    chosen: list[int] = []
    for chunk in chunks:
        document = place_of(chunk)[0]
        of_document[document] = of_document.get(document, 0) + (chunk not in asked_for)
        if left[document in beside] and of_document[document] <= MOST_LOOKED_AT:
            left[document in beside] -= 1
            chosen.append(chunk)
    return chosen


def _hit(
    chunk: int,
    document: StoredDocument,
    names: Mapping[int, str],
    passages: Mapping[int, Passage],
    ranked: Ranked,
    also: Sequence[int],
) -> Hit:
    return Hit(
        source=names[document.source],
        document=document.name,
        title=document.title,
        passage=passages[chunk],
        position=place_of(chunk)[1],
        total=document.chunks,
        score=ranked.scores[chunk],
        distance=ranked.distances[chunk],
        also=tuple((passages[each].start_line, passages[each].end_line) for each in sorted(also)),
        mark=mark_of(document),
    )


def mark_of(document: StoredDocument) -> str:
    """What was noted of a document when it was put in."""
    return next((text for level, text, _ in document.outline if level == MARK_LEVEL), "")
