"""Requests of an open HTTP session, answered as plain JSON; a stream begins only when there is more to say.

The SDK would open a stream for each, with five tasks and four queues behind it: three quarters of a call's time. What
opens and ends a session, its own stream of news and the new era stay the SDK's.
"""

import asyncio
import os
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from fieldguide.server.connection import Connection
from fieldguide.server.era import HANDSHAKE_VERSIONS
from fieldguide.server.jsonrpc import INTERNAL_ERROR, Message, RequestId, RpcError, encode, parse
from fieldguide.server.web.bodies import replayed
from fieldguide.server.web.endpoint import PATH
from fieldguide.server.web.principals import caller_of
from fieldguide.spine.callers.access import Access

SESSION_HEADER = b"mcp-session-id"
VERSIONS = (None, *(version.encode() for version in HANDSHAKE_VERSIONS))
CANCELLED = {"code": -32800, "message": "Request cancelled"}
JSON, STREAM = b"application/json", b"text/event-stream"

Asked = dict[tuple[str, RequestId], asyncio.Future[dict[str, Any]]]
Answering = Callable[[Message, RequestId, Connection, "CallOutlet", Access | None], Coroutine[Any, Any, dict[str, Any]]]


class HttpCalls:
    """An ASGI application before the SDK's: it answers what it can by itself, and hands on the rest untouched."""

    def __init__(self, app: ASGIApp, sessions: Mapping[str, Connection], answer: Answering) -> None:
        self._app = app
        self._sessions = sessions
        self._answer = answer
        self._running: dict[tuple[str, RequestId], asyncio.Task[dict[str, Any]]] = {}
        self._asked: Asked = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a message of an open session, or pass it on."""
        session, caller = _session_of(scope), caller_of(scope)
        connection = None if session is None else self._sessions.get(session)
        if session is None or connection is None or connection.owner != caller.key:
            await self._app(scope, receive, send)
            return
        body = (await receive()).get("body", b"")
        message = parsed(body)
        if message is None:
            await self._app(scope, replayed(body, receive), send)
        elif message.id is not None and message.method is not None and message.method != "initialize":
            connection.access = caller.access
            await self.respond(message, message.id, session, connection, send)
        elif self.take(message, session):
            await send_whole(send, 202, b"", session)
        else:
            await self._app(scope, replayed(body, receive), send)

    def leave(self, session: str) -> None:
        """Cancel what a session that has ended still waits for."""
        for (owner, _), task in list(self._running.items()):
            if owner == session:
                task.cancel()

    async def respond(self, message: Message, id_: RequestId, session: str, connection: Connection, send: Send) -> None:
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

    def take(self, message: Message, session: str) -> bool:
        """Whether a message is a cancellation of one of our calls, or the answer to a question of ours; it is taken."""
        if message.method == "notifications/cancelled":
            cancelled: Any = message.params.get("requestId")
            task = self._running.get((session, cancelled)) if isinstance(cancelled, str | int | float) else None
            return task is not None and (task.cancel() or True)
        waiting = self._asked.get((session, message.id)) if message.method is None and message.id is not None else None
        if waiting is None:
            return False
        if not waiting.done():
            _settle(waiting, message)
        return True


def _settle(waiting: "asyncio.Future[dict[str, Any]]", answer: Message) -> None:
    """Give a client's answer to whoever asked."""
    if answer.error is None:
        waiting.set_result(dict(answer.result))
        return
    told = str(answer.error.get("message", "no reason given"))
    waiting.set_exception(RpcError(INTERNAL_ERROR, told))


class CallOutlet:
    """The way to the client of one request: nothing is sent before its answer, unless a tool has something to say."""

    def __init__(self, send: Send, session: str, asked: Asked) -> None:
        self._send = send
        self.session = session
        self._asked = asked
        self._is_stream = False
        self._is_done = False

    async def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a notification on the request's stream."""
        await self._say({"jsonrpc": "2.0", "method": method, "params": dict(params)})

    async def request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request on the request's stream and wait for the client's answer, which comes on its own way."""
        id_ = f"fieldguide-{os.urandom(6).hex()}"
        answered: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._asked[self.session, id_] = answered
        try:
            await self._say({"jsonrpc": "2.0", "id": id_, "method": method, "params": dict(params)})
            return await answered
        finally:
            del self._asked[self.session, id_]

    async def begin_stream(self) -> None:
        """Answer on a stream. A client that has cancelled may have left: the official one is upset by JSON then."""
        if not self._is_stream:
            self._is_stream = True
            await self._send(start(200, [(b"content-type", STREAM), *NO_CACHE], self.session))

    async def finish(self, reply: dict[str, Any]) -> None:
        """Send the answer: as JSON, or as the last word of the stream."""
        try:
            data = encode(reply)[:-1]
        except (TypeError, ValueError, RecursionError):  # a tool's own answer that no JSON can hold
            internal = {"code": INTERNAL_ERROR, "message": "Internal error"}
            data = encode({"jsonrpc": "2.0", "id": reply["id"], "error": internal})[:-1]
        self._is_done = True
        if self._is_stream:
            await self._send({"type": "http.response.body", "body": event(data), "more_body": False})
        else:
            await send_whole(self._send, 200, data, self.session)

    async def _say(self, message: dict[str, Any]) -> None:
        if self._is_done:
            return
        data = encode(message)[:-1]
        await self.begin_stream()
        await self._send({"type": "http.response.body", "body": event(data), "more_body": True})


NO_CACHE = [(b"cache-control", b"no-cache, no-transform"), (b"connection", b"keep-alive")]


def _session_of(scope: Scope) -> str | None:
    """The session that a POST names, where the headers say all as they should; None: it is for the SDK to judge."""
    if scope["type"] != "http" or scope["method"] != "POST" or scope["path"] != PATH:
        return None
    headers: list[tuple[bytes, bytes]] = scope["headers"]
    found = dict(headers)
    if len(found) < len(headers):
        return None
    accepted = found.get(b"accept", b"")
    is_plain = found.get(b"content-type", b"").partition(b";")[0].strip() == JSON
    if not is_plain or JSON not in accepted or STREAM not in accepted:
        return None
    session = found.get(SESSION_HEADER)
    return None if session is None or found.get(b"mcp-protocol-version") not in VERSIONS else session.decode("latin-1")


def parsed(body: bytes) -> Message | None:
    """The message of a body; None where it is none."""
    try:
        return parse(body)
    except RpcError:
        return None


def event(data: bytes) -> bytes:
    """One message as a stream carries it."""
    return b"event: message\r\ndata: " + data + b"\r\n\r\n"


async def send_whole(send: Send, status: int, data: bytes, session: str) -> None:
    """Send a response in one piece."""
    kind = [(b"content-type", JSON), (b"content-length", str(len(data)).encode())]
    await send(start(status, kind, session))
    await send({"type": "http.response.body", "body": data, "more_body": False})


def start(status: int, headers: list[tuple[bytes, bytes]], session: str) -> dict[str, Any]:
    """The beginning of a response, which names its session where it has one."""
    named = [*headers, *([(SESSION_HEADER, session.encode("latin-1"))] if session else [])]
    return {"type": "http.response.start", "status": status, "headers": named}
