"""The page's own files: style, script and picture, each under a name that changes with its content."""

import hashlib
from importlib.resources import files
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fieldguide.picturing import style

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
        for found in files("fieldguide.dashboard").joinpath("static").iterdir():
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
    views = files("fieldguide.dashboard").joinpath("static", "views.css").read_bytes()
    return b"\n".join((b"", views, style().encode()))
