"""Guards an HTTP server: reads bodies within limits, and checks host, origin, token and cookie of every request.

`Host` and `Origin` are compared whole: a prefix, or the name without its port, would let DNS rebinding through.
"""

import asyncio
import hmac
from collections.abc import Awaitable, Callable, Iterable
from typing import NamedTuple

from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fieldguide.settings.limits import Limits
from fieldguide.wire.jsonrpc import INVALID_REQUEST
from fieldguide.wire.page_door import ASK, PAGE, PageDoor

NO_STORE = {"cache-control": "no-store"}
MEGABYTE = 1_048_576
LINK = "/link"
DISCOVERY = "/.well-known/"
HEALTH = ("/healthz", "/readyz")
LOOKS = ("GET", "HEAD")
MOST_HEADERS = 100
MOST_HEADER_BYTES = 16_384
HOW_TO_ASK = (
    "This server asks for its token: send the header `Authorization: Bearer TOKEN`. `fieldguide serve --http` says it "
    "at its start, in a setting for each client; it is FIELDGUIDE_TOKEN, or kept in `http/token` of the state folder."
)


def make_refusal(status: int, sentence: str, headers: dict[str, str] | None = None) -> Response:
    """A response with this status; it answers no request in particular, so its id is null."""
    error = {"code": INVALID_REQUEST, "message": sentence}
    told = {"jsonrpc": "2.0", "id": None, "error": error}
    return JSONResponse(told, status_code=status, headers={**NO_STORE, **(headers or {})})


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


class HttpAccess(NamedTuple):
    """Who is let in: what `Host` must be, and the door that asks for the token or a link.

    Without `hosts` any `Host` will do and no `Origin` (a unix socket, which no browser reaches). Without a door nobody
    is asked for anything. `scheme` is how pages of ours begin, and `open_paths` answer to any name: what looks after a
    service asks for them by whichever it has.
    """

    hosts: frozenset[str] | None
    door: PageDoor | None
    scheme: str = "http"
    open_paths: frozenset[str] = frozenset()


class HttpGuard:
    """An ASGI application before another: it lets through what may pass, and answers the rest itself.

    `pages` are the first names of the paths that the page's cookie opens, beside the page itself.
    """

    def __init__(self, app: ASGIApp, access: HttpAccess, pages: Iterable[str] = ()) -> None:
        self._app = app
        self._pages = frozenset(pages)
        self._hosts = None if access.hosts is None else frozenset(host.encode() for host in access.hosts)
        self._origins = frozenset(f"{access.scheme}://".encode() + host for host in self._hosts or ())
        self._door = access.door
        self._open_paths = access.open_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "http":
            answer = self._misdirected(scope) or self._unasked(scope)
            await (answer or self._app)(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._app(scope, receive, send)

    def _misdirected(self, scope: Scope) -> Response | None:
        """The refusal of what is too large, or is not meant for this server, or comes from another's page."""
        headers: list[tuple[bytes, bytes]] = scope["headers"]
        size = len(scope["query_string"]) + sum(len(name) + len(value) for name, value in headers)
        if len(headers) > MOST_HEADERS or size > MOST_HEADER_BYTES:
            return make_refusal(
                431, f"A request has at most {MOST_HEADERS} headers and {MOST_HEADER_BYTES} bytes of them."
            )
        hosts = _values(scope, b"host")
        is_open = self._hosts is None or scope["path"] in self._open_paths
        if self._hosts is not None and not is_open and (len(hosts) != 1 or hosts[0] not in self._hosts):
            names = " or ".join(sorted(host.decode() for host in self._hosts))
            return make_refusal(421, f"This server answers only to the Host {names}.")
        if any(origin not in self._origins for origin in _values(scope, b"origin")):
            return make_refusal(403, "This server answers no page of another origin.")
        return None

    def _unasked(self, scope: Scope) -> Response | None:
        """The answer to whoever has not shown the token; None for those who may pass."""
        path: str = scope["path"]
        if self._door is None or path in HEALTH or path.startswith(DISCOVERY):
            return None
        if _has_token(scope, self._door.token):
            if path != LINK:
                return None
            if scope["method"] != "POST":
                return make_refusal(405, "A link is asked for by POST.", {"allow": "POST"})
            return PlainTextResponse(f"{self._door.new_link()}\n", headers=NO_STORE)
        if path == PAGE and scope["method"] in LOOKS:
            return self._door.answer_visitor(scope)
        if path.split("/")[1] in self._pages:
            if self._door.admits(scope):
                return None
            if scope["method"] in LOOKS:
                return self._door.explain_link()
        return make_refusal(401, HOW_TO_ASK, ASK)


def _has_token(scope: Scope, token: str) -> bool:
    shown = _values(scope, b"authorization")
    scheme, _, credentials = (shown[0] if len(shown) == 1 else b"").partition(b" ")
    return scheme.lower() == b"bearer" and hmac.compare_digest(credentials.strip(), token.encode())


def _values(scope: Scope, name: bytes) -> list[bytes]:
    return [value for each, value in scope["headers"] if each == name]
