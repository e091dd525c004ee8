"""A line on stderr when a call comes and a line when it is done: what was asked, how long it took, how it ended."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from time import gmtime, perf_counter, strftime, time
from typing import Any, TextIO

from fieldguide.errors import Cancelled, FieldguideError
from fieldguide.spine.contract import Answer, Call
from fieldguide.spine.metrics import Metrics

UNKNOWN_TOOL = "(unknown)"
LONGEST_LOGGED = 100
SLOW_MS = 5000.0


class Entry:
    """The journal's note of one running call; the executor fills in the tool that was found and its answer."""

    __slots__ = ("answer", "slow_ms", "tool")

    def __init__(self) -> None:
        self.tool = UNKNOWN_TOOL
        self.answer: Answer | None = None
        self.slow_ms = SLOW_MS


class Journal:
    """Writes what happens to calls, one JSON object a line, and counts it."""

    def __init__(self, metrics: Metrics, write: Callable[[str], None] | None = None) -> None:
        self.metrics = metrics
        self._write = write or _to_stderr

    @contextmanager
    def record(self, call: Call) -> Iterator[Entry]:
        """Note a call when it comes and when it ends, however it ends."""
        asked = {"tool": _shortened(call.tool), "params": sanitized(call.arguments), "sessionId": call.connection}
        self.note("Tool called", **asked)
        entry = Entry()
        started = perf_counter()
        try:
            yield entry
        except FieldguideError as error:
            self._failed(asked, entry.tool, error, _milliseconds_since(started))
            raise
        except BaseException:
            self._failed(asked, entry.tool, Cancelled("The call was cancelled."), _milliseconds_since(started))
            raise
        duration = _milliseconds_since(started)
        size = len(entry.answer.text) if entry.answer else 0
        self.metrics.count(entry.tool, duration, None)
        self.note("Tool completed", **asked, success=True, duration=duration, resultSize=size)
        if duration > entry.slow_ms:
            self.note("Tool slow", tool=entry.tool, duration=duration, limit=entry.slow_ms)

    def note(self, message: str, **fields: Any) -> None:
        """Write one line."""
        self._write(json.dumps({"timestamp": timestamp(), "message": message, **fields}, default=str))

    def _failed(self, asked: Mapping[str, Any], tool: str, error: FieldguideError, duration: float) -> None:
        kind = type(error).__name__
        self.metrics.count(tool, duration, kind)
        fields: dict[str, Any] = {"error": error.message, "kind": kind, "success": False, "duration": duration}
        if error.__cause__ is not None:
            fields["cause"] = _shortened(f"{type(error.__cause__).__name__}: {error.__cause__}")
        self.note("Tool execution failed", name=asked["tool"], **asked, **fields)


def timestamp() -> str:
    """Now, in UTC, to the millisecond, as ISO 8601."""
    now = time()
    return f"{strftime('%Y-%m-%dT%H:%M:%S', gmtime(now))}.{int(now % 1 * 1000):03d}Z"


def sanitized(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments as they may be logged: a string over 100 characters is cut, and its length told."""
    return {name: _shortened(value) if isinstance(value, str) else value for name, value in arguments.items()}


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_LOGGED else f"{text[:LONGEST_LOGGED]}... [{len(text)} chars]"


def _milliseconds_since(started: float) -> float:
    return round((perf_counter() - started) * 1000, 3)


def _to_stderr(line: str, stream: TextIO | None = None) -> None:
    try:
        (stream or sys.stderr).write(line + "\n")
    except (OSError, ValueError):
        return  # nobody reads our log any more; that must not end a call
