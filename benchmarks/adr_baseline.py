"""The keyword baseline: BM25 over whole records, and the words not, instead and replace for a conflict."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from benchmarks.adr_pairs import Proposal
from fieldguide.knowledge.decisions.record import DecisionRecord

WORD = re.compile(r"[a-z0-9]+")
OPPOSING = frozenset(("not", "instead", "replace", "replaces", "replaced", "replacing"))
SATURATION = 1.2
LENGTH_SHARE = 0.75
MOST = 10


class Answer(NamedTuple):
    """A record that the baseline lists, and its label."""

    path: str
    label: str


class Baseline:
    """BM25, written out; a proposal with one of the words conflicts with the first three, any other with none."""

    def __init__(self, records: Sequence[DecisionRecord]) -> None:
        self._paths = [record.path for record in records]
        self._counts = [Counter(WORD.findall(f"{record.title} {record.body.text}".lower())) for record in records]
        self._lengths = [sum(counts.values()) for counts in self._counts]
        self._mean = sum(self._lengths) / max(len(self._lengths), 1) or 1.0
        self._holding = Counter(word for counts in self._counts for word in counts)

    def check(self, proposal: Proposal) -> list[Answer]:
        order = self.rank(f"{proposal.description} {proposal.context}")[:MOST]
        opposes = not OPPOSING.isdisjoint(WORD.findall(proposal.description.lower()))
        return [
            Answer(self._paths[number], "conflicts" if opposes and place < 3 else "related")
            for place, number in enumerate(order)
        ]

    def rank(self, text: str) -> list[int]:
        """The numbers of the records, best first."""
        words = set(WORD.findall(text.lower()))
        scores = [self._score(number, words) for number in range(len(self._paths))]
        return sorted(range(len(scores)), key=lambda number: (-scores[number], number))

    def _score(self, number: int, words: set[str]) -> float:
        counts = self._counts[number]
        norm = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * self._lengths[number] / self._mean)
        return math.fsum(
            self._weight(word) * counts[word] / (counts[word] + norm) for word in sorted(words) if word in counts
        )

    def _weight(self, word: str) -> float:
        held = self._holding[word]
        return math.log(1 + (len(self._paths) - held + 0.5) / (held + 0.5))
