"""The page of what agents do now: what they ask and get, live; and all of it since counting began, with every tool."""

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
from fieldguide.spine.tool import Tool
from fieldguide.spine.usage import EDITED, OPENS, UsageLog, UsageRow, UsageSummary, read_place
from fieldguide.text.display import escape_html, format_count

PATH = "/now"
LIVE = "live"
TOTALS = "all"
PARTS = ((LIVE, "Live"), (TOTALS, "Totals"))
LEAD = "What agents ask in this project and what they get. Updates live."
REFRESH_SECONDS = 2
TOTALS_SECONDS = 5
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
    "prompt": "Prompt",
    "session": "New session",
    "before-edit": "Before an edit",
    "before-search": "Search",
    EDITED: "Edited",
}
NOTHING = (
    'Questions of agents appear here as soon as they ask. <a href="/connect">Connect an agent</a>, or give it a task '
    "in this project."
)
LOCAL = (
    "All of this is in one file on this machine, which only you can read, and it is sent nowhere. "
    "<code>keep = false</code> under <code>[usage]</code> in your settings counts nothing."
)
ESTIMATE = (
    "The tokens of reading saved are an estimate: the whole files of the given lines have {whole:,} tokens, the lines "
    "themselves {given:,}, and the difference is saved if an agent reads the lines in place of the file. "
    "A file counts once a day, as it is now."
)
STATES = {"closed": ("working", "good"), "half-open": ("recovering", "fair"), "open": ("paused", "bad")}
HOOK_HEADS = ("Event", "Asked", "Answered", "Tokens")
TOOL_HEADS = ("Tool", "Calls", "Tokens, about")
CLIENT_HEADS = ("Client", "Calls")
SERVER_HEADS = ("Tool", "State", "Calls", "Failures", "Median, ms", "95 %, ms", "Tokens, about")
CAPTION = (
    "All calls since this server started, including this page's. "
    "After five failures in a row a tool is paused for 30 seconds."
)


def routes(site: PageSite) -> list[Route]:
    """The view and the form that clears it; a server that counts no usage shows its calls only."""
    site.add_section("Now", PATH)
    log = site.facts.usage

    async def show(request: Request) -> Response:
        part = read_choice(request, "show", (LIVE, TOTALS), LIVE)
        if log is None or part == TOTALS:
            return await _show_totals(site, request, log)
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


async def _show_live(site: PageSite, request: Request, log: UsageLog) -> Response:
    stamp = await run_in_threadpool(log.stamp)
    if site.wants_fragment(request) and request.headers.get("x-seen") == stamp:
        return Response(status_code=204)
    rows = await run_in_threadpool(log.read)
    live = f'<div class="stack" data-stamp="{escape_html(stamp)}">{render_live(rows)}</div>'
    if site.wants_fragment(request):
        return site.fragment(Html(live))
    main = (
        f"{render_heading('Now', LEAD)}{_render_parts(LIVE)}"
        f'<section aria-label="Latest questions" data-refresh="{REFRESH_SECONDS}">{live}</section>'
    )
    return site.page(request, "Now", Html(main), at=PATH)


async def _show_totals(site: PageSite, request: Request, log: UsageLog | None) -> Response:
    health = await run_in_threadpool(site.facts.health)
    calls = _render_server(site.served.tools, health)
    if site.wants_fragment(request):
        return site.fragment(Html(calls))
    usage = ""
    if log is not None:
        hidden = "" if site.served.is_read_only else site.csrf(request)
        usage = await run_in_threadpool(_render_totals, log, hidden)
    parts = _render_parts(TOTALS) if log is not None else ""
    main = (
        f"{render_heading('Now', LEAD)}{parts}{usage}"
        f'<section class="stack"><h2>This server</h2><div class="stack" data-refresh="{TOTALS_SECONDS}">{calls}</div>'
        "</section>"
    )
    return site.page(request, "Now", Html(main), at=PATH)


def _render_parts(chosen: str) -> str:
    return render_chips("What is shown", PATH, "show", PARTS, chosen)


def render_live(rows: Sequence[UsageRow]) -> str:
    """The counts of today, and the latest events, newest first."""
    entries = [(number, row) for number, row in enumerate(rows) if _is_shown(row)]
    if not entries:
        return render_empty_state("Nothing was asked yet", NOTHING)
    today = strftime("%Y-%m-%d")
    parts = [_render_today([row for row in rows if row.day == today])]
    day = ""
    for number, row in reversed(entries[-MOST_ENTRIES:]):
        if row.day != day:
            parts.append("</ol>" if day else "")
            name = "Today" if row.day == today else row.day
            parts.append(f'<h2 class="day">{escape_html(name)}</h2><ol class="feed" role="list">')
            day = row.day
        parts.append(_render_entry(number, row))
    return f"{''.join(parts)}</ol>"


def _is_shown(row: UsageRow) -> bool:
    """Whether a line has something that an agent asked or did; the counts of a server have not."""
    return bool(row.tool or row.asked or row.edited or row.given)


def _render_today(rows: Sequence[UsageRow]) -> str:
    given: set[str] = set()
    used: set[str] = set()
    asked = 0
    tokens = 0
    for row in rows:
        tokens += row.tokens
        asked += bool(row.asked and row.tool not in OPENS)
        files = {row.edited} if row.event == EDITED else {*row.given_files}
        if row.event == EDITED or row.tool in OPENS:
            used |= files & given
        else:
            given |= files
    figures = (
        (asked, "question today", "questions today"),
        (len(given), "file given", "files given"),
        (len(used), "of them then opened or edited", "of them then opened or edited"),
        (tokens, "token sent", "tokens sent"),
    )
    return _render_figures(figures)


def _render_figures(figures: Iterable[tuple[int, str, str]]) -> str:
    items = ""
    for number, one, many in figures:
        items += f"<li><div><b>{number:,}</b> <span>{one if number == 1 else many}</span></div></li>"
    return f'<ul class="figures">{items}</ul>'


def _render_entry(number: int, row: UsageRow) -> str:
    """One line of the feed: when, who, what was asked or done, the places that were given, and what it cost."""
    action = ACTIONS.get(row.tool or row.event, row.tool or row.event)
    is_use = row.tool in OPENS or bool(row.edited)
    said = "" if is_use else escape_html(row.asked)
    places = [row.edited] if row.edited else [*row.given]
    given = "".join(f"<li>{each}</li>" for each in _render_places(places))
    if not places and is_use:
        given = f"<li>{escape_html(row.asked)}</li>"
    elif not places:
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
        path, start, end = read_place(place)
        yield render_source_link(path, start or None, end or None)
    if len(given) > MOST_PLACES:
        yield f'<span class="quiet">and {len(given) - MOST_PLACES:,} more</span>'


def _render_totals(log: UsageLog, hidden: str) -> str:
    """What was asked and given since counting began; `hidden` protects the form, and is empty where there is none."""
    rows = log.read()
    if not rows:
        return f'{render_empty_state("Nothing is counted yet", NOTHING)}<p class="quiet">{LOCAL}</p>'
    summary = log.summarize(rows)
    form = ""
    if hidden:
        button = '<button class="bad">Clear it</button>'
        form = f'<form class="row" method="post" action="{PATH}/clear">{hidden}{button}</form>'
    estimate = ESTIMATE.format(whole=summary.whole_file_tokens, given=summary.given_tokens)
    return (
        f'<section class="stack"><h2>Since {escape_html(summary.since)}</h2>{_render_summary(summary)}'
        f'<p class="quiet small">{estimate}</p>'
        f"{_render_counts(HOOK_HEADS, [*_hook_rows(summary)])}{_render_counts(TOOL_HEADS, [*_tool_rows(summary)])}"
        f"{_render_counts(CLIENT_HEADS, [*summary.clients.items()])}"
        f'<p class="quiet">{LOCAL}</p>{form}</section>'
    )


def _render_summary(summary: UsageSummary) -> str:
    sent = sum(summary.hook_tokens.values()) + sum(summary.call_tokens.values())
    edited = f"of them then edited, of {summary.edited_files:,} edited files"
    saved = summary.whole_file_tokens - summary.given_tokens
    saved_words = "tokens of reading saved, an estimate"
    return _render_figures(
        (
            (summary.given_files, "files given", "files given"),
            (summary.given_then_opened, "of them then opened", "of them then opened"),
            (summary.given_then_edited, edited, edited),
            (sent, "tokens sent", "tokens sent"),
            (saved, saved_words, saved_words),
        )
    )


def _hook_rows(summary: UsageSummary) -> Iterator[tuple[str, *tuple[int, ...]]]:
    for event, asked in summary.asked.items():
        yield event, asked, summary.answered.get(event, 0), summary.hook_tokens.get(event, 0)


def _tool_rows(summary: UsageSummary) -> Iterator[tuple[str, *tuple[int, ...]]]:
    for tool, calls in summary.calls.items():
        yield tool, calls, summary.call_tokens.get(tool, 0)


def _render_counts(heads: Sequence[str], rows: Sequence[tuple[str, *tuple[int, ...]]]) -> str:
    """A table of names and numbers; nothing without rows."""
    if not rows:
        return ""
    rendered: list[str] = []
    for name, *numbers in rows:
        cells = "".join(f'<td class="number">{number:,}</td>' for number in numbers)
        rendered.append(f'<tr><th scope="row"><code>{escape_html(name)}</code></th>{cells}</tr>')
    return render_table(heads, rendered, numbers=range(1, len(heads)))


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
