"""How each client is connected to this server."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fieldguide.dashboard.components import code_block, heading
from fieldguide.dashboard.connecting import instructions
from fieldguide.dashboard.page_text import as_html
from fieldguide.dashboard.site import Site

PATH = "/connect"
PLACEHOLDER = "YOUR_TOKEN"
ON_A_SOCKET = "<p>This server listens on a unix socket; only its owner can open it.</p>"


def routes(site: Site) -> list[Route]:
    """The page with what to type or paste for each client."""
    site.add_section("Connect", PATH)

    async def show(request: Request) -> Response:
        token = None if site.facts.token_to_show is None else PLACEHOLDER
        main = heading("Connect a client") + _where_the_token_is(site) + clients(site, token)
        return site.page(request, "Connect", main, at=PATH)

    return [site.route(PATH, show)]


def clients(site: Site, token: str | None) -> str:
    """Each client over HTTP, with what to type or paste."""
    if site.served.url.startswith("unix:"):
        return ON_A_SOCKET
    blocks = (
        f'<section class="card"><h3>{as_html(each.client)}</h3><p class="quiet">{as_html(each.where)}</p>'
        f"{code_block(each.text, can_be_copied=True)}</section>"
        for each in instructions(site.served.url, token)
    )
    return f'<div class="stack">{"".join(blocks)}</div>'


def _where_the_token_is(site: Site) -> str:
    if site.served.token_place is None:
        return ""
    return (
        '<p class="quiet">The token is shown on the first page only, and the first time only that it is looked at '
        f"after a link. It is kept in <code>{as_html(site.served.token_place)}</code>.</p>"
    )
