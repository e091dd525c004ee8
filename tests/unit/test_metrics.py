"""The sketch of times: near the truth, and small."""

import random

import pytest

from fieldguide.spine.journal import Metrics, Sketch
from tests.proves import proves


@pytest.mark.parametrize("share", [0.5, 0.95, 0.99])
@pytest.mark.parametrize("scale", [0.01, 1.0, 1000.0])
def test_percentiles_are_within_three_percent_of_the_truth(share, scale):
    numbers = random.Random(7)
    values = sorted(numbers.lognormvariate(0, 1) * scale for _ in range(20_000))
    sketch = Sketch()
    for value in values:
        sketch.add(value)

    truth = values[int(share * len(values))]
    assert sketch.percentile(share) == pytest.approx(truth, rel=0.03, abs=0.001)


def test_the_memory_of_a_sketch_is_bounded():
    numbers = random.Random(7)
    sketch = Sketch()
    for _ in range(100_000):
        sketch.add(10 ** numbers.uniform(-6, 6))

    assert len(sketch._buckets) < 700


def test_nothing_measured_is_nought():
    assert Sketch().percentile(0.5) == 0


@proves("S3-71", "S0-80")
def test_rates_and_kinds_are_told_per_tool():
    metrics = Metrics()
    for error in (None, None, "ToolFailed", "RateLimited"):
        metrics.count("t", 2.0, error)

    told = metrics.per_tool()["t"]

    assert (told["calls"], told["failures"], told["failure_rate"]) == (4, 2, 0.5)
    assert told["rate_limit_hits"] == 1
    assert metrics.error_kinds() == {"ToolFailed": 1, "RateLimited": 1}
