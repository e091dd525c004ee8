"""MCP over streamable HTTP: the official SDK carries the messages, our own protocol answers them.

The SDK's low-level server knows none of our methods: one middleware before it hands every message, as the raw JSON that
came, to the same `Protocol` that stdio uses.
"""

import asyncio
import contextlib
import logging
import os
import signal
import socket
import sys
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import Any, cast

import uvicorn
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from starlette.applications import Starlette
from starlette.routing import BaseRoute

from fieldguide import __version__
from fieldguide.errors import Misconfiguration
from fieldguide.server.connection import Connection
from fieldguide.server.jsonrpc import INTERNAL_ERROR, RpcError
from fieldguide.server.protocol import Protocol
from fieldguide.spine.executor import Executor

PATH = "/mcp"
MAX_CONNECTIONS = 200
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
        self._protocol = protocol
        self._executor = executor
        self._user = user
        self._passing_id = os.urandom(8).hex()

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Answer a request, or take a notification."""
        connection = self._connection(ctx)
        if ctx.request_id is None:
            self._protocol.notified(ctx.method, connection)
            return await call_next(ctx)
        outlet = HttpOutlet(_private(ctx.session, "_request_outbound"))
        params = ctx.params or {}
        try:
            return await self._protocol.answer(
                ctx.method, params, request_id=ctx.request_id, connection=connection, outlet=outlet
            )
        except RpcError as error:
            raise MCPError(error.code, error.message, error.data) from error
        except Exception as error:
            self._executor.journal.note("Internal error", method=ctx.method, cause=repr(error))
            raise MCPError(INTERNAL_ERROR, "Internal error") from error

    def _connection(self, context: ServerRequestContext[Any, Any]) -> Connection:
        theirs = _private(context.session, "_connection")
        ours: Connection | None = theirs.state.get(STATE)
        if ours is None:
            ours = Connection(outlet=HttpOutlet(theirs.outbound), user=self._user)
            if theirs.session_id is None:  # the new era connects anew for each request: they belong together
                ours.id = self._passing_id
            theirs.state[STATE] = ours
            if theirs.session_id is not None:
                following = asyncio.create_task(self._protocol.subscriptions.follow(ours))
                theirs.exit_stack.callback(following.cancel)
        return ours


def build_asgi(
    protocol: Protocol, executor: Executor, *, host: str, user: str | None = None, routes: Sequence[BaseRoute] = ()
) -> Starlette:
    """The ASGI application: MCP at `/mcp`, guarded against foreign hosts and origins, and the given routes."""
    server: Server[Any] = Server("fieldguide", version=__version__, get_tool_input_schema=protocol.input_schema)
    server.middleware = [HttpBridge(protocol, executor, user=user)]
    app = server.streamable_http_app(
        streamable_http_path=PATH, host="127.0.0.1" if host == "localhost" else host, max_sessions=MAX_CONNECTIONS
    )
    app.router.routes.extend(routes)
    inner = app.router.lifespan_context

    @contextlib.asynccontextmanager
    async def lifespan(running: Starlette) -> AsyncGenerator[None]:
        async with inner(running):
            yield
            protocol.subscriptions.close()
        await executor.workers.leave(LEAVE_SECONDS)
        executor.journal.flush()

    app.router.lifespan_context = cast("Any", lifespan)
    return app


def serve_http(asgi: Starlette, *, host: str, port: int, greet: Callable[[str], str]) -> int:
    """Serve until a signal comes; port 0 takes any free one, and the greeting on stderr says which."""
    logging.getLogger("mcp").setLevel(logging.ERROR)
    listener = _listen(host, port)
    shown = f"[{host}]" if ":" in host else host
    print(greet(f"http://{shown}:{listener.getsockname()[1]}{PATH}"), file=sys.stderr, flush=True)
    config = uvicorn.Config(
        asgi, log_level="warning", access_log=False, timeout_graceful_shutdown=SHUTDOWN_SECONDS, server_header=False
    )
    signal.signal(signal.SIGHUP, lambda number, frame: signal.raise_signal(signal.SIGTERM))
    signal.signal(signal.SIGTERM, lambda number, frame: None)  # uvicorn ends by it, and raises it again afterwards
    with contextlib.suppress(KeyboardInterrupt):  # it was told to end, and has
        uvicorn.Server(config).run(sockets=[listener])
    return 0


def _listen(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise Misconfiguration(f"Can't serve on {host}:{port}: {error.strerror or error}. Try another port.") from error


def _private(session: Any, name: str) -> Any:
    """A part of the SDK's session that has no public door: its connection, and the request's own channel."""
    return getattr(session, name)
