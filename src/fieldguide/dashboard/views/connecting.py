"""How each client is connected: by one command, or over HTTP to this running server."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fieldguide.dashboard.components import code_block, heading
from fieldguide.dashboard.connecting import instructions
from fieldguide.dashboard.page_text import as_html
from fieldguide.dashboard.site import Site

PATH = "/connect"
ON_A_SOCKET = "<p>This server listens on a unix socket; only its owner can open it.</p>"
INSTALL = "fieldguide install"
INSTALLED = (
    ("Claude Code", "claude-code"),
    ("Claude Desktop", "claude-desktop"),
    ("Cursor", "cursor"),
    ("VS Code", "vscode"),
    ("Codex", "codex"),
    ("Gemini CLI", "gemini"),
    ("Windsurf", "windsurf"),
    ("Zed", "zed"),
)
LEAD = "One command finds your clients, shows what it would change, and writes it when you agree."


def routes(site: Site) -> list[Route]:
    """The page with what to type or paste for each client."""
    site.add_section("Connect", PATH)

    async def show(request: Request) -> Response:
        token = None if site.facts.token_to_show is None else site.placeholder
        over_http = (
            '<section class="stack"><div><h2>Over HTTP</h2><p class="quiet">To this server, as long as it runs: for '
            f"clients that share it.</p></div>{_where_the_token_is(site)}{clients(site, token)}</section>"
        )
        return site.page(request, "Connect", heading("Connect a client", LEAD) + _by_command() + over_http, at=PATH)

    return [site.route(PATH, show)]


def install_lines() -> str:
    """The one command that connects every client of this machine."""
    return code_block(INSTALL, can_be_copied=True)


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


def _by_command() -> str:
    """One command for all, and one for each."""
    rows = "".join(
        f'<div class="card"><h3>{as_html(name)}</h3>{code_block(f"{INSTALL} --client {key}", can_be_copied=True)}</div>'
        for name, key in INSTALLED
    )
    return (
        '<section class="stack"><div><h2>In the folder of your project</h2><p class="quiet">Your client then starts '
        "the server by itself. <code>fieldguide uninstall</code> takes back exactly what was written.</p></div>"
        f"{install_lines()}<details><summary>Only one client</summary>"
        f'<div class="grid wide-cards">{rows}</div></details></section>'
    )


def _where_the_token_is(site: Site) -> str:
    if site.served.token_place is None:
        return ""
    return (
        '<p class="quiet">The token is shown on the first page only, and the first time only that it is looked at '
        f"after a link. It is kept in <code>{as_html(site.served.token_place)}</code>.</p>"
    )
