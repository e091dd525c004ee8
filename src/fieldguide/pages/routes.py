"""The routes of all pages, the page of tool calls, and `/healthz`."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from fieldguide import __version__
from fieldguide.pages import decisions, documents, findings, home, patterns, search, source, tasks, usage
from fieldguide.pages.components import Html, render_badge, render_empty_state, render_heading, render_table
from fieldguide.pages.site import PageFacts, PageSite, ServedPage
from fieldguide.spine.executor import Executor
from fieldguide.spine.tool import Tool
from fieldguide.text.display import escape_html, format_count
from fieldguide.text.errors import NotFound

CALLS_PATH = "/calls"
REFRESH_SECONDS = 5
STATES = {"closed": ("well", "good"), "half-open": ("recovering", "fair"), "open": ("resting", "bad")}
HEADS = ("Tool", "State", "Calls", "Failures", "p50, ms", "p95, ms", "Tokens, about")
LEAD = "Every call since this server started, those of this page too. It refreshes itself."
CAPTION = "A tool that fails five times in a row rests for half a minute."
NOBODY = 'Nothing was called yet. <a href="/connect">Connect a client</a>, or <a href="/search">search</a> here.'


def calls_routes(site: PageSite) -> list[Route]:
    """The one page of the calls, which refreshes itself."""
    site.add_section("Calls", CALLS_PATH)

    async def show(request: Request) -> Response:
        shown = _shown(site.served.tools, await run_in_threadpool(site.facts.health))
        if site.wants_fragment(request):
            return site.fragment(Html(shown))
        main = f'{render_heading("Calls", LEAD)}<div class="stack" data-refresh="{REFRESH_SECONDS}">{shown}</div>'
        return site.page(request, "Calls", Html(main), at=CALLS_PATH)

    return [site.route(CALLS_PATH, show)]


def _shown(tools: Sequence[Tool], health: Mapping[str, Any]) -> str:
    """Those that were called, the most called first, then the others by their names."""
    per_tool: Mapping[str, Mapping[str, Any]] = health["tools"]
    called = sorted((tool for tool in tools if tool.name in per_tool), key=lambda tool: -per_tool[tool.name]["calls"])
    if not called:
        return render_empty_state("No calls yet", NOBODY) + _waiting(tools)
    rows = (_row(tool, per_tool[tool.name], health) for tool in called)
    return (
        f"{_figures(per_tool.values(), health.get('sent_tokens', {}))}"
        f"{render_table(HEADS, rows, caption=CAPTION, numbers=range(2, 7))}{_errors(health.get('error_kinds', {}))}"
        f"{_waiting([tool for tool in tools if tool.name not in per_tool])}"
    )


def _figures(per_tool: Iterable[Mapping[str, Any]], tokens: Mapping[str, int]) -> str:
    """The sums of everything."""
    counts = [(int(each["calls"]), _failures(each)) for each in per_tool]
    calls = sum(each[0] for each in counts)
    failures = sum(each[1] for each in counts)
    told = ((calls, "call", "calls"), (failures, "failure", "failures"), (sum(tokens.values()), "token", "tokens sent"))
    items = "".join(
        f"<li><div><b>{number:,}</b> <span>{one if number == 1 else many}</span></div></li>"
        for number, one, many in told
    )
    return f'<ul class="figures">{items}</ul>'


def _row(tool: Tool, of_tool: Mapping[str, Any], health: Mapping[str, Any]) -> str:
    word, tone = STATES[health["circuit_breakers"].get(f"tool_{tool.name}", "closed")]
    tokens = int(health.get("sent_tokens", {}).get(tool.name, 0))
    cells = (
        f"{of_tool['calls']:,}",
        f"{_failures(of_tool):,}",
        _milliseconds(of_tool["p50_ms"]),
        _milliseconds(of_tool["p95_ms"]),
        f"{tokens:,}",
    )
    numbers = "".join(f'<td class="number">{escape_html(cell)}</td>' for cell in cells)
    name = escape_html(tool.name)
    badge = render_badge(word, tone)
    return f'<tr><th scope="row"><code>{name}</code></th><td>{badge}</td>{numbers}</tr>'


def _failures(of_tool: Mapping[str, Any]) -> int:
    """Calls that their caller took back have not failed: whoever types a question takes back most of it."""
    return int(of_tool["failures"]) - int(of_tool["cancelled"])


def _milliseconds(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def _errors(kinds: Mapping[str, int]) -> str:
    """How calls failed, where some did."""
    failed = {kind: number for kind, number in kinds.items() if kind != "Cancelled"}
    said = ", ".join(f"{format_count(number, 'time')} {kind}" for kind, number in failed.items())
    return f'<p class="quiet small">How calls failed: {escape_html(said)}.</p>' if said else ""


def _waiting(tools: Sequence[Tool]) -> str:
    """What can be called and was not."""
    if not tools:
        return ""
    items = "".join(
        f"<li><code>{escape_html(tool.name)}</code>"
        f'<span class="quiet small">{escape_html(tool.description)}</span></li>'
        for tool in tools
    )
    said = f"{format_count(len(tools), 'tool')} not called yet"
    return f'<details><summary>{said}</summary><ul class="list tight">{items}</ul></details>'


VIEWS: tuple[Callable[[PageSite], list[Route]], ...] = (
    home.routes,
    search.routes,
    source.routes,
    documents.routes,
    decisions.routes,
    patterns.routes,
    tasks.routes,
    findings.routes,
    calls_routes,
    usage.routes,
    home.connect_routes,
)
"""Each adds itself to the navigation where its tools are served."""


IN_A_SERVICE = tuple(view for view in VIEWS if view is not calls_routes)
"""What is counted there are the calls of many people."""


def build_routes(served: ServedPage, facts: PageFacts, executor: Executor) -> list[Route]:
    """Every path of the page. The guard before them lets people in."""
    site = PageSite(served, facts, executor)
    pages = [route for routes in VIEWS for route in routes(site)]
    others = site.route("/{path:path}", _not_here)
    return [*pages, *site.static.routes(), Route("/healthz", _healthz), others]


def build_service_routes(served: ServedPage, facts: PageFacts, executor: Executor) -> list[Route]:
    """The paths of one project of a service, as one user sees it; the files of the page the service has itself."""
    site = PageSite(served, facts, executor)
    pages = [route for routes in IN_A_SERVICE for route in routes(site)]
    return [*pages, site.route("/{path:path}", _not_here)]


async def _not_here(request: Request) -> Response:
    raise NotFound("There is no such page here.")


async def _healthz(request: Request) -> Response:
    return JSONResponse({"status": "ok", "version": __version__}, headers={"cache-control": "no-store"})
