"""How often a user may call a tool in a minute."""

import threading
from collections import deque
from collections.abc import Callable
from time import monotonic

from fieldguide.errors import RateLimited
from fieldguide.spine.contract import ANONYMOUS, Tool

WINDOW_SECONDS = 60.0
MAX_WINDOWS = 10_000


class RateLimiter:
    """A sliding minute per user and tool.

    A fixed window that resets on the minute would let through twice the limit across the boundary.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._calls: dict[tuple[str, str], deque[float]] = {}
        self._lock = threading.Lock()

    def admit(self, user: str | None, tool: Tool) -> None:
        """Count a call, or raise RateLimited when the last minute is full; a tool without a limit always passes."""
        if tool.calls_per_minute is None:
            return
        now = self._clock()
        with self._lock:
            calls = self._calls.setdefault((user or ANONYMOUS, tool.name), deque())
            while calls and now - calls[0] >= WINDOW_SECONDS:
                calls.popleft()
            if len(calls) >= tool.calls_per_minute:
                wait = WINDOW_SECONDS - (now - calls[0])
                raise RateLimited(f"Rate limit exceeded for {tool.name}", retry_after_seconds=round(wait, 1))
            calls.append(now)
            self._forget_idle(now)

    def _forget_idle(self, now: float) -> None:
        if len(self._calls) < MAX_WINDOWS:
            return
        for key, calls in list(self._calls.items()):
            if not calls or now - calls[-1] >= WINDOW_SECONDS:
                del self._calls[key]
