"""Serves one project over HTTP: MCP for clients, a page for people, and a port for metrics.

It collects what the page shows, and records where the page is, so that `fieldguide open` finds a running server.
"""

import json
import os
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from http.client import HTTPConnection, HTTPException
from typing import Any, cast
from urllib.parse import urlsplit

from starlette.types import ASGIApp

from fieldguide.app import App
from fieldguide.cli.console.in_process import TaskOwnerRepository
from fieldguide.cli.console.terminal import remark
from fieldguide.files.file_system import PRIVATE_FILE, find_open_flag
from fieldguide.knowledge.findings.finding import FindingRepository
from fieldguide.knowledge.links.stale import StaleStates
from fieldguide.pages.home import format_instructions
from fieldguide.pages.routes import build_routes
from fieldguide.pages.site import IndexedShelf, IndexOverview, PageFacts, ServedPage
from fieldguide.settings.config import Settings, find_namespace, open_project_folder
from fieldguide.settings.service import LOOPBACK
from fieldguide.spine.journal import StderrLines
from fieldguide.spine.questions import QUESTION_TOOLS, QuestionLog, is_kept, note_question
from fieldguide.storage.state_folder import find_expected_folder, make_state_folder
from fieldguide.team.metrics import ObservedProject
from fieldguide.team.monitoring import METRICS, Operation, ProcessOversight, make_probes
from fieldguide.text.citation import StalePlace
from fieldguide.text.display import to_visible_line
from fieldguide.text.errors import FieldguideError, Misconfiguration
from fieldguide.toolsets.upkeep import LateUpkeep
from fieldguide.wire.endpoint import Endpoint, listen_on_port, listen_on_socket
from fieldguide.wire.http import build_project, guard_project
from fieldguide.wire.http_guard import HttpAccess, HttpGuard
from fieldguide.wire.http_server import ExtraListener, serve_http
from fieldguide.wire.page_door import PageDoor, describe_token_place, read_local_token

FILE = "page.json"
LARGEST_RECORD = 10_000
ANSWER_SECONDS = 5.0
MOST_FACTS = 4
OPENED = os.O_RDWR | find_open_flag("O_NOFOLLOW") | find_open_flag("O_CLOEXEC")
SHELVES = {
    "documents": ("document", "documents", "/documents"),
    "code": ("file of code", "files of code", ""),
    "architecture": ("decision or pattern", "decisions and patterns", "/decisions"),
}
KEEPERS = ("context", "guide")
PATTERNS = "architecture.patterns"
TASKS = "tasks.page"
USERS = "tasks.users"


def serve_page(app: App, overseen: ProcessOversight, *, asks_for_token: bool) -> int:
    """Serve where the settings say, and tell how to connect and how the page is opened."""
    path = app.settings.socket_path()
    token = read_local_token(os.environ) if asks_for_token and path is None else None
    endpoint = listen_on_port(*app.settings.address()) if path is None else listen_on_socket(path)

    def greet(link: str | None) -> None:
        remark(*format_instructions(endpoint.url, token=token, link=link).splitlines())

    return serve_at(app, endpoint, overseen, token=token, greet=greet)


def print_journal(lines: list[str]) -> None:
    """Print what happens as short lines for whoever watches the terminal; programs get the JSON lines instead."""
    for line in lines:
        entry: dict[str, Any] = json.loads(line)
        clock = str(entry.pop("timestamp", ""))[11:19]
        message = entry.pop("message", "")
        if message == "Indexed":
            said = f"{_add_totals(entry)} files are indexed, after {entry.get('seconds', 0):.1f} seconds"
        else:
            facts = [str(value) for value in entry.values() if isinstance(value, str | int | float)]
            said = ": ".join([message, *facts[:MOST_FACTS]])
        remark(f"{clock}  {to_visible_line(said)}")


def _add_totals(counted: Mapping[str, Any]) -> int:
    """All that was counted as `total`, on whichever level."""
    found = 0
    for name, value in counted.items():
        if isinstance(value, dict):
            found += _add_totals(cast("dict[str, Any]", value))
        elif name == "total":
            found += int(value)
    return found


def serve_at(
    app: App, endpoint: Endpoint, overseen: ProcessOversight, *, token: str | None, greet: Callable[[str | None], None]
) -> int:
    """Serve until a signal comes; `greet` is told the link that opens the page, where it opens by one."""
    settings = app.settings
    door: PageDoor | None = None
    if token is not None:
        write = StderrLines()
        page = endpoint.url.removesuffix("mcp")
        door = PageDoor(page=page, token=token, tell=lambda line: write([line]))
    served = ServedPage(
        url=endpoint.url,
        project=os.path.basename(settings.project),
        folder=open_project_folder(settings),
        tools=app.executor.registry.all(),
        token_place=None if token is None else describe_token_place(os.environ),
        user=settings.user,
        is_read_only=settings.read_only,
    )
    limits = settings.limits
    app.executor.journal.observed_tools = tuple(QUESTION_TOOLS)
    app.executor.journal.observe_answer = partial(note_question, settings)
    operation = make_operation(app, overseen)
    routes = build_routes(served, _collect_facts(app, door), app.executor)
    project = build_project(
        app.protocol,
        app.executor,
        limits=limits,
        user=settings.user,
        routes=routes,
        operation=operation,
    )
    asgi = guard_project(project, HttpAccess(endpoint.hosts, door), routes, operation)
    with record_page(settings, endpoint.url), open_metrics_port(settings, operation) as beside:
        greet(None if door is None else door.new_link())
        report_metrics_port(beside)
        return serve_http(asgi, endpoint, limits, operation.drain() if overseen.is_audited else None, beside)


def _collect_facts(app: App, door: PageDoor | None) -> PageFacts:
    facts = PageFacts(
        health=app.health,
        stale=lambda: list_stale_places(app),
        indexed=lambda: read_index_state(app),
        shows=collect_shown(app),
        questions_log=QuestionLog(app.settings.project) if is_kept(app.settings) else None,
    )
    if door is None:
        return facts
    return facts._replace(visitor=door.visitor, token_to_show=door.token_to_show)


def list_stale_places(app: App) -> Sequence[StalePlace]:
    """Stale statements about the code, as of the last upkeep."""
    try:
        return StaleStates(app.engine().database, find_namespace(app.settings)).all()
    except FieldguideError:
        return ()


def read_index_state(app: App) -> IndexOverview:
    """The contents of the index, and the progress of the first pass while it runs; or the problem that prevents it."""
    every: list[Any] = [toolset.upkeep for toolset in app.toolsets]
    upkeeps: list[LateUpkeep[Any]] = [each for each in every if isinstance(each, LateUpkeep)]
    try:
        shelves = _count_shelves(app)
        progress = _sum_progress(upkeeps)
    except FieldguideError as error:
        return IndexOverview(problem=error.message)
    lacks = sorted({each.lack for each in upkeeps if each.lack})
    return IndexOverview(shelves, any(each.is_at_work() for each in upkeeps), progress, "; ".join(lacks))


def _sum_progress(upkeeps: Sequence[LateUpkeep[Any]]) -> tuple[int, int] | None:
    """The number of indexed files and of all files; None where no first pass is under way."""
    done = 0
    total = 0
    for upkeep in upkeeps:
        standing = upkeep.first_standing()
        if standing is not None:
            done += standing.done
            total += standing.total
    return (done, total) if total else None


def _count_shelves(app: App) -> tuple[IndexedShelf, ...]:
    engine = app.engine()
    shelves: list[IndexedShelf] = []
    for kind, (one, many, path) in SHELVES.items():
        number = sum(source.documents for source in engine.sources(kind))
        shelves.append(IndexedShelf(one, many, number, path))
    if any(toolset.name in KEEPERS for toolset in app.toolsets):
        with app.database.reading() as transaction:
            number = FindingRepository(transaction, find_namespace(app.settings)).count()
        shelves.append(IndexedShelf("finding", "findings", number, "/findings"))
    return tuple(shelves)


def collect_shown(app: App) -> dict[str, Callable[..., Any]]:
    """Everything that the toolsets show, by `toolset.name`."""
    shows = dict(app.shows())
    read_patterns = shows.get(PATTERNS)
    if read_patterns is not None:
        shows[PATTERNS] = lambda: [_pattern_to_json(*each) for each in read_patterns()]
    if TASKS in shows:
        shows[USERS] = lambda: _list_users(app)
    return shows


def _list_users(app: App) -> list[str]:
    with app.database.reading() as session:
        return TaskOwnerRepository(session).users()


def _pattern_to_json(document: Any, pattern: Any) -> dict[str, Any]:
    """A pattern document as the page shows it: its rules, advice and problems."""
    rules = [
        {
            "id": rule.id,
            "message": rule.message,
            "severity": rule.severity,
            "is_declared": rule.origin == "front-matter",
            "line": rule.document_line,
            "fix": rule.fix or "",
        }
        for rule in pattern.rules
    ]
    return {
        "name": document.name,
        "title": pattern.title,
        "path": document.path,
        "rules": rules,
        "advice": [each._asdict() for each in pattern.advice],
        "problems": [each._asdict() for each in pattern.problems],
    }


@contextmanager
def open_metrics_port(settings: Settings, operation: Operation) -> Generator[list[ExtraListener]]:
    """The socket that the settings name, listening while the block runs; none where they name none."""
    if settings.metrics is None:
        yield []
        return
    endpoint = _listen_for_metrics(settings._replace(http=settings.metrics))
    try:
        yield [ExtraListener(endpoint.listener, HttpGuard(operation.router(), HttpAccess(endpoint.hosts, None)))]
    finally:
        endpoint.close()


def report_metrics_port(beside: Sequence[ExtraListener]) -> None:
    """Say where monitors ask."""
    for each in beside:
        at: object = each.listener.getsockname()
        if isinstance(at, str):
            remark(f"Monitors ask at unix:{at}")
            continue
        host, port = cast("tuple[str, int]", at)[:2]
        if ":" in host:
            host = f"[{host}]"
        remark(f"Monitors ask at http://{host}:{port}{METRICS}")


def _listen_for_metrics(settings: Settings) -> Endpoint:
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
        projects=lambda: [ObservedProject(name, app)],
    )


def serve_with_operation(
    asgi: ASGIApp, endpoint: Endpoint, settings: Settings, operation: Operation, greet: Callable[[], None]
) -> int:
    """Serve others until a signal comes, and then until what runs has come to its end."""
    with open_metrics_port(settings, operation) as beside:
        greet()
        report_metrics_port(beside)
        return serve_http(asgi, endpoint, settings.limits, operation.drain(), beside)


@contextmanager
def record_page(settings: Settings, url: str) -> Generator[None]:
    """Record where the page is while the block runs; only the first server of a project does."""
    handle = None if url.startswith("unix:") else _open_locked(settings)
    if handle is None:
        yield
        return
    try:
        os.ftruncate(handle, 0)
        os.pwrite(handle, json.dumps(_make_record(settings, url)).encode(), 0)
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
        return _read_url(os.pread(handle, LARGEST_RECORD, 0), settings)
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


def _open_locked(settings: Settings) -> int | None:
    """The record, locked; None where another server has locked it, or it can't be written."""
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


def _make_record(settings: Settings, url: str) -> dict[str, str | bool | None]:
    return {"url": url, "user": settings.user, "read_only": settings.read_only}


def _read_url(written: bytes, settings: Settings) -> str | None:
    """The address in a record of the same user and mode; None where it is another's, or damaged."""
    try:
        record = json.loads(written)
        url = str(record["url"])
    except (ValueError, KeyError, TypeError):
        return None
    if record != _make_record(settings, url) or not url.startswith("http://"):
        return None
    return url
