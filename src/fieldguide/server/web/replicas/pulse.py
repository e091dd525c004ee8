"""Which sessions are in use on this replica: told to the others now and then, so that none ends under a client."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Generator
from contextlib import contextmanager, suppress

from fieldguide.errors import FieldguideError

BEAT_SECONDS = 5.0

Beat = Callable[[Collection[str], Collection[str]], Awaitable[None]]


class Pulse:
    """Gathers uses and tells them together; it sleeps when nothing is used."""

    def __init__(self, beat: Beat) -> None:
        self._beat = beat
        self._used: set[str] = set()
        self._busy: Counter[str] = Counter()
        self._beating: asyncio.Task[None] | None = None

    @contextmanager
    def using(self, name: str) -> Generator[None]:
        """A request of this session is under way while the block runs."""
        self._used.add(name)
        self._busy[name] += 1
        if self._beating is None or self._beating.done():
            self._beating = asyncio.create_task(self._run())
        try:
            yield
        finally:
            self._busy[name] -= 1
            if not self._busy[name]:
                del self._busy[name]

    def __len__(self) -> int:
        """How many sessions were used a moment ago, or are in use."""
        return len(self._used | set(self._busy))

    async def _run(self) -> None:
        while self._used or self._busy:
            await asyncio.sleep(BEAT_SECONDS)
            used, busy = self._used | set(self._busy), set(self._busy)
            self._used = set()
            with suppress(FieldguideError):  # the database is away: the next beat tells it
                await self._beat(used, busy)
