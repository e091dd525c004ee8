"""The decisions of the project: as a list, as a picture over time, and each on a page of its own."""

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fieldguide.dashboard.components import empty_state, heading
from fieldguide.dashboard.site import Site
from fieldguide.dashboard.views.asked import chosen, page_of, words_of
from fieldguide.dashboard.views.decisions.listing import Asked, list_html
from fieldguide.dashboard.views.decisions.over_time import over_time_html
from fieldguide.dashboard.views.decisions.record_page import record_html
from fieldguide.errors import NotFound
from fieldguide.picturing.decisions import STANDINGS, Recorded, decisions_of
from fieldguide.project_history.change import Change

PATH = "/decisions"
SHOWN = "architecture.decisions"
HISTORY = "architecture.decision_history"
LARGEST_BYTES = 1 << 20
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

    async def show_all(request: Request) -> Response:
        recorded: list[Recorded] = await site.ask(SHOWN)
        asked = Asked(
            view=chosen(request, "view", ("list", "time"), "list"),
            standing=chosen(request, "status", STANDINGS),
            words=words_of(request),
            page=page_of(request),
            year=request.query_params.get("year", "")[:10],
        )
        return site.page(request, "Decisions", await run_in_threadpool(_main, recorded, asked), at=PATH)

    async def show_one(request: Request) -> Response:
        recorded: list[Recorded] = await site.ask(SHOWN)
        name = request.path_params["name"]
        found = next((each for each in recorded if each.name == name), None)
        if found is None:
            raise NotFound(f"There is no decision {name!r} here. It may have been renamed or removed.")
        commits = await site.ask(HISTORY, found.record.path)
        main = await run_in_threadpool(_one, site, found, recorded, commits)
        return site.page(request, found.record.title, main, at=PATH)

    return [site.route(PATH, show_all), site.route(f"{PATH}/{{name:path}}", show_one)]


def _main(recorded: list[Recorded], asked: Asked) -> str:
    if not recorded:
        return heading("Decisions") + empty_state("No decisions were found", NONE)
    decisions = decisions_of(recorded, page=f"{PATH}/")
    bodies = {each.name: each.record.body.text for each in recorded} if asked.words else {}
    show = over_time_html if asked.view == "time" else list_html
    return show(PATH, decisions, bodies, asked)


def _one(site: Site, found: Recorded, recorded: list[Recorded], commits: list[Change]) -> str:
    """The page of a record, with its text as it is in its file now."""
    content = site.served.folder.read(found.record.path, limit_bytes=LARGEST_BYTES)
    decisions = decisions_of(recorded, page=f"{PATH}/")
    return record_html(found, decisions, commits, content.decode("utf-8", errors="replace"))
