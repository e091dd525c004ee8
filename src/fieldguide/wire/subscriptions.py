"""Sends notifications of changes to the clients that subscribed to them."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast

from fieldguide.settings.consents import Access, is_allowed
from fieldguide.settings.limits import Limits
from fieldguide.spine.resources import ChangeBus, ChangeNotice
from fieldguide.spine.tool import INVALID_PARAMS
from fieldguide.wire.connection import SUBSCRIPTION_KEY, Connection, Request
from fieldguide.wire.jsonrpc import INVALID_REQUEST, RpcError

FLAGS = {"toolsListChanged": "tools", "promptsListChanged": "prompts", "resourcesListChanged": "resources"}
LISTS = ("tools", "prompts", "resources")
MAX_WAITING = 1000


class Subscriptions:
    """Tells each client of the changes it asked for, and of no others.

    `look` sees how things are when a client begins to listen: what changes after that is told. `shows` says which
    resources a caller may see.
    """

    def __init__(
        self,
        changes: ChangeBus,
        look: Callable[[], Awaitable[None]],
        limits: Limits,
        shows: Callable[[str, Access | None], bool] = lambda uri, access: True,
    ) -> None:
        self._shows = shows
        self._changes = changes
        self._look = look
        self._limits = limits
        self._open: Counter[str] = Counter()
        self._ends: list[Callable[[], None]] = []
        self._streams: set[asyncio.Queue[ChangeNotice | None]] = set()

    async def follow(self, connection: Connection, is_current: Callable[[], Awaitable[bool]] | None = None) -> None:
        """Push changes to a client of the handshake era until cancelled, or until it is not current any more."""
        news: asyncio.Queue[ChangeNotice] = asyncio.Queue(MAX_WAITING)
        with self._changes.listening(_into(news)):
            while True:
                change = await news.get()
                if is_current is not None and not await is_current():
                    return
                if connection.is_initialized and self._is_theirs(change, connection.access, connection.user):
                    seen = self._seen(connection.subscriptions, connection.access)
                    for method, params in _notifications(change, LISTS, seen):
                        await connection.outlet.notify(method, params)

    async def listen(self, request: Request) -> dict[str, Any]:
        """`subscriptions/listen`: acknowledge, then tell of changes on this request's own stream until it ends."""
        wanted = self._read_filters(request.params.get("notifications"))
        with self._counted(request.connection):
            return await self._stream(request, wanted)

    async def _stream(self, request: Request, wanted: Mapping[str, Any]) -> dict[str, Any]:
        meta = {SUBSCRIPTION_KEY: request.id}
        lists = [kind for flag, kind in FLAGS.items() if flag in wanted]
        uris: Collection[str] = wanted.get("resourceSubscriptions", ())
        news: asyncio.Queue[ChangeNotice | None] = asyncio.Queue(MAX_WAITING)
        self._streams.add(news)
        try:
            with self._changes.listening(_into(news)):
                await self._look()
                acknowledged = {"notifications": wanted, "_meta": meta}
                await request.outlet.notify("notifications/subscriptions/acknowledged", acknowledged)
                while (change := await news.get()) is not None:
                    if not self._is_theirs(change, request.access, request.connection.user):
                        continue
                    for method, params in _notifications(change, lists, self._seen(uris, request.access)):
                        await request.outlet.notify(method, {**params, "_meta": meta})
        finally:
            self._streams.discard(news)
        return {"_meta": meta}

    def _is_theirs(self, change: ChangeNotice, access: Access | None, user: str | None) -> bool:
        """Whether a caller sees a difference: even the moment of a change tells something of what it is about."""
        if change.kind == "resource" and not self._shows(change.uri, access):
            return False
        if access is not None:
            user = access.user
        is_anothers = change.user is not None and user is not None and change.user != user
        return not is_anothers and (not change.toolset or is_allowed(access, change.toolset))

    def _seen(self, uris: Collection[str], access: Access | None) -> Collection[str]:
        """Those of the resources that a caller follows which they may see."""
        return [uri for uri in uris if self._shows(uri, access)]

    @contextmanager
    def closing(self, end: Callable[[], None]) -> Generator[None]:
        """Have a stream of the handshake era ended with the others, should that be asked while the block runs."""
        self._ends.append(end)
        try:
            yield
        finally:
            self._ends.remove(end)

    def close(self) -> None:
        """End every stream in order: each request gets its result."""
        for end in list(self._ends):
            end()
        for stream in self._streams:
            if stream.full():
                stream.get_nowait()  # the end is worth more than one piece of news
            stream.put_nowait(None)

    def _read_filters(self, asked: Any) -> dict[str, Any]:
        """The notifications that a client asks for, of those that exist; RpcError for too many or too long URIs."""
        if not isinstance(asked, Mapping):
            raise RpcError(INVALID_PARAMS, 'Invalid params: "notifications" must be an object.')
        filters = cast("Mapping[str, Any]", asked)
        wanted: dict[str, Any] = {flag: True for flag in FLAGS if filters.get(flag) is True}
        asked_uris: Any = filters.get("resourceSubscriptions")
        if not isinstance(asked_uris, list) or not asked_uris:
            return wanted
        uris = list(dict.fromkeys(uri for uri in cast("Iterable[Any]", asked_uris) if isinstance(uri, str)))
        if len(uris) > self._limits.uris_per_stream:
            raise RpcError(INVALID_PARAMS, f"Too many URIs in one stream: {self._limits.told('uris_per_stream')}.")
        if any(len(uri) > self._limits.uri_characters for uri in uris):
            raise RpcError(INVALID_PARAMS, f"A URI is too long: {self._limits.told('uri_characters')}.")
        wanted["resourceSubscriptions"] = uris
        return wanted

    @contextmanager
    def _counted(self, connection: Connection) -> Generator[None]:
        """Count a stream while it is open; clients that are not known again are counted together."""
        name = "http_sessions" if connection.is_passing else "streams_per_connection"
        if self._open[connection.id] >= getattr(self._limits, name):
            raise RpcError(INVALID_REQUEST, f"Too many streams: {self._limits.told(name)}.")
        self._open[connection.id] += 1
        try:
            yield
        finally:
            self._open[connection.id] -= 1
            if not self._open[connection.id]:
                del self._open[connection.id]


def _into(news: "asyncio.Queue[Any]") -> Callable[[ChangeNotice], None]:
    """A listener that may be told from any thread; a client that stopped reading loses news, not our memory."""
    loop = asyncio.get_running_loop()

    def put(change: ChangeNotice) -> None:
        if not news.full():
            news.put_nowait(change)

    def listener(change: ChangeNotice) -> None:
        loop.call_soon_threadsafe(put, change)

    return listener


def _notifications(
    change: ChangeNotice, lists: Collection[str], uris: Collection[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """What a client that follows these lists and resources is told: of anything, that all of them may have changed."""
    for kind in lists:
        if change.kind in (kind, "anything"):
            yield f"notifications/{kind}/list_changed", {}
    changed: list[str] = []
    if change.kind == "anything":
        changed = sorted(uris)
    elif change.kind == "resource" and change.uri in uris:
        changed = [change.uri]
    for uri in changed:
        yield "notifications/resources/updated", {"uri": uri}
