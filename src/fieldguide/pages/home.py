"""The home page (search, what the project is and where it begins, the index) and how to connect a client."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fieldguide.code.imports.graph import FolderMap, MapFolder
from fieldguide.code.symbols.facts import COMMAND, FUNCTION, ROUTE
from fieldguide.code.symbols.lookup import Symbol
from fieldguide.pages.components import (
    Html,
    build_code_address,
    render_badge,
    render_code_block,
    render_group,
    render_heading,
    render_notice,
    render_source_link,
    render_table,
)
from fieldguide.pages.map import render_hot
from fieldguide.pages.search import TOOL, render_results_place, render_search_box
from fieldguide.pages.site import IndexOverview, PageSite
from fieldguide.settings.service import NEEDS_EXTRA, can_serve_mcp
from fieldguide.text.citation import StalePlace
from fieldguide.text.display import escape_html, format_count
from fieldguide.text.windows import cut_between_words

VSCODE_INPUT = "fieldguide-token"
OPEN_TO_ALL = (
    "No token is required: every user and program on this machine can use this server, read this project and write "
    "what its tools write. Leave out --no-token to require one."
)
SOCKET_TEXT = (
    "No token is required: only its owner can open the socket (0600). MCP is at /mcp, for example:\n"
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
    ("opencode", "opencode"),
    ("Copilot CLI", "copilot"),
)
CONNECT_LEAD = "One command finds your clients, shows what it would change, and writes it when you agree."
PATH = "/"
MOST_STALE = 8
REFRESH_SECONDS = 3
STALE_LEAD = "Notes and documents about code that has since moved, changed or gone."
ABOUT = "about"
REPOSITORY = "context.repository"
MAP = "guide.map"
ENTRIES = "guide.entries"
BUILDS = ("build.rs", "setup.py", "conftest.py")
"""Files with a main function that are no programs of the project."""
LANGUAGES = {
    "c": "C", "cpp": "C++", "csharp": "C#", "css": "CSS", "html": "HTML", "javascript": "JavaScript", "php": "PHP",
    "sql": "SQL", "tsx": "TSX", "typescript": "TypeScript",
}  # fmt: skip
"""The names of languages that are not written like most."""
LONGEST_LEAD = 240
MOST_HOT = 6
MOST_ENTRIES = 6
FEW_PROGRAMS = 4
MOST_PARTS = 7


class ClientInstruction(NamedTuple):
    """One client, where its setting goes, and the setting itself."""

    client: str
    where: str
    text: str


def list_instructions(url: str, token: str | None) -> list[ClientInstruction]:
    """The clients that most people use, with the token where the server asks for one."""
    command = f"claude mcp add --transport http fieldguide {url}"
    cursor: dict[str, Any] = {"url": url}
    cursor_file = ".cursor/mcp.json"
    vscode: dict[str, Any] = {"servers": {"fieldguide": {"type": "http", "url": url}}}
    vscode_where = "In .vscode/mcp.json:"
    codex = f'[mcp_servers.fieldguide]\nurl = "{url}"'
    if token is not None:
        command += f' --header "Authorization: Bearer {token}"'
        cursor["headers"] = {"Authorization": f"Bearer {token}"}
        cursor_file = "~/.cursor/mcp.json"
        prompt = {"type": "promptString", "id": VSCODE_INPUT, "description": "Fieldguide's token", "password": True}
        vscode = {"inputs": [prompt], **vscode}
        vscode["servers"]["fieldguide"]["headers"] = {"Authorization": f"Bearer ${{input:{VSCODE_INPUT}}}"}
        vscode_where = f"In .vscode/mcp.json; it asks once for the token, {token}, and keeps it:"
        codex += f'\nhttp_headers = {{ "Authorization" = "Bearer {token}" }}'
    return [
        ClientInstruction("Claude Code", "In a terminal:", command),
        ClientInstruction("Cursor", f"In {cursor_file}:", _json({"mcpServers": {"fieldguide": cursor}})),
        ClientInstruction("VS Code", vscode_where, _json(vscode)),
        ClientInstruction("Codex", "In ~/.codex/config.toml:", codex),
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
                '<p class="quiet">The token is shown once, on the first page, after a link was opened. It is kept in '
                f"<code>{escape_html(site.served.token_place)}</code>.</p>"
            )
        over_http = (
            '<section class="stack"><div><h2>Over HTTP</h2><p class="quiet">To this server while it runs; '
            f"several clients can share it.</p></div>{place}{render_clients(site, token)}</section>"
        )
        main = Html(render_heading("Connect a client", CONNECT_LEAD) + _by_command() + over_http)
        return site.page("Connect", main, at=CONNECT_PATH)

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
        "the server by itself. <code>fieldguide install --remove</code> removes exactly what was written.</p></div>"
        f"{render_install_lines()}<details><summary>One client only</summary>"
        f'<div class="grid wide-cards">{rows}</div></details></section>'
    )


def routes(site: PageSite) -> list[Route]:
    """The page at `/`; as a fragment, the part that changes while the project is indexed."""
    site.add_section("Home", PATH)

    async def show(request: Request) -> Response:
        if request.query_params.get("part") == ABOUT and site.wants_fragment(request):
            return site.fragment(Html(await _find_about(site, request)))
        indexed = await run_in_threadpool(site.facts.indexed)
        if site.wants_fragment(request):
            return site.fragment(Html(_indexed(site, indexed)))
        show_token = site.facts.token_to_show
        token = None if show_token is None else show_token(site.cookies(request))
        below = "".join(
            (
                await _find_about(site, request),
                f'<section data-refresh="{REFRESH_SECONDS}" data-from="{PATH}">{_indexed(site, indexed)}</section>',
                _connect(site, token),
                _stale(await run_in_threadpool(site.facts.stale)),
            )
        )
        known: Mapping[str, Any] = await site.ask(REPOSITORY) if site.has(REPOSITORY) else {}
        description = cut_between_words(str(known.get("description", "")), LONGEST_LEAD)
        return site.page("Home", _main(site, description, below), at=PATH)

    return [site.route(PATH, show)]


async def _find_about(site: PageSite, request: Request) -> str:
    """What the project is and where it begins; as a place that is filled later, where that takes long."""
    if not site.has(REPOSITORY, MAP, ENTRIES):
        return ""
    return await site.deferred(request, ABOUT, PATH, lambda: _render_about(site))


async def _render_about(site: PageSite) -> str:
    repository: Mapping[str, Any] = await site.ask(REPOSITORY)
    found: FolderMap | None = await site.ask(MAP, "")
    entries: list[Symbol] = await site.ask(ENTRIES)
    parts = [_render_begin(repository, entries)]
    if found is not None:
        parts.append(render_hot(found.hot[:MOST_HOT]))
    parts.append(_render_documents(repository))
    if found is not None:
        parts.append(_render_parts(found.packages))
    return f'{_render_languages(repository)}<div class="halves start">{"".join(parts)}</div>'


def _render_languages(repository: Mapping[str, Any]) -> str:
    items = ""
    for language, number in repository["languages"]:
        name = LANGUAGES.get(language) or str(language).capitalize()
        files = format_count(number, "file")
        items += f'<li><span class="chip">{escape_html(name)} <span class="quiet">{files}</span></span></li>'
    return f'<ul class="chips plain" role="list" aria-label="Languages">{items}</ul>' if items else ""


def _render_begin(repository: Mapping[str, Any], entries: Sequence[Symbol]) -> str:
    """Where programs begin: installed commands, main functions, routes, and what builds and tests the project."""
    programs = [f"{render_source_link(path)} <code>{escape_html(name)}</code>" for name, path in repository["programs"]]
    mains = dict.fromkeys(each.path for each in entries if each.kind == FUNCTION)
    programs += [render_source_link(path) for path in mains if not path.endswith(BUILDS)]
    if not programs:
        programs = [*map(render_source_link, repository["entry_points"])]
    groups = [render_group("Programs", programs, most=MOST_ENTRIES)]
    for kind, title in ((COMMAND, "Commands"), (ROUTE, "Routes")):
        named: dict[str, str] = {}
        for each in entries:
            if each.kind == kind:
                named.setdefault(each.name, _link_symbol(each))
        groups.append(render_group(title, [*named.values()], most=MOST_ENTRIES))
    commands: list[str] = []
    for command, where in repository["commands"]:
        commands.append(f'<code>{escape_html(command)}</code> <span class="where">{escape_html(where)}</span>')
    is_short = len(programs) < FEW_PROGRAMS and not any(groups[1:])
    groups.append(render_group("Build and test", commands, most=MOST_ENTRIES, is_open=is_short))
    shown = "".join(groups)
    return f'<section class="stack"><h2>Where it begins</h2>{shown}</section>' if shown else ""


def _link_symbol(symbol: Symbol) -> str:
    address = build_code_address(symbol.path, symbol=symbol.qualified, line=str(symbol.line))
    where = f'<span class="where">{escape_html(symbol.path)}</span>'
    return f'<a href="{address}"><b>{escape_html(symbol.qualified)}</b></a> {where}'


def _render_documents(repository: Mapping[str, Any]) -> str:
    listed = ""
    for folder, number in repository["documents"]:
        link = f'<a href="{build_code_address(folder)}">{escape_html(folder)}</a>'
        if folder == ".":
            link = f'<a href="{build_code_address("")}">top folder</a>'
        listed += f'<li>{link} <span class="quiet">{format_count(number, "document")}</span></li>'
    if repository["decisions"]:
        listed += '<li><a href="/decisions">Decisions</a></li>'
    if not listed:
        return ""
    return (
        f'<section class="stack"><h2>What is documented</h2><ul class="plain-list" role="list">{listed}</ul></section>'
    )


def _render_parts(packages: Sequence[MapFolder]) -> str:
    """The largest packages, and the way to the map."""
    if len(packages) < 2:
        return ""
    listed = ""
    for each in packages[:MOST_PARTS]:
        link = f'<a href="{build_code_address(each.folder)}">{escape_html(each.folder or "top folder")}</a>'
        listed += f'<li>{link} <span class="quiet">{format_count(each.files, "file")}</span></li>'
    return (
        f'<section class="stack"><h2>Packages</h2><ul class="plain-list" role="list">{listed}</ul>'
        '<p><a href="/code">The map of the project</a></p></section>'
    )


def _main(site: PageSite, description: str, below: str) -> Html:
    lead = f'<p class="lead" dir="auto">{escape_html(description)}</p>' if description else ""
    head = f'<div class="heading"><h1><bdi>{escape_html(site.served.project)}</bdi></h1>{lead}</div>'
    if not site.serves(TOOL):
        return Html(f'{head}<div class="parts">{below}</div>')
    return Html(f"{head}{render_search_box(kinds=None)}{render_results_place(else_html=below)}")


def _indexed(site: PageSite, indexed: IndexOverview) -> str:
    """What is in the index; the script asks again as long as it grows."""
    if indexed.problem:
        return f"<h2>Index</h2>{render_notice(f'<p>{escape_html(indexed.problem)}</p>', 'bad')}"
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
        f'<div class="row part"><h2>Index</h2>{state}</div>{progress}<ul class="figures">{shelves}</ul>{lacks}{settled}'
    )


def _connect(site: PageSite, token: str | None) -> str:
    """How to connect, as long as nobody has, and whenever the token is to be shown."""
    counted_calls = sum(int(each["calls"]) for each in site.facts.health()["tools"].values())
    is_shown = token is not None and token != site.placeholder
    if counted_calls > site.calls_made and not is_shown:
        return ""
    once = " This token is shown only once." if is_shown else ""
    return (
        '<section class="card"><h2>Connect an agent</h2>'
        '<p class="quiet">No agent has called this server yet. In the folder of your project:</p>'
        f"{render_install_lines()}<details><summary>Over HTTP, to this running server.{once}</summary>"
        f'<div class="stack">{render_clients(site, token)}</div></details></section>'
    )


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
    head = f'<div><h2>Stale</h2><p class="quiet">{STALE_LEAD}</p></div>'
    return f'<section class="stack">{head}{render_table(("Where", "State", "Why"), rows)}{more}</section>'
