"""Serves the page's style sheets, scripts and images under names with a content hash.

Pure functions from values to text: the page at `/` shows them, and so do clients that show resources. The styles are in
`style.css` beside them; nothing carries a style of its own, so that a strict policy lets it through.

`decisions` has what is drawn of a record, `days` reads its date, `lifelines` puts records on an axis, `drawing` draws
them, `years` draws how many there were in each year, and `ties` says the same in words. `board` draws tasks.
"""

import hashlib
import json
import os
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


def read_picture_style() -> str:
    """The styles that the pictures want, for light and dark."""
    return files("fieldguide.pages").joinpath("pictures.css").read_text(encoding="utf-8")


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
                content = found.read_bytes() + _joined(found.name)
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


def _joined(name: str) -> bytes:
    """What goes with a file, so that a browser asks once: the styles of the views and of the pictures."""
    if name != STYLE:
        return b""
    views = files("fieldguide.pages").joinpath("static", "views.css").read_bytes()
    return b"\n".join((b"", views, read_picture_style().encode()))


FOLDER = os.path.dirname(__file__)


def render_board_panel(calls: Sequence[str]) -> str:
    """The task board."""
    return _page("Tasks", "board", calls)


def render_decisions_panel(calls: Sequence[str]) -> str:
    """The picture of the decisions."""
    return _page("Decisions", "decisions", calls)


def _page(title: str, name: str, calls: Sequence[str]) -> str:
    script = "\n".join(_text(file) for file in ("elements.js", "host.js", f"{name}.js"))
    return Template(_text("frame.html")).substitute(
        title=title,
        style=f"{_text('look.css')}\n{_text(f'{name}.css')}",
        served=json.dumps(list(calls)),
        script=script,
    )


def _text(file: str) -> str:
    with open(os.path.join(FOLDER, "panel_files", file), encoding="utf-8") as opened:
        return opened.read()
