"""The journal: writes a line to stderr when a call begins and ends without ever blocking, and counts calls per tool.

The lines of calls are collected for a moment and written together. Values that look like live secrets are masked before
anything is cut short.
"""

import json
import os
import select
import threading
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from contextvars import ContextVar
from itertools import islice
from time import gmtime, perf_counter, strftime, time
from types import TracebackType
from typing import TYPE_CHECKING, Any, cast

from fieldguide.spine.circuit_breaker import CircuitBreaker, explain_error
from fieldguide.spine.tool import SLOW_MILLISECONDS, Answer, Call, json_writer
from fieldguide.spine.workers import Timer
from fieldguide.text.errors import LONGEST_ECHO, Cancelled, Failure, FieldguideError

if TYPE_CHECKING:
    from fieldguide.spine.oversight import AuditedChange, AuditRecord, Oversight

LATEST_TIMES = 1_000  # calls of a tool whose times give its percentiles
MOST_USERS = 200
BOUNDS_MS = (1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000)
"""Of the histograms that a monitor reads; no call takes longer than the last one by much."""
STDERR = 2
SAFE_WRITE_BYTES = 4096  # a pipe that is ready takes this much without blocking (PIPE_BUF)
UNKNOWN_TOOL = "(unknown)"
LONGEST_LINE = 4000  # a pipe takes this much whole
SHORTEST_LINE = 400
MOST_PARTS = 20
MOST_LEVELS = 4
LONGEST_BRIEF = 120
LOOKED_AT = 4 * LONGEST_ECHO  # of a text that is cut: no more of it could show
SHORTEST_SECRET = 16  # `text.secrets` knows no value that is shorter
FLUSH_SECONDS = 0.02
CHANGE: "ContextVar[AuditedChange | None]" = ContextVar("change", default=None)
"""What this thread changes now: an audited database commits its audit row together with the change."""
_encoded = json_writer(json.JSONEncoder(default=str))


def find_percentile(times: Collection[float], share: float) -> float:
    """The value that this share of some milliseconds does not exceed; 0 when there are none."""
    ordered = sorted(times)
    return round(ordered[min(int(share * len(ordered)), len(ordered) - 1)], 3) if ordered else 0.0


class ToolMetrics:
    """What is counted of one tool; `within` are the calls between two of the bounds."""

    def __init__(self, tool: str) -> None:
        self.tool = tool
        self.calls = 0
        self.milliseconds = 0.0
        self.times: deque[float] = deque(maxlen=LATEST_TIMES)
        self.characters = 0
        self.latest_text = ""
        self.within = [0] * (len(BOUNDS_MS) + 1)
        self.errors: Counter[str] = Counter()

    def copy(self) -> "ToolMetrics":
        """The counts as they are now."""
        copied = ToolMetrics(self.tool)
        vars(copied).update(vars(self), within=[*self.within], times=self.times.copy(), errors=Counter(self.errors))
        return copied


class Metrics:
    """The counters of the process, fed where calls end, one at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tools: dict[str, ToolMetrics] = {}
        self._errors: Counter[str] = Counter()
        self._users: dict[str, Metrics] = {}
        self.prompts: Counter[str] = Counter()

    def of(self, user: str) -> "Metrics":
        """The counters of one principal; of too many, those that were idle longest are forgotten."""
        with self._lock:
            found = self._users.pop(user, None) or Metrics()
            self._users[user] = found
            if len(self._users) > MOST_USERS:
                del self._users[next(iter(self._users))]
        return found

    def count(self, tool: str, milliseconds: float, error: str | None, text: str = "") -> None:
        """Count one finished call; `error` is the kind of error it ended with, `text` what was answered."""
        with self._lock:
            counted = self._tools.get(tool)
            if counted is None:
                counted = self._tools[tool] = ToolMetrics(tool)
            counted.calls += 1
            counted.milliseconds += milliseconds
            counted.times.append(milliseconds)
            counted.within[bisect_left(BOUNDS_MS, milliseconds)] += 1
            if error is None:
                counted.characters += len(text)
                counted.latest_text = text or counted.latest_text
                return
            self._errors[error] += 1
            counted.errors[error] += 1

    def per_tool(self) -> dict[str, dict[str, Any]]:
        """Calls, failures, timeouts, rate-limit hits and percentiles of each tool."""
        with self._lock:
            return {name: _described(each) for name, each in sorted(self._tools.items())}

    def measured(self) -> list[ToolMetrics]:
        """What was counted until now, by tool."""
        with self._lock:
            return [each.copy() for _, each in sorted(self._tools.items())]

    def error_kinds(self) -> dict[str, int]:
        """How often each kind of error ended a call."""
        with self._lock:
            return dict(self._errors.most_common())


def _described(tool: ToolMetrics) -> dict[str, Any]:
    return {
        "calls": tool.calls,
        "failures": tool.errors.total(),
        "failure_rate": round(tool.errors.total() / tool.calls, 4),
        "timeouts": tool.errors["ToolTimeout"],
        "rate_limit_hits": tool.errors["RateLimited"],
        "cancelled": tool.errors["Cancelled"],
        "p50_ms": find_percentile(tool.times, 0.50),
        "p95_ms": find_percentile(tool.times, 0.95),
        "p99_ms": find_percentile(tool.times, 0.99),
    }


class StderrLines:
    """Writes lines while stderr takes them; drops them while it does not, and says how many when it does again."""

    def __init__(self, descriptor: int = STDERR) -> None:
        self._descriptor = descriptor
        self._dropped = 0
        self._lock = threading.Lock()  # between the look whether there is room and the write, nobody else may take it
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLOUT)

    def __call__(self, lines: list[str]) -> None:
        """Write these lines, in as few writes as they fit into; from any thread."""
        with self._lock:
            if self._dropped:
                lines = [f'{{"message": "Log lines dropped", "count": {self._dropped}}}', *lines]
                self._dropped = 0
            chunks = [b""]
            for line in lines:
                text = line.encode()[: SAFE_WRITE_BYTES - 1] + b"\n"
                if len(chunks[-1]) + len(text) > SAFE_WRITE_BYTES:
                    chunks.append(b"")
                chunks[-1] += text
            for chunk in chunks:
                is_written = False
                with suppress(OSError):  # nobody reads our log any more; that must not end a call
                    is_written = bool(self._poll.poll(0) and os.write(self._descriptor, chunk))
                if not is_written:
                    self._dropped += chunk.count(b"\n")


class Journal:
    """Writes what happens to calls, one JSON object a line; they are counted as they end, whoever reads the lines."""

    def __init__(
        self,
        metrics: Metrics,
        write: Callable[[list[str]], None] | None = None,
        longest_line: int = LONGEST_LINE,
        timer: Timer | None = None,
    ) -> None:
        self.metrics = metrics
        self.observed_tools: tuple[str, ...] = ()  # how their names begin
        self.observe_answer: Callable[[str, Call, Answer, float], None] = lambda tool, call, answer, milliseconds: None
        """Gets each of their calls that was answered: the name of the tool, the call, the answer, its milliseconds."""
        self._write = write or StderrLines()
        self._longest_line = max(SHORTEST_LINE, min(longest_line, LONGEST_LINE))
        self._timer = timer or Timer()
        self._waiting: deque[tuple[float, str, Callable[[], Mapping[str, Any]]]] = deque()
        self._flushing = threading.Lock()
        self._is_flush_due = False

    def note(self, message: str, **fields: Any) -> None:
        """Write one line now, after those that wait."""
        from fieldguide.text.secrets import mask_secret_values_in_json  # few servers have something to note

        self._waiting.append((time(), message, lambda: mask_secret_values_in_json(fields)))
        self.flush()

    def add(self, message: str, tell: Callable[[], Mapping[str, Any]]) -> None:
        """Write one line in a moment, together with others; its fields are told then."""
        self._waiting.append((time(), message, tell))
        if not self._is_flush_due:
            self._is_flush_due = True
            self._timer.after(FLUSH_SECONDS, self.flush)

    def flush(self) -> None:
        """Write the lines that wait; from any thread."""
        self._is_flush_due = False
        with self._flushing:
            lines: list[str] = []
            while self._waiting:
                when, text, tell = self._waiting.popleft()
                told = {"timestamp": format_timestamp(when), "message": text, **tell()}
                line = _encoded(told)
                lines.append(line if len(line) <= self._longest_line else _shorten_line(told, self._longest_line))
            if lines:
                self._write(lines)


class CallRecord:
    """What is known of one running call; the executor fills in tool, user and answer as they are known.

    A call ends once: when its tool comes back, or when it is given up before that. Then its breaker, the audit log, the
    metrics and the journal are told. Use it as `with CallRecord(journal, call) as record`.
    """

    def __init__(self, journal: Journal, call: Call, oversight: "Oversight | None" = None) -> None:
        self._journal = journal
        self._oversight = oversight
        self.call = call
        self.tool = UNKNOWN_TOOL
        self.user = call.user
        self.writes = False
        self.is_logged = False
        self.slow_milliseconds = SLOW_MILLISECONDS
        self.answer: Answer | None = None
        self.breaker: CircuitBreaker | None = None
        self._params: dict[str, Any] | None = None
        self._error: FieldguideError | None = None

    def __enter__(self) -> "CallRecord":
        self._journal.add("Tool called", self._asked)
        self._started = perf_counter()
        if not self.call.cancellation.add(self._give_up):
            self._end(self.call.cancellation.error)
            raise self.call.cancellation.error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self.call.cancellation.finish():
            raise Cancelled("The call was cancelled.")  # whoever gave it up has told of it
        told = error
        if error is not None and self.breaker is not None:  # an error before there was a tool is left as it is
            told = explain_error(self.tool, error)
        self._end(told)
        if told is not None and told is not error:
            raise told from error

    def describe(self) -> "AuditRecord":
        """The audit row of the change that this call is about to commit."""
        assert self._oversight is not None  # noqa: S101  without one no database is audited
        return self._oversight.describe(self, (perf_counter() - self._started) * 1000, None)

    def _give_up(self) -> None:
        """End the record of a call that nobody waits for any more, on the thread that gives it up."""
        with suppress(FieldguideError):  # that the audit log can't be written is told by the log itself
            self._end(self.call.cancellation.error)

    def _end(self, error: BaseException | None) -> None:
        """Tell breaker and audit log, count the call, for its principal too, and write its line."""
        self._duration = (perf_counter() - self._started) * 1000
        if self.breaker is not None:
            self.breaker.count(error)
        try:
            if self._oversight is not None:
                self._oversight.record(self, self._duration, error)
        except FieldguideError as failed:
            error = failed
            raise
        finally:
            kind = None
            if error is None:
                self._journal.add("Tool completed", self._completed)
            else:
                if not isinstance(error, FieldguideError):
                    failure = Failure("Internal error")
                    failure.__cause__ = error
                    error = failure
                self._error = error
                kind = type(error).__name__
                self._journal.add("Tool execution failed", self._failed)
            text = "" if self.answer is None else self.answer.text
            if self.tool.startswith(self._journal.observed_tools) and error is None and self.answer is not None:
                self._journal.observe_answer(self.tool, self.call, self.answer, self._duration)
            self._journal.metrics.count(self.tool, self._duration, kind, text)
            if self.call.access is not None:
                self._journal.metrics.of(self.call.access.user).count(self.tool, self._duration, kind)
            if self._duration > self.slow_milliseconds:
                limit = self.slow_milliseconds
                self._journal.note("Tool slow", tool=self.tool, duration=round(self._duration), limit=limit)

    def _asked(self) -> dict[str, Any]:
        call = self.call
        if self._params is None:
            self._params = sanitize({**call.arguments})
        name = _safe(call.tool) if self.tool == UNKNOWN_TOOL else call.tool  # the name of a tool is no secret
        told = {"tool": name, "params": self._params, "sessionId": call.connection}
        return told if self.user is None else {**told, "user": _safe(self.user)}

    def _completed(self) -> dict[str, Any]:
        size = len(self.answer.text) if self.answer else 0
        return {**self._asked(), "success": True, "duration": round(self._duration, 3), "resultSize": size}

    def _failed(self) -> dict[str, Any]:
        error = cast("FieldguideError", self._error)
        fields = {
            "error": _masked(error.message),
            "kind": type(error).__name__,
            "success": False,
            "duration": round(self._duration, 3),
        }
        if error.__cause__ is not None:
            fields["cause"] = _safe(f"{type(error.__cause__).__name__}: {error.__cause__}")
        return {"name": _safe(self.call.tool), **self._asked(), **fields}


def _shorten_line(told: dict[str, Any], longest: int) -> str:
    """One line of JSON that a pipe takes whole: what would not fit is told by its beginning and length, or left out."""
    line = _encoded(told)
    if "params" in told:
        told = {**told, "params": _safe(_encoded(told["params"]))}
        line = _encoded(told)
    if len(line) > longest:
        for name, value in [*told.items()]:
            text = _encoded(value)
            if len(text) > LONGEST_BRIEF:
                told[name] = _safe(text)
        line = _encoded(told)
    while len(line) > longest:
        told.popitem()
        line = _encoded(told)
    return line


def format_timestamp(when: float | None = None) -> str:
    """A moment, or now, in UTC, to the millisecond, as ISO 8601."""
    now = time() if when is None else when
    return f"{strftime('%Y-%m-%dT%H:%M:%S', gmtime(now))}.{int(now % 1 * 1000):03d}Z"


def sanitize(value: Any, levels: int = MOST_LEVELS) -> Any:
    """Arguments as they may be logged: no secrets; a string over 100 characters, however deep, is cut."""
    if isinstance(value, str):
        return _safe(value)
    if not isinstance(value, dict | list):
        return value
    parts = cast("dict[str, Any] | list[Any]", value)
    left_out = f"... [{len(parts)} parts]"
    if not levels and parts:
        return left_out
    if isinstance(parts, list):
        kept = [sanitize(part, levels - 1) for part in parts[:MOST_PARTS]]
        return kept if len(parts) <= MOST_PARTS else [*kept, left_out]
    named = {_safe(name): sanitize(part, levels - 1) for name, part in islice(parts.items(), MOST_PARTS)}
    return named if len(parts) <= MOST_PARTS else {**named, "...": left_out}


def _safe(text: str) -> str:
    """The beginning of a text, without what looks like a live secret, and how long it is."""
    if len(text) < SHORTEST_SECRET:
        return text
    clean = _masked(text[:LOOKED_AT])
    return clean if len(text) <= LONGEST_ECHO else f"{clean[:LONGEST_ECHO]}... [{len(text)} chars]"


def _masked(text: str) -> str:
    from fieldguide.text.secrets import mask_secret_values  # a start and most calls have only short texts

    return mask_secret_values(text)
