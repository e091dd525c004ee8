"""Sends notifications of changes to the clients that subscribed to them."""

import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast

from fieldguide.settings.access import Access, is_allowed
from fieldguide.settings.limits import Limits
from fieldguide.spine.resources import ChangeBus, ChangeNotice
from fieldguide.spine.tool import INVALID_PARAMS
from fieldguide.spine.workers import Workers
from fieldguide.wire.jsonrpc import INVALID_REQUEST, RpcError
from fieldguide.wire.protocol import SUBSCRIPTION_KEY, Connection, Request

if TYPE_CHECKING:
    from starlette.types import Receive

    from fieldguide.wire.http_sessions import CallOutlet

FLAGS = {"toolsListChanged": "tools", "promptsListChanged": "prompts", "resourcesListChanged": "resources"}
LISTS = ("tools", "prompts", "resources")
MAX_WAITING = 1000
PING_SECONDS = 15.0
T = TypeVar("T")
ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
Notification = tuple[str, Mapping[str, Any]]
SendNotification = Callable[[str, Mapping[str, Any]], None]


class AsyncOutlet(Protocol):
    """The way to a client on an event loop."""

    async def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a notification."""
        ...

    async def request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request and wait for its result; RpcError when the client answers with an error or can't be asked."""
        ...


class ChangeStream:
    """One `subscriptions/listen`: sends what changes, after the acknowledgement."""

    def __init__(self, subscriptions: "Subscriptions", request: Request, send: SendNotification) -> None:
        self._wanted = subscriptions.read_filters(request.params.get("notifications"))
        self._meta = {SUBSCRIPTION_KEY: request.id}
        self._subscriptions = subscriptions
        self._request = request
        self._send = send
        self._lists = [kind for flag, kind in FLAGS.items() if flag in self._wanted]
        self._lock = threading.Lock()
        self._early: list[ChangeNotice] | None = []

    @property
    def result(self) -> dict[str, Any]:
        """What its request is answered with in the end."""
        return {"_meta": self._meta}

    def begin(self) -> None:
        """Acknowledge, and tell what has changed meanwhile."""
        with self._lock:
            self._send(ACKNOWLEDGED, {"notifications": self._wanted, "_meta": self._meta})
            for change in self._early or ():
                self._tell(change)
            self._early = None

    def hear(self, change: ChangeNotice) -> None:
        """Tell of a change, if the client asked for it and may see it."""
        with self._lock:
            if self._early is None:
                self._tell(change)
            else:
                self._early.append(change)

    def _tell(self, change: ChangeNotice) -> None:
        request = self._request
        if self._subscriptions.is_seen(change, request.access, request.connection.user):
            uris = self._subscriptions.filter_seen(self._wanted.get("resourceSubscriptions", ()), request.access)
            for method, params in _notifications(change, self._lists, uris):
                self._send(method, {**params, "_meta": self._meta})


class Subscriptions:
    """Tells each client of the changes it asked for, and of no others.

    `look` sees how things are when a client begins to listen: what changes after that is told. `shows` says which
    resources a caller may see.
    """

    def __init__(
        self,
        changes: ChangeBus,
        look: Callable[[], None],
        limits: Limits,
        shows: Callable[[str, Access | None], bool] = lambda uri, access: True,
    ) -> None:
        self._shows = shows
        self._changes = changes
        self._look = look
        self._limits = limits
        self._lock = threading.Lock()
        self._open: Counter[str] = Counter()
        self._ends: list[Callable[[], None]] = []

    @contextmanager
    def listening(self, hear: Callable[[ChangeNotice], None]) -> Generator[None]:
        """Have a function hear every change while the block runs, on the threads that announce them."""
        with self._changes.listening(hear):
            yield

    @contextmanager
    def open_stream(self, request: Request, send: SendNotification, end: Callable[[], None]) -> Generator[ChangeStream]:
        """A stream of the new era, open while the block runs; `end` is called when the server wants it closed."""
        stream = ChangeStream(self, request, send)
        with self._counted(request.connection), self.closing(end), self.listening(stream.hear):
            self._look()
            stream.begin()
            yield stream

    def list_news(self, change: ChangeNotice, connection: Connection) -> list[Notification]:
        """What a client of the handshake era is told of a change."""
        if not connection.is_initialized or not self.is_seen(change, connection.access, connection.user):
            return []
        return [*_notifications(change, LISTS, self.filter_seen([*connection.subscriptions], connection.access))]

    def is_seen(self, change: ChangeNotice, access: Access | None, user: str | None) -> bool:
        """Whether a caller sees a difference: even the moment of a change tells something of what it is about."""
        if change.kind == "resource" and not self._shows(change.uri, access):
            return False
        if access is not None:
            user = access.user
        is_anothers = change.user is not None and user is not None and change.user != user
        return not is_anothers and (not change.toolset or is_allowed(access, change.toolset))

    def filter_seen(self, uris: Collection[str], access: Access | None) -> Collection[str]:
        """Those of the resources that a caller follows which they may see."""
        return [uri for uri in uris if self._shows(uri, access)]

    @contextmanager
    def closing(self, end: Callable[[], None]) -> Generator[None]:
        """Have a stream ended with the others, should that be asked while the block runs."""
        with self._lock:
            self._ends.append(end)
        try:
            yield
        finally:
            with self._lock:
                self._ends.remove(end)

    def close(self) -> None:
        """End every stream in order: each request gets its result."""
        with self._lock:
            ends = [*self._ends]
        for end in ends:
            end()

    def read_filters(self, asked: Any) -> dict[str, Any]:
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
        with self._lock:
            if self._open[connection.id] >= getattr(self._limits, name):
                raise RpcError(INVALID_REQUEST, f"Too many streams: {self._limits.told(name)}.")
            self._open[connection.id] += 1
        try:
            yield
        finally:
            with self._lock:
                self._open[connection.id] -= 1
                if not self._open[connection.id]:
                    del self._open[connection.id]


class NewsQueue(Generic[T]):
    """What waits to be sent on an event loop; any thread may put in. A client that stopped reading loses news."""

    def __init__(self) -> None:
        import asyncio  # only HTTP needs it

        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[T | None] = asyncio.Queue()

    def put(self, item: T) -> None:
        """Add something, unless too much waits."""
        self._loop.call_soon_threadsafe(self._put, item)

    def close(self) -> None:
        """Let whoever gets the rest be done after it."""
        self._loop.call_soon_threadsafe(self._queue.put_nowait, None)

    async def get(self) -> T | None:
        """The next one; None at the end."""
        return await self._queue.get()

    def _put(self, item: T) -> None:
        if self._queue.qsize() < MAX_WAITING:
            self._queue.put_nowait(item)


async def follow_changes(
    subscriptions: Subscriptions,
    connection: Connection,
    outlet: AsyncOutlet,
    is_current: Callable[[], Awaitable[bool]] | None = None,
) -> None:
    """Send changes to a client of the handshake era until cancelled, or until it is not current any more."""
    news: NewsQueue[ChangeNotice] = NewsQueue()
    with subscriptions.listening(news.put):
        while (change := await news.get()) is not None:
            if is_current is not None and not await is_current():
                return
            for method, params in subscriptions.list_news(change, connection):
                await outlet.notify(method, params)


async def stream_changes(
    subscriptions: Subscriptions, request: Request, outlet: AsyncOutlet, workers: Workers
) -> dict[str, Any]:
    """Answer `subscriptions/listen`: send what changes on the request's own stream until it ends."""
    news: NewsQueue[Notification] = NewsQueue()

    def send(method: str, params: Mapping[str, Any]) -> None:
        news.put((method, params))

    opening = subscriptions.open_stream(request, send, news.close)
    stream = await workers.run(opening.__enter__)
    try:
        while (told := await news.get()) is not None:
            await outlet.notify(*told)
    finally:
        opening.__exit__(None, None, None)
    return stream.result


class NewsStream:
    """The open stream of a session of the handshake era: it ends with its client, with its session, or by `end`.

    `reload` brings what is known of the session up to date, where that grew stale, and says whether it is still there.
    """

    def __init__(
        self, connection: Connection, number: int = 0, reload: Callable[[Connection], Awaitable[bool]] | None = None
    ) -> None:
        self._connection = connection
        self._reload = reload
        self._tasks: list[Any] = []
        self.number = number
        self.is_stale = reload is not None  # what changed while the stream was being opened is not known yet

    def end(self) -> None:
        """Close the stream."""
        for task in self._tasks:
            task.cancel()

    async def run(self, subscriptions: Subscriptions, outlet: "CallOutlet", receive: "Receive") -> None:
        """Tell news until the stream ends."""
        import asyncio

        following = follow_changes(subscriptions, self._connection, outlet, self._is_current)
        self._tasks = [asyncio.ensure_future(each) for each in (following, _ping(outlet), _wait_for_end(receive))]
        try:
            with subscriptions.closing(self.end):
                await asyncio.sleep(0)  # what changes once the client knows of its stream is heard
                await outlet.begin_stream()
                await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.end()
        await outlet.close()

    async def _is_current(self) -> bool:
        if not self.is_stale or self._reload is None:
            return True
        self.is_stale = False
        return await self._reload(self._connection)


async def _ping(outlet: "CallOutlet") -> None:
    import asyncio

    while True:
        await asyncio.sleep(PING_SECONDS)
        await outlet.ping()


async def _wait_for_end(receive: "Receive") -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


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
