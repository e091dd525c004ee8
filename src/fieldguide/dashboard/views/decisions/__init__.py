"""The decisions of the project: as a list, as a picture over time, and each on a page of its own."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fieldguide.dashboard.components import empty_state, heading, notice
from fieldguide.dashboard.site import Site
from fieldguide.dashboard.views.asked import chosen, page_of, words_of
from fieldguide.dashboard.views.decisions.listing import Asked, list_html
from fieldguide.dashboard.views.decisions.over_time import over_time_html
from fieldguide.dashboard.views.decisions.record_page import record_html
from fieldguide.errors import NotFound
from fieldguide.picturing.decisions import STANDINGS, Decision, Recorded, decisions_of
from fieldguide.project_history.change import Change

PATH = "/decisions"
SHOWN = "architecture.decisions"
HISTORY = "architecture.decision_history"
LARGEST_BYTES = 1 << 20
AGAIN_SECONDS = 2
READING = "There are very many decisions here; they are being read. This page comes again by itself."
NONE = (
    "A decision is a document that says what was decided and why. Put one into <code>docs/decisions/</code> (or "
    "<code>docs/adr/</code>), as <code>0001-use-postgresql.md</code>, with a status and a date; it shows up here by "
    "itself, and agents are told of it before they propose the opposite."
)


def routes(site: Site) -> list[Route]:
    """The list, the picture and the page of each decision, where the architecture toolset is served."""
    if not site.has(SHOWN, HISTORY):
        return []
    site.add_section("Decisions", PATH)
    cabinet = Cabinet(site)

    async def show_all(request: Request) -> Response:
        drawer = await cabinet.drawer()
        return _waiting(site, request) if drawer is None else _shown(site, request, await _main(drawer, request))

    async def show_one(request: Request) -> Response:
        drawer = await cabinet.drawer()
        if drawer is None:
            return _waiting(site, request)
        name = request.path_params["name"]
        found = next((each for each in drawer.recorded if each.name == name), None)
        if found is None:
            raise NotFound(f"There is no decision {name!r} here. It may have been renamed or removed.")
        commits = await site.ask(HISTORY, found.record.path)
        main = await run_in_threadpool(_one, site, found, drawer, commits)
        return _shown(site, request, main, found.record.title)

    return [site.route(PATH, show_all), site.route(f"{PATH}/{{name:path}}", show_one)]


class Drawer(NamedTuple):
    """All decisions as they were read, and as they are drawn."""

    recorded: Sequence[Recorded]
    decisions: Sequence[Decision]


class Cabinet:
    """The decisions; they are tied together again only when one of them has changed."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._drawer = Drawer((), ())

    async def drawer(self) -> Drawer | None:
        """What there is now; None while it is still read."""
        recorded: list[Recorded] | None = await self._site.ask(SHOWN)
        if recorded is not None and recorded != self._drawer.recorded:
            tied = await run_in_threadpool(partial(decisions_of, recorded, page=f"{PATH}/"))
            self._drawer = Drawer(recorded, tied)
        return None if recorded is None else self._drawer


def _shown(site: Site, request: Request, main: str, title: str = "Decisions") -> Response:
    return site.page(request, title, main, at=PATH)


def _waiting(site: Site, request: Request) -> Response:
    """A page that asks again by itself, with or without script."""
    response = _shown(site, request, heading("Decisions") + notice(f"<p>{READING}</p>"))
    response.headers["refresh"] = str(AGAIN_SECONDS)
    return response


async def _main(drawer: Drawer, request: Request) -> str:
    if not drawer.recorded:
        return heading("Decisions") + empty_state("No decisions were found", NONE)
    asked = Asked(
        view=chosen(request, "view", ("list", "time"), "list"),
        standing=chosen(request, "status", STANDINGS),
        words=words_of(request),
        page=page_of(request),
        year=request.query_params.get("year", "")[:10],
    )
    bodies = {each.name: each.record.body.text for each in drawer.recorded} if asked.words else {}
    show = over_time_html if asked.view == "time" else list_html
    return await run_in_threadpool(show, PATH, drawer.decisions, bodies, asked)


def _one(site: Site, found: Recorded, drawer: Drawer, commits: Sequence[Change]) -> str:
    """The page of a record, with its text as it is in its file now."""
    content = site.served.folder.read(found.record.path, limit_bytes=LARGEST_BYTES)
    return record_html(found, drawer.decisions, commits, content.decode("utf-8", errors="replace"))
