"""The page at `/`: the tools and how they are, and how to connect a client."""

from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from string import Template
from typing import Any, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from fieldguide import __version__
from fieldguide.consents import TRUST
from fieldguide.dashboard.connecting import instructions
from fieldguide.dashboard.page_text import as_html
from fieldguide.spine.answers.stale_places import StalePlace
from fieldguide.spine.contract import Tool

HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; "
    "frame-ancestors 'none'; base-uri 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}
MOST_STALE = 20
ON_A_SOCKET = "<p>This server listens on a unix socket; only its owner can open it.</p>"


class Served(NamedTuple):
    """What a page tells about its server: where it is, what it serves, and where its token is found again."""

    url: str
    project: str
    tools: Sequence[Tool]
    token_place: str | None


def build_routes(
    served: Served,
    *,
    health: Callable[[], Mapping[str, Any]],
    waiting: Callable[[], Sequence[str]],
    stale: Callable[[], Sequence[StalePlace]] = tuple,
    token_to_show: Callable[[list[bytes]], str] | None,
) -> list[Route]:
    """The routes of the pages: `/` for people, `/healthz` for machines. The guard before them lets people in.

    `waiting` tells what the project asks for and does not get, `stale` what is written about the code and no longer
    holds.
    """
    page = Template(files("fieldguide.dashboard").joinpath("templates", "index.html").read_text(encoding="utf-8"))

    async def index(request: Request) -> Response:
        cookies = [value for name, value in request.headers.raw if name == b"cookie"]
        token = None if token_to_show is None else token_to_show(cookies)
        content = {
            "project": as_html(served.project),
            "version": as_html(__version__),
            "url": as_html(served.url),
            "rows": "\n".join(_rows(served.tools, health())),
            "token": "" if served.token_place is None else _where_the_token_is(served.token_place),
            "waiting": _waiting(await run_in_threadpool(waiting)) + _stale(await run_in_threadpool(stale)),
            "clients": ON_A_SOCKET if served.url.startswith("unix:") else "\n".join(_clients(served.url, token)),
        }
        return HTMLResponse(page.substitute(content), headers=HEADERS)

    async def healthz(request: Request) -> Response:
        return JSONResponse({"status": "ok", "version": __version__}, headers={"cache-control": "no-store"})

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
    numbers = "".join(f"<td class=number>{as_html(str(cell))}</td>" for cell in cells)
    return (
        f"<tr><th scope=row><code>{as_html(name)}</code><p>{as_html(description)}</p></th>"
        f'<td><span class="state {word}">{word}</span></td>{numbers}</tr>'
    )


def _waiting(sentences: Sequence[str]) -> str:
    if not sentences:
        return ""
    items = "".join(f"<li>{as_html(sentence)}</li>" for sentence in sentences)
    return f"<h2>Not obeyed</h2><ul>{items}</ul><p class=quiet>{as_html(TRUST)}</p>"


def _stale(places: Sequence[StalePlace]) -> str:
    """A small table of what no longer holds."""
    if not places:
        return ""
    rows = "".join(
        f"<tr><th scope=row><code>{as_html(each.document)}{f':{each.line}' if each.line else ''}</code></th>"
        f"<td>{as_html(each.state)}</td><td>{as_html(each.told().partition(': ')[2])}</td></tr>"
        for each in places[:MOST_STALE]
    )
    more = f"<p class=quiet>And {len(places) - MOST_STALE} more.</p>" if len(places) > MOST_STALE else ""
    return f"<h2>Stale</h2><table><tbody>{rows}</tbody></table>{more}"


def _where_the_token_is(place: str) -> str:
    return (
        "<p class=quiet>The token is shown the first time only that this page is looked at after a link. "
        f"It is kept in {as_html(place)}.</p>"
    )


def _clients(url: str, token: str | None) -> list[str]:
    return [
        f"<section><h3>{as_html(each.client)}</h3><p>{as_html(each.where)}</p>"
        f"<pre tabindex=0><code>{_lines(each.text)}</code></pre></section>"
        for each in instructions(url, token)
    ]


def _lines(text: str) -> str:
    return "\n".join(map(as_html, text.splitlines()))
