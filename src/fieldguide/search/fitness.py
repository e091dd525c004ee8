"""Whether the best hits fit a question at all: how alike they are, and how much of the question they hold.

The fused score can't tell, as it begins near 1 for every question. A hit's true likeness and the share of the
question's terms that it holds (a rare term counts more) can: added up, they part questions that a set of documents
answers from those of another set (`python -m benchmarks.floor` has the figures).
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from fieldguide.search.words import hidden_words

ENDINGS = ("ations", "ation", "ings", "ing", "ions", "ion", "ers", "ies", "ed", "er", "es", "s", "e", "y")
LEAST_STEM = 3
LOOKED_AT = 8  # hits: where none of so many fits, none does
MOST_COUNTED = 2_000  # a term in so many chunks is a common one, however many more there are
FEW_TERMS = 3
FEW_CHUNKS, MANY_CHUNKS = 10, 300
UNLIKE = 0.25  # a hit that holds no term of several, and is no more alike than this, has nothing to do with them
SEPARATORS = {code: " " for code in range(128) if not chr(code).isalnum()}


class Floor(NamedTuple):
    """How well the best hit must fit: its likeness, weighted, and the share of the question that it holds, added up.

    A question of few terms that is answered holds most of them in its answer, so more is asked of it.
    """

    likeness_weight: float
    least: float
    least_of_few: float

    def asked(self, terms: int) -> "Floor":
        """The floor for a question of so many terms."""
        return self._replace(least=self.least_of_few) if terms <= FEW_TERMS else self

    def among(self, chunks: int) -> "Floor":
        """The floor among so many chunks: the best of few is less alike than the best of many, whatever is asked."""
        share = math.log(max(chunks, 1) / FEW_CHUNKS) / math.log(MANY_CHUNKS / FEW_CHUNKS)
        return self._replace(least=self.least * min(max(share, 0.0), 1.0))

    def is_sure(self, likeness: float) -> bool:
        """Whether a hit fits by its likeness alone."""
        return self.likeness_weight * likeness >= self.least

    def fits(self, found: Sequence[tuple[float, float]], terms: int) -> bool:
        """Whether one of these hits fits, each told by its likeness and the share of the question that it holds."""
        if terms > 1 and all(not share and likeness < UNLIKE for likeness, share in found):
            return False
        return any(self.likeness_weight * likeness + share >= self.least for likeness, share in found)


CODE_FLOOR = Floor(likeness_weight=2.0, least=0.85, least_of_few=1.0)
DOCUMENT_FLOOR = Floor(likeness_weight=2.0, least=0.97, least_of_few=1.12)
RECORD_FLOOR = Floor(likeness_weight=2.0, least=0.6, least_of_few=0.6)  # discoveries and sessions are short, and few


def term_weights(terms: Sequence[str], counts: Sequence[int], chunks: int) -> dict[str, float]:
    """How much each term says: more, the fewer of the chunks hold it; most where none does."""
    return {term: math.log(1 + chunks / max(count, 0.5)) for term, count in zip(terms, counts, strict=True)}


def held_share(weights: Mapping[str, float], texts: Iterable[str]) -> float:
    """The share of the terms, by their weight, that stand in a text, in whatever form."""
    return Terms(weights).share(texts)


class Terms:
    """The terms of a question by their weights, to be looked for in many texts, in whatever form they stand there."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        self.weights = weights
        self._total = sum(weights.values())
        self._stems = [(term, [_stem(word) for word in term.split()]) for term in weights]
        self._words = [(stems[0].lstrip(), weights[term]) for term, stems in self._stems if len(stems) == 1]

    def share(self, texts: Iterable[str]) -> float:
        """The share of them, by their weight, that stand in a text."""
        return sum(self.weights[term] for term in self.held(texts)) / self._total if self._total else 0.0

    def held(self, texts: Iterable[str]) -> list[str]:
        """Those that stand in a text."""
        text = " ".join(texts)
        padded = f" {text.lower().translate(SEPARATORS)} {hidden_words(text)} "
        return [term for term, stems in self._stems if all(stem in padded for stem in stems)]

    def plainly_held(self, texts: Iterable[str]) -> list[str]:
        """Those that stand in a text as words of their own, or as beginnings of words."""
        padded = f" {' '.join(texts).lower().translate(SEPARATORS)} "
        return [term for term, stems in self._stems if all(stem in padded for stem in stems)]

    def worth(self, line: str) -> float:
        """The share of them, by their weight, that a line holds, be it within other words: a quick look."""
        lowered = line.lower()
        return sum(weight for stem, weight in self._words if stem in lowered) / (self._total or 1.0)


def _stem(word: str) -> str:
    """The beginning of a word, behind a space, that its other forms share; of scripts without spaces, the word."""
    if not word.isascii():
        return word
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= LEAST_STEM:
            return f" {word[: -len(ending)]}"
    return f" {word}"
