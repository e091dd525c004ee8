"""What is counted of calls."""

from fieldguide.spine.journal import Metrics, find_percentile
from tests.proves import proves


def test_percentiles_are_those_of_the_latest_calls():
    assert find_percentile(range(1, 101), 0.95) == 96
    assert find_percentile([], 0.5) == 0


@proves("S3-71", "S0-80")
def test_rates_and_kinds_are_told_per_tool():
    metrics = Metrics()
    for error in (None, None, "ToolFailed", "RateLimited"):
        metrics.count("t", 2.0, error)

    told = metrics.per_tool()["t"]

    assert (told["calls"], told["failures"], told["failure_rate"], told["rate_limit_hits"]) == (4, 2, 0.5, 1)
    assert metrics.error_kinds() == {"ToolFailed": 1, "RateLimited": 1}
