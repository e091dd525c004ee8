"""What else of a project is being indexed for the first time, beside what a call asks for.

All kinds lie in one index, and how rare a word is counts over all of it. So a list may be ordered in another way once
the rest is there, and an answer says so.
"""

from collections.abc import Callable, Sequence
from time import monotonic

from fieldguide.search.early.standing import Standing

KNOWN_SECONDS = 2.0  # counting what waits takes a look at every file


class Others:
    """How far the others are; counted now and then, while there is something to count."""

    def __init__(self, asks: Sequence[Callable[[], Standing | None]]) -> None:
        self._asks = asks
        self._counted_until = 0.0
        self._standing: Standing | None = None

    def standing(self) -> Standing | None:
        """The files of all others together; None where all of them have been indexed once."""
        if monotonic() > self._counted_until or self._standing is None:
            found = [standing for ask in self._asks if (standing := ask()) is not None]
            self._standing = Standing(*map(sum, zip(*found, strict=True))) if found else None
            self._counted_until = monotonic() + KNOWN_SECONDS
        return self._standing
