"""Serve a project over HTTP: MCP for clients, a page for people."""

import os
from collections.abc import Callable, Sequence

from fieldguide.app import App, namespace_of
from fieldguide.cli.serving.indexed_parts import indexed_parts
from fieldguide.cli.serving.metrics_port import metrics_port, tell_monitors
from fieldguide.cli.serving.operated import operation_of
from fieldguide.cli.serving.running_page import recorded_page
from fieldguide.cli.serving.shown import shown_to_people
from fieldguide.cli.serving.suggested import SuggestedQuestions
from fieldguide.cli.terminal import remark
from fieldguide.config import project_folder
from fieldguide.dashboard.connecting import as_text
from fieldguide.dashboard.routes import build_routes
from fieldguide.dashboard.site import Facts, Served
from fieldguide.errors import FieldguideError
from fieldguide.hosting.overseeing import Overseen
from fieldguide.server.http import build_asgi, serve_http
from fieldguide.server.web.endpoint import Endpoint, listen_on_port, listen_on_socket
from fieldguide.server.web.guard import Access
from fieldguide.server.web.page_door import PageDoor
from fieldguide.server.web.token import read_token, token_place
from fieldguide.spine.answers.stale_places import StalePlace
from fieldguide.spine.stderr_lines import StderrLines


def serve_page(app: App, overseen: Overseen, *, asks_for_token: bool) -> int:
    """Serve where the settings say, and tell how to connect and how the page is opened."""
    path = app.settings.socket_path()
    token = read_token(os.environ) if asks_for_token and path is None else None
    endpoint = listen_on_port(*app.settings.address()) if path is None else listen_on_socket(path)

    def greet(link: str | None) -> None:
        remark(*as_text(endpoint.url, token=token, link=link).splitlines())

    return serve_at(app, endpoint, overseen, token=token, greet=greet)


def serve_at(
    app: App, endpoint: Endpoint, overseen: Overseen, *, token: str | None, greet: Callable[[str | None], None]
) -> int:
    """Serve until a signal comes; `greet` is told the link that opens the page, where it opens by one."""
    settings = app.settings
    door = None if token is None else _door(endpoint.url, token)
    served = Served(
        url=endpoint.url,
        project=os.path.basename(settings.project),
        folder=project_folder(settings),
        tools=app.executor.registry.all(),
        token_place=None if token is None else token_place(os.environ),
        user=settings.user,
        is_read_only=settings.read_only,
    )
    routes = build_routes(served, _facts(app, door), app.executor)
    access, limits = Access(endpoint.hosts, door), settings.limits
    operation = operation_of(app, overseen)
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
    with recorded_page(settings, endpoint.url), metrics_port(settings, operation) as beside:
        greet(None if door is None else door.new_link())
        tell_monitors(beside)
        return serve_http(asgi, endpoint, limits, operation.drain() if overseen.audit is not None else None, beside)


def _facts(app: App, door: PageDoor | None) -> Facts:
    facts = Facts(
        health=app.health,
        waiting=lambda: _waiting(app),
        stale=lambda: stale_places(app),
        indexed=lambda: indexed_parts(app),
        questions=SuggestedQuestions(app),
        shows=shown_to_people(app),
    )
    return facts if door is None else facts._replace(visitor=door.visitor, token_to_show=door.token_to_show)


def _waiting(app: App) -> list[str]:
    """What the page tells of the project's files: what can't be followed, and what waits for the person."""
    try:
        return [*app.settings.problems, *(ask.sentence() for ask in app.asks())]
    except FieldguideError as error:
        return [*app.settings.problems, error.message]


def stale_places(app: App) -> Sequence[StalePlace]:
    """What is written about the code and no longer holds, as the last upkeep left it."""
    from fieldguide.staleness.ties.asking import States

    try:
        return States(app.engine().database, namespace_of(app.settings)).all()
    except FieldguideError:
        return ()


def _door(url: str, token: str) -> PageDoor:
    write = StderrLines()
    return PageDoor(page=url.removesuffix("mcp"), token=token, tell=lambda line: write([line]))
