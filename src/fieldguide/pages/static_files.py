"""Serves the page's style sheets, scripts and images under hashed names, and puts the HTML of MCP panels together."""

import hashlib
import json
from collections.abc import Sequence
from importlib.resources import files
from string import Template
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
HEADERS = {
    "cache-control": "public, max-age=31536000, immutable",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
}
HASH_CHARACTERS = 12
STYLE = "style.css"


class StaticFile(NamedTuple):
    """What is sent, and as what."""

    content: bytes
    media_type: str


class StaticFiles:
    """Every file of the folder `static`, read once."""

    def __init__(self) -> None:
        self._addresses: dict[str, str] = {}
        self._files: dict[str, StaticFile] = {}
        for found in files("fieldguide.pages").joinpath("static").iterdir():
            stem, _, suffix = found.name.rpartition(".")
            if suffix in TYPES:
                content = found.read_bytes()
                if found.name == STYLE:  # one file for all styles, so that a browser asks once
                    content = b"\n".join((content, _read("static", "views.css"), _read("pictures.css")))
                hashed = f"{stem}.{hashlib.sha256(content).hexdigest()[:HASH_CHARACTERS]}.{suffix}"
                self._addresses[found.name] = f"/static/{hashed}"
                self._files[hashed] = StaticFile(content, TYPES[suffix])

    def address(self, name: str) -> str:
        """Where a file of this name is served."""
        return self._addresses[name]

    def routes(self) -> list[Route]:
        """The one route of them all."""
        return [Route("/static/{name}", self.send)]

    async def send(self, request: Request) -> Response:
        """A file, for as long as a browser likes to keep it."""
        found = self._files.get(request.path_params["name"])
        if found is None:
            return Response("There is no such file.", 404, headers={"cache-control": "no-store"})
        return Response(found.content, headers=HEADERS, media_type=found.media_type)


def _read(*path: str) -> bytes:
    return files("fieldguide.pages").joinpath(*path).read_bytes()


def render_board_panel(calls: Sequence[str]) -> str:
    """The task board."""
    return _page("Tasks", "board", calls)


def render_decisions_panel(calls: Sequence[str]) -> str:
    """The picture of the decisions."""
    return _page("Decisions", "decisions", calls)


def _page(title: str, name: str, calls: Sequence[str]) -> str:
    def read(file: str) -> str:
        return _read("panel_files", file).decode()

    script = "\n".join(read(file) for file in ("elements.js", "host.js", f"{name}.js"))
    return Template(read("frame.html")).substitute(
        title=title,
        style=f"{read('look.css')}\n{read(f'{name}.css')}",
        served=json.dumps(list(calls)),
        script=script,
    )
