"""The right of way: while somebody waits for an answer, whoever indexes in the background stands aside."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from time import monotonic

LONGEST_STAND_SECONDS = 2.5
MOST_GIVEN_SECONDS = 30.0  # in all: an agent that asks without a pause must not keep the index from getting whole


class RightOfWay:
    """One for each engine; those who take it do not wait for each other."""

    def __init__(self) -> None:
        self._free = threading.Condition()
        self._taken = 0
        self._given_seconds = 0.0

    @contextmanager
    def taken(self) -> Generator[None]:
        """Have the background stand aside while the block runs."""
        with self._free:
            self._taken += 1
        try:
            yield
        finally:
            with self._free:
                self._taken -= 1
                self._free.notify_all()

    def give(self) -> None:
        """Stand aside for as long as somebody needs it, within bounds."""
        if not self._taken or self._given_seconds > MOST_GIVEN_SECONDS:
            return
        began = monotonic()
        with self._free:
            self._free.wait_for(lambda: not self._taken, LONGEST_STAND_SECONDS)
        self._given_seconds += monotonic() - began
