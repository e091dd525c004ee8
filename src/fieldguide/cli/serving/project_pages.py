"""The pages of one project of a service, as one of its users sees them: read-only, and only what they may read."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from starlette.routing import Router
from starlette.types import ASGIApp

from fieldguide.app import App
from fieldguide.cli.serving.indexed_parts import indexed_parts
from fieldguide.cli.serving.over_http import stale_places
from fieldguide.cli.serving.shown import shown_to_people
from fieldguide.cli.serving.suggested import SuggestedQuestions
from fieldguide.config import project_folder
from fieldguide.dashboard.routes import build_service_routes
from fieldguide.dashboard.site import Facts, Served, Site
from fieldguide.hosting.pages.visits import Visit
from fieldguide.spine.callers.access import Access, acting_for

KEPT_BY_THEM = "your own keeping: `fieldguide token new` shows it once"
UNCOUNTED: Mapping[str, Any] = {"tools": {"": {"calls": 1 << 62}}}
"""Who calls how often is nobody's business here: only that somebody has."""


def project_pages(app: App, visit: Visit) -> ASGIApp:
    """Every page of a project for this visit, at paths from `/` on."""
    access = visit.access
    served = Served(
        url=visit.url,
        project=visit.project,
        folder=project_folder(app.settings),
        tools=app.executor.registry.all(access),
        token_place=KEPT_BY_THEM,
        user=access.user,
        is_read_only=True,
        access=access,
        place=visit.place,
        who=visit.who,
        secret=visit.secret,
    )
    return Router(build_service_routes(served, _facts(app, access), app.executor))


def _facts(app: App, access: Access) -> Facts:
    """What no tool tells; of a project that is not wholly readable, only what belongs to a toolset that is."""
    shows = {
        name: _for(access.user, show) for name, show in shown_to_people(app).items() if access.allows(_toolset(name))
    }

    def visitor(cookies: list[bytes]) -> bytes:
        return access.user.encode()

    facts = Facts(health=lambda: UNCOUNTED, shows=shows, visitor=visitor, token_to_show=_no_token)
    if access.readable is not None:
        return facts
    return facts._replace(
        stale=lambda: stale_places(app),
        indexed=lambda: indexed_parts(app),
        questions=SuggestedQuestions(app),
    )


def _no_token(cookies: list[bytes]) -> str:
    return Site.placeholder


def _toolset(name: str) -> str:
    return name.partition(".")[0]


def _for(user: str, show: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, known to a database that guards its rows as this user's."""
    return lambda *given: acting_for(user, partial(show, *given))()
