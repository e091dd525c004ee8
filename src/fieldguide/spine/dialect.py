"""Dialects: how a toolset's errors look to a caller; each toolset brings its own, or speaks the plain one."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from fieldguide.errors import FieldguideError, InvalidArguments, ToolNotFound
from fieldguide.spine.contract import Answer, Tool, compact_json

INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603


class Fault(NamedTuple):
    """An error that goes out as one of JSON-RPC, not as a result that a model reads."""

    code: int
    message: str
    data: Mapping[str, Any] | None = None


class Failing(NamedTuple):
    """The call that an error ended: its tool, its arguments as they came, and the era it belongs to."""

    tool: Tool
    arguments: Mapping[str, Any]
    is_modern: bool


class Dialect(NamedTuple):
    """How errors are told.

    `tell` gives the answer, or the fault, for an error of a call. `tell_unknown` answers for a name that no tool has,
    where the toolset claims that name; without it the server answers for itself.
    """

    tell: Callable[[FieldguideError, Failing], Answer | Fault]
    tell_unknown: Callable[[ToolNotFound], Answer] | None = None


def tell_plainly(error: FieldguideError, failing: Failing) -> Answer:
    """JSON with the message, the details and the tool's name."""
    name = failing.tool.name
    if isinstance(error, InvalidArguments) and error.issues:
        return error_text(compact_json({"error": "Invalid parameters", "details": error.issues, "tool": name}))
    return error_text(compact_json({"error": error.message, **error.details, "tool": name}))


def error_text(text: str) -> Answer:
    """A text that a model reads as an error."""
    return Answer(text=text, is_error=True)


PLAIN = Dialect(tell_plainly)
