"""What every HTTP request passes before anything else: is it meant for us, is it one of our own pages', who asks?

`Host` and `Origin` are compared whole. A web page elsewhere, or a name that was made to lead to this machine (DNS
rebinding), sends its own; a prefix or the name without its port would let some of them through.
"""

import hmac
from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from typing import NamedTuple
from urllib.parse import parse_qs

from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from fieldguide.server.web.page_door import LINK_PARAMETER, PageDoor
from fieldguide.server.web.peers import is_another_users
from fieldguide.server.web.refusal import NO_STORE, refusal

PAGE, LINK, DISCOVERY = "/", "/link", "/.well-known/"
HEALTH = ("/healthz", "/readyz")
LOOKS = ("GET", "HEAD")
MOST_HEADERS, MOST_HEADER_BYTES = 100, 16_384
ASK = {"www-authenticate": 'Bearer realm="fieldguide"'}
HOW_TO_ASK = (
    "This server asks for its token: send the header `Authorization: Bearer TOKEN`. `fieldguide serve --http` says it "
    "at its start, in a setting for each client; it is FIELDGUIDE_TOKEN, or kept in `http/token` of the state folder."
)
CLOSED_STYLE = (
    ":root{color-scheme:light dark}body{margin:0 auto;max-width:38rem;padding:4rem 1.25rem;"
    "font:1rem/1.6 system-ui,sans-serif}h1{font-size:1.875rem;line-height:1.2}pre{white-space:pre-wrap}"
)
CLOSED_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Fieldguide</title><style>{style}</style></head><body><main>
<h1>This page opens by a link</h1>
<p>Fieldguide wrote one to its terminal when it started, and writes the next one there when one was used.
Each link opens once, in one browser.</p>
<p>Have you opened a new one just now? Then load this page again. Is the server on this machine?
<code>fieldguide open</code> in the project's folder gives you a new one.</p>
<p>Where nobody sees that terminal, the server's token gets you a link:</p>
<pre>curl -X POST -H "Authorization: Bearer TOKEN" {page}link</pre>
</main></body></html>
"""
CLOSED_HASH = b64encode(sha256(CLOSED_STYLE.encode()).digest()).decode()
PAGE_HEADERS = {
    **NO_STORE,
    "content-security-policy": f"default-src 'none'; style-src 'sha256-{CLOSED_HASH}'; frame-ancestors 'none'; "
    "base-uri 'none'; form-action 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}


class Access(NamedTuple):
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

    def __init__(self, app: ASGIApp, access: Access, pages: Iterable[str] = ()) -> None:
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
            return refusal(431, f"A request has at most {MOST_HEADERS} headers and {MOST_HEADER_BYTES} bytes of them.")
        if self._hosts is not None and not self._is_named(scope, self._hosts):
            names = " or ".join(sorted(host.decode() for host in self._hosts))
            return refusal(421, f"This server answers only to the Host {names}.")
        if any(origin not in self._origins for origin in _values(scope, b"origin")):
            return refusal(403, "This server answers no page of another origin.")
        return None

    def _is_named(self, scope: Scope, names: frozenset[bytes]) -> bool:
        """Whether a request is for one of these names, or for what answers to any."""
        hosts = _values(scope, b"host")
        return scope["path"] in self._open_paths or (len(hosts) == 1 and hosts[0] in names)

    def _unasked(self, scope: Scope) -> Response | None:
        """The answer to whoever has not shown the token; None for those who may pass."""
        path: str = scope["path"]
        if self._door is None or path in HEALTH or path.startswith(DISCOVERY):
            return None
        if _has_token(scope, self._door.token):
            return self._hand_out_link(self._door, scope) if path == LINK else None
        if path == PAGE and scope["method"] in LOOKS:
            return self._at_the_door(self._door, scope)
        if path.split("/")[1] in self._pages:
            return self._inside(self._door, scope)
        return refusal(401, HOW_TO_ASK, ASK)

    def _inside(self, door: PageDoor, scope: Scope) -> Response | None:
        """The answer to whoever wants another page than the first and has no cookie of ours."""
        if _is_admitted(door, scope):
            return None
        return _closed(door) if scope["method"] in LOOKS else refusal(401, HOW_TO_ASK, ASK)

    def _hand_out_link(self, door: PageDoor, scope: Scope) -> Response:
        if scope["method"] != "POST":
            return refusal(405, "A link is asked for by POST.", {"allow": "POST"})
        return PlainTextResponse(f"{door.new_link()}\n", headers=NO_STORE)

    def _at_the_door(self, door: PageDoor, scope: Scope) -> Response | None:
        secrets = parse_qs(scope["query_string"].decode("latin-1")).get(LINK_PARAMETER)
        cookie = door.open(secrets[0]) if secrets and scope["method"] == "GET" else None
        if cookie is not None:
            return RedirectResponse(PAGE, 303, headers={**PAGE_HEADERS, "set-cookie": cookie})
        if not _is_admitted(door, scope):
            return _closed(door)
        return RedirectResponse(PAGE, 303, headers=PAGE_HEADERS) if secrets else None


def _is_admitted(door: PageDoor, scope: Scope) -> bool:
    """Whether a request has a cookie of ours, and comes from a program of the user whose server this is."""
    return door.admits(_values(scope, b"cookie")) and not is_another_users(scope)


def _closed(door: PageDoor) -> Response:
    shown = CLOSED_PAGE.format(page=door.page, style=CLOSED_STYLE)
    return HTMLResponse(shown, 401, headers={**PAGE_HEADERS, **ASK})


def _has_token(scope: Scope, token: str) -> bool:
    shown = _values(scope, b"authorization")
    scheme, _, credentials = (shown[0] if len(shown) == 1 else b"").partition(b" ")
    return scheme.lower() == b"bearer" and hmac.compare_digest(credentials.strip(), token.encode())


def _values(scope: Scope, name: bytes) -> list[bytes]:
    return [value for each, value in scope["headers"] if each == name]
