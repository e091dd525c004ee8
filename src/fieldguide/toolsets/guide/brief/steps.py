"""What a brief is made of: steps in the order of their worth, each of which tells of a place or shows lines of it."""

from typing import NamedTuple


class Step(NamedTuple):
    """A place of a file that is cited, or lines of it that are shown; a brief takes as many steps as its budget allows.

    What is worth more for its tokens comes first, so that a brief with more tokens is the same one, going on.
    """

    path: str
    start: int
    end: int
    kind: str
    why: str
    symbol: str = ""
    is_shown: bool = False
    text: str = ""
    """What lies in no file brings its own text."""
