"""Serves pages and MCP over streamable HTTP: the official SDK's server, our protocol behind it, and uvicorn.

The SDK is in the extra `http`. Without it the pages are served alone, and `cli/service/serve.py` refuses `--http`.

All of this comes before a token is seen: any program on this machine may open a connection.

The SDK's low-level server knows none of our methods: one middleware before it hands every message, as the raw JSON that
came, to the same `Protocol` that stdio uses. Requests of an open session don't even reach the SDK (`HttpSessions`).
"""

import asyncio
import contextlib
import gc
import logging
import os
import signal
import socket
import typing
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from email.utils import formatdate
from functools import lru_cache, partial
from importlib.metadata import version
from time import time
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request as StarletteRequest
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from fieldguide import __version__
from fieldguide.settings.consents import Access as Rights
from fieldguide.settings.limits import Limits
from fieldguide.settings.service import NEEDS_EXTRA, can_serve_mcp
from fieldguide.spine.executor import Executor
from fieldguide.spine.tool import INTERNAL_ERROR
from fieldguide.text.errors import FieldguideError, Misconfiguration
from fieldguide.wire.authentication import to_sdk_user
from fieldguide.wire.connection import Connection, Request
from fieldguide.wire.http_endpoint import PATH, Endpoint
from fieldguide.wire.http_guard import (
    MEGABYTE,
    BoundedBodies,
    Caller,
    HttpAccess,
    HttpGuard,
    RefusedRequests,
    make_refusal,
    read_caller,
)
from fieldguide.wire.http_sessions import HttpCalls, HttpSessions, LoopOutlet, delete_session
from fieldguide.wire.jsonrpc import RequestId, RpcError, RpcMessage
from fieldguide.wire.protocol import LISTEN, Protocol
from fieldguide.wire.subscriptions import AsyncOutlet, follow_changes, stream_changes

if TYPE_CHECKING:
    from ssl import SSLContext

    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

TESTED = "2.3"
METHODS = ("GET", "POST", "DELETE")
STATE = "fieldguide"
SHUTDOWN_SECONDS = 1
LEAVE_SECONDS = 0.3
QUICK = frozenset({"initialize", "ping", "logging/setLevel", "server/discover", "server/performance", "tools/list"})
"""Methods that wait for nothing, so no thread is asked to answer them."""


class GracefulEnd(typing.Protocol):
    """Lets what runs on a server come to its end."""

    async def run(self) -> None:
        """Come back when everything has ended."""
        ...

    def hurry(self) -> None:
        """Wait for nothing any more."""
        ...


class ServerOperation(typing.Protocol):
    """What a server has for those who run it: `team.monitoring.Operation`."""

    refusals: RefusedRequests

    def before(self, app: ASGIApp) -> ASGIApp:
        """The application with its requests counted, and the paths for those who run the server."""
        ...

    def follow(self, close_streams: Callable[[], None], sessions: Callable[[], int]) -> Callable[[], None]:
        """Follow the streams and sessions of a project; gives back what forgets them."""
        ...


class CountedApp(typing.Protocol):
    """An ASGI application that knows how many sessions it has."""

    def __len__(self) -> int:
        """How many sessions are in use."""
        ...

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        ...


class SessionSharing(typing.Protocol):
    """Keeps sessions where every replica finds them: `team.replicas.sharing.ReplicaSharing`."""

    def before(self, app: ASGIApp, bridge: "HttpBridge") -> CountedApp:
        """The application with sessions that every replica knows."""
        ...


class PatientProtocol(H11Protocol):
    """One connection: a request's head must arrive in time, and after an answer the rest of its body too.

    What is sent must be taken in time as well: a client that leaves its answer or its stream unread loses it. 512
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
        self.server_state.default_headers = [(b"date", _date(int(time())))]
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


@lru_cache(maxsize=2)
def _date(second: int) -> bytes:
    return formatdate(second, usegmt=True).encode()


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


def check_sdk(installed: str) -> None:
    """Raise Misconfiguration for an SDK of another minor version, which may have moved those parts."""
    if installed.split(".")[:2] != TESTED.split("."):
        raise Misconfiguration(
            f"`fieldguide serve --http` was tested with the package mcp {TESTED}, and mcp {installed} is installed. "
            f"Install `mcp=={TESTED}.*`, or a newer fieldguide. Over stdio it serves with any."
        )


class HttpOutlet:
    """The way to an HTTP client: a channel of the SDK's, either a request's own stream or the connection's."""

    def __init__(self, channel: Any) -> None:
        self._channel = channel

    async def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a notification."""
        await self._channel.notify(method, params)

    async def request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request and wait for its result."""
        from mcp.shared.exceptions import MCPError

        try:
            answer: dict[str, Any] = await self._channel.send_raw_request(method, params)
        except MCPError as error:
            raise RpcError(error.error.code, error.error.message) from error
        return answer


class HttpBridge:
    """The middleware between the SDK's server and our protocol."""

    def __init__(self, protocol: Protocol, executor: Executor, *, user: str | None) -> None:
        self.protocol = protocol
        self.executor = executor
        self.user = user
        self._passing_id = os.urandom(8).hex()
        self.sessions: dict[str, Connection] = {}

    async def __call__(self, ctx: "ServerRequestContext[Any, Any]", call_next: "CallNext") -> "HandlerResult":
        """Answer a request, or take a notification."""
        from mcp.shared.exceptions import MCPError

        connection = self._connection(ctx)
        if ctx.request_id is None:
            self.protocol.notified(ctx.method, connection)
            return await call_next(ctx)
        outlet = HttpOutlet(_private(ctx.session, "_request_outbound"))
        try:
            message = RpcMessage(ctx.method, None, ctx.params or {})
            access = _caller(ctx).access
            return await self.answer(message, ctx.request_id, connection, outlet, access)
        except RpcError as error:
            raise MCPError(error.code, error.message, error.data) from error

    async def answer(
        self,
        message: RpcMessage,
        id_: RequestId,
        connection: Connection,
        outlet: AsyncOutlet,
        access: Rights | None = None,
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
                request.cancellation.begin()
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

    def _connection(self, context: "ServerRequestContext[Any, Any]") -> Connection:
        theirs = _private(context.session, "_connection")
        ours: Connection | None = theirs.state.get(STATE)
        caller = _caller(context)
        if ours is None:
            user = self.user if caller.principal is None else caller.principal.user
            ours = Connection(user=user, owner=caller.key)
            if theirs.session_id is None:  # the new era connects anew for each request: they belong together
                ours.id = " ".join([self._passing_id, *(caller.key or ())])
                ours.is_passing = True
            theirs.state[STATE] = ours
            if theirs.session_id is not None:
                self.sessions[theirs.session_id] = ours
                theirs.exit_stack.callback(self.sessions.pop, theirs.session_id, None)
                outlet = HttpOutlet(theirs.outbound)
                following = asyncio.create_task(follow_changes(self.protocol.subscriptions, ours, outlet))
                theirs.exit_stack.callback(following.cancel)
        ours.access = caller.access
        return ours


def build_asgi(
    protocol: Protocol,
    executor: Executor,
    *,
    access: HttpAccess,
    limits: Limits,
    user: str | None = None,
    routes: Sequence[BaseRoute] = (),
    asks: Callable[[ASGIApp], ASGIApp] | None = None,
    sharing: SessionSharing | None = None,
    operation: ServerOperation | None = None,
) -> ASGIApp:
    """The ASGI application: MCP at `/mcp` and the given routes, behind the guard and within the limits.

    `asks` puts before it what finds out who asks, such as `Principals`. `operation` counts what is under way, and adds
    the paths for those who run the server.
    """
    app = build_project(
        protocol, executor, limits=limits, user=user, routes=routes, sharing=sharing, operation=operation
    )
    counted = app if operation is None else operation.before(app)
    pages = {route.path.split("/")[1] for route in routes if isinstance(route, Route)} - {""}
    refused = None if operation is None else operation.refusals
    return HttpGuard(counted if asks is None else asks(counted), access, pages, refused)


def build_project(
    protocol: Protocol,
    executor: Executor,
    *,
    limits: Limits,
    user: str | None = None,
    routes: Sequence[BaseRoute] = (),
    sharing: SessionSharing | None = None,
    operation: ServerOperation | None = None,
) -> ASGIApp:
    """One project without a guard, at `/mcp`: whoever puts it behind an address says who gets in.

    Sessions live in this process, or where all replicas find them (`sharing`).
    """
    bridge = HttpBridge(protocol, executor, user=user)
    app = (
        _build_mcp(bridge, limits) if can_serve_mcp() else Starlette(routes=[Route(PATH, _refuse_mcp, methods=METHODS)])
    )
    app.router.routes.extend(routes)
    shared = None if sharing is None else sharing.before(app, bridge)
    count = bridge.sessions.__len__ if shared is None else shared.__len__
    forget = None if operation is None else operation.follow(protocol.subscriptions.close, count)
    _close_with(app, protocol, executor, forget)
    return _own_sessions(app, bridge, limits) if shared is None else BoundedBodies(shared, limits)


def _build_mcp(bridge: HttpBridge, limits: Limits) -> Starlette:
    """MCP at `/mcp`, spoken by the SDK."""
    from mcp.server.lowlevel import Server
    from mcp.server.transport_security import TransportSecuritySettings

    check_sdk(version("mcp"))
    schema_of = bridge.protocol.input_schema
    server: Server[Any] = Server("fieldguide", version=__version__, get_tool_input_schema=schema_of)
    server.middleware = [bridge]
    return server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=limits.http_request_megabytes * MEGABYTE,
        max_sessions=None,
        session_idle_timeout=None,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # ours is exact
    )


async def _refuse_mcp(request: StarletteRequest) -> Response:
    return make_refusal(501, NEEDS_EXTRA)


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


def _close_with(
    app: Starlette, protocol: Protocol, executor: Executor, forget: Callable[[], None] | None = None
) -> None:
    """Let what we started end with the server."""
    inner = app.router.lifespan_context

    @contextlib.asynccontextmanager
    async def lifespan(running: Starlette) -> AsyncGenerator[None]:
        async with inner(running):
            yield
            protocol.subscriptions.close()
            if forget is not None:
                forget()
        await asyncio.to_thread(executor.workers.leave, LEAVE_SECONDS)
        executor.journal.flush()

    app.router.lifespan_context = cast("Any", lifespan)


def _own_sessions(app: ASGIApp, bridge: HttpBridge, limits: Limits) -> HttpSessions:
    """The application with its sessions counted; the SDK can only refuse new ones, not end old ones."""
    calls = HttpCalls(bridge.answer)

    async def end(name: str) -> None:
        ended = bridge.sessions.pop(name, None)
        calls.leave(name)
        await delete_session(app, name, None if ended is None or ended.owner is None else to_sdk_user(ended.owner))

    return HttpSessions(app, calls, bridge.sessions, limits, end=end)


def _caller(context: "ServerRequestContext[Any, Any]") -> Caller:
    """Who sent a message that came through the SDK."""
    scope = getattr(context.request, "scope", None)
    return Caller() if scope is None else read_caller(scope)


def _private(owner: Any, name: str) -> Any:
    """A part of the SDK that has no public door: a session's connection, a request's own channel."""
    return getattr(owner, name)
