"""How often somebody may try to sign in: tokens can't be guessed, and those who try are not let try for long."""

from collections import deque
from collections.abc import Callable
from time import monotonic

MOST_FAILURES, MOST_FAILURES_OF_ALL = 10, 300
WINDOW_SECONDS = 60.0
MOST_CLIENTS = 10_000
EVERYBODY = ""


class Attempts:
    """The failures of the last minute, of each address and of all together."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._failures: dict[str, deque[float]] = {}

    def may_try(self, client: str) -> bool:
        """Whether this address has not failed too often, nor all of them together."""
        return self._recent(client) < MOST_FAILURES and self._recent(EVERYBODY) < MOST_FAILURES_OF_ALL

    def failed(self, client: str) -> None:
        """Count a failure; the address that was counted first is forgotten where there are too many."""
        for each in (client, EVERYBODY):
            self._failures.setdefault(each, deque(maxlen=MOST_FAILURES_OF_ALL)).append(self._clock())
        while len(self._failures) > MOST_CLIENTS:
            del self._failures[next(each for each in self._failures if each != EVERYBODY)]

    def _recent(self, client: str) -> int:
        times = self._failures.get(client)
        if times is None:
            return 0
        while times and times[0] <= self._clock() - WINDOW_SECONDS:
            times.popleft()
        if not times:
            del self._failures[client]
        return len(times)
