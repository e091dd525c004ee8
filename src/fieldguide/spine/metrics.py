"""Counts calls and measures their times per tool, in bounded memory."""

import math
import threading
from bisect import bisect_left
from collections import Counter
from typing import Any, NamedTuple

GROWTH = 1.04
SMALLEST_MS = 0.001
MOST_USERS = 200
BOUNDS_MS = (1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000)
"""Of the histograms that a monitor reads; no call takes longer than the last one by much."""


class Sketch:
    """A distribution in buckets that grow by 4 %: percentiles within 2 %, in a few hundred counters at most."""

    def __init__(self) -> None:
        self._buckets: Counter[int] = Counter()
        self.count = 0

    def add(self, milliseconds: float) -> None:
        """Count one measurement."""
        ratio = max(milliseconds, SMALLEST_MS) / SMALLEST_MS
        self._buckets[math.ceil(math.log(ratio, GROWTH))] += 1
        self.count += 1

    def percentile(self, share: float) -> float:
        """The value that this share of the measurements does not exceed; 0 when there are none."""
        seen = 0
        for bucket in sorted(self._buckets):
            seen += self._buckets[bucket]
            if seen >= share * self.count:
                return round(SMALLEST_MS * 2 * GROWTH**bucket / (1 + GROWTH), 3)
        return 0.0


class ToolMetrics:
    """What is counted of one tool."""

    def __init__(self) -> None:
        self.invocations = 0
        self.failures = 0
        self.timeouts = 0
        self.rate_limit_hits = 0
        self.cancelled = 0
        self.milliseconds = 0.0
        self.times = Sketch()
        self.characters = 0
        self.latest_text = ""
        self.within = [0] * (len(BOUNDS_MS) + 1)
        self.errors: Counter[str] = Counter()


class MeasuredTool(NamedTuple):
    """What was counted of one tool, at one moment; `within` are the calls between two of the bounds."""

    tool: str
    calls: int
    milliseconds: float
    within: tuple[int, ...]
    errors: dict[str, int]
    characters: int


class Metrics:
    """The counters of the process, fed where calls end, one at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tools: dict[str, ToolMetrics] = {}
        self._errors: Counter[str] = Counter()
        self._users: dict[str, Metrics] = {}
        self.prompts: Counter[str] = Counter()

    def of(self, user: str) -> "Metrics":
        """The counters of one principal; of too many, those that were idle longest are forgotten."""
        with self._lock:
            found = self._users.pop(user, None) or Metrics()
            self._users[user] = found
            if len(self._users) > MOST_USERS:
                del self._users[next(iter(self._users))]
        return found

    def count(self, tool: str, milliseconds: float, error: str | None, text: str = "") -> None:
        """Count one finished call; `error` is the kind of error it ended with, `text` what was answered."""
        with self._lock:
            counted = self._tools.get(tool)
            if counted is None:
                counted = self._tools[tool] = ToolMetrics()
            counted.invocations += 1
            counted.milliseconds += milliseconds
            counted.times.add(milliseconds)
            counted.within[bisect_left(BOUNDS_MS, milliseconds)] += 1
            if error is None:
                counted.characters += len(text)
                counted.latest_text = text or counted.latest_text
                return
            self._errors[error] += 1
            counted.errors[error] += 1
            counted.failures += 1
            counted.timeouts += error == "ToolTimeout"
            counted.rate_limit_hits += error == "RateLimited"
            counted.cancelled += error == "Cancelled"

    def tool_metrics(self) -> dict[str, Any]:
        """The totals under the names that `server/performance` prints."""
        with self._lock:
            tools = sorted(self._tools.items())
            return {
                "total_invocations": sum(each.invocations for _, each in tools),
                "failed_invocations": sum(each.failures for _, each in tools),
                "invocations_by_name": {name: each.invocations for name, each in tools},
                "total_execution_time_ms": round(sum(each.milliseconds for _, each in tools)),
                "execution_time_by_name": {name: round(each.milliseconds) for name, each in tools},
                "timeout_count": sum(each.timeouts for _, each in tools),
            }

    def per_tool(self) -> dict[str, dict[str, Any]]:
        """Calls, failures, timeouts, rate-limit hits and percentiles of each tool."""
        with self._lock:
            return {name: _described(each) for name, each in sorted(self._tools.items())}

    def sent(self) -> dict[str, tuple[int, str]]:
        """How many characters each tool has answered with, and its latest answer, which tells how they count."""
        with self._lock:
            return {name: (each.characters, each.latest_text) for name, each in self._tools.items() if each.characters}

    def measured(self) -> list[MeasuredTool]:
        """Everything that was counted, by tool."""
        with self._lock:
            return [
                MeasuredTool(
                    name, each.invocations, each.milliseconds, (*each.within,), {**each.errors}, each.characters
                )
                for name, each in sorted(self._tools.items())
            ]

    def error_kinds(self) -> dict[str, int]:
        """How often each kind of error ended a call."""
        with self._lock:
            return dict(self._errors.most_common())


def _described(tool: ToolMetrics) -> dict[str, Any]:
    return {
        "calls": tool.invocations,
        "failures": tool.failures,
        "failure_rate": round(tool.failures / tool.invocations, 4),
        "timeouts": tool.timeouts,
        "rate_limit_hits": tool.rate_limit_hits,
        "cancelled": tool.cancelled,
        "p50_ms": tool.times.percentile(0.50),
        "p95_ms": tool.times.percentile(0.95),
        "p99_ms": tool.times.percentile(0.99),
    }
