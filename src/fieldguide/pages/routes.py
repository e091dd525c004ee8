"""The routes of all pages."""

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fieldguide.pages import code, decisions, documents, findings, home, now, patterns, search, tasks
from fieldguide.pages.site import PageFacts, PageSite, ServedPage
from fieldguide.spine.executor import Executor
from fieldguide.text.errors import NotFound

VIEWS: tuple[Callable[[PageSite], list[Route]], ...] = (
    home.routes,
    now.routes,
    search.routes,
    code.routes,
    documents.routes,
    decisions.routes,
    patterns.routes,
    tasks.routes,
    findings.routes,
    home.connect_routes,
)
"""Each adds itself to the navigation where its tools are served."""


IN_A_SERVICE = tuple(view for view in VIEWS if view is not now.routes)
"""A service counts the calls of many people."""


def build_routes(served: ServedPage, facts: PageFacts, executor: Executor) -> list[Route]:
    """Every path of the page. The guard before them lets people in."""
    site = PageSite(served, facts, executor)
    pages = [route for routes in VIEWS for route in routes(site)]
    others = site.route("/{path:path}", _not_here)
    return [*pages, *site.static.routes(), others]


def build_service_routes(served: ServedPage, facts: PageFacts, executor: Executor) -> list[Route]:
    """The paths of one project of a service, as one user sees it; the files of the page the service has itself."""
    site = PageSite(served, facts, executor)
    pages = [route for routes in IN_A_SERVICE for route in routes(site)]
    return [*pages, site.route("/{path:path}", _not_here)]


async def _not_here(request: Request) -> Response:
    raise NotFound("There is no such page here.")
