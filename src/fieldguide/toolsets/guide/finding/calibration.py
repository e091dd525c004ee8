"""How likely a candidate is right: a logistic regression over its features, learnt on labelled questions.

`python -m training.calibrate` learns the weights anew; `card.md` beside them says on what, and how well they do where
they were not learnt.
"""

import json
import math
import os
from collections.abc import Mapping, Sequence
from functools import cache

from fieldguide.toolsets.guide.finding.features import Features

WEIGHTS_FILE = os.path.join(os.path.dirname(__file__), "weights.json")
BIAS = "bias"


def log_odds(features: Sequence[Features], weights: Mapping[str, float] | None = None) -> list[float]:
    """The logarithm of the odds of each candidate: the sum of its features by their weights."""
    given = weights or learnt()
    row = [given[name] for name in Features._fields]
    return [given[BIAS] + sum(weight * value for weight, value in zip(row, each, strict=True)) for each in features]


def probability(odds: float) -> float:
    """That as a probability."""
    return 1 / (1 + math.exp(-odds))


@cache
def learnt() -> Mapping[str, float]:
    """The weights that belong to the package."""
    with open(WEIGHTS_FILE, encoding="utf-8") as file:
        return {name: float(weight) for name, weight in json.load(file).items()}
