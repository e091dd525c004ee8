"""What a commit took away: a name that code defined, or a file."""

from typing import NamedTuple

USED, QUOTED, BOUND, DEFINED = range(4)
"""How a removed line held a name: somewhere, in quotes, as what it gives a value to, or as what it defines."""


class CommitLine(NamedTuple):
    """A commit as it is told: its id, when it was made, and the first line of its message."""

    id: str
    seconds: int
    subject: str


class Removal(NamedTuple):
    """The commit that took a name away, how surely the name was the project's own, and what stands there now.

    `is_handed`: the commit began to use a library, which may have the name now.
    """

    commit: CommitLine
    strength: int
    path: str
    successor: str = ""
    is_handed: bool = False
