"""The stream of news of a session, which its client may open on any replica."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.types import Message, Receive, Send

from fieldguide.server.connection import Connection
from fieldguide.server.jsonrpc import INVALID_REQUEST, RpcError, encode
from fieldguide.server.subscriptions import Subscriptions
from fieldguide.server.web.calls import NO_CACHE, STREAM, event, start

PING_SECONDS = 15.0
PING = b": ping\r\n\r\n"

Reload = Callable[[Connection], Awaitable[bool]]


class StreamOutlet:
    """The way to a client on its session's own stream."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._turn = asyncio.Lock()
        self.begun = asyncio.Event()

    async def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a notification."""
        message = {"jsonrpc": "2.0", "method": method, "params": dict(params)}
        await self.write(event(encode(message)[:-1]))

    async def request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Questions go on the stream of the request that asks them."""
        raise RpcError(INVALID_REQUEST, "Nothing is asked on this stream.")

    async def write(self, data: bytes) -> None:
        """Send bytes, whole, once the stream has begun."""
        await self.begun.wait()
        async with self._turn:
            await self._send({"type": "http.response.body", "body": data, "more_body": True})


class NewsStream:
    """One open stream: it ends with its client, with its session, or when another replica serves it."""

    def __init__(self, number: int, connection: Connection, reload: Reload) -> None:
        self._number = number
        self._connection = connection
        self._reload = reload
        self._is_stale = True  # what changed while the stream was being opened is not known yet
        self._tasks: list[asyncio.Task[Any]] = []

    def grow_stale(self) -> None:
        """What is known of the session is no longer so: it is read anew before the next news."""
        self._is_stale = True

    def give_way(self, number: int) -> None:
        """Close the stream, if the one of this number was opened after it."""
        if number > self._number:
            self.end()

    def end(self) -> None:
        """Close the stream."""
        for task in self._tasks:
            task.cancel()

    async def run(self, session: str, subscriptions: Subscriptions, receive: Receive, send: Send) -> None:
        """Tell news until the stream ends."""
        outlet = StreamOutlet(send)
        self._connection.outlet = outlet
        self._tasks = [
            asyncio.ensure_future(subscriptions.follow(self._connection, self._is_current)),
            asyncio.ensure_future(_ping(outlet)),
            asyncio.ensure_future(_left(receive)),
        ]
        try:
            with subscriptions.closing(self.end):
                await asyncio.sleep(0)  # what changes once the client knows of its stream is heard
                await send(start(200, [(b"content-type", STREAM), *NO_CACHE], session))
                outlet.begun.set()
                await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.end()
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _is_current(self) -> bool:
        """Bring what is known of the session up to date; whether it is still there."""
        if not self._is_stale:
            return True
        self._is_stale = False
        return await self._reload(self._connection)


async def _ping(outlet: StreamOutlet) -> None:
    while True:
        await asyncio.sleep(PING_SECONDS)
        await outlet.write(PING)


async def _left(receive: Receive) -> None:
    message: Message = {"type": ""}
    while message["type"] != "http.disconnect":
        message = await receive()
