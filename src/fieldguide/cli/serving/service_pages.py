"""The pages of a whole service, put before its MCP."""

import hmac
from functools import partial

from starlette.types import ASGIApp

from fieldguide.cli.serving.project_pages import project_pages
from fieldguide.hosting.pages.cookies import PageCookies
from fieldguide.hosting.pages.door import Hosted, ServicePages
from fieldguide.hosting.pages.signing import Signing
from fieldguide.hosting.routes import current
from fieldguide.hosting.service import ProjectsService
from fieldguide.limits import Limits
from fieldguide.server.web.endpoint import PATH
from fieldguide.server.web.gate import Gate, PutPages
from fieldguide.server.web.resource_metadata import ProtectedResource
from fieldguide.spine.journal import Journal
from fieldguide.storage.port import Database
from fieldguide.teams.pages.key import page_key
from fieldguide.teams.projects.project import HostedProject

FORMS = b"fieldguide: the forms of the pages of a service"


def service_pages(
    service: ProjectsService, gate: Gate, *, database: Database, limits: Limits, journal: Journal
) -> PutPages:
    """What puts the pages before an application; every replica of the service seals its cookies with the same key."""
    key = page_key(database)
    cookies = PageCookies(key, is_secure=gate.origin.startswith("https://"))

    def tell(project: HostedProject, notice: str) -> None:
        journal.note("Project", project=project.name, notice=notice)

    hosted = Hosted(
        picture=partial(current, service.view),
        projects=service.projects,
        origin=gate.origin,
        make_pages=project_pages,
        secret=hmac.digest(key, FORMS, "sha256"),
        tell=tell,
    )

    def put(app: ASGIApp, resource: ProtectedResource) -> ASGIApp:
        return ServicePages(app, hosted, Signing(gate.verifier, resource.audiences(PATH)), cookies, limits)

    return put
