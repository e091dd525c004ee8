"""The routes of all pages, in the order in which the navigation names them, and `/healthz` for machines."""

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from fieldguide import __version__
from fieldguide.dashboard.site import Facts, Served, Site
from fieldguide.dashboard.views import (
    calls,
    connecting,
    decisions,
    documents,
    findings,
    home,
    patterns,
    searching,
    source,
    tasks,
)
from fieldguide.errors import NotFound
from fieldguide.spine.executor import Executor

VIEWS: tuple[Callable[[Site], list[Route]], ...] = (
    home.routes,
    searching.routes,
    source.routes,
    documents.routes,
    decisions.routes,
    patterns.routes,
    tasks.routes,
    findings.routes,
    calls.routes,
    connecting.routes,
)
"""Each adds itself to the navigation where its tools are served."""


IN_A_SERVICE = tuple(view for view in VIEWS if view is not calls.routes)
"""What is counted there are the calls of many people."""


def build_routes(served: Served, facts: Facts, executor: Executor) -> list[Route]:
    """Every path of the page. The guard before them lets people in."""
    site = Site(served, facts, executor)
    pages = [route for routes in VIEWS for route in routes(site)]
    return [*pages, *site.static.routes(), Route("/healthz", _healthz)]


def build_service_routes(served: Served, facts: Facts, executor: Executor) -> list[Route]:
    """The paths of one project of a service, as one user sees it; the files of the page the service has itself."""
    site = Site(served, facts, executor)
    pages = [route for routes in IN_A_SERVICE for route in routes(site)]
    return [*pages, site.route("/{path:path}", _not_here)]


async def _not_here(request: Request) -> Response:
    raise NotFound("There is no such page here.")


async def _healthz(request: Request) -> Response:
    return JSONResponse({"status": "ok", "version": __version__}, headers={"cache-control": "no-store"})
