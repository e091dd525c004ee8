"""A server that only sends what it was given: each file of a folder, at its path, as a page or a part of one."""

import asyncio
import socket
import sys
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


def main() -> None:
    stored = {f"/{path.name}": path.read_bytes() for path in Path(sys.argv[1]).iterdir()}

    async def send(request: Request) -> Response:
        path = request.url.path.replace("/static/", "/", 1)
        kind = KINDS.get(Path(path).suffix, "text/html; charset=utf-8")
        return Response(stored[path], headers={"content-type": kind, "cache-control": "no-store"})

    listening = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listening.getsockname()[1]}", file=sys.stderr, flush=True)
    server = uvicorn.Server(uvicorn.Config(Starlette(routes=[Route("/{path:path}", send)]), log_level="error"))
    asyncio.run(server.serve([listening]))


if __name__ == "__main__":
    main()
