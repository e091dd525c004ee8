"""The other two of three layers around a call over HTTP: `HttpSessions` finds its session, `HttpCalls` answers it.

Sessions of the handshake era are ours, and their requests are answered here, as plain JSON. The SDK would open a stream
for each, with five tasks and four queues behind it: three quarters of a call's time. It knows no session.

Most clients vanish without a word. Their sessions must not lock others out, and no peer may fill the table alone: one
that has too many gives up its own. On the loopback every client has the same address, so a peer is an address with the
name that the client gives itself (`User-Agent`); where requests have a principal, that is the peer.
"""

import asyncio
import os
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any, NamedTuple

from starlette.types import ASGIApp, Receive, Scope, Send

from fieldguide.settings.access import Access
from fieldguide.settings.limits import Limits
from fieldguide.settings.service import MCP_PATH
from fieldguide.spine.executor import Executor
from fieldguide.spine.tool import INTERNAL_ERROR
from fieldguide.text.errors import FieldguideError, Refusal
from fieldguide.wire.http_guard import SESSION_HEADER, make_refusal, read_body, read_caller, replay_body
from fieldguide.wire.jsonrpc import RequestId, RpcError, RpcMessage, encode_message, parse_message
from fieldguide.wire.protocol import HANDSHAKE_VERSIONS, Connection, Protocol, Request

VERSIONS = (None, *(version.encode() for version in HANDSHAKE_VERSIONS))
CANCELLED = {"code": -32800, "message": "Request cancelled"}
JSON = b"application/json"
STREAM = b"text/event-stream"
JSON_TYPES = (JSON, b"application/*", b"*/*")
STREAM_TYPES = (STREAM, b"text/*", b"*/*")

Answering = Callable[[RpcMessage, RequestId, Connection, Access | None], Coroutine[Any, Any, dict[str, Any]]]
NAME_BYTES = 200
NO_STREAM = "Method Not Allowed: this server opens no stream. Send requests with POST."
IDLE_SECONDS = 1800.0
QUICK = frozenset({"initialize", "ping", "server/discover", "server/performance", "tools/list"})
"""Methods that wait for nothing, so no thread is asked to answer them."""


class HttpAnswers(NamedTuple):
    """Has the protocol answer requests on worker threads, while the event loop goes on."""

    protocol: Protocol
    executor: Executor

    async def answer(
        self,
        message: RpcMessage,
        id_: RequestId,
        connection: Connection,
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
                access=access,
            )
            if method in QUICK:
                return self.protocol.answer(request)
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


class HttpCalls:
    """The calls of open sessions that are under way."""

    def __init__(self, answer: Answering) -> None:
        self._answer = answer
        self._running: dict[tuple[str, RequestId], asyncio.Task[dict[str, Any]]] = {}

    def leave(self, session: str) -> None:
        """Cancel what a session that has ended still waits for."""
        for (owner, _), task in list(self._running.items()):
            if owner == session:
                task.cancel()

    async def respond(
        self, message: RpcMessage, id_: RequestId, session: "HttpSession", access: Access | None, send: Send
    ) -> None:
        """Answer a request of a session."""
        key = (session.name, id_)
        task = asyncio.ensure_future(self._answer(message, id_, session.connection, access))
        self._running[key] = task
        reply: dict[str, Any] = {"jsonrpc": "2.0", "id": id_}
        try:
            reply["result"] = await task
        except RpcError as error:
            reply["error"] = error.described()
        except asyncio.CancelledError:
            if not task.cancelled():  # it is the server that ends, not the call
                task.cancel()
                raise
            # The client may have left; the official one is upset by JSON then.
            event = b"event: message\r\ndata: " + encode_message({**reply, "error": CANCELLED})[:-1] + b"\r\n\r\n"
            await send_response(send, 200, event, session.name, STREAM)
            return
        finally:
            if self._running.get(key) is task:
                del self._running[key]
        try:
            data = encode_message(reply)[:-1]
        except (TypeError, ValueError, RecursionError):  # a tool's own answer that no JSON can hold
            internal = {"code": INTERNAL_ERROR, "message": "Internal error"}
            data = encode_message({"jsonrpc": "2.0", "id": id_, "error": internal})[:-1]
        await send_response(send, 200, data, session.name)

    def take(self, message: RpcMessage, session: str) -> bool:
        """Whether a message is a cancellation of one of our calls; it is cancelled."""
        if message.method != "notifications/cancelled":
            return False
        cancelled: Any = message.params.get("requestId")
        task = self._running.get((session, cancelled)) if isinstance(cancelled, str | int | float) else None
        if task is None:
            return False
        task.cancel()
        return True


def read_plain_message(body: bytes) -> RpcMessage | None:
    """The message of a body; None for what is for the SDK to judge."""
    try:
        return parse_message(body)
    except RpcError:
        return None


async def send_response(send: Send, status: int, data: bytes, session: str, media_type: bytes = JSON) -> None:
    """Send a response in one piece."""
    headers = [(b"content-type", media_type), (b"content-length", str(len(data)).encode())]
    if session:
        headers.append((SESSION_HEADER, session.encode("latin-1")))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": data, "more_body": False})


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


class MemorySessions:
    """The sessions of one process, in the order of their use."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = monotonic) -> None:
        self._limits = limits
        self._clock = clock
        self._sessions: dict[str, HttpSession] = {}
        self.tell_ended: Callable[[str], None] = lambda name: None

    def open(self, caller: SessionCaller, connection: Connection) -> str:
        """Open a session, in place of the one that was unused longest if need be."""
        for each in [*self._sessions.values()]:
            self._end_if_over(each)
        own = [each for each in self._sessions.values() if each.caller.peer == caller.peer]
        for limit, rivals in (("http_sessions_per_peer", own), ("http_sessions", [*self._sessions.values()])):
            if len(rivals) < getattr(self._limits, limit):
                continue
            idle = [each for each in rivals if not each.calls]
            if not idle:
                raise Refusal(make_session_refusal(limit, len(rivals)))
            self.end(min(idle, key=lambda each: each.used_at))
            break  # one has left, so there is room in all as well
        name = os.urandom(16).hex()
        self._sessions[name] = HttpSession(name, caller, connection, self._clock())
        return name

    def find(self, name: str, caller: SessionCaller) -> HttpSession | None:
        """The caller's session of this name, with the rights that its caller has now."""
        session = self._sessions.get(name)
        if session is None or session.caller.owner != caller.owner or self._end_if_over(session):
            return None
        return session

    def end(self, session: HttpSession) -> None:
        """End a session."""
        self._sessions.pop(session.name, None)
        self.tell_ended(session.name)

    def _end_if_over(self, session: HttpSession) -> bool:
        """End a session that was silent for half an hour: its client has gone."""
        is_used = session.calls or self._clock() - session.used_at <= IDLE_SECONDS
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
        session.calls += 1
        try:
            if message is not None and message.id is not None and message.method is not None:
                await self.calls.respond(message, message.id, session, caller.access, send)
            elif message is not None:
                await self._take(message, session, send)
            elif scope["method"] == "GET":
                await make_refusal(405, NO_STREAM, {"allow": "POST, DELETE"})(scope, receive, send)
            elif scope["method"] == "DELETE":
                self._store.end(session)
                await send_response(send, 200, b"", session.name)
            else:
                await self._refuse(scope, replay_body(body, receive), send)
        finally:
            session.calls -= 1
            session.used_at = monotonic()

    def leave(self, name: str) -> None:
        """Let the calls of a session that has ended end too."""
        self.calls.leave(name)

    async def _open(
        self, message: RpcMessage, id_: RequestId, caller: SessionCaller, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Open a session for an `initialize`."""
        connection = Connection(user=caller.user)
        reply: dict[str, Any] = {"jsonrpc": "2.0", "id": id_}
        name = ""
        try:
            reply["result"] = await self._answer(message, id_, connection, caller.access)
            name = self._store.open(caller, connection)
        except RpcError as error:
            reply["error"] = error.described()
        except Refusal as error:
            await make_refusal(503, error.message)(scope, receive, send)
            return
        await send_response(send, 200, encode_message(reply)[:-1], name)

    async def _take(self, message: RpcMessage, session: HttpSession, send: Send) -> None:
        """Take a notification of a session."""
        if not self.calls.take(message, session.name) and message.method is not None:
            self._protocol.notified(message.method, session.connection)
        await send_response(send, 202, b"", session.name)
