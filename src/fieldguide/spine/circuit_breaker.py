"""Refuses calls of a tool that keeps failing, for a while."""

import threading
from collections.abc import Callable
from enum import Enum
from math import ceil
from time import monotonic
from types import TracebackType
from typing import Self

from fieldguide.text.errors import (
    CircuitOpen,
    ConnectionLost,
    Failure,
    InvalidToolSchema,
    Misconfiguration,
    Refusal,
    ToolFailed,
)

FAILURES_TO_OPEN = 5
REST_SECONDS = 30.0
SUCCESSES_TO_CLOSE = 3
LOOK_SECONDS = 0.2  # between two looks whether a lost database is back
SAYING_NOTHING = (Refusal, CircuitOpen, InvalidToolSchema)  # about how a tool runs


class BreakerState(Enum):
    """Closed lets calls through, open refuses them, half open tries them."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half-open"


class CircuitBreaker:
    """One breaker: five failures in a row open it, thirty seconds later it is tried, three successes close it.

    Lost connections to the database are counted apart, and forgotten once it is back: then the breaker is closed,
    however many calls failed meanwhile.
    """

    def __init__(self, name: str, clock: Callable[[], float] = monotonic) -> None:
        self.name = name
        self._clock = clock
        self._lock = threading.Lock()
        self._state = BreakerState.CLOSED
        self._failures = 0
        self._successes = 0
        self._opened_at = 0.0
        self._losses = 0
        self._is_healed: Callable[[], bool] | None = None
        self._looked_at = float("-inf")

    @property
    def state(self) -> BreakerState:
        """The state now: an open breaker that has rested is half open."""
        if self._state is BreakerState.OPEN and self._clock() - self._opened_at >= REST_SECONDS:
            return BreakerState.HALF_OPEN
        return self._state

    def admit(self) -> None:
        """Raise CircuitOpen while the tool rests."""
        with self._lock:
            state = self.state
            if state is BreakerState.OPEN:
                rest = LOOK_SECONDS if self._is_healed else REST_SECONDS - (self._clock() - self._opened_at)
                raise CircuitOpen(f"Circuit breaker '{self.name}' is open", retry_after_seconds=max(1, ceil(rest)))
            if state is BreakerState.HALF_OPEN and self._state is BreakerState.OPEN:
                self._state = BreakerState.HALF_OPEN
                self._successes = 0

    def admit_healed(self) -> bool:
        """Close the breaker if lost connections opened it and the database is back; one call at a time looks.

        To ask may take seconds: not for the thread that serves everybody.
        """
        with self._lock:
            is_healed = self._is_healed
            now = self._clock()
            if self._state is BreakerState.CLOSED:
                return True
            if is_healed is None or now - self._looked_at < LOOK_SECONDS:
                return False
            self._looked_at = float("inf")  # until it has looked
        try:
            has_healed = is_healed()
        finally:
            self._looked_at = self._clock()
        if not has_healed:
            return False
        with self._lock:
            if self._is_healed is is_healed:
                self._close()
        return True

    def succeeded(self) -> None:
        """Count a success."""
        with self._lock:
            self._failures = self._losses = 0
            self._successes += 1
            if self._state is BreakerState.HALF_OPEN and (self._is_healed or self._successes >= SUCCESSES_TO_CLOSE):
                self._close()

    def failed(self) -> None:
        """Count a failure; what the database was to blame for before is forgotten, since the tool got further."""
        with self._lock:
            self._losses = 0
            self._failures += 1
            if self._state is BreakerState.HALF_OPEN or self._failures >= FAILURES_TO_OPEN:
                self._open(None)

    def lost(self, is_healed: Callable[[], bool]) -> None:
        """Count a call that ended because the database could not be reached."""
        with self._lock:
            self._losses += 1
            if self._state is BreakerState.HALF_OPEN or self._losses >= FAILURES_TO_OPEN:
                self._open(is_healed)

    def _open(self, is_healed: Callable[[], bool] | None) -> None:
        self._state = BreakerState.OPEN
        self._opened_at = self._clock()
        self._is_healed = is_healed
        self._failures = self._losses = 0

    def _close(self) -> None:
        self._state = BreakerState.CLOSED
        self._is_healed = None
        self._failures = self._losses = 0


class CircuitBreakers:
    """One breaker per tool, named `tool_<name>`, made at the tool's first call."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._breakers: dict[str, CircuitBreaker] = {}

    def guard(self, tool: str) -> "Guard":
        """What a call of a tool runs inside; CircuitOpen while the tool rests."""
        return Guard(tool, self.of(tool))

    def late_guard(self, tool: str) -> "LateGuard":
        """The same for a call with more to check first: `guard.check()` tells that the tool rests."""
        return LateGuard(tool, self.of(tool))

    def of(self, tool: str) -> CircuitBreaker:
        """The breaker of a tool."""
        breaker = self._breakers.get(tool)
        if breaker is None:
            breaker = self._breakers.setdefault(tool, CircuitBreaker(f"tool_{tool}", self._clock))
        return breaker

    def states(self) -> dict[str, str]:
        """Every breaker's state by name, for people and metrics."""
        return {breaker.name: breaker.state.value for _, breaker in sorted(self._breakers.items())}


class Guard:
    """Counts how one call ends; what the tool raises comes out as a Refusal or a Failure, never as another kind."""

    __slots__ = ("_breaker", "_tool")

    def __init__(self, tool: str, breaker: CircuitBreaker) -> None:
        self._tool = tool
        self._breaker = breaker

    def __enter__(self) -> Self:
        self._breaker.admit()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self._breaker.succeeded()
        elif not isinstance(error, Exception) or isinstance(error, SAYING_NOTHING):
            return
        elif isinstance(error, Misconfiguration):  # a setting that turned out wrong: the caller can tell a person
            raise Refusal(error.message) from error
        elif isinstance(error, ConnectionLost):
            self._breaker.lost(error.is_healed)
        else:
            self._breaker.failed()
            if not isinstance(error, Failure):
                raise ToolFailed(f"The tool {self._tool} failed unexpectedly.") from error


class LateGuard(Guard):
    """Sees whether the tool rests when the call comes, and tells it when it is its turn: after wrong arguments, say."""

    __slots__ = ("_resting",)

    def __enter__(self) -> Self:
        self._resting: CircuitOpen | None = None
        try:
            self._breaker.admit()
        except CircuitOpen as error:
            self._resting = error
        return self

    def check(self) -> None:
        """Raise CircuitOpen if the tool rested when the call came, unless it only waited for the database, now back."""
        if self._resting is not None and not self._breaker.admit_healed():
            raise self._resting
