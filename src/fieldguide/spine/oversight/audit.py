"""What the audit log is told of a call: who, what, where, when and how it ended, and no value that could be a secret.

Of the arguments it is told their names, numbers and truth values; of a text its length, of a list or an object how many
parts it has. A text may be a password that nobody recognises as one, so none is kept, whole, cut or hashed.
"""

import json
from collections.abc import Mapping, Sized
from itertools import islice
from typing import Any, NamedTuple, Protocol, cast

from fieldguide.errors import shortened

MOST_ARGUMENTS = 20
LONGEST_NAME = 64
LONGEST_USER = 200
MOST_DIGITS = 20


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


def told_arguments(arguments: Mapping[str, Any]) -> str:
    """Arguments as the audit log keeps them: JSON with names and numbers, and the sizes of everything else."""
    told = {shortened(name, LONGEST_NAME): _told(value) for name, value in islice(arguments.items(), MOST_ARGUMENTS)}
    if len(arguments) > MOST_ARGUMENTS:
        told["…"] = f"{len(arguments)} arguments"
    return json.dumps(told, separators=(",", ":"))


def told_name(name: str, longest: int = LONGEST_NAME) -> str:
    """A name that a caller gave, on one line and not too long."""
    return shortened("".join(each if each.isprintable() else "?" for each in name[: longest + 1]), longest)


def _told(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return value if len(str(value)) <= MOST_DIGITS else "long number"
    if isinstance(value, str):
        return f"text of {len(value)}"
    if isinstance(value, list | dict):
        parts: Sized = cast("Sized", value)
        return f"{'list' if isinstance(value, list) else 'object'} of {len(parts)}"
    return "?"
