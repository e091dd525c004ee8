"""How good a ranking is: nDCG, recall and reciprocal rank, with confidence intervals by resampling the queries."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

RANKS = 10
RESAMPLES = 2000
SEED = 20240601
INTERVAL_PERCENT = (2.5, 97.5)
MEASURES = ("nDCG@10", "recall@10", "MRR")


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean over queries and the range in which 95 of 100 resamplings of the queries lie."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"


def judge_ranking(ranking: Sequence[str], labels: Mapping[str, float]) -> tuple[float, float, float]:
    """nDCG@10, recall@10 and the reciprocal rank of one ranking of documents."""
    top = ranking[:RANKS]
    gained = sum(labels.get(document, 0.0) / math.log2(rank + 2) for rank, document in enumerate(top))
    best = sum(label / math.log2(rank + 2) for rank, label in enumerate(sorted(labels.values(), reverse=True)[:RANKS]))
    first = next((rank for rank, document in enumerate(ranking, 1) if document in labels), None)
    return gained / best, sum(document in labels for document in top) / len(labels), 1 / first if first else 0.0


def summarize(judged: Sequence[tuple[float, float, float]]) -> dict[str, Figure]:
    """The three measures over all queries of a set."""
    table = np.array(judged)
    resampled = table[_resamples(len(judged))].mean(axis=1)
    low, high = np.percentile(resampled, INTERVAL_PERCENT, axis=0)
    means = table.mean(axis=0)
    return {name: Figure(float(means[n]), float(low[n]), float(high[n])) for n, name in enumerate(MEASURES)}


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> Figure:
    """The mean of ours divided by the mean of theirs, the same queries drawn for both."""
    left, right = np.array(ours), np.array(theirs)
    drawn = _resamples(len(left))
    resampled = left[drawn].mean(axis=1) / np.maximum(right[drawn].mean(axis=1), 1e-9)
    low, high = np.percentile(resampled, INTERVAL_PERCENT)
    return Figure(float(left.mean() / max(right.mean(), 1e-9)), float(low), float(high))


def _resamples(queries: int) -> "np.ndarray[tuple[int, int], np.dtype[np.int64]]":
    return np.random.default_rng(SEED).integers(0, queries, (RESAMPLES, queries))
