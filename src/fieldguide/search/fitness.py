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
SEPARATORS = {code: " " for code in range(128) if not chr(code).isalnum()}


class Floor(NamedTuple):
    """How well the best hit must fit: one as alike as `sure` fits; another by its likeness and its words together."""

    sure: float
    likeness_weight: float
    least: float


def fits(floor: Floor, found: Iterable[tuple[float, float]]) -> bool:
    """Whether one of these hits, each told by its likeness and the share of the question that it holds, fits."""
    return any(
        likeness >= floor.sure or floor.likeness_weight * likeness + share >= floor.least for likeness, share in found
    )


def term_weights(terms: Sequence[str], counts: Sequence[int], chunks: int) -> dict[str, float]:
    """How much each term says: more, the fewer of the chunks hold it; most where none does."""
    return {
        term: math.log(1 + chunks / max(count, 0.5)) for term, count in zip(terms, counts, strict=True)
    }


def held_share(weights: Mapping[str, float], texts: Iterable[str]) -> float:
    """The share of the terms, by their weight, that stand in a text, in whatever form."""
    total = sum(weights.values())
    if not total:
        return 0.0
    text = " ".join(texts)
    padded = f" {text.lower().translate(SEPARATORS)} {hidden_words(text)} "
    held = (weight for term, weight in weights.items() if all(_stem(word) in padded for word in term.split()))
    return sum(held) / total


def _stem(word: str) -> str:
    """The beginning of a word, behind a space, that its other forms share; of scripts without spaces, the word."""
    if not word.isascii():
        return word
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= LEAST_STEM:
            return f" {word[: -len(ending)]}"
    return f" {word}"
