"""Builds the application for pages and MCP over streamable HTTP: the official SDK's server, our protocol behind it.

The SDK is in the extra `http`. Without it the pages are served alone, and `cli/service/serve.py` refuses `--http`.

The SDK's low-level server knows none of our methods: one middleware before it hands every message, as the raw JSON that
came, to the same `Protocol` that stdio uses. Requests of the handshake era don't even reach the SDK (`HttpSessions`).
"""

import asyncio
import contextlib
import os
import typing
from collections.abc import AsyncGenerator, Callable, Sequence
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, cast

from starlette.applications import Starlette
from starlette.requests import Request as StarletteRequest
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fieldguide import __version__
from fieldguide.settings.limits import Limits
from fieldguide.settings.service import MCP_PATH, NEEDS_EXTRA, can_serve_mcp
from fieldguide.spine.executor import Executor
from fieldguide.text.errors import Misconfiguration
from fieldguide.wire.http_guard import (
    MEGABYTE,
    SESSION_HEADER,
    Caller,
    HttpAccess,
    HttpGuard,
    NoteRefusal,
    make_refusal,
    read_caller,
)
from fieldguide.wire.http_sessions import HttpAnswers, HttpSessions, MemorySessions
from fieldguide.wire.jsonrpc import RpcError, RpcMessage
from fieldguide.wire.protocol import Connection, Protocol

if TYPE_CHECKING:
    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

TESTED = "2.3"
METHODS = ("GET", "POST", "DELETE")
EVERY_PATH = "{path:path}"
LEAVE_SECONDS = 0.3
MALFORMED = "Bad Request: this message opens no session."


class ServerOperation(typing.Protocol):
    """What a server has for those who run it: `team.monitoring.Operation`."""

    @property
    def refusals(self) -> NoteRefusal:
        """Is told of every request that is refused."""
        ...

    def before(self, app: ASGIApp) -> ASGIApp:
        """The application with its requests counted, and the paths for those who run the server."""
        ...

    def follow(self, sessions: Callable[[], int]) -> Callable[[], None]:
        """Follow the sessions of a project; gives back what forgets them."""
        ...


def check_sdk(installed: str) -> None:
    """Raise Misconfiguration for an SDK of another minor version, which may have moved those parts."""
    if installed.split(".")[:2] != TESTED.split("."):
        raise Misconfiguration(
            f"`fieldguide serve --http` was tested with the package mcp {TESTED}, and mcp {installed} is installed. "
            f"Install `mcp=={TESTED}.*`, or a newer fieldguide. Over stdio it serves with any."
        )


class HttpBridge:
    """The middleware between the SDK's server and our protocol."""

    def __init__(self, protocol: Protocol, executor: Executor, *, user: str | None) -> None:
        self.protocol = protocol
        self.executor = executor
        self.answer = HttpAnswers(protocol, executor).answer
        self.user = user
        self._passing_id = os.urandom(8).hex()

    async def __call__(self, ctx: "ServerRequestContext[Any, Any]", call_next: "CallNext") -> "HandlerResult":
        """Answer a request, or take a notification."""
        from mcp.shared.exceptions import MCPError

        connection = self._connection(ctx)
        if ctx.request_id is None:
            self.protocol.notified(ctx.method, connection)
            return await call_next(ctx)
        try:
            message = RpcMessage(ctx.method, None, ctx.params or {})
            access = _caller(ctx).access
            return await self.answer(message, ctx.request_id, connection, access)
        except RpcError as error:
            raise MCPError(error.code, error.message, error.data) from error

    def _connection(self, context: "ServerRequestContext[Any, Any]") -> Connection:
        """A connection for one message: the new era connects anew for each, and those of a caller belong together."""
        caller = _caller(context)
        user = self.user if caller.principal is None else caller.principal.user
        connection_id = " ".join([self._passing_id, *(caller.key or ())])
        return Connection(id=connection_id, user=user)


def guard_project(app: ASGIApp, access: HttpAccess, routes: Sequence[BaseRoute], operation: ServerOperation) -> ASGIApp:
    """A project with its pages behind the guard, and with the paths for those who run the server."""
    pages = {route.path.split("/")[1] for route in routes if isinstance(route, Route)} - {"", EVERY_PATH}
    return HttpGuard(operation.before(app), access, pages, operation.refusals)


def build_project(
    protocol: Protocol,
    executor: Executor,
    *,
    limits: Limits,
    user: str | None = None,
    routes: Sequence[BaseRoute] = (),
    operation: ServerOperation | None = None,
) -> ASGIApp:
    """One project without a guard, at `/mcp`: whoever puts it behind an address says who gets in."""
    bridge = HttpBridge(protocol, executor, user=user)
    app = (
        _build_mcp(bridge, limits)
        if can_serve_mcp()
        else Starlette(routes=[Route(MCP_PATH, _refuse_mcp, methods=METHODS)])
    )
    app.router.routes.extend(routes)
    store = MemorySessions(limits)
    forget = None if operation is None else operation.follow(store.__len__)
    _close_with(app, executor, forget)
    refuse = partial(refuse_by_sdk, app)
    return HttpSessions(app, refuse, store, protocol=protocol, answer=bridge.answer, limits=limits, user=user)


def _build_mcp(bridge: HttpBridge, limits: Limits) -> Starlette:
    """MCP at `/mcp`, spoken by the SDK."""
    from mcp.server.lowlevel import Server
    from mcp.server.transport_security import TransportSecuritySettings

    check_sdk(version("mcp"))
    schema_of = bridge.protocol.input_schema
    server: Server[Any] = Server("fieldguide", version=__version__, get_tool_input_schema=schema_of)
    server.middleware = [bridge]
    return server.streamable_http_app(
        streamable_http_path=MCP_PATH,
        max_request_body_size=limits.http_request_megabytes * MEGABYTE,
        max_sessions=None,
        session_idle_timeout=None,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # ours is exact
    )


async def _refuse_mcp(request: StarletteRequest) -> Response:
    return make_refusal(501, NEEDS_EXTRA)


def _close_with(app: Starlette, executor: Executor, forget: Callable[[], None] | None = None) -> None:
    """Let what we started end with the server."""
    inner = app.router.lifespan_context

    @contextlib.asynccontextmanager
    async def lifespan(running: Starlette) -> AsyncGenerator[None]:
        async with inner(running):
            yield
            if forget is not None:
                forget()
        await asyncio.to_thread(executor.workers.leave, LEAVE_SECONDS)
        executor.journal.flush()

    app.router.lifespan_context = cast("Any", lifespan)


def _caller(context: "ServerRequestContext[Any, Any]") -> Caller:
    """Who sent a message that came through the SDK."""
    scope = getattr(context.request, "scope", None)
    return Caller() if scope is None else read_caller(scope)


async def refuse_by_sdk(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Have the SDK refuse a request in its own words. A session that it opens instead is ended, and refused."""
    session = next((value for name, value in scope["headers"] if name == SESSION_HEADER), None)
    given = {**scope, "headers": [each for each in scope["headers"] if each[0] != SESSION_HEADER]}
    is_refused = False

    async def passed(message: Message) -> None:
        nonlocal is_refused
        if message["type"] == "http.response.start":
            opened = next((value for name, value in message["headers"] if name == SESSION_HEADER), None)
            if message["status"] < 400:
                is_refused = True
                if opened is not None:
                    await _delete_session(app, given, opened)
                await make_refusal(400, MALFORMED)(scope, receive, send)
            kept = [each for each in message["headers"] if each[0] != SESSION_HEADER]
            message = {**message, "headers": kept if session is None else [*kept, (SESSION_HEADER, session)]}
        if not is_refused:
            await send(message)

    await app(given, receive, passed)


async def _delete_session(app: ASGIApp, scope: Scope, name: bytes) -> None:
    """End a session of the SDK as its own client would."""

    async def nothing() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def ignored(message: Message) -> None:
        pass

    await app({**scope, "method": "DELETE", "headers": [(SESSION_HEADER, name)]}, nothing, ignored)
