"""How a server for many ends: it says so, lets what runs come to its end, and takes less and less that is new.

First `/readyz` says 503 while calls are still answered, so that a balancer looks elsewhere before anybody is refused.
Then the streams of news end, each with its result, and the first moment without a call is the end. Where no such moment
comes, calls are refused after half of the time, so that in the other half the last ones come to theirs.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from fieldguide.limits import Limits
from fieldguide.server.web.operation.probes import Probes
from fieldguide.server.web.operation.traffic import Traffic


class Drain:
    """The end of one server, in order and in bounded time."""

    def __init__(
        self, limits: Limits, traffic: Traffic, probes: Probes, close_streams: Sequence[Callable[[], None]]
    ) -> None:
        self._limits = limits
        self._traffic = traffic
        self._probes = probes
        self._close_streams = close_streams
        self._hurried = asyncio.Event()

    async def run(self) -> None:
        """Come to an end; at once from the moment when somebody hurries it."""
        self._probes.is_draining = self._traffic.is_ending = True
        half = self._limits.drain_seconds / 2
        if not await self._is_over(asyncio.sleep(self._limits.drain_notice_seconds), None):
            self._end_streams()
            if not await self._is_over(self._traffic.settled(), half):
                self._traffic.is_closed = True
                self._end_streams()  # of those that were opened meanwhile
                await self._is_over(self._traffic.settled(), half)
        self._traffic.is_closed = True

    def hurry(self) -> None:
        """Wait for nothing any more."""
        self._hurried.set()

    def _end_streams(self) -> None:
        for close in self._close_streams:
            close()

    async def _is_over(self, what: Awaitable[None], seconds: float | None) -> bool:
        """Wait for something, and whether that was all there was to wait for; of a mere pause it never is."""
        waited, hurried = asyncio.ensure_future(what), asyncio.ensure_future(self._hurried.wait())
        done, left = await asyncio.wait([waited, hurried], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        for each in left:
            each.cancel()
        return hurried in done or (waited in done and seconds is not None)
