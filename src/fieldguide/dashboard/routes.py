"""The page at `/`: the tools and how they are, and how to connect a client."""

import html
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from string import Template
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from fieldguide import __version__
from fieldguide.config import LOOPBACK
from fieldguide.dashboard.connecting import instructions
from fieldguide.spine.contract import Tool

HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; "
    "frame-ancestors 'none'; base-uri 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}

NOT_HERE = Response("This server answers to loopback names only.\n", status_code=421, media_type="text/plain")


def build_routes(*, project: str, tools: Sequence[Tool], health: Callable[[], Mapping[str, Any]]) -> list[Route]:
    """The routes of the pages: `/` for people, `/healthz` for machines."""
    page = Template(files("fieldguide.dashboard").joinpath("templates", "index.html").read_text(encoding="utf-8"))

    async def index(request: Request) -> Response:
        if request.url.hostname not in LOOPBACK:
            return NOT_HERE
        url = f"http://{request.url.netloc}/mcp"
        content = {
            "project": html.escape(project),
            "version": html.escape(__version__),
            "url": html.escape(url),
            "rows": "\n".join(_rows(tools, health())),
            "clients": "\n".join(_clients(url)),
        }
        return HTMLResponse(page.substitute(content), headers=HEADERS)

    async def healthz(request: Request) -> Response:
        if request.url.hostname not in LOOPBACK:
            return NOT_HERE
        return JSONResponse({"status": "ok", "version": __version__})

    return [Route("/", index), Route("/healthz", healthz)]


def _rows(tools: Sequence[Tool], health: Mapping[str, Any]) -> list[str]:
    counted, breakers = health["tools"], health["circuit_breakers"]
    return [_row(tool.name, tool.description, counted.get(tool.name, {}), breakers) for tool in tools]


def _row(name: str, description: str, counted: dict[str, Any], breakers: dict[str, str]) -> str:
    state = breakers.get(f"tool_{name}", "closed")
    word = {"closed": "well", "half-open": "recovering", "open": "resting"}[state]
    cells = (
        counted.get("calls", 0),
        counted.get("failures", 0),
        counted.get("p50_ms", "–"),
        counted.get("p95_ms", "–"),
    )
    numbers = "".join(f"<td class=number>{html.escape(str(cell))}</td>" for cell in cells)
    return (
        f"<tr><th scope=row><code>{html.escape(name)}</code><p>{html.escape(description)}</p></th>"
        f'<td><span class="state {word}">{word}</span></td>{numbers}</tr>'
    )


def _clients(url: str) -> list[str]:
    return [
        f"<section><h3>{html.escape(each.client)}</h3><p>{html.escape(each.where)}</p>"
        f"<pre tabindex=0><code>{html.escape(each.text)}</code></pre></section>"
        for each in instructions(url)
    ]
