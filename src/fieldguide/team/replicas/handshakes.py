"""Answers HTTP requests of the handshake era from sessions that all replicas share.

The official SDK knows only sessions of its own process. Here it has none: it carries the new era, and words the
refusals of what is malformed. A request reads its session, and what it changed is written before it is answered.
"""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Collection, Generator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, NamedTuple, TypeVar

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fieldguide.settings.access import Access, bind_caller
from fieldguide.settings.service import MCP_PATH
from fieldguide.spine.tool import INTERNAL_ERROR
from fieldguide.spine.workers import Workers
from fieldguide.team.replicas.exchange import ReplicaMessage
from fieldguide.team.replicas.sessions import SessionOpener, SessionState, SharedSession
from fieldguide.team.replicas.sharing import ReplicaSharing
from fieldguide.text.errors import FieldguideError, Refusal, StorageFailed
from fieldguide.wire.http_guard import SESSION_HEADER, make_refusal, read_caller, replay_body
from fieldguide.wire.http_sessions import (
    NAME_BYTES,
    VERSIONS,
    Answering,
    CallOutlet,
    HttpCalls,
    delete_session,
    format_event,
    make_stream_start,
    send_response,
)
from fieldguide.wire.jsonrpc import INVALID_REQUEST, RequestId, RpcError, RpcMessage, encode_message, parse_message
from fieldguide.wire.protocol import Connection, Protocol
from fieldguide.wire.subscriptions import Subscriptions, follow_changes

MALFORMED = "Bad Request: this message opens no session."
BEAT_SECONDS = 5.0

Beat = Callable[[Collection[str], Collection[str]], Awaitable[None]]
PING_SECONDS = 15.0
PING = b": ping\r\n\r\n"

Reload = Callable[[Connection], Awaitable[bool]]
JSON = "application/json"
EVENT_STREAM = "text/event-stream"
MOST_KNOWN = 2_000
CANT_TELL = "The service can't look up this session just now. Try again in a moment."
CANT_KEEP = "The service can't keep this just now. Try again in a moment."
CONFLICT = "Conflict: Only one SSE stream is allowed per session"
T = TypeVar("T")


class SessionRequest(NamedTuple):
    """Which session and version a request names, and who asks: for whom, with which rights, counted with whom."""

    session: str | None
    version: bytes | None
    user: str | None
    access: Access | None
    owner: str
    peer: str

    @property
    def opener(self) -> SessionOpener:
        """Who opens a session by this request."""
        return SessionOpener(self.owner, self.user, self.peer)

    @classmethod
    def read(cls, scope: Scope, user: str | None) -> "SessionRequest":
        """What this request says; `user` is whom the server is bound to."""
        session = _value(scope, SESSION_HEADER)
        address = (scope.get("client") or ("",))[0]
        name = _value(scope, b"user-agent") or b""
        caller = read_caller(scope)
        owner = "" if caller.key is None else "\n".join(caller.key)
        return cls(
            session=None if session is None else session.decode("latin-1"),
            version=_value(scope, b"mcp-protocol-version"),
            user=user if caller.principal is None else caller.principal.user,
            access=caller.access,
            owner=owner,
            peer=owner or f"{address} {name[:NAME_BYTES].decode('latin-1')}",
        )


def accepts_types(scope: Scope, *kinds: str) -> bool:
    """Whether a client takes answers of all of these kinds."""
    named = b",".join(value for name, value in scope["headers"] if name == b"accept").decode("latin-1").lower()
    taken = {each.partition(";")[0].strip() for each in named.split(",")}
    return all(not taken.isdisjoint({kind, f"{kind.partition('/')[0]}/*", "*/*"}) for kind in kinds)


def has_content_type(scope: Scope, kind: str) -> bool:
    """Whether the body of a request is of this kind."""
    named = (_value(scope, b"content-type") or b"").decode("latin-1").partition(";")[0]
    return kind in {each.strip().lower() for each in named.split(",")}


async def refuse_by_sdk(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Have the SDK refuse a request in its own words. A session that it opens instead is ended, and refused."""
    session = _value(scope, SESSION_HEADER)
    given = {**scope, "headers": [each for each in scope["headers"] if each[0] != SESSION_HEADER]}
    is_refused = False

    async def passed(message: Message) -> None:
        nonlocal is_refused
        if message["type"] == "http.response.start":
            opened = next((value for name, value in message["headers"] if name == SESSION_HEADER), None)
            if message["status"] < 400:
                is_refused = True
                if opened is not None:
                    await delete_session(app, opened.decode("latin-1"))
                await make_refusal(400, MALFORMED)(scope, receive, send)
            kept = [each for each in message["headers"] if each[0] != SESSION_HEADER]
            message = {**message, "headers": kept if session is None else [*kept, (SESSION_HEADER, session)]}
        if not is_refused:
            await send(message)

    await app(given, receive, passed)


def _value(scope: Scope, name: bytes) -> bytes | None:
    return next((value for each, value in scope["headers"] if each == name), None)


def read_session_state(connection: Connection) -> SessionState:
    """What is kept of a connection."""
    return SessionState(
        version=connection.version,
        client=dict(connection.client),
        capabilities=dict(connection.capabilities),
        is_initialized=connection.is_initialized,
        log_level=connection.log_level,
        workflow=connection.workflow,
        subscriptions=frozenset(connection.subscriptions),
    )


def make_connection(session: SharedSession, *, user: str | None, access: Access | None) -> Connection:
    """A connection for one request: two requests of a session share nothing but what is kept of it."""
    connection = Connection(id=session.connection, user=user, access=access)
    update_connection(connection, session.state)
    return connection


def update_connection(connection: Connection, state: SessionState) -> None:
    """Give a connection what is kept of its session now."""
    connection.version = state.version
    connection.client = state.client
    connection.capabilities = state.capabilities
    connection.is_initialized = state.is_initialized
    connection.log_level = state.log_level
    connection.workflow = state.workflow
    connection.subscriptions = set(state.subscriptions)


class SessionPulse:
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
            used = self._used | set(self._busy)
            busy = set(self._busy)
            self._used = set()
            with suppress(FieldguideError):  # the database is away: the next beat tells it
                await self._beat(used, busy)


class StreamOutlet:
    """The way to a client on its session's own stream."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._turn = asyncio.Lock()
        self.begun = asyncio.Event()

    async def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a notification."""
        message = {"jsonrpc": "2.0", "method": method, "params": dict(params)}
        await self.write(format_event(encode_message(message)[:-1]))

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
        self._tasks = [
            asyncio.ensure_future(follow_changes(subscriptions, self._connection, outlet, self._is_current)),
            asyncio.ensure_future(_ping(outlet)),
            asyncio.ensure_future(_left(receive)),
        ]
        try:
            with subscriptions.closing(self.end):
                await asyncio.sleep(0)  # what changes once the client knows of its stream is heard
                await send(make_stream_start(session))
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


class SharedHandshakes:
    """An ASGI application before the SDK's: it answers the handshake era, and hands on the new one untouched."""

    def __init__(
        self,
        app: ASGIApp,
        sharing: ReplicaSharing,
        *,
        protocol: Protocol,
        answer: Answering,
        workers: Workers,
        user: str | None,
    ) -> None:
        self._app = app
        self._user = user
        self._sharing = sharing
        self._sessions = sharing.sessions
        self._protocol = protocol
        self._answer = answer
        self._workers = workers
        self._calls = HttpCalls(self._answered)
        self._pulse = SessionPulse(lambda used, busy: self._stored(partial(self._sessions.beat, used, busy)))
        self._known: OrderedDict[str, SharedSession] = OrderedDict()
        self._streams: dict[str, NewsStream] = {}
        self._is_listening = False

    def __len__(self) -> int:
        """How many sessions are in use on this replica."""
        return len(self._pulse)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of the handshake era, or pass it on."""
        if scope["type"] != "http" or scope["path"] != MCP_PATH:
            await self._app(scope, receive, send)
            return
        asked = SessionRequest.read(scope, self._user)
        if asked.version not in VERSIONS:
            await self._app(scope, receive, send)
            return
        self._listen()
        try:
            await self._serve(asked, scope, receive, send)
        except (StorageFailed, RpcError):
            await make_refusal(503, CANT_TELL, {"retry-after": "2"})(scope, receive, send)

    async def _serve(self, asked: SessionRequest, scope: Scope, receive: Receive, send: Send) -> None:
        if asked.session is None:
            await self._open(asked, scope, receive, send)
            return
        session = await self._found(asked.session, asked)
        if session is None:
            await self._app(scope, receive, send)  # the SDK has no sessions, so it says that there is none
            return
        answering = {"POST": self._take, "GET": self._follow, "DELETE": self._end}.get(scope["method"])
        if answering is None:
            await refuse_by_sdk(self._app, scope, receive, send)
            return
        with self._pulse.using(session.name):
            await answering(asked, session, scope, receive, send)

    async def _open(self, asked: SessionRequest, scope: Scope, receive: Receive, send: Send) -> None:
        """Open a session for an `initialize`; anything else without a session is malformed."""
        message, receive = await _message(scope, receive)
        if message is None or message.method != "initialize" or message.id is None:
            await refuse_by_sdk(self._app, scope, receive, send)
            return
        outlet = CallOutlet(send, "", {})
        connection = Connection(user=asked.user, access=asked.access)
        reply: dict[str, Any] = {"jsonrpc": "2.0", "id": message.id}
        try:
            reply["result"] = await self._answer(message, message.id, connection, outlet, asked.access)
            opened = partial(self._sessions.open, asked.opener, connection.id, read_session_state(connection))
            session = await self._stored(opened)
        except RpcError as error:
            await send_response(send, 200, encode_message({**reply, "error": error.described()})[:-1], "")
        except Refusal as error:
            await make_refusal(503, error.message)(scope, receive, send)
        else:
            await send_response(send, 200, encode_message(reply)[:-1], session.name)

    async def _take(
        self, asked: SessionRequest, session: SharedSession, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Answer a message of a session."""
        message, receive = await _message(scope, receive)
        if message is None:
            await refuse_by_sdk(self._app, scope, receive, send)
            return
        connection = make_connection(session, user=asked.user, access=asked.access)
        if message.id is not None and message.method is not None:
            await self._calls.respond(message, message.id, session.name, connection, send)
            return
        if not self._calls.take(message, session.name):
            await self._hand_on(message, session, connection)
        await send_response(send, 202, b"", session.name)

    async def _hand_on(self, message: RpcMessage, session: SharedSession, connection: Connection) -> None:
        """Take a notification; what belongs to a call that runs elsewhere is told to the other replicas."""
        if message.method is None:
            told = {"result": dict(message.result), "error": message.error}
            self._sharing.tell(ReplicaMessage("answer", session.name, message.id, told))
        elif message.method == "notifications/cancelled":
            self._sharing.tell(ReplicaMessage("cancel", session.name, message.params.get("requestId")))
        else:
            self._protocol.notified(message.method, connection)
            await self._saved(session, connection)

    async def _follow(
        self, asked: SessionRequest, session: SharedSession, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Open the session's stream of news; one that another replica has open ends."""
        if not accepts_types(scope, EVENT_STREAM):
            await refuse_by_sdk(self._app, scope, receive, send)
            return
        is_taken = session.name in self._streams
        number = 0 if is_taken else await self._stored(partial(self._sessions.begin_stream, session.name), asked.user)
        if is_taken or session.name in self._streams:
            await make_refusal(409, CONFLICT)(scope, receive, send)
            return
        connection = make_connection(session, user=asked.user, access=asked.access)
        stream = NewsStream(number, connection, partial(self._reloaded, session, asked))
        self._streams[session.name] = stream
        try:
            await stream.run(session.name, self._protocol.subscriptions, receive, send)
        finally:
            del self._streams[session.name]

    async def _end(
        self, asked: SessionRequest, session: SharedSession, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """End a session everywhere."""
        await self._stored(partial(self._sessions.end, session.name, asked.owner), asked.user)
        self._ended(session.name)
        await send_response(send, 200, b"", session.name)

    async def _answered(
        self, message: RpcMessage, id_: RequestId, connection: Connection, outlet: CallOutlet, access: Access | None
    ) -> dict[str, Any]:
        """The result of a request; what it changed of its session is kept before its client hears of it."""
        session = SharedSession(outlet.session, connection.id, 0, read_session_state(connection))
        try:
            return await self._answer(message, id_, connection, outlet, access)
        finally:
            await self._saved(session, connection)

    async def _saved(self, session: SharedSession, connection: Connection) -> None:
        after: SessionState = read_session_state(connection)
        if after == session.state:
            return
        try:
            await self._stored(partial(self._sessions.save, session, after), connection.user)
        except StorageFailed as error:
            raise RpcError(INTERNAL_ERROR, CANT_KEEP) from error

    async def _found(self, name: str, asked: SessionRequest) -> SharedSession | None:
        """A session as it is now; only what has changed since it was last asked for is read."""
        find = partial(self._sessions.find, name, asked.owner, self._known.get(name))
        try:
            found = await self._stored(find, asked.user)
        except StorageFailed:  # the database may have been restarted under this very statement
            found = await self._stored(find, asked.user)
        if found is None:
            self._known.pop(name, None)
            return None
        self._known[name] = found
        self._known.move_to_end(name)
        while len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)
        return found

    async def _reloaded(self, session: SharedSession, asked: SessionRequest, connection: Connection) -> bool:
        found = await self._found(session.name, asked)
        if found is not None:
            update_connection(connection, found.state)
        return found is not None

    async def _stored(self, function: Callable[[], T], user: str | None = None) -> T:
        """Work with the database, on a thread that may wait; for a user, or for the service itself."""
        return await self._workers.run(bind_caller(user, function))

    def _listen(self) -> None:
        """Be told what other replicas say, on this loop."""
        if not self._is_listening:
            self._is_listening = True
            loop = asyncio.get_running_loop()

            def hear(word: ReplicaMessage) -> None:
                with suppress(RuntimeError):  # the loop has closed: nobody is left to tell
                    loop.call_soon_threadsafe(self._hear, word)

            self._sharing.introduce(hear)

    def _hear(self, word: ReplicaMessage) -> None:
        stream = self._streams.get(word.session)
        if word.kind == "ended":
            self._ended(word.session)
        elif word.kind == "answer":
            self._calls.take(RpcMessage(None, word.about, {}, word.told["result"], word.told["error"]), word.session)
        elif word.kind == "cancel":
            self._calls.take(RpcMessage("notifications/cancelled", None, {"requestId": word.about}), word.session)
        elif word.kind == "missed":
            for each in self._streams.values():
                each.grow_stale()
        elif stream is not None and word.kind == "session":
            stream.grow_stale()
        elif stream is not None and word.kind == "stream":
            stream.give_way(word.about)

    def _ended(self, name: str) -> None:
        self._known.pop(name, None)
        self._calls.leave(name)
        if (stream := self._streams.get(name)) is not None:
            stream.end()


async def _message(scope: Scope, receive: Receive) -> tuple[RpcMessage | None, Receive]:
    """The message that a POST brings, where all is as it should be; and a `receive` that gives it again."""
    if scope["method"] != "POST":
        return None, receive
    body = (await receive()).get("body", b"")
    message: RpcMessage | None = None
    if has_content_type(scope, JSON) and accepts_types(scope, JSON, EVENT_STREAM):
        with suppress(RpcError):
            message = parse_message(body)
    return message, replay_body(body, receive)
