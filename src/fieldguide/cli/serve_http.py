"""Serves one project over HTTP: MCP for clients, a page for people, and a port for metrics."""

import contextlib
import json
import os
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from http.client import HTTPConnection, HTTPException
from typing import cast
from urllib.parse import urlsplit

from starlette.types import ASGIApp

from fieldguide.cli.page_facts import SuggestedQuestions, collect_shown, list_stale_places, read_index_state
from fieldguide.cli.terminal import remark
from fieldguide.files.confined_folder import find_open_flag
from fieldguide.pages.home import format_instructions
from fieldguide.pages.routes import build_routes
from fieldguide.pages.site import PageFacts, ServedPage
from fieldguide.settings.config import Settings, open_project_folder
from fieldguide.settings.folders import PRIVATE_FILE
from fieldguide.settings.service import LOOPBACK
from fieldguide.spine.journal import StderrLines
from fieldguide.storage.state_folder import find_expected_folder, make_state_folder
from fieldguide.team.monitoring import METRICS, Operation, ProcessOversight, make_probes, observe_project
from fieldguide.team.served_project import App
from fieldguide.text.errors import FieldguideError, Misconfiguration
from fieldguide.wire.http import ExtraListener, build_asgi, serve_http
from fieldguide.wire.http_endpoint import Endpoint, listen_on_port, listen_on_socket
from fieldguide.wire.http_guard import HttpAccess, HttpGuard, PageDoor, describe_token_place, read_local_token

FILE = "page.json"
LARGEST_RECORD = 10_000
ANSWER_SECONDS = 5.0
OPENED = os.O_RDWR | find_open_flag("O_NOFOLLOW") | find_open_flag("O_CLOEXEC")


@contextlib.contextmanager
def record_page(settings: Settings, url: str) -> Generator[None]:
    """Tell others where the page is as long as the block runs; the first server of a project does, others don't."""
    handle = None if url.startswith("unix:") else _locked(settings)
    if handle is None:
        yield
        return
    try:
        os.ftruncate(handle, 0)
        os.pwrite(handle, json.dumps(_record(settings, url)).encode(), 0)
        yield
    finally:
        os.ftruncate(handle, 0)
        os.close(handle)


def find_running_page(settings: Settings) -> str | None:
    """The MCP address of the server that serves this project, for the same person, now; None where there is none."""
    import fcntl

    try:
        handle = os.open(os.path.join(find_expected_folder(settings.project), FILE), OPENED)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _told(os.pread(handle, LARGEST_RECORD, 0), settings)
    finally:
        os.close(handle)
    return None


def request_link(url: str, token: str) -> str | None:
    """A link that opens the page of a running server; None where it gives none."""
    at = urlsplit(url)
    connection = HTTPConnection(at.hostname or "", at.port, timeout=ANSWER_SECONDS)
    try:
        connection.request("POST", "/link", headers={"Authorization": f"Bearer {token}", "Content-Length": "0"})
        answer = connection.getresponse()
        text = answer.read(LARGEST_RECORD).decode("latin-1").strip()
        return text if answer.status == 200 and text.startswith(url.removesuffix("mcp")) else None
    except (OSError, HTTPException):
        return None
    finally:
        connection.close()


def _locked(settings: Settings) -> int | None:
    """The record, locked by us; None where another server has it, or it can't be written."""
    import fcntl

    try:
        handle = os.open(os.path.join(make_state_folder(settings.project), FILE), OPENED | os.O_CREAT, PRIVATE_FILE)
    except (OSError, Misconfiguration):
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle


def _record(settings: Settings, url: str) -> dict[str, str | bool | None]:
    return {"url": url, "user": settings.user, "read_only": settings.read_only}


def _told(written: bytes, settings: Settings) -> str | None:
    try:
        url = str(json.loads(written)["url"])
    except (ValueError, KeyError, TypeError):
        return None
    return url if json.loads(written) == _record(settings, url) and url.startswith("http://") else None


@contextmanager
def open_metrics_port(settings: Settings, operation: Operation) -> Generator[list[ExtraListener]]:
    """The socket that the settings name, listening while the block runs; none where they name none."""
    if settings.metrics is None:
        yield []
        return
    endpoint = _listening(replace(settings, http=settings.metrics))
    try:
        yield [ExtraListener(endpoint.listener, HttpGuard(operation.router(), HttpAccess(endpoint.hosts, None)))]
    finally:
        endpoint.close()


def report_metrics_port(beside: Sequence[ExtraListener]) -> None:
    """Say where monitors ask."""
    for each in beside:
        at: object = each.listener.getsockname()
        shown = f"unix:{at}" if isinstance(at, str) else f"http://{_place(at)}{METRICS}"
        remark(f"Monitors ask at {shown}")


def _place(at: object) -> str:
    host, port = cast("tuple[str, int]", at)[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _listening(settings: Settings) -> Endpoint:
    path = settings.socket_path()
    if path is not None:
        return listen_on_socket(path)
    host, port = settings.address()
    if host not in LOOPBACK:
        raise Misconfiguration(
            f"{settings.http!r} is not a loopback address: metrics ask for no token there. Use a loopback port or "
            "unix:PATH, or /metrics of the service itself with a token that has the scope `metrics`."
        )
    return listen_on_port(host, port)


def make_operation(app: App, overseen: ProcessOversight) -> Operation:
    """What those see who run a server of one project."""
    name = os.path.basename(app.settings.project)
    return Operation(
        app.settings.limits,
        make_probes(app),
        overseen.bounds,
        projects=lambda: [observe_project(app, name)],
        extras=overseen.extras(),
        audit=overseen.audit,
    )


def serve_with_operation(
    asgi: ASGIApp, endpoint: Endpoint, settings: Settings, operation: Operation, greet: Callable[[], None]
) -> int:
    """Serve others until a signal comes, and then until what runs has come to its end."""
    with open_metrics_port(settings, operation) as beside:
        greet()
        report_metrics_port(beside)
        return serve_http(operation.refusals.before(asgi), endpoint, settings.limits, operation.drain(), beside)


def serve_page(app: App, overseen: ProcessOversight, *, asks_for_token: bool) -> int:
    """Serve where the settings say, and tell how to connect and how the page is opened."""
    path = app.settings.socket_path()
    token = read_local_token(os.environ) if asks_for_token and path is None else None
    endpoint = listen_on_port(*app.settings.address()) if path is None else listen_on_socket(path)

    def greet(link: str | None) -> None:
        remark(*format_instructions(endpoint.url, token=token, link=link).splitlines())

    return serve_at(app, endpoint, overseen, token=token, greet=greet)


def serve_at(
    app: App, endpoint: Endpoint, overseen: ProcessOversight, *, token: str | None, greet: Callable[[str | None], None]
) -> int:
    """Serve until a signal comes; `greet` is told the link that opens the page, where it opens by one."""
    settings = app.settings
    door = None if token is None else _door(endpoint.url, token)
    served = ServedPage(
        url=endpoint.url,
        project=os.path.basename(settings.project),
        folder=open_project_folder(settings),
        tools=app.executor.registry.all(),
        token_place=None if token is None else describe_token_place(os.environ),
        user=settings.user,
        is_read_only=settings.read_only,
    )
    routes = build_routes(served, _facts(app, door), app.executor)
    access = HttpAccess(endpoint.hosts, door)
    limits = settings.limits
    operation = make_operation(app, overseen)
    asgi = build_asgi(
        app.protocol,
        app.executor,
        access=access,
        limits=limits,
        user=settings.user,
        routes=routes,
        sharing=app.sharing,
        operation=operation,
    )
    with record_page(settings, endpoint.url), open_metrics_port(settings, operation) as beside:
        greet(None if door is None else door.new_link())
        report_metrics_port(beside)
        return serve_http(asgi, endpoint, limits, operation.drain() if overseen.audit is not None else None, beside)


def _facts(app: App, door: PageDoor | None) -> PageFacts:
    facts = PageFacts(
        health=app.health,
        waiting=lambda: _waiting(app),
        stale=lambda: list_stale_places(app),
        indexed=lambda: read_index_state(app),
        questions=SuggestedQuestions(app),
        shows=collect_shown(app),
    )
    return facts if door is None else facts._replace(visitor=door.visitor, token_to_show=door.token_to_show)


def _waiting(app: App) -> list[str]:
    """What the page tells of the project's files: what can't be followed, and what waits for the person."""
    try:
        return [*app.settings.problems, *(ask.sentence() for ask in app.asks())]
    except FieldguideError as error:
        return [*app.settings.problems, error.message]


def _door(url: str, token: str) -> PageDoor:
    write = StderrLines()
    return PageDoor(page=url.removesuffix("mcp"), token=token, tell=lambda line: write([line]))
