"""How good a list of hits is: nDCG at 10 over the spans that answer a question."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from benchmarks.mixed_questions.questions import Gold

LIMIT = 10
LONGEST = 100  # lines of a hit that count: whoever gives whole files is not paid for it


class Place(NamedTuple):
    """Where a hit stands."""

    path: str
    start: int
    end: int


def ndcg(hits: Sequence[Place], gold: Sequence[Gold]) -> float:
    """A hit gains 1 for each span that it touches and that no earlier one touched."""
    return _ndcg(hits, gold, [1.0] * len(gold))


def graded_ndcg(hits: Sequence[Place], gold: Sequence[Gold]) -> float:
    """The same, where a span of grade 2 counts for three of grade 1."""
    return _ndcg(hits, gold, [2.0**each.grade - 1 for each in gold])


def new_spans(hits: Sequence[Place], gold: Sequence[Gold]) -> list[list[int]]:
    """For each hit, the spans that it touches and no earlier one did."""
    seen: set[int] = set()
    found: list[list[int]] = []
    for hit in hits:
        end = min(hit.end, hit.start + LONGEST - 1)
        touched = [
            number
            for number, each in enumerate(gold)
            if number not in seen and each.path == hit.path and hit.start <= each.end and end >= each.start
        ]
        seen.update(touched)
        found.append(touched)
    return found


def _ndcg(hits: Sequence[Place], gold: Sequence[Gold], worth: Sequence[float]) -> float:
    gains = [sum(worth[number] for number in touched) for touched in new_spans(hits[:LIMIT], gold)]
    ideal = sorted(worth, reverse=True)[:LIMIT]
    return min(1.0, _discounted(gains) / _discounted(ideal))


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(place + 2) for place, gain in enumerate(gains))
