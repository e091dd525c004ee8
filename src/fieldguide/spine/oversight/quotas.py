"""How many calls a user may make in a day, and how many a project takes: counted from midnight to midnight, in UTC."""

import threading
from collections import Counter
from collections.abc import Callable
from time import time
from typing import Protocol

from fieldguide.errors import QuotaSpent
from fieldguide.limits import Limits

DAY_SECONDS = 86_400


class Tally(Protocol):
    """Counts that several servers may share: `user:ann` and `project:shop`, each anew every day."""

    def add(self, day: int, name: str) -> int:
        """Count one more under this name on this day since 1970, and give back how many there are now."""
        ...


class OwnTally:
    """The counts of one process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._day = 0
        self._counts: Counter[str] = Counter()

    def add(self, day: int, name: str) -> int:
        """Count one more; what was counted yesterday is forgotten."""
        with self._lock:
            if day != self._day:
                self._day, self._counts = day, Counter()
            self._counts[name] += 1
            return self._counts[name]


class Quotas:
    """Spends a call of its user's and its project's day, or refuses it."""

    def __init__(self, limits: Limits, tally: Tally | None = None, clock: Callable[[], float] = time) -> None:
        self._limits = limits
        self._tally = tally or OwnTally()
        self._clock = clock

    def spend(self, user: str, project: str) -> None:
        """Count a call; QuotaSpent when its day is over its limit."""
        self._spend(f"user:{user}", "calls_per_user_and_day")
        self._spend(f"project:{project}", "calls_per_project_and_day")

    def _spend(self, name: str, limit: str) -> None:
        now = self._clock()
        day = int(now // DAY_SECONDS)
        if self._tally.add(day, name) > getattr(self._limits, limit):
            left = round((day + 1) * DAY_SECONDS - now)
            raise QuotaSpent(f"No more calls today: {self._limits.told(limit)}.", retry_after_seconds=left)
