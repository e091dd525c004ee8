"""MCP over streamable HTTP: the official SDK carries the messages, our own protocol answers them.

The SDK's low-level server knows none of our methods: one middleware before it hands every message, as the raw JSON that
came, to the same `Protocol` that stdio uses. Requests of an open session don't even reach the SDK (`HttpCalls`).
"""

import asyncio
import contextlib
import gc
import logging
import os
import signal
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, cast

import uvicorn
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from starlette.applications import Starlette
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from fieldguide import __version__
from fieldguide.limits import Limits
from fieldguide.server.connection import Connection, Outlet
from fieldguide.server.jsonrpc import INTERNAL_ERROR, Message, RequestId, RpcError
from fieldguide.server.protocol import Protocol
from fieldguide.server.web.bodies import MEGABYTE, BoundedBodies
from fieldguide.server.web.calls import HttpCalls
from fieldguide.server.web.connections import PatientProtocol
from fieldguide.server.web.endpoint import PATH, Endpoint
from fieldguide.server.web.guard import Access, HttpGuard
from fieldguide.server.web.operation.draining import Drain
from fieldguide.server.web.operation.operation import Operation
from fieldguide.server.web.principals import Caller, caller_of, sdk_user
from fieldguide.server.web.quiet import Beside, QuietServer
from fieldguide.server.web.sdk import check_sdk
from fieldguide.server.web.sessions import HttpSessions, delete_session
from fieldguide.spine.callers.access import Access as Rights
from fieldguide.spine.executor import Executor

if TYPE_CHECKING:
    from ssl import SSLContext

    from fieldguide.server.web.replicas.handshakes import SharedHandshakes
    from fieldguide.teams.replicas.sharing import Sharing

STATE = "fieldguide"
SHUTDOWN_SECONDS = 1
LEAVE_SECONDS = 0.3


class HttpOutlet:
    """The way to an HTTP client: a channel of the SDK's, either a request's own stream or the connection's."""

    def __init__(self, channel: Any) -> None:
        self._channel = channel

    async def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a notification."""
        await self._channel.notify(method, params)

    async def request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request and wait for its result."""
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

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Answer a request, or take a notification."""
        connection = self._connection(ctx)
        if ctx.request_id is None:
            self.protocol.notified(ctx.method, connection)
            return await call_next(ctx)
        outlet = HttpOutlet(_private(ctx.session, "_request_outbound"))
        try:
            message, access = Message(ctx.method, None, ctx.params or {}), _caller(ctx).access
            return await self.answer(message, ctx.request_id, connection, outlet, access)
        except RpcError as error:
            raise MCPError(error.code, error.message, error.data) from error

    async def answer(
        self, message: Message, id_: RequestId, connection: Connection, outlet: Outlet, access: Rights | None = None
    ) -> dict[str, Any]:
        """The result of a request; RpcError when there is none."""
        method = message.method or ""
        try:
            return await self.protocol.answer(
                method, message.params, request_id=id_, connection=connection, outlet=outlet, access=access
            )
        except RpcError:
            raise
        except Exception as error:
            self.executor.journal.note("Internal error", method=method, cause=repr(error))
            raise RpcError(INTERNAL_ERROR, "Internal error") from error

    def _connection(self, context: ServerRequestContext[Any, Any]) -> Connection:
        theirs = _private(context.session, "_connection")
        ours: Connection | None = theirs.state.get(STATE)
        caller = _caller(context)
        if ours is None:
            user = self.user if caller.principal is None else caller.principal.user
            ours = Connection(outlet=HttpOutlet(theirs.outbound), user=user, owner=caller.key)
            if theirs.session_id is None:  # the new era connects anew for each request: they belong together
                ours.id, ours.is_passing = " ".join([self._passing_id, *(caller.key or ())]), True
            theirs.state[STATE] = ours
            if theirs.session_id is not None:
                self.sessions[theirs.session_id] = ours
                theirs.exit_stack.callback(self.sessions.pop, theirs.session_id, None)
                following = asyncio.create_task(self.protocol.subscriptions.follow(ours))
                theirs.exit_stack.callback(following.cancel)
        ours.access = caller.access
        return ours


def build_asgi(
    protocol: Protocol,
    executor: Executor,
    *,
    access: Access,
    limits: Limits,
    user: str | None = None,
    routes: Sequence[BaseRoute] = (),
    asks: Callable[[ASGIApp], ASGIApp] | None = None,
    sharing: "Sharing | None" = None,
    operation: Operation | None = None,
) -> ASGIApp:
    """The ASGI application: MCP at `/mcp` and the given routes, behind the guard and within the limits.

    `asks` puts before it what finds out who asks, such as `Principals`. `operation` counts what is under way, and adds
    the paths for those who run the server.
    """
    app = build_project(
        protocol, executor, limits=limits, user=user, routes=routes, sharing=sharing, operation=operation
    )
    counted = app if operation is None else operation.before(app)
    guarded = HttpGuard(counted if asks is None else asks(counted), access, _first_names(routes))
    return guarded if operation is None else operation.refusals.before(guarded)


def build_project(
    protocol: Protocol,
    executor: Executor,
    *,
    limits: Limits,
    user: str | None = None,
    routes: Sequence[BaseRoute] = (),
    sharing: "Sharing | None" = None,
    operation: Operation | None = None,
) -> ASGIApp:
    """One project without a guard, at `/mcp`: whoever puts it behind an address says who gets in.

    Sessions live in this process, or where all replicas find them (`sharing`).
    """
    server: Server[Any] = Server("fieldguide", version=__version__, get_tool_input_schema=protocol.input_schema)
    check_sdk(version("mcp"))
    bridge = HttpBridge(protocol, executor, user=user)
    server.middleware = [bridge]
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=limits.http_request_megabytes * MEGABYTE,
        max_sessions=None,
        session_idle_timeout=None,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # ours is exact
    )
    app.router.routes.extend(routes)
    shared = None if sharing is None else _shared_sessions(app, bridge, sharing)
    count = bridge.sessions.__len__ if shared is None else shared.__len__
    forget = None if operation is None else operation.follow(protocol.subscriptions.close, count)
    _close_with(app, protocol, executor, forget)
    return BoundedBodies(_own_sessions(app, bridge, limits) if shared is None else shared, limits)


def serve_http(
    asgi: ASGIApp, endpoint: Endpoint, limits: Limits, drain: Drain | None = None, beside: Sequence[Beside] = ()
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


def _first_names(routes: Iterable[BaseRoute]) -> set[str]:
    """What the paths of these routes begin with, the path `/` aside."""
    return {route.path.split("/")[1] for route in routes if isinstance(route, Route)} - {""}


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
        await executor.workers.leave(LEAVE_SECONDS)
        executor.journal.flush()

    app.router.lifespan_context = cast("Any", lifespan)


def _shared_sessions(app: ASGIApp, bridge: HttpBridge, sharing: "Sharing") -> "SharedHandshakes":
    """The application with sessions that every replica knows."""
    from fieldguide.server.web.replicas.handshakes import SharedHandshakes  # only where there are replicas

    protocol, workers = bridge.protocol, bridge.executor.workers
    return SharedHandshakes(app, sharing, protocol=protocol, answer=bridge.answer, workers=workers, user=bridge.user)


def _own_sessions(app: ASGIApp, bridge: HttpBridge, limits: Limits) -> HttpSessions:
    """The application with its sessions counted; the SDK can only refuse new ones, not end old ones."""
    calls = HttpCalls(app, bridge.sessions, bridge.answer)

    async def end(name: str) -> None:
        ended = bridge.sessions.pop(name, None)
        calls.leave(name)
        await delete_session(calls, name, None if ended is None or ended.owner is None else sdk_user(ended.owner))

    return HttpSessions(calls, limits, is_open=bridge.sessions.__contains__, end=end)


def _caller(context: ServerRequestContext[Any, Any]) -> Caller:
    """Who sent a message that came through the SDK."""
    scope = getattr(context.request, "scope", None)
    return Caller() if scope is None else caller_of(scope)


def _private(owner: Any, name: str) -> Any:
    """A part of the SDK that has no public door: a session's connection, a request's own channel."""
    return getattr(owner, name)
