"""The other two of three layers around a call over HTTP: `HttpSessions` finds its session, `HttpCalls` answers it.

Sessions of the handshake era are ours, and their requests are answered here, as plain JSON. The SDK would open a stream
for each, with five tasks and four queues behind it: three quarters of a call's time. It knows no session.

Most clients vanish without a word. Their sessions must not lock others out, and no peer may fill the table alone: one
that has too many gives up its own. On the loopback every client has the same address, so a peer is an address with the
name that the client gives itself (`User-Agent`); where requests have a principal, that is the peer.
"""

import asyncio
import contextlib
import os
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import CancelledError
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any, NamedTuple, TypeVar

from starlette.types import ASGIApp, Receive, Scope, Send

from fieldguide.settings.access import Access
from fieldguide.settings.limits import Limits
from fieldguide.settings.service import MCP_PATH
from fieldguide.spine.executor import Executor
from fieldguide.spine.tool import INTERNAL_ERROR
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.errors import Cancelled, FieldguideError, Refusal
from fieldguide.wire.http_guard import SESSION_HEADER, make_refusal, read_body, read_caller, replay_body
from fieldguide.wire.jsonrpc import RequestId, RpcError, RpcMessage, encode_message, parse_message, read_answer
from fieldguide.wire.protocol import HANDSHAKE_VERSIONS, LISTEN, Connection, Protocol, Request
from fieldguide.wire.subscriptions import AsyncOutlet, NewsStream, stream_changes

T = TypeVar("T")
VERSIONS = (None, *(version.encode() for version in HANDSHAKE_VERSIONS))
CANCELLED = {"code": -32800, "message": "Request cancelled"}
JSON = b"application/json"
STREAM = b"text/event-stream"
JSON_TYPES = (JSON, b"application/*", b"*/*")
STREAM_TYPES = (STREAM, b"text/*", b"*/*")

Asked = dict[tuple[str, RequestId], asyncio.Future[RpcMessage]]
Answering = Callable[
    [RpcMessage, RequestId, Connection, "CallOutlet", Access | None], Coroutine[Any, Any, dict[str, Any]]
]
NO_CACHE = [(b"cache-control", b"no-cache, no-transform"), (b"connection", b"keep-alive")]
NAME_BYTES = 200
PING = b": ping\r\n\r\n"
CONFLICT = "Conflict: Only one SSE stream is allowed per session"
IDLE_SECONDS = 1800.0
QUICK = frozenset({"initialize", "ping", "logging/setLevel", "server/discover", "server/performance", "tools/list"})
"""Methods that wait for nothing, so no thread is asked to answer them."""


class LoopOutlet(NamedTuple):
    """The way to a client on an event loop, for the thread that answers its request."""

    outlet: AsyncOutlet
    loop: asyncio.AbstractEventLoop

    def notify(self, method: str, params: Mapping[str, Any], cancellation: Cancellation) -> None:
        """Send a notification, and come back when it is sent: none may overtake the answer."""
        self._wait(self.outlet.notify(method, params), cancellation)

    def request(self, method: str, params: Mapping[str, Any], cancellation: Cancellation) -> dict[str, Any]:
        """Send a request and wait for its result."""
        return self._wait(self.outlet.request(method, params), cancellation)

    def _wait(self, sending: Coroutine[Any, Any, T], cancellation: Cancellation) -> T:
        waiting = asyncio.run_coroutine_threadsafe(sending, self.loop)

        def cancel() -> None:
            waiting.cancel()

        try:
            with cancellation.stopping(cancel):
                return waiting.result()
        except CancelledError:
            raise Cancelled("The call was cancelled.") from None


class HttpAnswers(NamedTuple):
    """Has the protocol answer requests on worker threads, while the event loop goes on."""

    protocol: Protocol
    executor: Executor

    async def answer(
        self,
        message: RpcMessage,
        id_: RequestId,
        connection: Connection,
        outlet: AsyncOutlet,
        access: Access | None = None,
    ) -> dict[str, Any]:
        """The result of a request; RpcError when there is none."""
        method = message.method or ""
        try:
            request = self.protocol.make_request(
                method,
                message.params,
                request_id=id_,
                connection=connection,
                outlet=LoopOutlet(outlet, asyncio.get_running_loop()),
                access=access,
            )
            if method in QUICK:
                return self.protocol.answer(request)
            if method == LISTEN:
                return await self._listen(request, outlet)
            return await self._run(request)
        except RpcError:
            raise
        except Exception as error:
            self.executor.journal.note("Internal error", method=method, cause=repr(error))
            raise RpcError(INTERNAL_ERROR, "Internal error") from error

    async def _run(self, request: Request) -> dict[str, Any]:
        """Answer a request on a worker thread; a call waits for its place first."""
        workers = self.executor.workers
        try:
            if request.method not in self.protocol.calls:
                return await workers.run(partial(self.protocol.answer, request), request.cancellation)
            async with self.executor.place(request.access) as busy:
                request.cancellation.since = monotonic()  # the wait for a place has a limit of its own
                call = request._replace(refusal=busy)
                return await workers.run(partial(self.protocol.answer, call), request.cancellation)
        except FieldguideError as error:  # it was given up: its time is over
            return self.protocol.tell_error(request, error)

    async def _listen(self, request: Request, outlet: AsyncOutlet) -> dict[str, Any]:
        following = (
            contextlib.nullcontext() if self.protocol.observer is None else self.protocol.observer.follow(request)
        )
        with following:
            result = await stream_changes(self.protocol.subscriptions, request, outlet, self.executor.workers)
            return self.protocol.stamp(request, result)


class HttpCalls:
    """The calls of open sessions that are under way, and what their clients were asked."""

    def __init__(self, answer: Answering) -> None:
        self._answer = answer
        self._running: dict[tuple[str, RequestId], asyncio.Task[dict[str, Any]]] = {}
        self._asked: Asked = {}

    def leave(self, session: str) -> None:
        """Cancel what a session that has ended still waits for."""
        for (owner, _), task in list(self._running.items()):
            if owner == session:
                task.cancel()

    async def respond(
        self, message: RpcMessage, id_: RequestId, session: str, connection: Connection, send: Send
    ) -> None:
        """Answer a request of a session, as JSON or on a stream."""
        outlet = CallOutlet(send, session, self._asked)
        task = self._running[session, id_] = asyncio.ensure_future(
            self._answer(message, id_, connection, outlet, connection.access)
        )
        reply: dict[str, Any] = {"jsonrpc": "2.0", "id": id_}
        try:
            reply["result"] = await task
        except RpcError as error:
            reply["error"] = error.described()
        except asyncio.CancelledError:
            if not task.cancelled():  # it is the server that ends, not the call
                task.cancel()
                raise
            reply["error"] = CANCELLED
            await outlet.begin_stream()
        finally:
            if self._running.get((session, id_)) is task:
                del self._running[session, id_]
        await outlet.finish(reply)

    def take(self, message: RpcMessage, session: str) -> bool:
        """Whether a message is a cancellation of one of our calls, or the answer to a question of ours; it is taken."""
        if message.method == "notifications/cancelled":
            cancelled: Any = message.params.get("requestId")
            task = self._running.get((session, cancelled)) if isinstance(cancelled, str | int | float) else None
            if task is None:
                return False
            task.cancel()
            return True
        waiting = self._asked.get((session, message.id)) if message.method is None and message.id is not None else None
        if waiting is None:
            return False
        if not waiting.done():
            waiting.set_result(message)
        return True


@dataclass(slots=True)
class CallOutlet:
    """The way to the client of one request: nothing is sent before its answer, unless a tool has something to say."""

    _send: Send
    session: str
    _asked: Asked
    _is_stream: bool = False
    _is_done: bool = False

    async def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a notification on the request's stream."""
        await self._say({"jsonrpc": "2.0", "method": method, "params": dict(params)})

    async def request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request on the request's stream and wait for the client's answer, which comes on its own way."""
        id_ = f"fieldguide-{os.urandom(6).hex()}"
        answered: asyncio.Future[RpcMessage] = asyncio.get_running_loop().create_future()
        self._asked[self.session, id_] = answered
        try:
            await self._say({"jsonrpc": "2.0", "id": id_, "method": method, "params": dict(params)})
            return read_answer(await answered)
        finally:
            del self._asked[self.session, id_]

    async def begin_stream(self) -> None:
        """Answer on a stream. A client that has cancelled may have left: the official one is upset by JSON then."""
        if not self._is_stream:
            self._is_stream = True
            await self._send(make_stream_start(self.session))

    async def ping(self) -> None:
        """Let the client know that the stream is open."""
        await self._send({"type": "http.response.body", "body": PING, "more_body": True})

    async def close(self) -> None:
        """End a stream without an answer."""
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def finish(self, reply: dict[str, Any]) -> None:
        """Send the answer: as JSON, or as the last word of the stream."""
        try:
            data = encode_message(reply)[:-1]
        except (TypeError, ValueError, RecursionError):  # a tool's own answer that no JSON can hold
            internal = {"code": INTERNAL_ERROR, "message": "Internal error"}
            data = encode_message({"jsonrpc": "2.0", "id": reply["id"], "error": internal})[:-1]
        self._is_done = True
        if self._is_stream:
            await self._send({"type": "http.response.body", "body": format_event(data), "more_body": False})
        else:
            await send_response(self._send, 200, data, self.session)

    async def _say(self, message: dict[str, Any]) -> None:
        if self._is_done:
            return
        data = encode_message(message)[:-1]
        await self.begin_stream()
        await self._send({"type": "http.response.body", "body": format_event(data), "more_body": True})


def read_plain_message(body: bytes) -> RpcMessage | None:
    """The message of a body; None for what is for the SDK to judge."""
    try:
        return parse_message(body)
    except RpcError:
        return None


def format_event(data: bytes) -> bytes:
    """One message as a stream carries it."""
    return b"event: message\r\ndata: " + data + b"\r\n\r\n"


async def send_response(send: Send, status: int, data: bytes, session: str) -> None:
    """Send a response in one piece."""
    headers = [(b"content-type", JSON), (b"content-length", str(len(data)).encode())]
    if session:
        headers.append((SESSION_HEADER, session.encode("latin-1")))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": data, "more_body": False})


def make_stream_start(session: str) -> dict[str, Any]:
    """The beginning of a response that is a stream, which names its session where it has one."""
    headers = [(b"content-type", STREAM), *NO_CACHE]
    if session:
        headers.append((SESSION_HEADER, session.encode("latin-1")))
    return {"type": "http.response.start", "status": 200, "headers": headers}


def make_session_refusal(limit: str, count: int) -> str:
    """The sentence for a client whose session can't be opened."""
    return (
        f"There are {count} sessions already, and each has a call under way. End one, or raise the limit {limit}: "
        f"FIELDGUIDE_LIMIT_{limit.upper()}."
    )


class SessionCaller(NamedTuple):
    """Who asks: whose their sessions are, for which user, with which rights, and with whom they are counted."""

    owner: str
    user: str | None
    access: Access | None
    peer: str

    @classmethod
    def read(cls, scope: Scope, headers: Mapping[bytes, bytes], user: str | None) -> "SessionCaller":
        """Who sent a request; `user` is whom the server is bound to."""
        principal, access = read_caller(scope)
        if principal is not None:
            owner = "\n".join(principal.key)
            return cls(owner, principal.user, access, owner)
        address = (scope.get("client") or ("",))[0]
        agent = headers.get(b"user-agent", b"")[:NAME_BYTES].decode("latin-1")
        return cls("", user, access, f"{address} {agent}")


@dataclass(slots=True)
class HttpSession:
    """One session: whose it is, its connection, when it was last used, and what of it is under way."""

    name: str
    caller: SessionCaller
    connection: Connection
    used_at: float = 0.0
    calls: int = 0
    listening: int = 0


class MemorySessions:
    """The sessions of one process, in the order of their use."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = monotonic) -> None:
        self._limits = limits
        self._clock = clock
        self._sessions: dict[str, HttpSession] = {}
        self.tell_ended: Callable[[str], None] = lambda name: None

    def open(self, caller: SessionCaller, connection: Connection) -> str:
        """Open a session, in place of the one that was unused longest if need be; one without a stream goes first."""
        for each in [*self._sessions.values()]:
            self._end_if_over(each)
        own = [each for each in self._sessions.values() if each.caller.peer == caller.peer]
        for limit, rivals in (("http_sessions_per_peer", own), ("http_sessions", [*self._sessions.values()])):
            if len(rivals) < getattr(self._limits, limit):
                continue
            idle = [each for each in rivals if not each.calls]
            if not idle:
                raise Refusal(make_session_refusal(limit, len(rivals)))
            self.end(min(idle, key=lambda each: (each.listening, each.used_at)))
            break  # one has left, so there is room in all as well
        name = os.urandom(16).hex()
        self._sessions[name] = HttpSession(name, caller, connection, self._clock())
        return name

    def find(self, name: str, caller: SessionCaller) -> HttpSession | None:
        """The caller's session of this name, with the rights that its caller has now."""
        session = self._sessions.get(name)
        if session is None or session.caller.owner != caller.owner or self._end_if_over(session):
            return None
        session.connection.access = caller.access
        return session

    def end(self, session: HttpSession) -> None:
        """End a session."""
        self._sessions.pop(session.name, None)
        self.tell_ended(session.name)

    def _end_if_over(self, session: HttpSession) -> bool:
        """End a session that was silent for half an hour: its client has gone."""
        is_used = session.calls or session.listening or self._clock() - session.used_at <= IDLE_SECONDS
        if not is_used:
            self.end(session)
        return not is_used

    def __len__(self) -> int:
        return len(self._sessions)


class HttpSessions:
    """An ASGI application before the SDK's: it answers the handshake era, and hands on the new one untouched.

    The SDK has no session. It carries the new era, and words the refusals of what is malformed (`refuse`).
    """

    def __init__(
        self,
        app: ASGIApp,
        refuse: ASGIApp,
        store: MemorySessions,
        *,
        protocol: Protocol,
        answer: Answering,
        limits: Limits,
        user: str | None,
    ) -> None:
        self._app = app
        self._refuse = refuse
        self._store = store
        self._protocol = protocol
        self._answer = answer
        self._limits = limits
        self._user = user
        self.calls = HttpCalls(answer)
        self.streams: dict[str, NewsStream] = {}
        store.tell_ended = self.leave

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of the handshake era, or pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = await read_body(self._limits, scope, receive, send)
        if body is None:
            return
        headers: dict[bytes, bytes] = dict(reversed(scope["headers"]))  # of several of a name the first counts
        if scope["path"] != MCP_PATH or headers.get(b"mcp-protocol-version") not in VERSIONS:
            await self._app(scope, replay_body(body, receive), send)
            return
        caller = SessionCaller.read(scope, headers, self._user)
        kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
        accepted = b",".join(value for name, value in scope["headers"] if name == b"accept").lower()
        takes_json = any(each in accepted for each in JSON_TYPES)
        takes_stream = any(each in accepted for each in STREAM_TYPES)
        message = None
        if scope["method"] == "POST" and kind == JSON and takes_json and takes_stream:
            message = read_plain_message(body)
        if SESSION_HEADER not in headers:
            if message is not None and message.method == "initialize" and message.id is not None:
                await self._open(message, message.id, caller, scope, receive, send)
            else:
                await self._refuse(scope, replay_body(body, receive), send)
            return
        session = self._store.find(headers[SESSION_HEADER].decode("latin-1"), caller)
        if session is None:  # the SDK has none either, and says so
            await self._app(scope, replay_body(body, receive), send)
            return
        is_stream = scope["method"] == "GET"
        session.calls += not is_stream
        session.listening += is_stream
        try:
            if message is not None and message.id is not None and message.method is not None:
                await self.calls.respond(message, message.id, session.name, session.connection, send)
            elif message is not None:
                await self._take(message, session, send)
            elif is_stream and takes_stream:
                await self._follow(session, scope, receive, send)
            elif scope["method"] == "DELETE":
                self._store.end(session)
                await send_response(send, 200, b"", session.name)
            else:
                await self._refuse(scope, replay_body(body, receive), send)
        finally:
            session.calls -= not is_stream
            session.listening -= is_stream
            session.used_at = monotonic()

    def leave(self, name: str) -> None:
        """Let the calls and the stream of a session that has ended end too."""
        self.calls.leave(name)
        if name in self.streams:
            self.streams[name].end()

    async def _open(
        self, message: RpcMessage, id_: RequestId, caller: SessionCaller, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Open a session for an `initialize`."""
        connection = Connection(user=caller.user, access=caller.access)
        reply: dict[str, Any] = {"jsonrpc": "2.0", "id": id_}
        name = ""
        try:
            reply["result"] = await self._answer(message, id_, connection, CallOutlet(send, "", {}), caller.access)
            name = self._store.open(caller, connection)
        except RpcError as error:
            reply["error"] = error.described()
        except Refusal as error:
            await make_refusal(503, error.message)(scope, receive, send)
            return
        await send_response(send, 200, encode_message(reply)[:-1], name)

    async def _take(self, message: RpcMessage, session: HttpSession, send: Send) -> None:
        """Take an answer or a notification of a session."""
        if not self.calls.take(message, session.name) and message.method is not None:
            self._protocol.notified(message.method, session.connection)
        await send_response(send, 202, b"", session.name)

    async def _follow(self, session: HttpSession, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the news of a session on its stream."""
        if session.name in self.streams:
            await make_refusal(409, CONFLICT)(scope, receive, send)
            return
        stream = self.streams[session.name] = NewsStream(session.connection)
        try:
            await stream.run(self._protocol.subscriptions, CallOutlet(send, session.name, {}), receive)
        finally:
            del self.streams[session.name]
