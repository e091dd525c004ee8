"""Reads HTTP request bodies within limits, and makes the responses that refuse a request."""

import asyncio
from collections.abc import Awaitable, Callable

from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fieldguide.settings.limits import Limits
from fieldguide.wire.jsonrpc import INVALID_REQUEST

NO_STORE = {"cache-control": "no-store"}


def make_refusal(status: int, sentence: str, headers: dict[str, str] | None = None) -> Response:
    """A response with this status; it answers no request in particular, so its id is null."""
    error = {"code": INVALID_REQUEST, "message": sentence}
    told = {"jsonrpc": "2.0", "id": None, "error": error}
    return JSONResponse(told, status_code=status, headers={**NO_STORE, **(headers or {})})


MEGABYTE = 1_048_576


class BoundedBodies:
    """An ASGI application before another: it hands bodies on in one piece, once they are there."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app = app
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the body of a request, then pass it on; a client that left is not answered."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            async with asyncio.timeout(self._limits.http_request_seconds):
                body = await self._read(receive)
        except TimeoutError:
            allowed = self._limits.http_request_seconds
            sentence = f"The request took longer than {allowed} seconds to arrive. {_raise('http_request_seconds')}"
            await make_refusal(408, sentence, {"connection": "close"})(scope, receive, send)
        except ValueError:
            allowed = self._limits.http_request_megabytes
            sentence = f"A request has at most {allowed} MiB. {_raise('http_request_megabytes')}"
            await make_refusal(413, sentence)(scope, receive, send)
        else:
            if body is not None:
                await self._app(scope, replay_body(body, receive), send)

    async def _read(self, receive: Receive) -> bytes | None:
        """The whole body; None when the client left before its end; ValueError when it is too large."""
        parts: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return None
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > self._limits.http_request_megabytes * MEGABYTE:
                raise ValueError(size)
            if not message.get("more_body", False):
                return b"".join(parts)


def replay_body(body: bytes, receive: Receive) -> Callable[[], Awaitable[Message]]:
    """A `receive` that gives a body which was read already."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay


def _raise(limit: str) -> str:
    return f"The limit {limit} is a setting: FIELDGUIDE_LIMIT_{limit.upper()}."
