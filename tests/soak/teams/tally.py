"""What was counted, and the table at the end."""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

SAMPLES = 12
CUT = "connection"  # the balancer cuts some at any time


class Sample(NamedTuple):
    """What a replica held at a moment: after so many calls of all clients, so many kilobytes."""

    replica: str
    calls: int
    kilobytes: int


@dataclass
class Tally:
    """Counts of one run."""

    began: float = field(default_factory=time.monotonic)
    answers: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    failed: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    failed_at_peace: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    reconnections: int = 0
    memory: list[Sample] = field(default_factory=list)
    disturbed_until: float = 0.0
    events: list[str] = field(default_factory=list)

    @property
    def calls(self) -> int:
        """Answered calls of all kinds."""
        return sum(self.answers.values())

    def disturb(self, what: str, seconds: float) -> None:
        """From now on answers may fail for a while."""
        self.events.append(f"{time.monotonic() - self.began:.0f} s: {what}")
        self.disturbed_until = max(self.disturbed_until, time.monotonic() + seconds)

    def answered(self, kind: str, seconds: float) -> None:
        """A call was answered, and the answer was right."""
        self.answers[kind] += 1
        self.seconds.append(seconds)

    def fail(self, kind: str, why: str) -> None:
        """A call was answered with an error, or not at all."""
        self.failed[kind] += 1
        self.reasons[f"{kind}: {why[:160]}"] += 1
        if kind != CUT and time.monotonic() > self.disturbed_until:
            self.failed_at_peace.append(f"{time.monotonic() - self.began:.1f} s: {kind}: {why[:200]}")

    def table(self, unsure: int, acknowledged: int) -> str:
        """What there was, for people."""
        spent = time.monotonic() - self.began
        times = sorted(self.seconds) or [0.0]
        p50, p99 = (times[min(len(times) - 1, int(len(times) * part))] * 1000 for part in (0.5, 0.99))
        rows = [
            ("seconds", f"{spent:.0f}"),
            ("answers, each checked", f"{self.calls:,}"),
            ("answers each second", f"{self.calls / spent:.0f}"),
            ("p50 and p99, ms", f"{p50:.0f} and {p99:.0f}"),
            ("acknowledged writes", f"{acknowledged:,}"),
            ("writes without an acknowledgement", f"{unsure}"),
            ("wrong answers", f"{len(self.wrong)}"),
            ("lost acknowledged writes", f"{len(self.lost)}"),
            ("errors in disturbed times", f"{sum(self.failed.values()) - len(self.failed_at_peace)}"),
            ("errors at other times", f"{len(self.failed_at_peace)}"),
            ("connections made again", f"{self.reconnections}"),
            *((f"memory of {name}", told) for name, told in self._growth().items()),
            *(("event", event) for event in self.events),
        ]
        kinds = [f"  {kind:34}{count:>10,}" for kind, count in sorted(self.answers.items())]
        return "\n".join([*(f"{name:36}{value:>14}" for name, value in rows), "answers by kind:", *kinds])

    def slopes(self) -> dict[str, float]:
        """Megabytes that each replica grew for 100,000 calls of all clients, in the second half of its samples."""
        return {name: _slope(half) for name, half in self._halves().items() if len(half) >= SAMPLES}

    def _growth(self) -> dict[str, str]:
        last = {each.replica: each.kilobytes / 1024 for each in self.memory}
        return {
            name: f"{last[name]:.0f} MB, {slope:+.1f} MB per 100,000 calls" for name, slope in self.slopes().items()
        }

    def _halves(self) -> dict[str, Sequence[Sample]]:
        found: dict[str, list[Sample]] = {}
        for each in self.memory:
            found.setdefault(each.replica, []).append(each)
        return {name: samples[len(samples) // 2 :] for name, samples in found.items()}


def _slope(samples: Sequence[Sample]) -> float:
    """The least-squares line through samples, in megabytes for 100,000 calls."""
    calls = [each.calls for each in samples]
    sizes = [each.kilobytes / 1024 for each in samples]
    middle, size = sum(calls) / len(calls), sum(sizes) / len(sizes)
    spread = sum((x - middle) ** 2 for x in calls)
    together = sum((x - middle) * (y - size) for x, y in zip(calls, sizes, strict=True))
    return together / spread * 100_000 if spread else 0.0
