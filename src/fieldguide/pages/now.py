"""The page of what agents do now: what they ask and get, live; and how often each tool of this server was called."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from time import strftime
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fieldguide.pages.components import (
    Html,
    read_choice,
    render_badge,
    render_chips,
    render_empty_state,
    render_heading,
    render_source_link,
    render_table,
)
from fieldguide.pages.site import PageSite
from fieldguide.spine.questions import OPENS, AskedQuestion, QuestionLog
from fieldguide.spine.tool import Tool
from fieldguide.text.citation import read_citation
from fieldguide.text.display import escape_html, format_count

PATH = "/now"
LIVE = "live"
CALLS = "calls"
PARTS = ((LIVE, "Questions"), (CALLS, "Calls"))
LEAD = "What agents ask in this project and what they get. Updates live."
REFRESH_SECONDS = 2
CALLS_SECONDS = 5
MOST_ENTRIES = 40
MOST_PLACES = 6
ACTIONS: Mapping[str, str] = {
    "guide_brief": "Start of a task",
    "guide_search": "Search",
    "guide_symbol": "Who uses",
    "guide_governs": "Before an edit",
    "guide_flow": "How it works",
    "guide_open": "Opened",
    "read_file": "Opened",
}
NOTHING = (
    'Questions of agents appear here as soon as they ask. <a href="/connect">Connect an agent</a>, or give it a task '
    "in this project."
)
LOCAL = (
    "All of this is in one file on this machine, which only you can read, and it is sent nowhere. "
    "<code>keep = false</code> under <code>[questions]</code> in your settings keeps nothing."
)
STATES = {"closed": ("working", "good"), "half-open": ("recovering", "fair"), "open": ("paused", "bad")}
SERVER_HEADS = ("Tool", "State", "Calls", "Failures", "Median, ms", "95 %, ms", "Tokens, about")
CAPTION = (
    "All calls since this server started, including this page's. "
    "After five failures in a row a tool is paused for 30 seconds."
)


def routes(site: PageSite) -> list[Route]:
    """The view and the form that clears it; a server that keeps no questions shows its calls only."""
    site.add_section("Now", PATH)
    log = site.facts.questions_log

    async def show(request: Request) -> Response:
        if log is None or read_choice(request, "show", (LIVE, CALLS), LIVE) == CALLS:
            return await _show_calls(site, request, has_questions=log is not None)
        return await _show_live(site, request, log)

    async def clear(request: Request) -> Response:
        await site.checked_form(request)
        if log is not None:
            await run_in_threadpool(log.clear)
        return site.see_other(PATH)

    shown = [site.route(PATH, show)]
    if log is None or site.served.is_read_only:
        return shown
    return [*shown, site.route(f"{PATH}/clear", clear, ("POST",))]


async def _show_live(site: PageSite, request: Request, log: QuestionLog) -> Response:
    stamp = await run_in_threadpool(log.stamp)
    if site.wants_fragment(request) and request.headers.get("x-seen") == stamp:
        return Response(status_code=204)
    rows = await run_in_threadpool(log.read)
    live = f'<div class="stack" data-stamp="{escape_html(stamp)}">{render_live(rows)}</div>'
    if site.wants_fragment(request):
        return site.fragment(Html(live))
    form = ""
    if rows and not site.served.is_read_only:
        button = '<button class="bad">Clear it</button>'
        form = f'<form class="row" method="post" action="{PATH}/clear">{site.csrf(request)}{button}</form>'
    main = (
        f"{render_heading('Now', LEAD)}{_render_parts(LIVE)}"
        f'<section aria-label="Latest questions" data-refresh="{REFRESH_SECONDS}">{live}</section>'
        f'<p class="quiet">{LOCAL}</p>{form}'
    )
    return site.page("Now", Html(main), at=PATH)


async def _show_calls(site: PageSite, request: Request, *, has_questions: bool) -> Response:
    health = await run_in_threadpool(site.facts.health)
    calls = _render_server(site.served.tools, health)
    if site.wants_fragment(request):
        return site.fragment(Html(calls))
    parts = _render_parts(CALLS) if has_questions else ""
    main = (
        f"{render_heading('Now', LEAD)}{parts}"
        f'<section class="stack"><h2>This server</h2><div class="stack" data-refresh="{CALLS_SECONDS}">{calls}</div>'
        "</section>"
    )
    return site.page("Now", Html(main), at=PATH)


def _render_parts(chosen: str) -> str:
    return render_chips("What is shown", PATH, "show", PARTS, chosen)


def render_live(rows: Sequence[AskedQuestion]) -> str:
    """The latest questions, newest first."""
    if not rows:
        return render_empty_state("Nothing was asked yet", NOTHING)
    today = strftime("%Y-%m-%d")
    parts: list[str] = []
    day = ""
    for number, row in reversed([*enumerate(rows)][-MOST_ENTRIES:]):
        if row.day != day:
            parts.append("</ol>" if day else "")
            name = "Today" if row.day == today else row.day
            parts.append(f'<h2 class="day">{escape_html(name)}</h2><ol class="feed" role="list">')
            day = row.day
        parts.append(_render_entry(number, row))
    return f"{''.join(parts)}</ol>"


def _render_figures(figures: Iterable[tuple[int, str, str]]) -> str:
    items = ""
    for number, one, many in figures:
        items += f"<li><div><b>{number:,}</b> <span>{one if number == 1 else many}</span></div></li>"
    return f'<ul class="figures">{items}</ul>'


def _render_entry(number: int, row: AskedQuestion) -> str:
    """One line of the feed: when, who, what was asked, the places that were given, and what it cost."""
    action = ACTIONS.get(row.tool, row.tool)
    is_use = row.tool in OPENS
    said = "" if is_use else escape_html(row.asked)
    given = "".join(f"<li>{each}</li>" for each in _render_places(row.given))
    if not row.given and is_use:
        given = f"<li>{escape_html(row.asked)}</li>"
    elif not row.given:
        given = '<li class="quiet">nothing given</li>'
    cost: list[str] = []
    if row.tokens:
        cost.append(format_count(row.tokens, "token"))
    if row.milliseconds:
        cost.append(f"{row.milliseconds:,} ms")
    client = ""
    if row.client:
        client = f'<span class="client">{escape_html(row.client)}</span>'
    return (
        f'<li class="entry{" use" if is_use else ""}" data-entry="{number}"><time>{escape_html(row.at[:5])}</time>'
        f'<div><p class="what"><span class="badge{"" if is_use else " accent"}">{escape_html(action)}</span> '
        f'<bdi>{said}</bdi></p><ul class="places" role="list">{given}</ul></div>'
        f'<p class="cost">{client}<span>{" · ".join(cost)}</span></p></li>'
    )


def _render_places(given: Sequence[str]) -> Iterator[str]:
    for place in given[:MOST_PLACES]:
        citation = read_citation(place)
        if citation is None:
            yield render_source_link(place, None, None)
        else:
            yield render_source_link(citation.path, citation.start_line, citation.end_line)
    if len(given) > MOST_PLACES:
        yield f'<span class="quiet">and {len(given) - MOST_PLACES:,} more</span>'


def _render_server(tools: Sequence[Tool], health: Mapping[str, Any]) -> str:
    """The calls of this server by tool, the most called first, then the tools that nobody called."""
    per_tool: Mapping[str, Mapping[str, Any]] = health["tools"]
    called = sorted((tool for tool in tools if tool.name in per_tool), key=lambda tool: -per_tool[tool.name]["calls"])
    if not called:
        return f'<p class="quiet">No calls yet.</p>{_render_uncalled(tools)}'
    rows = [_render_tool(tool, per_tool[tool.name], health) for tool in called]
    tokens: Mapping[str, int] = health.get("sent_tokens", {})
    figures = (
        (sum(int(each["calls"]) for each in per_tool.values()), "call", "calls"),
        (sum(map(_count_failures, per_tool.values())), "failure", "failures"),
        (sum(tokens.values()), "token sent", "tokens sent"),
    )
    return (
        f"{_render_figures(figures)}{render_table(SERVER_HEADS, rows, caption=CAPTION, numbers=range(2, 7))}"
        f"{_render_errors(health.get('error_kinds', {}))}"
        f"{_render_uncalled([tool for tool in tools if tool.name not in per_tool])}"
    )


def _render_tool(tool: Tool, of_tool: Mapping[str, Any], health: Mapping[str, Any]) -> str:
    word, tone = STATES[health["circuit_breakers"].get(f"tool_{tool.name}", "closed")]
    tokens = int(health.get("sent_tokens", {}).get(tool.name, 0))
    cells = (
        f"{of_tool['calls']:,}",
        f"{_count_failures(of_tool):,}",
        _format_milliseconds(of_tool["p50_ms"]),
        _format_milliseconds(of_tool["p95_ms"]),
        f"{tokens:,}",
    )
    numbers = "".join(f'<td class="number">{escape_html(cell)}</td>' for cell in cells)
    name = escape_html(tool.name)
    return f'<tr><th scope="row"><code>{name}</code></th><td>{render_badge(word, tone)}</td>{numbers}</tr>'


def _count_failures(of_tool: Mapping[str, Any]) -> int:
    """Calls that their caller cancelled have not failed: typing a question cancels most of its searches."""
    return int(of_tool["failures"]) - int(of_tool["cancelled"])


def _format_milliseconds(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def _render_errors(kinds: Mapping[str, int]) -> str:
    """How calls failed, if some did."""
    failed = {kind: number for kind, number in kinds.items() if kind != "Cancelled"}
    said = ", ".join(f"{format_count(number, 'time')} {kind}" for kind, number in failed.items())
    return f'<p class="quiet small">Failures by kind: {escape_html(said)}.</p>' if said else ""


def _render_uncalled(tools: Sequence[Tool]) -> str:
    if not tools:
        return ""
    items = ""
    for tool in tools:
        about = f'<span class="quiet small">{escape_html(tool.description)}</span>'
        items += f"<li><code>{escape_html(tool.name)}</code>{about}</li>"
    said = f"{format_count(len(tools), 'tool')} not called yet"
    return f'<details><summary>{said}</summary><ul class="list tight">{items}</ul></details>'
