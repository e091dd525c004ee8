"""Oversees the calls of a shared server: concurrency bounds, daily quotas and audit records.

An audit record keeps the names of arguments, numbers and truth values, and of everything else only the size: a text may
be a password that nobody recognises as one, so none is kept, whole, cut or hashed.

The queue of waiting calls is bounded, because an overloaded server with an endless queue answers everybody too late.
"""

import asyncio
import json
import threading
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Mapping, Sized
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from itertools import islice
from time import time
from typing import Any, NamedTuple, Protocol, cast

from fieldguide.settings.consents import Access
from fieldguide.settings.limits import Limits
from fieldguide.spine.journal import UNKNOWN_TOOL, CallRecord
from fieldguide.spine.tool import Call
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
RETRY_SECONDS = 1
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


class AuditLog(Protocol):
    """Where such lines go."""

    def note(self, record: AuditRecord) -> None:
        """Take a line in, without waiting; it is written within a second or two, or counted where it can't be."""
        ...

    def flush(self) -> None:
        """Write every line that was taken in; StorageFailed where that is not possible."""
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


class CallPlace(NamedTuple):
    """Whose call it is: of which project, of which user; None where nobody tells users apart."""

    project: str
    user: str | None


class CallBounds:
    """The places of one process, on one event loop; every project that it serves shares them."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._waiting: dict[asyncio.Future[None], CallPlace] = {}
        self._projects: Counter[str] = Counter()
        self._users: Counter[str] = Counter()
        self.running = 0
        self.turned_away = 0

    @property
    def waiting(self) -> int:
        """How many calls wait for a place."""
        return len(self._waiting)

    @property
    def is_full(self) -> bool:
        """Whether the next call would be turned away, whosever it is."""
        return self.running >= self._limits.calls_at_once and len(self._waiting) >= self._limits.calls_waiting

    @asynccontextmanager
    async def place(self, place: CallPlace) -> AsyncGenerator[None]:
        """Hold a place while the block runs; Busy where there is none in time."""
        if self._fits(place):
            self._take(place)
        else:
            await self._wait(place)
        try:
            yield
        finally:
            self._give_back(place)

    async def _wait(self, place: CallPlace) -> None:
        if len(self._waiting) >= self._limits.calls_waiting:
            raise self._busy("calls_waiting")
        own = 0 if place.user is None else sum(each.user == place.user for each in self._waiting.values())
        if own >= self._limits.calls_waiting_per_user:
            raise self._busy("calls_waiting_per_user")
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[turn] = place
        try:
            async with asyncio.timeout(self._limits.calls_waiting_seconds):
                await turn
        except BaseException as error:
            if self._waiting.pop(turn, None) is None:  # its turn had come at the same moment
                self._give_back(place)
            if isinstance(error, TimeoutError):
                raise self._busy("calls_waiting_seconds") from error
            raise

    def _busy(self, limit: str) -> Busy:
        self.turned_away += 1
        text = f"The server is busy; try again in a moment: {self._limits.told(limit)}."
        return Busy(text, retry_after_seconds=RETRY_SECONDS)

    def _fits(self, place: CallPlace) -> bool:
        return (
            self.running < self._limits.calls_at_once
            and self._projects[place.project] < self._limits.calls_at_once_per_project
            and (place.user is None or self._users[place.user] < self._limits.calls_at_once_per_user)
        )

    def _take(self, place: CallPlace) -> None:
        self.running += 1
        self._projects[place.project] += 1
        if place.user is not None:
            self._users[place.user] += 1

    def _give_back(self, place: CallPlace) -> None:
        """Free a place, and give it to the first in the queue whom it suits."""
        self.running -= 1
        self._projects -= Counter((place.project,))  # a name whose count is zero goes
        if place.user is not None:
            self._users -= Counter((place.user,))
        turn = next((turn for turn, waiting in self._waiting.items() if self._fits(waiting)), None)
        if turn is not None:
            self._take(self._waiting.pop(turn))
            with suppress(asyncio.InvalidStateError):  # whoever waited has just left, and gives it back
                turn.set_result(None)


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
    bounds: CallBounds | None = None
    quotas: Quotas | None = None
    audit: AuditLog | None = None

    @asynccontextmanager
    async def place(self, access: Access | None) -> AsyncGenerator[Busy | None]:
        """Hold a place for a call while the block runs; gives Busy where there is none in time."""
        busy: Busy | None = None
        async with AsyncExitStack() as held:
            try:
                if self.bounds is not None:
                    place = CallPlace(self.project, None if access is None else access.user)
                    await held.enter_async_context(self.bounds.place(place))
            except Busy as error:
                busy = error
            yield busy

    def spend(self, call: Call) -> None:
        """Count a call for its user's day and its project's; QuotaSpent beyond them."""
        if self.quotas is not None and call.access is not None:
            self.quotas.spend(call.access.user, self.project)

    def record(self, record: CallRecord, milliseconds: float, error: BaseException | None) -> None:
        """Write a call to the audit log; its changes are there before it is answered."""
        if self.audit is None:
            return
        call = record.call
        user = call.access.user if call.access is not None else record.user
        effect = "write" if record.writes else "read"
        self.audit.note(
            AuditRecord(
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
        )
        if not record.writes or isinstance(error, Cancelled):  # nobody waits for an answer to that one
            return
        try:
            self.audit.flush()
        except StorageFailed as failed:
            raise StorageFailed(NOT_RECORDED) from failed


def _kind(error: BaseException) -> str:
    return type(error).__name__ if isinstance(error, FieldguideError) else "Failure"
