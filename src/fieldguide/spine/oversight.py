"""Oversees the calls of a shared server: daily quotas and audit records.

An audit record keeps the names of arguments, numbers and truth values, and of everything else only the size: a text may
be a password that nobody recognises as one, so none is kept, whole, cut or hashed.
"""

import json
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sized
from contextlib import AbstractAsyncContextManager
from itertools import islice
from time import time
from typing import Any, NamedTuple, Protocol, cast

from fieldguide.settings.limits import Limits
from fieldguide.spine.journal import UNKNOWN_TOOL, CallRecord
from fieldguide.storage.database import Database, Schema
from fieldguide.text.errors import (
    AccessDenied,
    Busy,
    Cancelled,
    FieldguideError,
    QuotaSpent,
    StorageFailed,
    ToolNotFound,
    shorten,
)

MOST_ARGUMENTS = 20
LONGEST_NAME = 64
LONGEST_USER = 200
MOST_DIGITS = 20
DAY_SECONDS = 86_400
REFUSED = (ToolNotFound, AccessDenied)
NOT_RECORDED = "This was done, but the audit log could not be written; look before you try again."


class AuditRecord(NamedTuple):
    """One line of the audit log; `effect` is `read`, `write` or `refused`, `outcome` is `ok` or the kind of error."""

    project: str
    user: str
    action: str
    name: str
    effect: str
    outcome: str
    request: str = ""
    connection: str = ""
    arguments: str = ""
    milliseconds: int = 0
    at: str = ""


CallPlace = tuple[str, str | None]
"""The project and the user of a call; None where nobody tells users apart."""


class CallPlaces(Protocol):
    """The places of a process that calls run in: `wire.http_guard.CallBounds`."""

    def place(self, place: CallPlace) -> AbstractAsyncContextManager[Busy | None]:
        """Hold a place while the block runs; gives Busy where there is none in time."""
        ...


class AuditedChange(Protocol):
    """A call of a tool that writes, or a command of the service: its audit row commits with what it changes.

    `is_logged` becomes true when that has happened.
    """

    is_logged: bool

    def describe(self) -> AuditRecord:
        """The row, as if the change succeeds: it is kept only then."""
        ...


class AuditLog(Protocol):
    """Where such lines go."""

    def note(self, record: AuditRecord) -> None:
        """Take a line in, without waiting; it is written within a second or two, or counted where it can't be."""
        ...

    def flush(self) -> None:
        """Write every line that was taken in; StorageFailed where that is not possible."""
        ...

    def join(self, database: Database, *, is_shared: bool) -> tuple[Database, Schema]:
        """The same database with an audit row in each transaction that changes something, and the schema it needs.

        `is_shared` says that the log is in the same database.
        """
        ...


def summarize_arguments(arguments: Mapping[str, Any]) -> str:
    """Arguments as the audit log keeps them: JSON with names and numbers, and the sizes of everything else."""
    summary: dict[str, Any] = {}
    for name, value in islice(arguments.items(), MOST_ARGUMENTS):
        summary[shorten(name, LONGEST_NAME)] = _summarize(value)
    if len(arguments) > MOST_ARGUMENTS:
        summary["…"] = f"{len(arguments)} arguments"
    return json.dumps(summary, separators=(",", ":"))


def shorten_caller_name(name: str, longest: int = LONGEST_NAME) -> str:
    """A name that a caller gave, on one line and not too long."""
    return shorten("".join(each if each.isprintable() else "?" for each in name[: longest + 1]), longest)


def _summarize(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return value if len(str(value)) <= MOST_DIGITS else "long number"
    if isinstance(value, str):
        return f"text of {len(value)}"
    if isinstance(value, list):
        return f"list of {len(cast('Sized', value))}"
    if isinstance(value, dict):
        return f"object of {len(cast('Sized', value))}"
    return "?"


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
                self._day = day
                self._counts = Counter()
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


class Oversight(NamedTuple):
    """What is looked after in one project; whatever is None is not. `project` is the name under which it is."""

    project: str
    bounds: CallPlaces | None = None
    quotas: Quotas | None = None
    audit: AuditLog | None = None

    def spend(self, user: str) -> None:
        """Count a call for its user's day and its project's; QuotaSpent beyond them."""
        if self.quotas is not None:
            self.quotas.spend(user, self.project)

    def record(self, record: CallRecord, milliseconds: float, error: BaseException | None) -> None:
        """Write a call to the audit log, before it is answered if it changes something.

        A change whose row was committed with it is there already. A call that fails after that has a second row.
        """
        audit = self.audit
        if audit is None or (record.is_logged and error is None):
            return
        audit.note(self.describe(record, milliseconds, error))
        if not record.writes or isinstance(error, Cancelled):  # nobody waits for an answer to that one
            return
        try:
            audit.flush()
        except StorageFailed as failed:
            raise StorageFailed(NOT_RECORDED) from failed

    def describe(self, record: CallRecord, milliseconds: float, error: BaseException | None) -> AuditRecord:
        """The audit row of a call."""
        call = record.call
        user = call.access.user if call.access is not None else record.user
        effect = "write" if record.writes else "read"
        return AuditRecord(
            project=self.project,
            user=shorten_caller_name(user or "", LONGEST_USER),
            action="tools/call",
            name=shorten_caller_name(call.tool) if record.tool == UNKNOWN_TOOL else record.tool,
            effect="refused" if isinstance(error, REFUSED) else effect,
            outcome="ok" if error is None else _kind(error),
            request=shorten_caller_name(str(call.request_id)),
            connection=call.connection or "",
            arguments=summarize_arguments(call.arguments),
            milliseconds=round(milliseconds),
        )


def _kind(error: BaseException) -> str:
    return type(error).__name__ if isinstance(error, FieldguideError) else "Failure"
