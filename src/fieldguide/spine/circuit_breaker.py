"""A tool that keeps failing rests for a while instead of failing every caller slowly."""

import threading
from collections.abc import Callable
from enum import Enum
from time import monotonic
from types import TracebackType
from typing import Self

from fieldguide.errors import CircuitOpen, Failure, InvalidToolSchema, Misconfiguration, Refusal, ToolFailed

FAILURES_TO_OPEN = 5
REST_SECONDS = 30.0
SUCCESSES_TO_CLOSE = 3
SAYING_NOTHING = (Refusal, CircuitOpen, InvalidToolSchema)  # about how a tool runs


class State(Enum):
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
        self._state = State.CLOSED
        self._failures = 0
        self._successes = 0
        self._opened_at = 0.0

    @property
    def state(self) -> State:
        """The state now: an open breaker that has rested is half open."""
        if self._state is State.OPEN and self._clock() - self._opened_at >= REST_SECONDS:
            return State.HALF_OPEN
        return self._state

    def admit(self) -> None:
        """Raise CircuitOpen while the tool rests."""
        with self._lock:
            state = self.state
            if state is State.OPEN:
                raise CircuitOpen(f"Circuit breaker '{self.name}' is open")
            if state is State.HALF_OPEN and self._state is State.OPEN:
                self._state, self._successes = State.HALF_OPEN, 0

    def succeeded(self) -> None:
        """Count a success."""
        with self._lock:
            self._failures = 0
            self._successes += 1
            if self._state is State.HALF_OPEN and self._successes >= SUCCESSES_TO_CLOSE:
                self._state = State.CLOSED

    def failed(self) -> None:
        """Count a failure."""
        with self._lock:
            self._failures += 1
            if self._state is State.HALF_OPEN or self._failures >= FAILURES_TO_OPEN:
                self._state, self._opened_at, self._failures = State.OPEN, self._clock(), 0


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
        """Raise CircuitOpen if the tool rested when the call came."""
        if self._resting is not None:
            raise self._resting
