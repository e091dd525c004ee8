"""Serve every project of the registry to a team, with an identity for each request."""

from typing import Any

from fieldguide.cli.options import service_settings
from fieldguide.cli.serving.for_others import greet
from fieldguide.cli.serving.operated import serve_operated
from fieldguide.cli.serving.service_pages import service_pages
from fieldguide.cli.terminal import remark
from fieldguide.config import Settings
from fieldguide.errors import Misconfiguration
from fieldguide.hosting.service import ProjectsService
from fieldguide.server.web.gate import open_gate
from fieldguide.spine.journal import Journal
from fieldguide.spine.metrics import Metrics
from fieldguide.teams.pages import SCHEMA as PAGES
from fieldguide.teams.projects import SCHEMA as PROJECTS
from fieldguide.teams.service_database import open_service_database
from fieldguide.teams.tokens import SCHEMA as TOKENS

NONE_YET = "There are no projects yet: `fieldguide projects add NAME PATH|GIT_ADDRESS` adds one, at once."


def serve_projects(arguments: Any) -> int:
    """Serve every project of the registry, each at `/mcp/NAME`, until a signal comes."""
    settings = _settings(arguments)
    journal = Journal(Metrics())

    def tell(notice: str) -> None:
        journal.note("Service", notice=notice)

    database = open_service_database(settings, [PROJECTS, TOKENS, PAGES], tell, has_tenants=True)
    service = ProjectsService(settings, _given(arguments), database, journal)
    projects = service.view.current().projects.values()
    gate = open_gate(settings, database, tell)
    names = ", ".join(each.name for each in projects)

    def greet_all() -> None:
        greet(gate)
        remark(f"Each project is at {gate.endpoint.url}/NAME: {names}." if names else NONE_YET)

    pages = service_pages(service, gate, database=database, limits=settings.limits, journal=journal)
    asgi = gate.before(service.operation.before(service.routes), service.routes.access_for, pages)
    return serve_operated(asgi, gate.endpoint, settings, service.operation, greet_all)


def _settings(arguments: Any) -> Settings:
    """The settings of the service; a sentence says what does not go with many projects."""
    for flag in ("project", "user"):
        if getattr(arguments, flag, None):
            raise Misconfiguration(
                f"--{flag} does not go with --projects: the registry says which projects there are, and each request "
                "who asks."
            )
    settings = service_settings(arguments)
    if settings.http is None:
        raise Misconfiguration("Many projects are served over HTTP: add --http, such as --http 8137.")
    return settings


def _given(arguments: Any) -> dict[str, Any]:
    """The flags that hold for every project."""
    toolsets = getattr(arguments, "toolsets", None)
    chosen = tuple(name.strip() for name in toolsets.split(",") if name.strip()) if toolsets else None
    names = ("tool_names", "profile")
    return {"toolsets": chosen, **{name: getattr(arguments, name, None) for name in names}}
