"""The web server without its clock: uvicorn looks ten times a second whether it should end; ours waits to be told."""

import asyncio
import socket
from collections.abc import Callable, Sequence
from functools import partial
from types import FrameType
from typing import Any, NamedTuple, cast

import uvicorn
from starlette.types import ASGIApp

from fieldguide.server.web.operation.draining import Drain


class Beside(NamedTuple):
    """A further socket, with an application of its own."""

    listener: socket.socket
    app: ASGIApp


class QuietServer(uvicorn.Server):
    """A server that nothing wakes while nobody asks it for anything.

    With a drain the first signal lets what runs come to its end; a second one ends it at once.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        drain: Drain | None = None,
        beside: Sequence[tuple[socket.socket, uvicorn.Config]] = (),
    ) -> None:
        super().__init__(config)
        self._beside = beside
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended = asyncio.Event()
        self._drain = drain
        self._signals: list[int] = []

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, on the sockets beside too."""
        await super().startup(sockets)
        for listener, config in self._beside:
            config.load()
            listening = partial(
                cast("Any", config.http_protocol_class), config=config, server_state=self.server_state, app_state={}
            )
            self.servers.append(await asyncio.get_running_loop().create_server(listening, sock=listener))

    async def main_loop(self) -> None:
        """Serve until a signal comes, and until what ran then has ended."""
        self._loop = asyncio.get_running_loop()
        if not self.should_exit and not self._signals:  # it may have come during the start
            await self._ended.wait()
        if self._drain is not None:
            await self._drain.run()
            super().handle_exit(self._signals[0] if self._signals else 0, None)  # only now do others hear of it

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Take a signal, and wake whoever waits for it."""
        self._signals.append(sig)
        if self._drain is None:
            super().handle_exit(sig, frame)
        elif len(self._signals) > 1:
            self.config.timeout_graceful_shutdown = 0
            self._tell(self._drain.hurry)
        self._tell(self._ended.set)

    def _tell(self, what: Callable[[], None]) -> None:
        if self._loop is not None:
            self._loop.call_soon_threadsafe(what)
