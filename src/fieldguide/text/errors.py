"""Every error that Fieldguide raises on purpose, in two families: Refusal and Failure.

FieldguideError
    Refusal                understood and declined; the caller reads the message
        InvalidArguments       the arguments do not fit the tool's schema or its rules
        NotFound               the thing asked for is not there (or not yours: the same answer)
        ToolNotFound           no tool has this name
        AccessDenied           somebody else's
        PathEscape             a path that leaves its folder
        Unreadable             a file that is there and can't be given: too large, not a file, not text
        RateLimited            too many calls in a minute
            Busy                   too many calls at this moment
        Cancelled              the caller took the call back
        StillLoading           what the answer needs is being read into memory; it comes by itself
    Failure                ours; the caller gets one plain sentence, the log the cause
        ToolFailed             a tool raised something nobody expected
        ToolTimeout            a tool took longer than it may
        CircuitOpen            a tool failed so often that it rests
        StorageFailed          the database is away, full, read-only or broken
    Misconfiguration       the server can't start like this; `main` prints it and exits 2
        DuplicateTool          two tools with one name
        InvalidToolSchema      a tool whose definition is broken

Only a Failure counts against a circuit breaker.

The `warn_of_*` functions write the warnings that go with an answer: hidden characters, live secrets, masked values.
"""

from collections.abc import Sequence
from typing import Any, cast

LONGEST_ECHO = 100
LONGEST_MESSAGE = 300
MOST_ISSUES = 50


def shorten(text: str, longest: int = LONGEST_ECHO) -> str:
    """Shorten a caller's text for a message: the beginning of a long one, and its length."""
    if len(text) <= longest:
        return text
    return f"{text[:longest]}... [{len(text)} chars]"


def shorten_parts(value: Any, longest: int = LONGEST_ECHO) -> Any:
    """Shorten every text and every name of a JSON value."""
    if isinstance(value, str):
        return shorten(value, longest)
    if isinstance(value, dict):
        parts = cast("dict[str, Any]", value)
        return {shorten(name, longest): shorten_parts(part, longest) for name, part in parts.items()}
    if isinstance(value, list | tuple):
        return [shorten_parts(part, longest) for part in cast("list[Any]", value)]
    return value


class FieldguideError(Exception):
    """An error raised on purpose: a short sentence for the reader, and its machine-readable parts in `details`."""

    longest_message = LONGEST_MESSAGE

    def __init__(self, message: str, **details: Any) -> None:
        self.message = shorten(message, self.longest_message)
        super().__init__(self.message)
        self.details = cast("dict[str, Any]", shorten_parts(details, LONGEST_MESSAGE))


class Refusal(FieldguideError):
    """Understood and declined; the caller reads the message."""


class InvalidArguments(Refusal):
    """Arguments that do not fit; `issues` names each place and what is wrong there."""

    def __init__(self, message: str, issues: "list[dict[str, Any]] | None" = None, **details: Any) -> None:
        super().__init__(message, **details)
        self.issues: list[dict[str, Any]] = shorten_parts((issues or [])[:MOST_ISSUES])


class NotFound(Refusal):
    """The thing asked for is not there; also the answer for somebody else's thing."""


class ToolNotFound(Refusal):
    """No tool has this name."""

    def __init__(self, tool: str, available: list[str], near: Sequence[str] = ()) -> None:
        name = shorten(tool)
        hint: dict[str, Any] = {"didYouMean": list(near)} if near else {}
        super().__init__(f"Tool not found: {name}", tool=name, available=available, **hint)


class AccessDenied(Refusal):
    """The caller may not act for this user."""


class PathEscape(Refusal):
    """A path that leaves its folder, by dots, by a link or by being absolute."""


class Unreadable(Refusal):
    """A file that is there and can't be given: too large, a directory, a pipe, not text."""


class RateLimited(Refusal):
    """Too many calls of one tool by one user in a minute."""


class Busy(RateLimited):
    """Too many calls at this moment; the caller may retry shortly."""


class Cancelled(Refusal):
    """The caller took the call back, or nobody waits for it any more."""


class StillLoading(Refusal):
    """Data that the answer needs is still being read into memory; a retry succeeds."""


class Failure(FieldguideError):
    """Ours: the caller gets one plain sentence, the log gets the cause."""


class ToolFailed(Failure):
    """A tool raised something nobody expected."""


class ToolTimeout(Failure):
    """A tool took longer than it may."""


class CircuitOpen(Failure):
    """A tool failed so often that it is not called for `retry_after_seconds`."""

    def __init__(self, message: str, *, retry_after_seconds: int) -> None:
        plural = "" if retry_after_seconds == 1 else "s"
        hint = f"Try again in {retry_after_seconds} second{plural}."
        super().__init__(message, retry_after_seconds=retry_after_seconds, hint=hint)
        self.hint = hint


class StorageFailed(Failure):
    """The database is away, full, read-only or broken."""


class Misconfiguration(FieldguideError):
    """The server can't start like this."""

    longest_message = 1000


class DuplicateTool(Misconfiguration):
    """Two tools with one name."""


class InvalidToolSchema(Misconfiguration):
    """A tool whose name, description or schema is broken."""
