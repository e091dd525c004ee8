"""The sketch of times: near the truth, and small."""

import random
import tracemalloc

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


def test_a_sketch_takes_no_more_memory_with_every_call():
    sketches = [Sketch() for _ in range(200)]
    tracemalloc.start()
    for number, sketch in enumerate(sketches * 50):
        sketch.add(1.002**number / 1e4)
    assert tracemalloc.get_traced_memory()[0] < 64 * len(sketches)
    tracemalloc.stop()


def test_nothing_measured_is_nought():
    assert Sketch().percentile(0.5) == 0


@proves("S3-71", "S0-80")
def test_rates_and_kinds_are_told_per_tool():
    metrics = Metrics()
    for error in (None, None, "ToolFailed", "RateLimited"):
        metrics.count("t", 2.0, error)

    told = metrics.per_tool()["t"]

    assert (told["calls"], told["failures"], told["failure_rate"], told["rate_limit_hits"]) == (4, 2, 0.5, 1)
    assert metrics.error_kinds() == {"ToolFailed": 1, "RateLimited": 1}
