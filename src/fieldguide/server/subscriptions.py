"""News to clients: pushed on the connection in the handshake era, on a stream of its own since."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, cast

from fieldguide.server.connection import Connection, Request
from fieldguide.server.era import SUBSCRIPTION_KEY
from fieldguide.server.jsonrpc import INVALID_PARAMS, RpcError
from fieldguide.spine.changes import Change, Changes

FLAGS = {"toolsListChanged": "tools", "promptsListChanged": "prompts", "resourcesListChanged": "resources"}
MAX_WAITING = 1000


class Subscriptions:
    """Tells each client of the changes it asked for, and of no others.

    `look` sees how things are when a client begins to listen: what changes after that is told.
    """

    def __init__(self, changes: Changes, look: Callable[[], Awaitable[None]]) -> None:
        self._changes = changes
        self._look = look
        self._streams: set[asyncio.Queue[Change | None]] = set()

    async def follow(self, connection: Connection) -> None:
        """Push changes to a client of the handshake era until cancelled."""
        news: asyncio.Queue[Change] = asyncio.Queue(MAX_WAITING)
        with self._changes.listening(_into(news)):
            while True:
                change = await news.get()
                if connection.is_initialized and (change.kind != "resource" or change.uri in connection.subscriptions):
                    await connection.outlet.notify(*_notification(change))

    async def listen(self, request: Request) -> dict[str, Any]:
        """`subscriptions/listen`: acknowledge, then tell of changes on this request's own stream until it ends."""
        wanted = _honoured(request.params.get("notifications"))
        meta = {SUBSCRIPTION_KEY: request.id}
        news: asyncio.Queue[Change | None] = asyncio.Queue(MAX_WAITING)
        self._streams.add(news)
        try:
            with self._changes.listening(_into(news)):
                await self._look()
                acknowledged = {"notifications": wanted, "_meta": meta}
                await request.outlet.notify("notifications/subscriptions/acknowledged", acknowledged)
                while (change := await news.get()) is not None:
                    if _matches(wanted, change):
                        method, params = _notification(change)
                        await request.outlet.notify(method, {**params, "_meta": meta})
        finally:
            self._streams.discard(news)
        return {"_meta": meta}

    def close(self) -> None:
        """End every stream in order: each request gets its result."""
        for stream in self._streams:
            stream.put_nowait(None)


def _into(news: "asyncio.Queue[Any]") -> Callable[[Change], None]:
    """A listener that may be told from any thread; a client that stopped reading loses news, not our memory."""
    loop = asyncio.get_running_loop()

    def put(change: Change) -> None:
        if not news.full():
            news.put_nowait(change)

    def listener(change: Change) -> None:
        loop.call_soon_threadsafe(put, change)

    return listener


def _honoured(asked: Any) -> dict[str, Any]:
    if not isinstance(asked, Mapping):
        raise RpcError(INVALID_PARAMS, 'Invalid params: "notifications" must be an object.')
    filters = cast("Mapping[str, Any]", asked)
    wanted: dict[str, Any] = {flag: True for flag in FLAGS if filters.get(flag) is True}
    uris: Any = filters.get("resourceSubscriptions")
    if isinstance(uris, list) and uris:
        wanted["resourceSubscriptions"] = [uri for uri in cast("Iterable[Any]", uris) if isinstance(uri, str)]
    return wanted


def _matches(wanted: Mapping[str, Any], change: Change) -> bool:
    if change.kind == "resource":
        return change.uri in wanted.get("resourceSubscriptions", ())
    return any(kind == change.kind and flag in wanted for flag, kind in FLAGS.items())


def _notification(change: Change) -> tuple[str, dict[str, Any]]:
    if change.kind == "resource":
        return "notifications/resources/updated", {"uri": change.uri}
    return f"notifications/{change.kind}/list_changed", {}
