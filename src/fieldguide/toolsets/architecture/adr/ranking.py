"""Which records a proposal touches, best first: word statistics over title, decision and context, and vectors.

Everything is in memory. What is known of one record depends on its text alone, so that a changed record costs only
itself; only the counts of words are added up anew.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

FREQUENCY_SATURATION = 1.2
LENGTH_SHARE = 0.6
TITLE_WEIGHT = 4.4
DECISION_WEIGHT = 1.4
CONTEXT_WEIGHT = 1.2
REST_WEIGHT = 0.4
BACKGROUND_RECORDS = 20  # so that in a folder of two records a word of one is not taken for a rare word


class Weights:
    """How much a term tells: the rarer among the records, the more."""

    def __init__(self, counts: Mapping[str, int], records: int) -> None:
        self._counts = counts
        self._records = records + BACKGROUND_RECORDS

    def of(self, term: str) -> float:
        """The weight of one term."""
        held = self._counts.get(term, 0) + 0.5
        return math.log(1 + (self._records - held + 0.5) / (held + 0.5))

    def records_with(self, term: str) -> int:
        """How many records speak of a term."""
        return self._counts.get(term, 0)

    def is_rare(self, term: str) -> bool:
        """Whether no more than one record speaks of a term."""
        return self.records_with(term) <= 1

    def total(self, terms: frozenset[str]) -> float:
        """The weight of several terms together; in a fixed order, so that sums are always the same."""
        return math.fsum(map(self.of, terms))

    def contained(self, part: frozenset[str], whole: frozenset[str]) -> float:
        """How much of one set of terms is in another, 0 to 1."""
        return self.total(part & whole) / self.total(part) if part else 0.0


class Posting(NamedTuple):
    """A record and how strongly it speaks of a term."""

    record: int
    strength: float


def term_strengths(
    title: Sequence[str], decision: Sequence[str], context: Sequence[str], rest: Sequence[str]
) -> dict[str, float]:
    """How often each term stands in a record, the title counting most."""
    strengths: dict[str, float] = {}
    fields = ((title, TITLE_WEIGHT), (decision, DECISION_WEIGHT), (context, CONTEXT_WEIGHT), (rest, REST_WEIGHT))
    for terms, weight in fields:
        for term, times in Counter(terms).items():
            strengths[term] = strengths.get(term, 0.0) + weight * times
    return strengths


class WordRanking:
    """BM25 over weighted fields, with the best score that any record could have for a proposal."""

    def __init__(self, strengths: Sequence[Mapping[str, float]]) -> None:
        self._postings: dict[str, list[Posting]] = {}
        lengths = [math.fsum(each.values()) for each in strengths]
        mean = math.fsum(lengths) / len(lengths) if lengths else 1.0
        for number, (terms, length) in enumerate(zip(strengths, lengths, strict=True)):
            norm = FREQUENCY_SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * length / (mean or 1.0))
            for term, strength in terms.items():
                self._postings.setdefault(term, []).append(Posting(number, strength / (strength + norm)))
        self.weights = Weights({term: len(found) for term, found in self._postings.items()}, len(strengths))
        self._count = len(strengths)

    def scores(self, query: Mapping[str, float]) -> list[float]:
        """For each record the share, 0 to 1, of the proposal's terms that it speaks of, by their weight."""
        scores = [0.0] * self._count
        most = 0.0
        for term, strength in sorted(query.items()):
            weight = strength * self.weights.of(term)
            most += weight
            for record, saturation in self._postings.get(term, ()):
                scores[record] += weight * saturation
        return [score / most for score in scores] if most else scores
