"""Refuses calls of a tool that keeps failing, for a while."""

import threading
from collections.abc import Callable
from enum import Enum
from math import ceil
from time import monotonic

from fieldguide.text.errors import (
    CircuitOpen,
    Failure,
    FieldguideError,
    InvalidToolSchema,
    Misconfiguration,
    Refusal,
    ToolFailed,
)

FAILURES_TO_OPEN = 5
REST_SECONDS = 30.0
SUCCESSES_TO_CLOSE = 3


class BreakerState(Enum):
    """Closed lets calls through, open refuses them, half open tries them."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half-open"


class CircuitBreaker:
    """One breaker: five failures in a row open it, thirty seconds later it is tried, three successes close it."""

    def __init__(self, name: str, clock: Callable[[], float] = monotonic) -> None:
        self.name = name
        self._clock = clock
        self._lock = threading.Lock()
        self._state = BreakerState.CLOSED
        self._failures = 0
        self._successes = 0
        self._opened_at = 0.0

    @property
    def state(self) -> BreakerState:
        """The state now: an open breaker that has rested is half open."""
        if self._state is BreakerState.OPEN and self._clock() - self._opened_at >= REST_SECONDS:
            return BreakerState.HALF_OPEN
        return self._state

    def admit(self) -> None:
        """Raise CircuitOpen while the tool rests."""
        with self._lock:
            rest = REST_SECONDS - (self._clock() - self._opened_at)
            if self._state is BreakerState.OPEN and rest <= 0:
                self._state = BreakerState.HALF_OPEN
                self._successes = 0
            is_open = self._state is BreakerState.OPEN
        if is_open:
            raise CircuitOpen(f"Circuit breaker '{self.name}' is open", retry_after_seconds=max(1, ceil(rest)))

    def count(self, error: BaseException | None) -> None:
        """Count how a call ended; a refusal says nothing about how the tool runs."""
        with self._lock:
            is_tried = self._state is BreakerState.HALF_OPEN
            if error is None:
                self._failures = 0
                self._successes += 1
                if is_tried and self._successes >= SUCCESSES_TO_CLOSE:
                    self._close()
            elif isinstance(error, Failure) and not isinstance(error, CircuitOpen):
                self._failures += 1
                if is_tried or self._failures >= FAILURES_TO_OPEN:
                    self._open()

    def _open(self) -> None:
        self._state = BreakerState.OPEN
        self._opened_at = self._clock()
        self._failures = 0

    def _close(self) -> None:
        self._state = BreakerState.CLOSED
        self._failures = 0


class CircuitBreakers(dict[str, CircuitBreaker]):
    """One breaker per tool, named `tool_<name>`, made at the tool's first call."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        super().__init__()
        self._clock = clock

    def __missing__(self, tool: str) -> CircuitBreaker:
        return self.setdefault(tool, CircuitBreaker(f"tool_{tool}", self._clock))

    def states(self) -> dict[str, str]:
        """Every breaker's state by name, for people and metrics."""
        return {breaker.name: breaker.state.value for _, breaker in sorted(self.items())}


def explain_error(tool: str, error: BaseException) -> FieldguideError:
    """What a tool raised, as a Refusal or a Failure, never as another kind."""
    if isinstance(error, Misconfiguration) and not isinstance(error, InvalidToolSchema):
        return Refusal(error.message)  # a setting that turned out wrong: the caller can tell a person
    return error if isinstance(error, FieldguideError) else ToolFailed(f"The tool {tool} failed unexpectedly.")
