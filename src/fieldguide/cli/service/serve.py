"""`fieldguide serve`: an MCP server for a project, over stdio or HTTP."""

import os
import sys
import threading
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from fieldguide.app import App, build_app
from fieldguide.cli.console.options import (
    add_identity_options,
    add_name_options,
    add_project_options,
    add_service_options,
    read_settings_from,
)
from fieldguide.files.file_system import find_login_name
from fieldguide.settings.config import Settings, check_serving
from fieldguide.settings.service import can_serve_mcp
from fieldguide.spine.journal import Journal
from fieldguide.spine.tool import import_late
from fieldguide.text.errors import Misconfiguration
from fieldguide.wire.stdio import StdioServer

if TYPE_CHECKING:
    import argparse

QUESTIONED = ("guide_", "read_file")
HEAPS_VARIABLE = "MALLOC_ARENA_MAX"  # of glibc: a person's own choice
MOST_HEAPS_OPTION = -8  # M_ARENA_MAX
MOST_HEAPS = 2
ON_A_TERMINAL = (
    "Fieldguide waits for an MCP client on this terminal. A client starts it by itself; for people there is a page:\n"
    "fieldguide open. Ctrl-D ends."
)


def add_arguments(parser: "argparse.ArgumentParser") -> None:
    """Which project, which toolsets, which wire, whose identity."""
    add_project_options(parser)
    add_identity_options(parser)
    add_name_options(parser)
    add_service_options(parser)
    parser.add_argument(
        "--http",
        metavar="[HOST:]PORT",
        help="serve streamable HTTP at /mcp on this loopback address, or on a unix socket (unix:PATH), instead of "
        "stdio, with a page for people at /",
    )
    parser.add_argument(
        "--projects",
        action="store_true",
        default=None,
        help="serve every project of the registry (`fieldguide team projects`), each at /mcp/NAME, to those allowed",
    )
    parser.add_argument(
        "--metrics",
        metavar="[HOST:]PORT",
        help="with --http: tell monitors how the server is at /metrics, and at /readyz, on this loopback address or "
        "unix socket (unix:PATH) of its own, which asks for no token",
    )
    parser.add_argument(
        "--audit",
        action="store_true",
        default=None,
        help="with --http: keep who changed what, when and how it ended in the audit log (`fieldguide team audit`)",
    )
    parser.add_argument(
        "--bind-user",
        action="store_true",
        help="bind every call to you: to the user of your own configuration, else to your login name",
    )
    parser.add_argument(
        "--no-token",
        action="store_true",
        help="ask HTTP clients for no token: every user and every program of this machine can use the server",
    )


def run(arguments: Any) -> int:
    """Serve until the client leaves or a signal comes."""
    settings = _settings(arguments)
    if settings.projects or settings.http is not None:
        _share_heaps()
    if settings.projects:
        from fieldguide.cli.service.serve_team import serve_projects

        return serve_projects(arguments)
    if settings.http is not None:
        return _serve_http(settings, arguments)
    app = build_app(settings)
    threading.excepthook = partial(_tell_crash, app.executor.journal)
    _tell_what_is_not_obeyed(app)
    with app.upkeep():
        return _serve_stdio(app)


def _share_heaps() -> None:
    """Have all threads use two heaps. glibc gives them eight for each core, and what each keeps free adds up.

    After 14,000 mixed calls on two cores a server of a team had 23 MB of free memory in its heaps; with two it has 6.
    """
    if HEAPS_VARIABLE in os.environ:
        return
    import ctypes

    with suppress(AttributeError):  # another C library
        ctypes.CDLL(None).mallopt(MOST_HEAPS_OPTION, MOST_HEAPS)


def _serve_http(settings: Settings, arguments: Any) -> int:
    from fieldguide.cli.console.terminal import is_watched
    from fieldguide.cli.service.serve_http import (
        print_journal,
        serve_page,
    )  # with the SDK: 500 ms that stdio never pays
    from fieldguide.team.monitoring import open_oversight

    is_for_many = settings.service.auth is not None
    overseen = open_oversight(settings, is_for_many=is_for_many)
    write = print_journal if is_watched() else None
    app = build_app(settings, write_journal=write, oversight=overseen.of(os.path.basename(settings.project)))
    threading.excepthook = partial(_tell_crash, app.executor.journal)
    _tell_what_is_not_obeyed(app)
    with app.upkeep():
        if is_for_many:
            from fieldguide.cli.service.serve_team import serve_others

            return serve_others(app, overseen)
        return serve_page(app, overseen, asks_for_token=not getattr(arguments, "no_token", False))


def _settings(arguments: Any) -> Settings:
    """The settings; a server that is to be bound and has no user gets the one who is logged in."""
    settings = read_settings_from(arguments, tells=False)
    check_serving(settings)
    if settings.http is not None and not can_serve_mcp():
        from fieldguide.cli.clients.catalog import make_extra_install

        raise Misconfiguration(f"MCP over HTTP needs the packages of the extra `http`: {make_extra_install('http')}")
    binds_user = getattr(arguments, "bind_user", False)
    if settings.service.auth is not None and (binds_user or getattr(arguments, "no_token", False)):
        raise Misconfiguration("With --auth each request shows who asks: leave out --bind-user and --no-token.")
    if settings.user is not None or not binds_user:
        return settings
    name = find_login_name()
    if name is None:
        raise Misconfiguration("This login has no name; say whom the server is bound to with --user.")
    return settings._replace(user=name)


def _tell_what_is_not_obeyed(app: App) -> None:
    """Notes the settings of the project's file that are ignored."""
    if app.settings.problems:
        app.executor.journal.note("Not obeyed", problems=list(app.settings.problems))


def _tell_crash(journal: Journal, crash: threading.ExceptHookArgs) -> None:
    """A bug of ours on a thread: its trace may hold a project's text, so it goes where that is shown."""
    journal.note("Internal error", thread=crash.thread and crash.thread.name, cause=repr(crash.exc_value))


def _serve_stdio(app: App) -> int:
    if sys.stdin.isatty():
        from fieldguide.cli.console.terminal import remark  # no client has a terminal

        remark(ON_A_TERMINAL)
    app.executor.journal.note("Serving", project=app.settings.project, toolsets=[each.name for each in app.toolsets])
    server = StdioServer(app.protocol, app.executor, app.changes, user=app.settings.user, limits=app.settings.limits)
    app.executor.journal.observed_tools = QUESTIONED
    app.executor.journal.observe_answer = import_late("fieldguide.spine.questions:note_question", app.settings)
    server.run()
    return 0
