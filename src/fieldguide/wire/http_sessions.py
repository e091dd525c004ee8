"""The other two of three layers around a call over HTTP: `HttpSessions` finds its session, `HttpCalls` answers it.

Requests of an open session are answered here, as plain JSON. The SDK would open a stream for each, with five tasks and
four queues behind it: three quarters of a call's time. What opens and ends a session, its own stream of news and the
new era stay the SDK's.

Most clients vanish without a word. Their sessions must not lock others out, and no peer may fill the table alone: one
that has too many gives up its own. On the loopback every client has the same address, so a peer is an address with the
name that the client gives itself (`User-Agent`); where requests have a principal, that is the peer.
"""

import asyncio
import contextlib
import itertools
import os
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import CancelledError
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any, NamedTuple, TypeVar

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fieldguide.settings.access import Access
from fieldguide.settings.limits import Limits
from fieldguide.settings.service import MCP_PATH
from fieldguide.spine.executor import Executor
from fieldguide.spine.tool import INTERNAL_ERROR
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.errors import Cancelled, FieldguideError
from fieldguide.wire.http_guard import (
    SESSION_HEADER,
    make_refusal,
    read_body,
    read_caller,
    replay_body,
)
from fieldguide.wire.jsonrpc import RequestId, RpcError, RpcMessage, encode_message, parse_message, read_answer
from fieldguide.wire.protocol import HANDSHAKE_VERSIONS, LISTEN, Connection, Protocol, Request
from fieldguide.wire.subscriptions import AsyncOutlet, stream_changes

T = TypeVar("T")
VERSIONS = (None, *(version.encode() for version in HANDSHAKE_VERSIONS))
CANCELLED = {"code": -32800, "message": "Request cancelled"}
JSON = b"application/json"
STREAM = b"text/event-stream"

Asked = dict[tuple[str, RequestId], asyncio.Future[RpcMessage]]
Answering = Callable[
    [RpcMessage, RequestId, Connection, "CallOutlet", Access | None], Coroutine[Any, Any, dict[str, Any]]
]
NO_CACHE = [(b"cache-control", b"no-cache, no-transform"), (b"connection", b"keep-alive")]
NAME_BYTES = 200
IDLE_SECONDS = 1800.0
QUICK = frozenset({"initialize", "ping", "logging/setLevel", "server/discover", "server/performance", "tools/list"})
"""Methods that wait for nothing, so no thread is asked to answer them."""

Peer = tuple[str, bytes] | tuple[str, str]


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
        observe = self.protocol.observe
        with contextlib.nullcontext() if observe is None else observe(request):
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


def read_plain_message(scope: Scope, headers: Mapping[bytes, bytes], body: bytes) -> RpcMessage | None:
    """The message of a POST whose headers say all as they should; None for what is for the SDK to judge."""
    accepted = headers.get(b"accept", b"")
    is_plain = (
        scope["method"] == "POST"
        and scope["path"] == MCP_PATH
        and len(headers) == len(scope["headers"])
        and headers.get(b"content-type", b"").partition(b";")[0].strip() == JSON
        and JSON in accepted
        and STREAM in accepted
        and headers.get(b"mcp-protocol-version") in VERSIONS
    )
    try:
        return parse_message(body) if is_plain else None
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


@dataclass(slots=True)
class HttpSession:
    """One session: whose it is, when it was last used, and what of it is under way."""

    peer: Peer
    owner: tuple[str, str] | None
    used: int
    used_at: float
    calls: int = 0
    listening: int = 0


class HttpSessions:
    """An ASGI application before the SDK's: it answers for open sessions, and ends those that give way to new ones.

    `connections` are the open sessions by name, as the SDK's server knows them, and `end` ends one there.
    """

    def __init__(
        self,
        app: ASGIApp,
        calls: HttpCalls,
        connections: Mapping[str, Connection],
        limits: Limits,
        *,
        end: Callable[[str], Awaitable[None]],
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._app = app
        self._calls = calls
        self._connections = connections
        self._limits = limits
        self._end = end
        self._clock = clock
        self._sessions: dict[str, HttpSession] = {}
        self._moments = itertools.count()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of an open session, which is then marked as used; pass any other on to the SDK."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = await read_body(self._limits, scope, receive, send)
        if body is None:
            return
        headers: dict[bytes, bytes] = dict(reversed(scope.get("headers", ())))  # of several of a name the first counts
        name = headers.get(SESSION_HEADER, b"").decode("latin-1")
        caller = read_caller(scope)
        session = await self._find(name, caller.key) if SESSION_HEADER in headers else None
        if session is None:
            opens = SESSION_HEADER not in headers and scope["method"] == "POST"
            watched = self._watched(scope, receive, send) if opens else send
            await self._app(scope, replay_body(body, receive), watched)
            return
        is_call = int(scope["method"] != "GET")
        session.calls += is_call
        session.listening += 1 - is_call
        try:
            connection = self._connections.get(name)
            message = None if connection is None else read_plain_message(scope, headers, body)
            if connection is None or message is None:
                await self._app(scope, replay_body(body, receive), send)
            elif message.id is not None and message.method not in (None, "initialize"):
                connection.access = caller.access
                await self._calls.respond(message, message.id, name, connection, send)
            elif self._calls.take(message, name):
                await send_response(send, 202, b"", name)
            else:
                await self._app(scope, replay_body(body, receive), send)
        finally:
            session.calls -= is_call
            session.listening += is_call - 1
            session.used = next(self._moments)
            session.used_at = self._clock()
            if scope["method"] == "DELETE":
                await self._end(name)

    async def _find(self, name: str, owner: tuple[str, str] | None) -> HttpSession | None:
        """The owner's session of this name; another's does not exist.

        One of which nothing was heard for so long that its client is taken to be gone is ended.
        """
        session = self._sessions.get(name)
        if session is None or session.owner != owner:
            return None
        if session.calls or session.listening or self._clock() - session.used_at <= IDLE_SECONDS:
            return session
        del self._sessions[name]
        await self._end(name)
        return None

    def _watched(self, scope: Scope, receive: Receive, send: Send) -> Send:
        """A `send` that admits the session which a response opens, or gives a refusal in the response's place."""
        is_refused = False

        async def watched(message: Message) -> None:
            nonlocal is_refused
            if message["type"] == "http.response.start" and message["status"] < 400:
                opened = next((value for name, value in message["headers"] if name == SESSION_HEADER), None)
                sentence = None if opened is None else await self._admit(opened.decode("latin-1"), scope)
                if sentence is not None:
                    is_refused = True
                    await make_refusal(503, sentence)(scope, receive, send)
            if not is_refused:
                await send(message)

        return watched

    async def _admit(self, opened: str, scope: Scope) -> str | None:
        """Admit a new session, in place of another if need be; else end it and return the sentence that refuses it."""
        for name, each in [*self._sessions.items()]:
            await self._find(name, each.owner)  # ends those that are over
        self._sessions = {name: each for name, each in self._sessions.items() if name in self._connections}
        owner = read_caller(scope).key
        agent = next((value for each, value in scope.get("headers", ()) if each == b"user-agent"), b"")
        peer: Peer = owner or ((scope.get("client") or ("",))[0], agent[:NAME_BYTES])
        own = [name for name, each in self._sessions.items() if each.peer == peer]
        for limit, rivals in (("http_sessions_per_peer", own), ("http_sessions", list(self._sessions))):
            if len(rivals) < getattr(self._limits, limit):
                continue
            leaving = self._least_needed(rivals)
            if leaving is None:
                await self._end(opened)
                return make_session_refusal(limit, len(rivals))
            del self._sessions[leaving]
            await self._end(leaving)
            break  # one has left, so there is room in all as well
        self._sessions[opened] = HttpSession(peer, owner, next(self._moments), self._clock())
        return None

    def _least_needed(self, names: list[str]) -> str | None:
        """The session unused longest that has no call under way; one without listeners comes first."""
        idle = [name for name in names if not self._sessions[name].calls]
        return min(idle, key=lambda name: (self._sessions[name].listening, self._sessions[name].used), default=None)


async def delete_session(app: ASGIApp, name: str, owner: object | None = None) -> None:
    """End a session as its own client would: by DELETE, in the name of its owner as the SDK knows it."""
    scope: Scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "DELETE",
        "scheme": "http",
        "path": MCP_PATH,
        "raw_path": MCP_PATH.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(SESSION_HEADER, name.encode("latin-1"))],
        "client": None,
        "server": None,
        **({} if owner is None else {"user": owner}),
    }

    async def nothing() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def ignored(message: Message) -> None:
        pass

    await app(scope, nothing, ignored)
