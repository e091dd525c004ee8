"""Oversees the calls of a shared server: places for calls, and audit records of those that write.

An audit record keeps the names of arguments, numbers and truth values, and of everything else only the size: a text may
be a password that nobody recognises as one, so none is kept, whole, cut or hashed.
"""

import json
from collections.abc import Mapping, Sized
from contextlib import AbstractAsyncContextManager
from itertools import islice
from typing import Any, NamedTuple, Protocol, cast

from fieldguide.spine.journal import UNKNOWN_TOOL, CallRecord
from fieldguide.text.errors import (
    Busy,
    Cancelled,
    FieldguideError,
    StorageFailed,
    shorten,
)

MOST_ARGUMENTS = 20
LONGEST_NAME = 64
LONGEST_USER = 200
MOST_DIGITS = 20
NOT_RECORDED = "This was done, but the audit log could not be written; look before you try again."


class AuditRecord(NamedTuple):
    """One line of the audit log; `outcome` is `ok` or the kind of error."""

    project: str
    user: str
    action: str
    name: str
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

    def add(self, record: AuditRecord) -> None:
        """Write a line; StorageFailed where that is not possible."""
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


class Oversight(NamedTuple):
    """What is looked after in one project; whatever is None is not. `project` is the name under which it is.

    Where it `is_audited`, the app that it is for adds the `audit` log: that of its own database.
    """

    project: str
    bounds: CallPlaces | None = None
    is_audited: bool = False
    audit: AuditLog | None = None

    def record(self, record: CallRecord, milliseconds: float, error: BaseException | None) -> None:
        """Write a call that changes something to the audit log, before it is answered.

        A change whose row was committed with it is there already. A call that fails after that has a second row; one
        that is cancelled before has none, since nobody waits for it.
        """
        if self.audit is None or not record.writes or (record.is_logged and error is None):
            return
        if isinstance(error, Cancelled):
            return
        try:
            self.audit.add(self.describe(record, milliseconds, error))
        except StorageFailed as failed:
            raise StorageFailed(NOT_RECORDED) from failed

    def describe(self, record: CallRecord, milliseconds: float, error: BaseException | None) -> AuditRecord:
        """The audit row of a call."""
        call = record.call
        user = call.access.user if call.access is not None else record.user
        return AuditRecord(
            project=self.project,
            user=shorten_caller_name(user or "", LONGEST_USER),
            action="tools/call",
            name=shorten_caller_name(call.tool) if record.tool == UNKNOWN_TOOL else record.tool,
            outcome="ok" if error is None else _kind(error),
            request=shorten_caller_name(str(call.request_id)),
            connection=call.connection or "",
            arguments=summarize_arguments(call.arguments),
            milliseconds=round(milliseconds),
        )


def _kind(error: BaseException) -> str:
    return type(error).__name__ if isinstance(error, FieldguideError) else "Failure"
