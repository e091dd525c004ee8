"""What one text says that leads elsewhere: the ids that it defines and names, the paths and symbols that it names."""

from typing import NamedTuple

DEFINES, CLAIMS, NAMES, RELATES = "defines", "claims", "names", "relates"
PATH, SYMBOL = "path", "symbol"
EXPLICIT = (CLAIMS, NAMES, RELATES)
DECISION, COMMIT = "decision", "commit"


class Mark(NamedTuple):
    """A name that stands in a line: the key of an id, the last part of a path, or a symbol.

    `said` is what more the line tells: the test that it belongs to, the key of the front matter, the whole path.
    """

    name: str
    role: str
    line: int
    family: str = ""
    said: str = ""


class Reading(NamedTuple):
    """What was read from a text; `kind` is told where it is a decision, which has a title and what became of it."""

    marks: list[Mark]
    kind: str = ""
    title: str = ""
    status: str = ""
