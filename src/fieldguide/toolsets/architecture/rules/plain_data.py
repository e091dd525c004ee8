"""Patterns and reports as plain data, for the way to a parser process and back."""

from collections.abc import Mapping
from typing import Any

from fieldguide.toolsets.architecture.rules import pattern

KIND, PARTS = "is", "of"
TUPLE, TABLE = "tuple", "table"


def as_plain(value: Any) -> Any:
    """A value of a pattern or a report as what JSON has; which kind it is of stands beside its parts."""
    given: Any = value
    if isinstance(value, tuple):
        return {KIND: type(given).__name__, PARTS: [as_plain(each) for each in given]}
    if isinstance(value, Mapping):
        return {KIND: TABLE, PARTS: [[key, as_plain(each)] for key, each in given.items()]}
    return [as_plain(each) for each in given] if isinstance(value, list) else given


def from_plain(value: Any) -> Any:
    """The value again."""
    given: Any = value
    if isinstance(value, list):
        return [from_plain(each) for each in given]
    if not isinstance(value, dict):
        return given
    kind, parts = given[KIND], given[PARTS]
    if kind == TABLE:
        return {key: from_plain(each) for key, each in parts}
    made = [from_plain(each) for each in parts]
    return tuple(made) if kind == TUPLE else getattr(pattern, kind)(*made)
