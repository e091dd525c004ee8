"""How many HTTP sessions there may be, of one peer and in all; the idle ones give way to new ones.

Most clients vanish without a word. Their sessions must not lock others out, and no peer may fill the table alone: one
that has too many gives up its own. On the loopback every client has the same address, so a peer is an address with the
name that the client gives itself (`User-Agent`); where requests have a principal, that is the peer.
"""

import itertools
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import monotonic

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fieldguide.limits import Limits
from fieldguide.server.web.calls import SESSION_HEADER
from fieldguide.server.web.endpoint import PATH
from fieldguide.server.web.principals import caller_of
from fieldguide.server.web.refusal import refusal

NAME_BYTES = 200
IDLE_SECONDS = 1800.0

Peer = tuple[str, bytes] | tuple[str, str]


@dataclass(slots=True)
class HttpSession:
    """One session: whose it is, when it was last used, and what of it is under way."""

    peer: Peer
    owner: tuple[str, str] | None
    used: int
    used_at: float
    calls: int = 0
    listening: int = 0


class HttpSessions:
    """An ASGI application before the SDK's: it counts the sessions that are opened, and ends those that give way."""

    def __init__(
        self,
        app: ASGIApp,
        limits: Limits,
        *,
        is_open: Callable[[str], bool],
        end: Callable[[str], Awaitable[None]],
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._app = app
        self._limits = limits
        self._is_open = is_open
        self._end = end
        self._clock = clock
        self._sessions: dict[str, HttpSession] = {}
        self._moments = itertools.count()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, with its session marked as used, or watch whether it opens one."""
        named = _header(scope, SESSION_HEADER)
        if scope["type"] != "http" or (named is None and scope["method"] != "POST"):
            await self._app(scope, receive, send)
        elif named is None:
            await self._app(scope, receive, self._watched(scope, receive, send))
        else:
            await self._use(named.decode("latin-1"), scope, receive, send)

    async def _use(self, name: str, scope: Scope, receive: Receive, send: Send) -> None:
        session = self._sessions.get(name)
        if session is not None and session.owner != caller_of(scope).key:
            session = None  # another's, which the SDK answers as if there were none
        if session is not None and self._is_over(session):
            del self._sessions[name]
            await self._end(name)
            session = None
        if session is None:
            await self._app(scope, receive, send)
            return
        is_call = int(scope["method"] != "GET")
        session.calls, session.listening = session.calls + is_call, session.listening + 1 - is_call
        try:
            await self._app(scope, receive, send)
        finally:
            session.calls, session.listening = session.calls - is_call, session.listening - 1 + is_call
            session.used, session.used_at = next(self._moments), self._clock()
            if scope["method"] == "DELETE":
                await self._end(name)

    def _is_over(self, session: HttpSession) -> bool:
        """Whether nothing was heard of a session for so long that its client is taken to be gone."""
        is_idle = not session.calls and not session.listening
        return is_idle and self._clock() - session.used_at > IDLE_SECONDS

    def _watched(self, scope: Scope, receive: Receive, send: Send) -> Send:
        """A `send` that admits the session which a response opens, or gives a refusal in the response's place."""
        is_refused = False

        async def watched(message: Message) -> None:
            nonlocal is_refused
            if message["type"] == "http.response.start" and message["status"] < 400:
                opened = next((value for name, value in message["headers"] if name == SESSION_HEADER), None)
                sentence = None if opened is None else await self._admit(opened.decode("latin-1"), scope)
                if sentence is not None:
                    is_refused = True
                    await refusal(503, sentence)(scope, receive, send)
            if not is_refused:
                await send(message)

        return watched

    async def _admit(self, opened: str, scope: Scope) -> str | None:
        """Take a new session in, where need be in the place of another; else end it, and say which limit stands."""
        await self._let_go()
        owner = caller_of(scope).key
        peer = _peer(scope) if owner is None else owner
        own = [name for name, each in self._sessions.items() if each.peer == peer]
        for limit, rivals in (("http_sessions_per_peer", own), ("http_sessions", list(self._sessions))):
            if len(rivals) < getattr(self._limits, limit):
                continue
            leaving = self._least_needed(rivals)
            if leaving is None:
                await self._end(opened)
                return _full(limit, len(rivals))
            del self._sessions[leaving]
            await self._end(leaving)
            break  # one has left, so there is room in all as well
        self._sessions[opened] = HttpSession(peer, owner, next(self._moments), self._clock())
        return None

    async def _let_go(self) -> None:
        """End the sessions of clients that are gone, and forget those that have ended."""
        for name in [name for name, each in self._sessions.items() if self._is_over(each)]:
            await self._end(name)
        self._sessions = {name: each for name, each in self._sessions.items() if self._is_open(name)}

    def _least_needed(self, names: list[str]) -> str | None:
        """The one that was unused longest and has no call under way, rather one to which nobody listens."""
        found = [name for name in names if not self._sessions[name].calls]
        return min(found, key=lambda name: (self._sessions[name].listening, self._sessions[name].used), default=None)


async def delete_session(app: ASGIApp, name: str, owner: object | None = None) -> None:
    """End a session as its own client would: by DELETE, in the name of its owner as the SDK knows it."""
    scope: Scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "DELETE",
        "scheme": "http",
        "path": PATH,
        "raw_path": PATH.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(SESSION_HEADER, name.encode("latin-1"))],
        "client": None,
        "server": None,
        **({} if owner is None else {"user": owner}),
    }

    async def nothing() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def ignored(message: Message) -> None:
        pass

    await app(scope, nothing, ignored)


def _peer(scope: Scope) -> Peer:
    return (scope.get("client") or ("",))[0], (_header(scope, b"user-agent") or b"")[:NAME_BYTES]


def _full(limit: str, count: int) -> str:
    return (
        f"There are {count} sessions already, and each has a call under way. End one, or raise the limit {limit}: "
        f"FIELDGUIDE_LIMIT_{limit.upper()}."
    )


def _header(scope: Scope, name: bytes) -> bytes | None:
    return next((value for each, value in scope.get("headers", ()) if each == name), None)
