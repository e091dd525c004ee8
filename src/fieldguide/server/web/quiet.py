"""The web server without its clock: uvicorn looks ten times a second whether it should end; ours waits to be told."""

import asyncio
from types import FrameType

import uvicorn


class QuietServer(uvicorn.Server):
    """A server that nothing wakes while nobody asks it for anything."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended = asyncio.Event()

    async def main_loop(self) -> None:
        """Serve until a signal comes."""
        self._loop = asyncio.get_running_loop()
        if not self.should_exit:  # it may have come during the start
            await self._ended.wait()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Take a signal, and wake whoever waits for it."""
        super().handle_exit(sig, frame)
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._ended.set)
