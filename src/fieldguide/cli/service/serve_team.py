"""Serves one project or all projects of the registry to a team, who show tokens."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from starlette.routing import Router
from starlette.types import ASGIApp

from fieldguide.app import App, build_app
from fieldguide.cli.console.options import read_service_settings, split_names
from fieldguide.cli.console.terminal import remark
from fieldguide.cli.service.serve_http import (
    collect_shown,
    list_stale_places,
    make_operation,
    read_index_state,
    serve_with_operation,
)
from fieldguide.pages.routes import build_service_routes
from fieldguide.pages.site import PageFacts, PageSite, ServedPage
from fieldguide.settings.access import Access, bind_caller, grant_whole_project
from fieldguide.settings.config import Settings, open_project_folder
from fieldguide.settings.limits import Limits
from fieldguide.settings.service import MCP_PATH, TOKEN_AUTH
from fieldguide.spine.journal import Journal, Metrics
from fieldguide.storage.database import Database
from fieldguide.team.gate import PutPages, ServiceGate, open_gate
from fieldguide.team.monitoring import ProcessOversight
from fieldguide.team.pages import HostedPages, PageCookies, PageVisit, ServicePages, SignIn, read_page_key
from fieldguide.team.registry import (
    PAGES_SCHEMA,
    PROJECTS_SCHEMA,
    TOKENS_SCHEMA,
    HostedProject,
    open_service_database,
)
from fieldguide.team.service import ProjectsService, read_registry
from fieldguide.text.errors import Misconfiguration
from fieldguide.wire.authentication import ProtectedResource
from fieldguide.wire.http import build_project

KEPT_BY_USER = "your own keeping: `fieldguide team token new` shows it once"
UNCOUNTED: Mapping[str, Any] = {"tools": {"": {"calls": 1 << 62}}}  # hides how often each tool is called
NONE_YET = "There are no projects yet: `fieldguide team projects add NAME PATH|GIT_ADDRESS` adds one, at once."


def serve_others(app: App, overseen: ProcessOversight) -> int:
    """Serve where the settings say until a signal comes, to everybody who has a good token."""
    settings = app.settings

    def tell(sentence: str) -> None:
        app.executor.journal.note("Identity", notice=sentence)

    database = open_service_database(settings, [TOKENS_SCHEMA], tell)
    gate = open_gate(settings, database, tell)
    operation = make_operation(app, overseen)
    served = build_project(app.protocol, app.executor, limits=settings.limits, operation=operation)
    asgi = gate.before(operation.before(served), grant_whole_project, operation.refusals)
    try:
        return serve_with_operation(asgi, gate.endpoint, settings, operation, lambda: report_address(gate))
    finally:
        database.close()


def report_address(gate: ServiceGate) -> None:
    """Say where it serves, and how somebody gets in."""
    remark(f"Serving MCP at {gate.endpoint.url} to those who show a token.")
    if gate.service.auth == TOKEN_AUTH:
        remark("`fieldguide team token new NAME` makes one, and shows it once.")
    else:
        remark(f"Tokens come from {gate.service.jwt_issuer}.")


def make_project_pages(app: App, visit: PageVisit) -> ASGIApp:
    """Every page of a project for this visit, at paths from `/` on."""
    access = visit.access
    served = ServedPage(
        url=visit.url,
        project=visit.project,
        folder=open_project_folder(app.settings),
        tools=app.executor.registry.all(access),
        token_place=KEPT_BY_USER,
        user=access.user,
        is_read_only=True,
        access=access,
        place=visit.place,
        who=visit.who,
    )
    return Router(build_service_routes(served, _facts(app, access), app.executor))


def _facts(app: App, access: Access) -> PageFacts:
    """The facts of a project that this user may see: without full read access, only those of readable toolsets."""
    shows: dict[str, Callable[..., Any]] = {}
    for name, show in collect_shown(app).items():
        if access.allows(name.partition(".")[0]):
            shows[name] = _bind_user(access.user, show)

    def hide_token(cookies: list[bytes]) -> str:
        return PageSite.placeholder

    facts = PageFacts(health=lambda: UNCOUNTED, shows=shows, token_to_show=hide_token)
    if access.readable is not None:
        return facts
    return facts._replace(
        stale=lambda: list_stale_places(app),
        indexed=lambda: read_index_state(app),
    )


def _bind_user(user: str, show: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, run with the database's row guards set to this user."""
    return lambda *given: bind_caller(user, partial(show, *given))()


def make_service_pages(
    service: ProjectsService, gate: ServiceGate, *, database: Database, limits: Limits, journal: Journal
) -> PutPages:
    """The function that puts the pages before an application of a service."""
    cookies = PageCookies(read_page_key(database), is_secure=gate.origin.startswith("https://"))

    def tell(project: HostedProject, notice: str) -> None:
        journal.note("Project", project=project.name, notice=notice)

    hosted = HostedPages(
        picture=partial(read_registry, service.view),
        projects=service.projects,
        origin=gate.origin,
        make_pages=make_project_pages,
        tell=tell,
    )

    def put(app: ASGIApp, resource: ProtectedResource) -> ASGIApp:
        return ServicePages(app, hosted, SignIn(gate.verifier, resource.audiences(MCP_PATH)), cookies, limits)

    return put


def serve_projects(arguments: Any) -> int:
    """Serve every project of the registry, each at `/mcp/NAME`, until a signal comes."""
    settings = _check_settings(arguments)
    journal = Journal(Metrics())

    def tell(notice: str) -> None:
        journal.note("Service", notice=notice)

    database = open_service_database(settings, [PROJECTS_SCHEMA, TOKENS_SCHEMA, PAGES_SCHEMA], tell, has_tenants=True)
    flags = {
        "toolsets": split_names(getattr(arguments, "toolsets", None)),
        "tool_names": getattr(arguments, "tool_names", None),
        "profile": getattr(arguments, "profile", None),
    }
    service = ProjectsService(settings, flags, database, journal, build_app)
    projects = service.view.current().projects.values()
    gate = open_gate(settings, database, tell)
    names = ", ".join(each.name for each in projects)

    def greet_all() -> None:
        report_address(gate)
        remark(f"Each project is at {gate.endpoint.url}/NAME: {names}." if names else NONE_YET)

    pages = make_service_pages(service, gate, database=database, limits=settings.limits, journal=journal)
    operation = service.operation
    asgi = gate.before(operation.before(service.routes), service.routes.access_for, operation.refusals, pages)
    return serve_with_operation(asgi, gate.endpoint, settings, operation, greet_all)


def _check_settings(arguments: Any) -> Settings:
    """The settings of the service; a sentence says what does not go with many projects."""
    for flag in ("project", "user"):
        if getattr(arguments, flag, None):
            raise Misconfiguration(
                f"--{flag} does not go with --projects: the registry says which projects there are, and each request "
                "who asks."
            )
    settings = read_service_settings(arguments)
    if settings.http is None:
        raise Misconfiguration("Many projects are served over HTTP: add --http, such as --http 8137.")
    return settings
