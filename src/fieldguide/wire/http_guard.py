"""The first of three layers around a call over HTTP: who gets in, and how much at once.

`HttpGuard` checks host, origin, token and cookie of every request, `RequestTraffic` counts what is under way and turns
away what is too much, `CallBounds` bounds the calls that run and wait, and `read_body` reads bodies within limits.
Behind them are the sessions and the calls of `http_sessions.py`.

`Host` and `Origin` are compared whole: a prefix, or the name without its port, would let DNS rebinding through.
"""

import asyncio
import hmac
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any, NamedTuple

from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fieldguide.settings.access import Access, Principal
from fieldguide.settings.limits import Limits
from fieldguide.settings.service import MCP_PATH
from fieldguide.spine.oversight import CallPlace
from fieldguide.text.errors import Busy
from fieldguide.wire.jsonrpc import INVALID_REQUEST
from fieldguide.wire.page_door import ASK, PAGE, PageDoor

NO_STORE = {"cache-control": "no-store"}
MEGABYTE = 1_048_576
LINK = "/link"
DISCOVERY = "/.well-known/"
HEALTH = ("/healthz", "/readyz")
LOOKS = ("GET", "HEAD")
NOT_PAGES = ("mcp", "metrics", "link", "healthz", "readyz", ".well-known")
MOST_HEADERS = 100
MOST_HEADER_BYTES = 16_384
SESSION_HEADER = b"mcp-session-id"
FIRST_ERROR = 400
BUSY = "The server is busy: too many calls run or wait already. Try again in a moment."
ENDING = "The server is about to end and takes nothing new. Try again: another one, or the next one, answers."
RETRY_SECONDS = 1
NoteRefusal = Callable[[Scope, int], None]
AWAY = {"retry-after": str(RETRY_SECONDS), "connection": "close"}
HOW_TO_ASK = (
    "This server asks for its token: send the header `Authorization: Bearer TOKEN`. `fieldguide serve --http` says it "
    "at its start, in a setting for each client; it is FIELDGUIDE_TOKEN, or kept in `http/token` of the state folder."
)


def make_refusal(status: int, sentence: str, headers: dict[str, str] | None = None) -> Response:
    """A response with this status; it answers no request in particular, so its id is null."""
    error = {"code": INVALID_REQUEST, "message": sentence}
    told = {"jsonrpc": "2.0", "id": None, "error": error}
    return JSONResponse(told, status_code=status, headers={**NO_STORE, **(headers or {})})


class Caller(NamedTuple):
    """Who asks, and what they may do in the project that they ask for; None, None on the person's own machine."""

    principal: Principal | None = None
    access: Access | None = None

    @property
    def key(self) -> tuple[str, str] | None:
        """What a session that this caller opens belongs to."""
        return None if self.principal is None else self.principal.key


def read_caller(scope: Scope) -> Caller:
    """The caller of a request, as `Principals` found it."""
    state: dict[str, Any] = scope.get("state", {})
    found = state.get("caller")
    return found if isinstance(found, Caller) else Caller()


async def read_body(limits: Limits, scope: Scope, receive: Receive, send: Send) -> bytes | None:
    """The whole body of a request; None where its client left, or was refused: it came too slowly or is too large."""
    parts: list[bytes] = []
    left = limits.http_request_megabytes * MEGABYTE
    try:
        async with asyncio.timeout(limits.http_request_seconds):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    return None
                parts.append(message.get("body", b""))
                left -= len(parts[-1])
                if left < 0:
                    break
                if not message.get("more_body", False):
                    return b"".join(parts)
    except TimeoutError:
        allowed = limits.http_request_seconds
        sentence = f"The request took longer than {allowed} seconds to arrive. {_raise('http_request_seconds')}"
        await make_refusal(408, sentence, {"connection": "close"})(scope, receive, send)
    else:
        sentence = f"A request has at most {limits.http_request_megabytes} MiB. {_raise('http_request_megabytes')}"
        await make_refusal(413, sentence)(scope, receive, send)
    return None


def replay_body(body: bytes, receive: Receive) -> Callable[[], Awaitable[Message]]:
    """A `receive` that gives a body which was read already."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay


def _raise(limit: str) -> str:
    return f"The limit {limit} is a setting: FIELDGUIDE_LIMIT_{limit.upper()}."


class CallBounds:
    """The places of one process, on one event loop; every project that it serves shares them.

    The queue of waiting calls is bounded: an overloaded server with an endless queue answers everybody too late.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._waiting: dict[asyncio.Future[None], CallPlace] = {}
        self._projects: Counter[str] = Counter()
        self._users: Counter[str] = Counter()
        self.running = 0
        self.turned_away = 0

    @property
    def waiting(self) -> int:
        """How many calls wait for a place."""
        return len(self._waiting)

    @property
    def is_full(self) -> bool:
        """Whether the next call would be turned away, whosever it is."""
        return self.running >= self._limits.calls_at_once and len(self._waiting) >= self._limits.calls_waiting

    @asynccontextmanager
    async def place(self, place: CallPlace) -> AsyncGenerator[Busy | None]:
        """Hold a place while the block runs; gives Busy where there is none in time."""
        busy = None if self._try_take(place) else await self._wait(place)
        try:
            yield busy
        finally:
            if busy is None:
                self._give_back(place)

    async def _wait(self, place: CallPlace) -> Busy | None:
        """Wait for a place, which is taken then; Busy where there is none in time."""
        if len(self._waiting) >= self._limits.calls_waiting:
            return self._busy("calls_waiting")
        _, user = place
        own = 0 if user is None else sum(each == user for _, each in self._waiting.values())
        if own >= self._limits.calls_waiting_per_user:
            return self._busy("calls_waiting_per_user")
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[turn] = place
        try:
            async with asyncio.timeout(self._limits.calls_waiting_seconds):
                await turn
        except BaseException as error:
            if self._waiting.pop(turn, None) is None:  # its turn had come at the same moment
                self._give_back(place)
            if isinstance(error, TimeoutError):
                return self._busy("calls_waiting_seconds")
            raise
        return None

    def _busy(self, limit: str) -> Busy:
        self.turned_away += 1
        text = f"The server is busy; try again in a moment: {self._limits.told(limit)}."
        return Busy(text, retry_after_seconds=RETRY_SECONDS)

    def _try_take(self, place: CallPlace) -> bool:
        """Take a place if there is one; whether there was."""
        project, user = place
        if (
            self.running >= self._limits.calls_at_once
            or self._projects[project] >= self._limits.calls_at_once_per_project
            or (user is not None and self._users[user] >= self._limits.calls_at_once_per_user)
        ):
            return False
        self.running += 1
        self._projects[project] += 1
        if user is not None:
            self._users[user] += 1
        return True

    def _give_back(self, place: CallPlace) -> None:
        """Free a place, and give it to the first in the queue whom it suits."""
        project, user = place
        self.running -= 1
        self._projects -= Counter((project,))  # a name whose count is zero goes
        if user is not None:
            self._users -= Counter((user,))
        turn = next((turn for turn, waiting in self._waiting.items() if self._try_take(waiting)), None)
        if turn is not None:
            del self._waiting[turn]
            with suppress(asyncio.InvalidStateError):  # whoever waited has just left, and gives it back
                turn.set_result(None)


class RequestTraffic:
    """What is under way in one process, whichever project it is for, and what is turned away.

    While the server `is_ending` no session is opened; once it `is_closed` nothing new is taken.
    """

    def __init__(self, bounds: CallBounds | None = None) -> None:
        self.bounds = bounds
        self._none_left = asyncio.Event()
        self.requests = 0
        self.turned_away = 0
        self.is_ending = False
        self.is_closed = False
        self.open_sessions: list[Callable[[], int]] = []

    def before(self, app: ASGIApp, own: Mapping[str, ASGIApp]) -> ASGIApp:
        """An application before another: it counts requests to `/mcp` while they run, or turns them away.

        `own` answers the paths for those who run the server.
        """

        async def counted(scope: Scope, receive: Receive, send: Send) -> None:
            path: str = scope.get("path", "")
            if scope["type"] != "http" or (path != MCP_PATH and not path.startswith(f"{MCP_PATH}/")):
                is_own = scope["type"] == "http" and path in own
                await (own[path] if is_own else app)(scope, receive, send)
                return
            is_full = self.bounds is not None and self.bounds.is_full and scope["method"] == "POST"
            if self.is_closed or is_full:
                self.turned_away += 1
                await make_refusal(503, ENDING if self.is_closed else BUSY, AWAY)(scope, receive, send)
                return
            is_refused = False

            async def watched(message: Message) -> None:
                """Open no session while the server ends, and let clients connect anew."""
                nonlocal is_refused
                if message["type"] == "http.response.start" and self.is_ending:
                    is_refused = _opens_session(scope, message)
                    headers = [(name, value) for name, value in message["headers"] if name != b"connection"]
                    message = {**message, "headers": [*headers, (b"connection", b"close")]}
                    if is_refused:
                        await make_refusal(503, ENDING, AWAY)(scope, receive, send)
                if not is_refused:
                    await send(message)

            self.requests += 1
            try:
                await app(scope, receive, watched)
            finally:
                self.requests -= 1
                if not self.requests:
                    self._none_left.set()

        return counted

    def sessions(self) -> int:
        """How many sessions of the older protocol are open, in all projects."""
        return sum(count() for count in self.open_sessions)

    async def settled(self) -> None:
        """Wait until no request is under way."""
        while self.requests:
            self._none_left.clear()
            await self._none_left.wait()


def _opens_session(scope: Scope, message: Message) -> bool:
    is_named = any(name == SESSION_HEADER for name, _ in scope["headers"])
    return scope["method"] == "POST" and not is_named and any(name == SESSION_HEADER for name, _ in message["headers"])


class HttpAccess(NamedTuple):
    """Who is let in: what `Host` must be, and the door that asks for the token or a link.

    Without `hosts` any `Host` will do and no `Origin` (a unix socket, which no browser reaches). Without a door nobody
    is asked for anything. `scheme` is how pages of ours begin, and `open_paths` answer to any name: what looks after a
    service asks for them by whichever it has. `correct` gives a request as our proxy tells it, where there is one, or
    the response that refuses it.
    """

    hosts: frozenset[str] | None
    door: PageDoor | None
    scheme: str = "http"
    open_paths: frozenset[str] = frozenset()
    correct: Callable[[Scope], Scope | Response] | None = None


class HttpGuard:
    """An ASGI application before another: it lets through what may pass, and answers the rest itself.

    `pages` are the first names of the paths that the page's cookie opens, beside the page itself. `note_refusal` is
    told of every request that is refused, here or further in.
    """

    def __init__(
        self, app: ASGIApp, access: HttpAccess, pages: Iterable[str] = (), note_refusal: NoteRefusal | None = None
    ) -> None:
        self._app = app
        self._pages = frozenset(pages)
        self._hosts = None if access.hosts is None else frozenset(host.encode() for host in access.hosts)
        self._origins = frozenset(f"{access.scheme}://".encode() + host for host in self._hosts or ())
        self._door = access.door
        self._open_paths = access.open_paths
        self._correct = access.correct
        self._note_refusal = note_refusal

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        if scope["type"] != "http":
            return

        async def seen(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] >= FIRST_ERROR and self._note_refusal:
                self._note_refusal(scope, message["status"])
            await send(message)

        asked = scope if self._correct is None else self._correct(scope)
        if isinstance(asked, Response):
            await asked(scope, receive, seen)
            return
        await (self._refusal(asked) or self._app)(asked, receive, seen)

    def _refusal(self, scope: Scope) -> Response | None:
        """The answer to what is too large, is not meant for this server, comes from another's page, or shows no token.

        None for what may pass.
        """
        headers: list[tuple[bytes, bytes]] = scope["headers"]
        size = len(scope["query_string"]) + sum(len(name) + len(value) for name, value in headers)
        if len(headers) > MOST_HEADERS or size > MOST_HEADER_BYTES:
            return make_refusal(
                431, f"A request has at most {MOST_HEADERS} headers and {MOST_HEADER_BYTES} bytes of them."
            )
        hosts = [value for name, value in headers if name == b"host"]
        is_open = self._hosts is None or scope["path"] in self._open_paths
        if self._hosts is not None and not is_open and (len(hosts) != 1 or hosts[0] not in self._hosts):
            names = " or ".join(sorted(host.decode() for host in self._hosts))
            return make_refusal(421, f"This server answers only to the Host {names}.")
        if any(name == b"origin" and value not in self._origins for name, value in headers):
            return make_refusal(403, "This server answers no page of another origin.")
        path: str = scope["path"]
        if self._door is None or path in HEALTH or path.startswith(DISCOVERY):
            return None
        shown = [value for name, value in headers if name == b"authorization"]
        scheme, _, credentials = (shown[0] if len(shown) == 1 else b"").partition(b" ")
        if scheme.lower() == b"bearer" and hmac.compare_digest(credentials.strip(), self._door.token.encode()):
            if path != LINK:
                return None
            if scope["method"] != "POST":
                return make_refusal(405, "A link is asked for by POST.", {"allow": "POST"})
            return PlainTextResponse(f"{self._door.new_link()}\n", headers=NO_STORE)
        if path == PAGE and scope["method"] in LOOKS:
            return self._door.answer_visitor(scope)
        if path.split("/")[1] in self._pages or _is_stray_look(scope):
            if self._door.admits(scope):
                return None
            if scope["method"] in LOOKS:
                return self._door.explain_link()
        return make_refusal(401, HOW_TO_ASK, ASK)


def _is_stray_look(scope: Scope) -> bool:
    """Whether a browser looks for a page at an address that nothing else has: it is shown a page that says so."""
    wants_page = any(name == b"accept" and b"text/html" in value for name, value in scope["headers"])
    return scope["method"] in LOOKS and wants_page and scope["path"].split("/")[1] not in NOT_PAGES
