"""The first page: what is served here, what is to be known of it, and how to connect."""

from collections.abc import Sequence

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fieldguide.consents import TRUST
from fieldguide.dashboard.components import heading, source_link, table
from fieldguide.dashboard.page_text import as_html
from fieldguide.dashboard.site import Site
from fieldguide.dashboard.views.connecting import clients
from fieldguide.spine.answers.stale_places import StalePlace

PATH = "/"
MOST_STALE = 20


def routes(site: Site) -> list[Route]:
    """The page at `/`."""
    site.add_section("Home", PATH)

    async def show(request: Request) -> Response:
        show_token = site.facts.token_to_show
        token = None if show_token is None else show_token(site.cookies(request))
        waiting = await run_in_threadpool(site.facts.waiting)
        stale = await run_in_threadpool(site.facts.stale)
        parts = (heading(site.served.project), _waiting(waiting), _stale(stale), clients(site, token))
        return site.page(request, "Home", "".join(parts), at=PATH)

    return [site.route(PATH, show)]


def _waiting(sentences: Sequence[str]) -> str:
    if not sentences:
        return ""
    items = "".join(f"<li>{as_html(sentence)}</li>" for sentence in sentences)
    return f'<section><h2>Not obeyed</h2><ul>{items}</ul><p class="quiet">{as_html(TRUST)}</p></section>'


def _stale(places: Sequence[StalePlace]) -> str:
    """A small table of what no longer holds."""
    if not places:
        return ""
    rows = (
        f'<tr><th scope="row">{source_link(each.document, each.line or None)}</th>'
        f"<td>{as_html(each.state)}</td><td>{as_html(each.told().partition(': ')[2])}</td></tr>"
        for each in places[:MOST_STALE]
    )
    more = f'<p class="quiet">And {len(places) - MOST_STALE} more.</p>' if len(places) > MOST_STALE else ""
    return f"<section><h2>Stale</h2>{table(('Where', 'State', 'Why'), rows)}{more}</section>"
