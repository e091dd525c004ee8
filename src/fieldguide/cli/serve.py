"""`fieldguide serve`: an MCP server for a project, over stdio or HTTP."""

import asyncio
import os
import sys
import threading
from functools import partial
from typing import TYPE_CHECKING, Any

from fieldguide.app import App, build_app
from fieldguide.cli.options import add_identity, add_names, add_project, settings_from
from fieldguide.server.stdio import StdioServer
from fieldguide.spine.journal import Journal

if TYPE_CHECKING:
    import argparse

ON_A_TERMINAL = (
    "Fieldguide waits for an MCP client on this terminal. A client starts it by itself; for people there is a page:\n"
    "fieldguide serve --http 8137. Ctrl-D ends."
)


def add_arguments(parser: "argparse.ArgumentParser") -> None:
    """Which project, which toolsets, which wire, whose identity."""
    add_project(parser)
    add_identity(parser)
    add_names(parser)
    parser.add_argument(
        "--http",
        metavar="[HOST:]PORT",
        help="serve streamable HTTP at /mcp on this loopback address instead of stdio, with a page for people at /",
    )


def run(arguments: Any) -> int:
    """Serve until the client leaves or a signal comes."""
    app = build_app(settings_from(arguments))
    threading.excepthook = partial(_tell_crash, app.executor.journal)
    with app.upkeep():
        return _serve_stdio(app) if app.settings.http is None else _serve_http(app)


def _tell_crash(journal: Journal, crash: threading.ExceptHookArgs) -> None:
    """A bug of ours on a thread: its trace may hold a project's text, so it goes where that is shown."""
    journal.note("Internal error", thread=crash.thread and crash.thread.name, cause=repr(crash.exc_value))


def _serve_stdio(app: App) -> int:
    if sys.stdin.isatty():
        from fieldguide.cli.terminal import remark  # no client has a terminal

        remark(ON_A_TERMINAL)
    app.executor.journal.note("Serving", project=app.settings.project, toolsets=[each.name for each in app.toolsets])
    asyncio.run(StdioServer(app.protocol, app.executor, user=app.settings.user, limits=app.settings.limits).run())
    return 0


def _serve_http(app: App) -> int:
    from fieldguide.dashboard.connecting import as_text
    from fieldguide.dashboard.routes import build_routes  # the SDK and its web framework: 500 ms that stdio never pays
    from fieldguide.server.http import build_asgi, serve_http

    settings = app.settings
    host, port = settings.address()
    name = os.path.basename(settings.project)
    routes = build_routes(project=name, tools=app.executor.registry.all(), health=app.health)
    asgi = build_asgi(app.protocol, app.executor, host=host, user=settings.user, routes=routes)
    return serve_http(asgi, host=host, port=port, greet=as_text)
