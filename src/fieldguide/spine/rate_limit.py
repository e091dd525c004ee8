"""Limits how often a user calls a tool in a minute."""

import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from time import monotonic

from fieldguide.settings.limits import Limits
from fieldguide.spine.tool import ANONYMOUS, Tool
from fieldguide.text.errors import RateLimited

WINDOW_SECONDS = 60.0
LONGEST_NAME = 200
FORGOTTEN_AT_ONCE = 2


class RateLimiter:
    """A sliding minute per user and tool.

    A fixed window that resets on the minute would let through twice the limit across the boundary. The windows are kept
    in the order of their latest calls: each call looks at the two oldest and forgets them when their minute is over, so
    a call costs the same however many users there are. When there is no room for another window, a new user is refused:
    to forget one whose minute is not over would let a crowd of names lift the limit of any user.
    """

    def __init__(self, clock: Callable[[], float] = monotonic, limits: Limits | None = None) -> None:
        self._clock = clock
        self._limits = limits or Limits()
        self._calls: OrderedDict[tuple[str, str], deque[float]] = OrderedDict()  # a dict is slow to tell its oldest
        self._lock = threading.Lock()

    def admit(self, user: str | None, tool: Tool) -> None:
        """Count a call, or raise RateLimited when the last minute is full; a tool without a limit always passes."""
        if tool.pace.calls_per_minute is None:
            return
        now = self._clock()
        key = (shorten_name(user or ANONYMOUS), tool.name)
        with self._lock:
            self._forget_idle(now)
            if key not in self._calls and len(self._calls) >= self._limits.rate_limited_users:
                raise RateLimited(f"Too many users at once: {self._limits.told('rate_limited_users')}.")
            calls = self._current_calls(key, now)
            if len(calls) >= tool.pace.calls_per_minute:
                wait = WINDOW_SECONDS - (now - calls[0])
                raise RateLimited(f"Rate limit exceeded for {tool.name}", retry_after_seconds=round(wait, 1))
            calls.append(now)
            self._calls.move_to_end(key)

    def __len__(self) -> int:
        return len(self._calls)

    def _current_calls(self, key: tuple[str, str], now: float) -> "deque[float]":
        calls = self._calls.get(key)
        if calls is None:
            calls = self._calls.setdefault(key, deque())
        while calls and now - calls[0] >= WINDOW_SECONDS:
            calls.popleft()
        return calls

    def _forget_idle(self, now: float) -> None:
        for _ in range(FORGOTTEN_AT_ONCE):
            oldest = next(iter(self._calls), None)
            if oldest is None or (self._calls[oldest] and now - self._calls[oldest][-1] < WINDOW_SECONDS):
                return
            del self._calls[oldest]


def shorten_name(user: str) -> str:
    """What is kept of a user's name: of a very long one its hash."""
    if len(user) <= LONGEST_NAME:
        return user
    from hashlib import sha256  # 3 ms of a start that hardly ever needs it

    return sha256(user.encode(errors="surrogatepass")).hexdigest()
