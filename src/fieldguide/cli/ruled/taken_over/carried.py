"""What is carried over from another tool's rules, and what is left, with the reason."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, cast

from fieldguide import linear_regex as re

NOT_IN_NAME = re.compile(r"[^A-Za-z0-9]+")


class Carried(NamedTuple):
    """A rule as our front matter writes it, and where it came from; `limits` say what of it is not the same here."""

    entries: Mapping[str, Any]
    line: int
    note: str = ""
    limits: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Its id."""
        return str(self.entries["id"])


class Left(NamedTuple):
    """A rule that can't be carried over, and why: the end of a sentence."""

    name: str
    line: int
    reason: str


class NotTheSame(Exception):
    """Something of a rule that has no equal here; the message is the end of a sentence."""


def nothing(path: str) -> str:
    """What a file says where there is no project."""
    return ""


class Source(NamedTuple):
    """A file of another tool: its path as it was named, its text, and the project that its rules are taken over to."""

    path: str
    text: str
    project_paths: tuple[str, ...] = ()
    read: Callable[[str], str] = nothing


def as_list(value: Any) -> list[Any]:
    """The items of a list; a value that is none is the only one, and nothing has none."""
    given: Any = value
    return given if isinstance(value, list) else [] if given is None else [given]


def as_mapping(value: Any) -> dict[str, Any]:
    """The entries of a mapping; NotTheSame for what is none."""
    if not isinstance(value, dict):
        raise NotTheSame(f"`{str(value)[:60]}` is not a mapping")
    return cast("dict[str, Any]", value)


def slug(text: str) -> str:
    """A name for a rule: letters, digits and dashes."""
    return NOT_IN_NAME.sub("-", text).strip("-").lower() or "rule"


def each_carried(
    rules: Iterable[tuple[str, int, Any]], carry: Callable[[str, int, Any], "Carried | None"]
) -> list[Carried | Left]:
    """Every rule that was given as its name, its line and itself, carried over or left."""
    found: list[Carried | Left] = []
    for name, line, rule in rules:
        try:
            carried = carry(name, line, rule)
        except NotTheSame as error:
            found.append(Left(name, line, str(error)))
        else:
            found += [carried] if carried else []
    return found
