"""What is in the index, and how fresh it is, as the first page tells it."""

from typing import NamedTuple


class Shelf(NamedTuple):
    """One part of the index: what stands there, how many, and the page that shows it."""

    one: str
    many: str
    number: int
    path: str = ""


class Indexed(NamedTuple):
    """Every part, whether one of them is being brought up to date, and how far the first pass is.

    `lacks` says what could not be taken in.
    """

    shelves: tuple[Shelf, ...] = ()
    is_at_work: bool = False
    standing: tuple[int, int] | None = None
    lacks: str = ""
    problem: str = ""


def nothing_indexed() -> Indexed:
    """Where nobody tells."""
    return Indexed()
