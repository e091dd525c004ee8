"""Instructions that connect each MCP client to the server, as text and as a page.

A setting with a token in it goes where it is not committed: into the person's own settings, or into the client's own
store of secrets.
"""

import json
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fieldguide.pages.components import render_code_block, render_heading
from fieldguide.pages.site import PageSite
from fieldguide.text.display import escape_html

VSCODE_INPUT = "fieldguide-token"
OPEN_TO_ALL = (
    "No token is asked for: every user and every program of this machine can use this server, read this project "
    "through it and write what its tools write. Without --no-token they can't."
)
SOCKET_TEXT = (
    "No token is asked for: the socket can be opened by its owner alone (0600). MCP is at /mcp, for example:\n"
    "    curl --unix-socket {path} http://localhost/healthz\n"
    "Ctrl-C ends."
)


class ClientInstruction(NamedTuple):
    """One client, where its setting goes, and the setting itself."""

    client: str
    where: str
    text: str


def list_instructions(url: str, token: str | None) -> list[ClientInstruction]:
    """The clients that most people use."""
    if token is None:
        return _open_to_all(url)
    shown = {"Authorization": f"Bearer {token}"}
    asked = {"Authorization": f"Bearer ${{input:{VSCODE_INPUT}}}"}
    prompt = {"type": "promptString", "id": VSCODE_INPUT, "description": "Fieldguide's token", "password": True}
    served = {"fieldguide": {"type": "http", "url": url, "headers": asked}}
    return [
        ClientInstruction(
            "Claude Code",
            "In a terminal:",
            f'claude mcp add --transport http fieldguide {url} --header "Authorization: Bearer {token}"',
        ),
        ClientInstruction(
            "Cursor", "In ~/.cursor/mcp.json:", _json({"mcpServers": {"fieldguide": {"url": url, "headers": shown}}})
        ),
        ClientInstruction(
            "VS Code",
            f"In .vscode/mcp.json; it asks once for the token, {token}, and keeps it:",
            _json({"inputs": [prompt], "servers": served}),
        ),
        ClientInstruction(
            "Codex",
            "In ~/.codex/config.toml:",
            f'[mcp_servers.fieldguide]\nurl = "{url}"\nhttp_headers = {{ "Authorization" = "Bearer {token}" }}',
        ),
    ]


def format_instructions(url: str, *, token: str | None, link: str | None) -> str:
    """The instructions for a terminal."""
    if url.startswith("unix:"):
        return f"Serving on {url}\n\n{SOCKET_TEXT.format(path=url.removeprefix('unix:'))}"
    parts = [f"Connect a client to {url}"]
    if link is None:
        parts += [f"A page for people is at {url.removesuffix('mcp')} and Ctrl-C ends.", OPEN_TO_ALL]
    else:
        parts.append(f"A page for people opens once by this link, and Ctrl-C ends:\n    {link}")
    for each in list_instructions(url, token):
        indented = "\n".join(f"    {line}" for line in each.text.splitlines())
        parts.append(f"{each.client}. {each.where}\n{indented}")
    return "\n\n".join(parts)


def _open_to_all(url: str) -> list[ClientInstruction]:
    return [
        ClientInstruction("Claude Code", "In a terminal:", f"claude mcp add --transport http fieldguide {url}"),
        ClientInstruction("Cursor", "In .cursor/mcp.json:", _json({"mcpServers": {"fieldguide": {"url": url}}})),
        ClientInstruction(
            "VS Code", "In .vscode/mcp.json:", _json({"servers": {"fieldguide": {"type": "http", "url": url}}})
        ),
        ClientInstruction("Codex", "In ~/.codex/config.toml:", f'[mcp_servers.fieldguide]\nurl = "{url}"'),
    ]


def _json(value: Any) -> str:
    return json.dumps(value, indent=2)


PATH = "/connect"
SOCKET_HTML = "<p>This server listens on a unix socket; only its owner can open it.</p>"
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


def routes(site: PageSite) -> list[Route]:
    """The page with what to type or paste for each client."""
    site.add_section("Connect", PATH)

    async def show(request: Request) -> Response:
        token = None if site.facts.token_to_show is None else site.placeholder
        over_http = (
            '<section class="stack"><div><h2>Over HTTP</h2><p class="quiet">To this server, as long as it runs: for '
            f"clients that share it.</p></div>{_where_the_token_is(site)}{render_clients(site, token)}</section>"
        )
        return site.page(
            request, "Connect", render_heading("Connect a client", LEAD) + _by_command() + over_http, at=PATH
        )

    return [site.route(PATH, show)]


def render_install_lines() -> str:
    """The one command that connects every client of this machine."""
    return render_code_block(INSTALL, can_be_copied=True)


def render_clients(site: PageSite, token: str | None) -> str:
    """Each client over HTTP, with what to type or paste."""
    if site.served.url.startswith("unix:"):
        return SOCKET_HTML
    blocks = (
        f'<section class="card"><h3>{escape_html(each.client)}</h3><p class="quiet">{escape_html(each.where)}</p>'
        f"{render_code_block(each.text, can_be_copied=True)}</section>"
        for each in list_instructions(site.served.url, token)
    )
    return f'<div class="stack">{"".join(blocks)}</div>'


def _by_command() -> str:
    """One command for all, and one for each."""
    rows = "".join(
        f'<div class="card"><h3>{escape_html(name)}</h3>'
        f"{render_code_block(f'{INSTALL} --client {key}', can_be_copied=True)}</div>"
        for name, key in INSTALLED
    )
    return (
        '<section class="stack"><div><h2>In the folder of your project</h2><p class="quiet">Your client then starts '
        "the server by itself. <code>fieldguide uninstall</code> takes back exactly what was written.</p></div>"
        f"{render_install_lines()}<details><summary>Only one client</summary>"
        f'<div class="grid wide-cards">{rows}</div></details></section>'
    )


def _where_the_token_is(site: PageSite) -> str:
    if site.served.token_place is None:
        return ""
    return (
        '<p class="quiet">The token is shown on the first page only, and the first time only that it is looked at '
        f"after a link. It is kept in <code>{escape_html(site.served.token_place)}</code>.</p>"
    )
