"""What the tools were asked: how often, how it ended, how long it took, and which of them rest."""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fieldguide.dashboard.components import badge, heading, table
from fieldguide.dashboard.page_text import as_html
from fieldguide.dashboard.site import Site
from fieldguide.spine.contract import Tool

PATH = "/calls"
REFRESH_SECONDS = 5
STATES = {"closed": ("well", "good"), "half-open": ("recovering", "fair"), "open": ("resting", "bad")}
HEADS = ("Tool", "State", "Calls", "Failures", "p50, ms", "p95, ms")
CAPTION = "Since this server started. A tool that fails five times in a row rests for half a minute."


def routes(site: Site) -> list[Route]:
    """The one page of the calls, which refreshes itself."""
    site.add_section("Calls", PATH)

    async def show(request: Request) -> Response:
        listed = _table(site, site.facts.health())
        if site.wants_fragment(request):
            return site.fragment(listed)
        main = f'{heading("Calls")}<div data-refresh="{REFRESH_SECONDS}">{listed}</div>'
        return site.page(request, "Calls", main, at=PATH)

    return [site.route(PATH, show)]


def _table(site: Site, health: Mapping[str, Any]) -> str:
    counted, breakers = health["tools"], health["circuit_breakers"]
    rows = (_row(tool, counted.get(tool.name, {}), breakers) for tool in site.served.tools)
    return table(HEADS, rows, caption=CAPTION, numbers=range(2, 6))


def _row(tool: Tool, counted: Mapping[str, Any], breakers: Mapping[str, str]) -> str:
    word, tone = STATES[breakers.get(f"tool_{tool.name}", "closed")]
    cells = (
        counted.get("calls", 0),
        counted.get("failures", 0),
        counted.get("p50_ms", "–"),
        counted.get("p95_ms", "–"),
    )
    numbers = "".join(f'<td class="number">{as_html(str(cell))}</td>' for cell in cells)
    name = f'<code>{as_html(tool.name)}</code><p class="quiet small">{as_html(tool.description)}</p>'
    return f'<tr><th scope="row">{name}</th><td>{badge(word, tone)}</td>{numbers}</tr>'
