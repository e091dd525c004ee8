"""Runs an HTTP server: uvicorn with limits for each connection, and an end in order.

All of this comes before a token is seen: any program on this machine may open a connection.
"""

import asyncio
import contextlib
import gc
import logging
import signal
import socket
import typing
from collections.abc import Callable, Sequence
from email.utils import formatdate
from functools import lru_cache, partial
from time import time
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from fieldguide.settings.limits import Limits
from fieldguide.wire.endpoint import Endpoint

if TYPE_CHECKING:
    from ssl import SSLContext


SHUTDOWN_SECONDS = 1
format_date = lru_cache(maxsize=2)(partial(formatdate, usegmt=True))


class GracefulEnd(typing.Protocol):
    """Lets what runs on a server come to its end."""

    async def run(self) -> None:
        """Come back when everything has ended."""
        ...

    def hurry(self) -> None:
        """Wait for nothing any more."""
        ...


class PatientProtocol(H11Protocol):
    """One connection: a request's head must arrive in time, and after an answer the rest of its body too.

    What is sent must be taken in time as well: a client that leaves its answer unread loses it. 512
    connections are two for each of 200 sessions, and within the 1,024 files that most systems allow.
    """

    def __init__(self, *, limits: Limits, **given: Any) -> None:
        super().__init__(**given)
        self._limits = limits
        self._hurry: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None
        self.since = self.loop.time()

    @property
    def is_waiting(self) -> bool:
        """Whether no request is being answered on it."""
        return not self.cycle or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Begin; where there are too many, the one that has waited longest ends."""
        super().connection_made(transport)
        self._watch()
        if len(self.connections) > self._limits.http_connections:
            ours = cast("set[PatientProtocol]", self.connections)
            waiting = (each for each in ours if each.is_waiting and not each.transport.is_closing())
            min(waiting, key=lambda each: each.since, default=self).transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the timers with the connection."""
        self._calm()
        self._forget_unread()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what came; whatever is not yet a request has until the timer ends."""
        self.server_state.default_headers = [(b"date", format_date(int(time())).encode())]
        super().data_received(data)
        self._watch() if self.is_waiting else self._calm()

    def on_response_complete(self) -> None:
        """Wait for the next request; uvicorn ends a connection on which none comes."""
        self.since = self.loop.time()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Wait for a client that does not read, and for so long only."""
        super().pause_writing()
        if self._unread is None:
            self._unread = self.loop.call_later(self._limits.http_unread_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on: the client has read nearly all of it."""
        self._forget_unread()
        super().resume_writing()

    def _forget_unread(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def _watch(self) -> None:
        if self._hurry is None and not self.transport.is_closing():
            self._hurry = self.loop.call_later(self._limits.http_request_seconds, self.transport.abort)

    def _calm(self) -> None:
        if self._hurry is not None:
            self._hurry.cancel()
            self._hurry = None


class ExtraListener(NamedTuple):
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
        drain: GracefulEnd | None = None,
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


def serve_http(
    asgi: ASGIApp,
    endpoint: Endpoint,
    limits: Limits,
    drain: GracefulEnd | None = None,
    beside: Sequence[ExtraListener] = (),
) -> int:
    """Serve until a signal comes; with a drain, until what ran then has come to its end.

    `beside` are further sockets, each with an application of its own.
    """
    logging.getLogger("mcp").setLevel(logging.ERROR)
    gc.freeze()  # at the end, and now and then before it, the SDK's 87,000 objects would be gone through: a second
    config = _config(asgi, limits, endpoint.tls)
    signal.signal(signal.SIGHUP, lambda number, frame: signal.raise_signal(signal.SIGTERM))
    server = QuietServer(config, drain, [(each.listener, _config(each.app, limits)) for each in beside])
    signal.signal(signal.SIGTERM, server.handle_exit)  # before uvicorn takes it over, and after it has
    try:
        with contextlib.suppress(KeyboardInterrupt):  # it was told to end, and has
            server.run(sockets=[endpoint.listener])
    finally:
        endpoint.close()
    return 0


def _config(asgi: Any, limits: Limits, tls: "SSLContext | None" = None) -> uvicorn.Config:
    return uvicorn.Config(
        asgi,
        http=cast("Any", partial(PatientProtocol, limits=limits)),
        ws="none",
        log_level="error",
        access_log=False,
        proxy_headers=False,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        server_header=False,
        ssl_context_factory=None if tls is None else lambda config, default: tls,
        date_header=False,  # it would be that of the last tick: each connection dates its own answers
    )
