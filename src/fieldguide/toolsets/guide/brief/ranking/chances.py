"""Chances from features: a logistic sum of a few named numbers."""

from collections.abc import Mapping
from math import exp, log

FARTHEST = 30.0  # beyond this a chance is 0 or 1


def chance(features: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """The chance that these features tell; "" is the weight of what is always there."""
    total = weights[""] + sum(weights[name] * value for name, value in features.items() if name in weights)
    return 1.0 / (1.0 + exp(-max(-FARTHEST, min(FARTHEST, total))))


def odds(chance: float) -> float:
    """The logarithm of a chance's odds."""
    bounded = min(max(chance, 1e-6), 1.0 - 1e-6)
    return log(bounded / (1.0 - bounded))


def raised(chance: float, by: float) -> float:
    """A chance whose odds' logarithm grows by something."""
    return 1.0 / (1.0 + exp(-max(-FARTHEST, min(FARTHEST, odds(chance) + by)))) if by else chance
