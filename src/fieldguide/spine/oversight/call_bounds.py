"""How many calls run at once, in all, of one project and of one user; the next ones wait for a while in a short queue.

Without an end to the queue a server that is asked too much answers everybody too late. So a call that would wait too
long is told so at once, and may come again.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple

from fieldguide.errors import Busy
from fieldguide.limits import Limits

RETRY_SECONDS = 1


class Place(NamedTuple):
    """Whose call it is: of which project, of which user; None where nobody tells users apart."""

    project: str
    user: str | None


class CallBounds:
    """The places of one process, on one event loop; every project that it serves shares them."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._waiting: dict[asyncio.Future[None], Place] = {}
        self._projects: Counter[str] = Counter()
        self._users: Counter[str] = Counter()
        self.running = 0
        self.turned_away = 0

    @property
    def waiting(self) -> int:
        """How many calls wait for a place."""
        return len(self._waiting)

    @property
    def is_full(self) -> bool:
        """Whether the next call would be turned away, whosever it is."""
        return self.running >= self._limits.calls_at_once and len(self._waiting) >= self._limits.calls_waiting

    @asynccontextmanager
    async def place(self, place: Place) -> AsyncGenerator[None]:
        """Hold a place while the block runs; Busy where there is none in time."""
        if self._fits(place):
            self._take(place)
        else:
            await self._wait(place)
        try:
            yield
        finally:
            self._give_back(place)

    async def _wait(self, place: Place) -> None:
        self._refuse_too_many(place)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[turn] = place
        try:
            async with asyncio.timeout(self._limits.calls_waiting_seconds):
                await turn
        except BaseException as error:
            if self._waiting.pop(turn, None) is None:  # its turn had come at the same moment
                self._give_back(place)
            if isinstance(error, TimeoutError):
                raise self._busy("calls_waiting_seconds") from error
            raise

    def _refuse_too_many(self, place: Place) -> None:
        if len(self._waiting) >= self._limits.calls_waiting:
            raise self._busy("calls_waiting")
        own = 0 if place.user is None else sum(each.user == place.user for each in self._waiting.values())
        if own >= self._limits.calls_waiting_per_user:
            raise self._busy("calls_waiting_per_user")

    def _busy(self, limit: str) -> Busy:
        self.turned_away += 1
        told = self._limits.told(limit)
        return Busy(f"The server is busy; try again in a moment: {told}.", retry_after_seconds=RETRY_SECONDS)

    def _fits(self, place: Place) -> bool:
        return (
            self.running < self._limits.calls_at_once
            and self._projects[place.project] < self._limits.calls_at_once_per_project
            and (place.user is None or self._users[place.user] < self._limits.calls_at_once_per_user)
        )

    def _take(self, place: Place) -> None:
        self.running += 1
        self._projects[place.project] += 1
        if place.user is not None:
            self._users[place.user] += 1

    def _give_back(self, place: Place) -> None:
        """Free a place, and give it to the first in the queue whom it suits."""
        self.running -= 1
        _less(self._projects, place.project)
        if place.user is not None:
            _less(self._users, place.user)
        turn = next((turn for turn, waiting in self._waiting.items() if self._fits(waiting)), None)
        if turn is not None:
            self._take(self._waiting.pop(turn))
            with suppress(asyncio.InvalidStateError):  # whoever waited has just left, and gives it back
                turn.set_result(None)


def _less(counts: Counter[str], name: str) -> None:
    counts[name] -= 1
    if counts[name] <= 0:
        del counts[name]
