"""The home page (search box, state of the index, stale places) and the page that says how to connect a client."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fieldguide.pages.components import (
    Html,
    build_address,
    render_badge,
    render_code_block,
    render_heading,
    render_notice,
    render_source_link,
    render_table,
)
from fieldguide.pages.search import PATH as SEARCH
from fieldguide.pages.search import TOOL, render_results_place, render_search_box
from fieldguide.pages.site import IndexOverview, PageSite
from fieldguide.settings.consents import TRUST
from fieldguide.settings.service import NEEDS_EXTRA, can_serve_mcp
from fieldguide.text.citation import StalePlace
from fieldguide.text.display import escape_html, format_count

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
CONNECT_PATH = "/connect"
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
CONNECT_LEAD = "One command finds your clients, shows what it would change, and writes it when you agree."
PATH = "/"
MOST_STALE = 8
MOST_QUESTIONS = 3
REFRESH_SECONDS = 3
LEAD = "A field guide to this project, for the agents that work on it and for you."


class ClientInstruction(NamedTuple):
    """One client, where its setting goes, and the setting itself."""

    client: str
    where: str
    text: str


def list_instructions(url: str, token: str | None) -> list[ClientInstruction]:
    """The clients that most people use."""
    if token is None:
        open_server = {"fieldguide": {"type": "http", "url": url}}
        return [
            ClientInstruction("Claude Code", "In a terminal:", f"claude mcp add --transport http fieldguide {url}"),
            ClientInstruction("Cursor", "In .cursor/mcp.json:", _json({"mcpServers": {"fieldguide": {"url": url}}})),
            ClientInstruction("VS Code", "In .vscode/mcp.json:", _json({"servers": open_server})),
            ClientInstruction("Codex", "In ~/.codex/config.toml:", f'[mcp_servers.fieldguide]\nurl = "{url}"'),
        ]
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


def _json(value: Any) -> str:
    return json.dumps(value, indent=2)


def connect_routes(site: PageSite) -> list[Route]:
    """The page with what to type or paste for each client."""
    site.add_section("Connect", CONNECT_PATH)

    async def show(request: Request) -> Response:
        token = None if site.facts.token_to_show is None else site.placeholder
        place = ""
        if site.served.token_place is not None:
            place = (
                '<p class="quiet">The token is shown on the first page only, and the first time only that it is looked '
                f"at after a link. It is kept in <code>{escape_html(site.served.token_place)}</code>.</p>"
            )
        over_http = (
            '<section class="stack"><div><h2>Over HTTP</h2><p class="quiet">To this server, as long as it runs: for '
            f"clients that share it.</p></div>{place}{render_clients(site, token)}</section>"
        )
        main = Html(render_heading("Connect a client", CONNECT_LEAD) + _by_command() + over_http)
        return site.page(request, "Connect", main, at=CONNECT_PATH)

    return [site.route(CONNECT_PATH, show)]


def render_install_lines() -> str:
    """The one command that connects every client of this machine."""
    return render_code_block(INSTALL, can_be_copied=True)


def render_clients(site: PageSite, token: str | None) -> str:
    """Each client over HTTP, with what to type or paste."""
    if site.served.url.startswith("unix:"):
        return SOCKET_HTML
    if not can_serve_mcp():
        return f"<p>{escape_html(NEEDS_EXTRA)}</p>"
    blocks = (
        f'<section class="card"><h3>{escape_html(each.client)}</h3><p class="quiet">{escape_html(each.where)}</p>'
        f"{render_code_block(each.text, can_be_copied=token != site.placeholder)}</section>"
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
        "the server by itself. <code>fieldguide install --remove</code> takes back exactly what was written.</p></div>"
        f"{render_install_lines()}<details><summary>Only one client</summary>"
        f'<div class="grid wide-cards">{rows}</div></details></section>'
    )


def routes(site: PageSite) -> list[Route]:
    """The page at `/`; as a fragment, the part that changes while the project is indexed."""
    site.add_section("Home", PATH)

    async def show(request: Request) -> Response:
        indexed = await run_in_threadpool(site.facts.indexed)
        if site.wants_fragment(request):
            return site.fragment(Html(_indexed(site, indexed)))
        show_token = site.facts.token_to_show
        token = None if show_token is None else show_token(site.cookies(request))
        below = "".join(
            (
                f'<section data-refresh="{REFRESH_SECONDS}" data-from="{PATH}">{_indexed(site, indexed)}</section>',
                _waiting(await run_in_threadpool(site.facts.waiting)),
                _connect(site, token),
                _stale(await run_in_threadpool(site.facts.stale)),
            )
        )
        questions = await run_in_threadpool(site.facts.questions)
        return site.page(request, "Home", _main(site, questions, below), at=PATH)

    return [site.route(PATH, show)]


def _main(site: PageSite, questions: Sequence[str], below: str) -> Html:
    head = (
        f'<div class="heading"><h1><bdi>{escape_html(site.served.project)}</bdi></h1><p class="lead">{LEAD}</p></div>'
    )
    if not site.serves(TOOL):
        return Html(f'{head}<div class="parts">{below}</div>')
    asked = "".join(
        f'<li><a class="chip" href="{build_address(SEARCH, q=question)}">{escape_html(question)}</a></li>'
        for question in questions[:MOST_QUESTIONS]
    )
    suggested = f'<ul class="chips questions" aria-label="Questions to begin with">{asked}</ul>'
    box = f'<div class="stack">{render_search_box(kinds=None)}{suggested}</div>'
    return Html(f"{head}{box}{render_results_place(else_html=below)}")


def _indexed(site: PageSite, indexed: IndexOverview) -> str:
    """What is in the index; the script asks again as long as it grows."""
    if indexed.problem:
        return f"<h2>What is indexed</h2>{render_notice(f'<p>{escape_html(indexed.problem)}</p>', 'bad')}"
    is_busy = indexed.is_at_work or indexed.standing is not None
    state = render_badge("indexing", "fair") if is_busy else render_badge("up to date", "good")
    paths = {section.path for section in site.sections}
    shelves = ""
    for shelf in indexed.shelves:
        said = f"<b>{shelf.number:,}</b> <span>{escape_html(shelf.one if shelf.number == 1 else shelf.many)}</span>"
        linked = f'<a href="{shelf.path}">{said}</a>' if shelf.path in paths else f"<div>{said}</div>"
        shelves += f"<li>{linked}</li>"
    progress = ""
    if indexed.standing is not None:
        done, total = indexed.standing
        said = f"{done:,} of {format_count(total, 'file')} so far; you can search already."
        bar = f'<progress value="{done}" max="{total}" aria-label="{said}"></progress>'
        progress = f'<p class="small quiet">{said}</p>{bar}'
    lacks = render_notice(f"<p>{escape_html(indexed.lacks)}</p>", "fair") if indexed.lacks else ""
    settled = "" if is_busy else "<span data-settled></span>"
    return (
        f'<div class="row part"><h2>What is indexed</h2>{state}</div>{progress}'
        f'<ul class="figures">{shelves}</ul>{lacks}{settled}'
    )


def _connect(site: PageSite, token: str | None) -> str:
    """How to connect, as long as nobody has, and whenever the token is to be shown."""
    counted_calls = sum(int(each["calls"]) for each in site.facts.health()["tools"].values())
    is_shown = token is not None and token != site.placeholder
    if counted_calls > site.calls_made and not is_shown:
        return ""
    once = " The token stands here this once." if is_shown else ""
    return (
        '<section class="card"><h2>Connect an agent</h2>'
        '<p class="quiet">Nobody has called this server yet. In the folder of your project:</p>'
        f"{render_install_lines()}<details><summary>Over HTTP, to this running server.{once}</summary>"
        f'<div class="stack">{render_clients(site, token)}</div></details></section>'
    )


def _waiting(sentences: Sequence[str]) -> str:
    if not sentences:
        return ""
    items = "".join(f"<li>{escape_html(sentence)}</li>" for sentence in sentences)
    way_out = f'<p class="quiet">{escape_html(TRUST)}</p>'
    return f'<section class="notice fair"><h2>Not obeyed</h2><ul>{items}</ul>{way_out}</section>'


def _stale(places: Sequence[StalePlace]) -> str:
    """A small table of what no longer holds."""
    if not places:
        return ""
    rows = (
        f'<tr><th scope="row">{render_source_link(each.document, each.line or None)}</th>'
        f"<td>{render_badge(each.state, 'fair')}</td><td>{escape_html(each.told().partition(': ')[2])}</td></tr>"
        for each in places[:MOST_STALE]
    )
    more = f'<p class="quiet small">And {len(places) - MOST_STALE:,} more.</p>' if len(places) > MOST_STALE else ""
    head = '<div><h2>Stale</h2><p class="quiet">Written about the code, and no longer so.</p></div>'
    return f'<section class="stack">{head}{render_table(("Where", "State", "Why"), rows)}{more}</section>'
