"""Refuses calls of a tool that keeps failing, for a while."""

import threading
from collections.abc import Callable
from enum import Enum
from math import ceil
from time import monotonic

from fieldguide.text.errors import (
    CircuitOpen,
    ConnectionLost,
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
LOOK_SECONDS = 0.2  # between two looks whether a lost database is back


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
        """Raise CircuitOpen while the tool rests, unless it only waited for a database that is back."""
        with self._lock:
            rest = REST_SECONDS - (self._clock() - self._opened_at)
            if self._state is BreakerState.OPEN and rest <= 0:
                self._state = BreakerState.HALF_OPEN
                self._successes = 0
            is_open = self._state is BreakerState.OPEN
            if self._is_healed:
                rest = LOOK_SECONDS
        if is_open and not self._admit_healed():
            raise CircuitOpen(f"Circuit breaker '{self.name}' is open", retry_after_seconds=max(1, ceil(rest)))

    def count(self, error: BaseException | None) -> None:
        """Count how a call ended; a refusal says nothing about how the tool runs.

        A failure of the tool itself forgets what the database was to blame for before, since the tool got further.
        """
        with self._lock:
            is_tried = self._state is BreakerState.HALF_OPEN
            if error is None:
                self._failures = self._losses = 0
                self._successes += 1
                if is_tried and (self._is_healed or self._successes >= SUCCESSES_TO_CLOSE):
                    self._close()
            elif isinstance(error, ConnectionLost):
                self._losses += 1
                if is_tried or self._losses >= FAILURES_TO_OPEN:
                    self._open(error.is_healed)
            elif isinstance(error, Failure) and not isinstance(error, CircuitOpen):
                self._losses = 0
                self._failures += 1
                if is_tried or self._failures >= FAILURES_TO_OPEN:
                    self._open(None)

    def _admit_healed(self) -> bool:
        """Close the breaker if lost connections opened it and the database is back; one call at a time looks."""
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

    def _open(self, is_healed: Callable[[], bool] | None) -> None:
        self._state = BreakerState.OPEN
        self._opened_at = self._clock()
        self._is_healed = is_healed
        self._failures = self._losses = 0

    def _close(self) -> None:
        self._state = BreakerState.CLOSED
        self._is_healed = None
        self._failures = self._losses = 0


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
