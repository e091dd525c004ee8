"""The requests that are under way: counted, so that a server can end in order, and kept out when there are too many.

A request is judged by its head: whoever is turned away is told so before the body of the request was read.
"""

import asyncio
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fieldguide.server.web.endpoint import PATH
from fieldguide.server.web.refusal import refusal
from fieldguide.spine.oversight.call_bounds import RETRY_SECONDS, CallBounds

BUSY = "The server is busy: too many calls run or wait already. Try again in a moment."
ENDING = "The server is about to end and takes nothing new. Try again: another one, or the next one, answers."
AWAY = {"retry-after": str(RETRY_SECONDS), "connection": "close"}
SESSION_HEADER = b"mcp-session-id"


class Traffic:
    """What is under way in one process, whichever project it is for, and what is turned away.

    While the server `is_ending` no session is opened; once it `is_closed` nothing new is taken.
    """

    def __init__(self, bounds: CallBounds | None = None) -> None:
        self.bounds = bounds
        self._none_left = asyncio.Event()
        self.requests = 0
        self.streams = 0
        self.turned_away = 0
        self.is_ending = False
        self.is_closed = False
        self.open_sessions: list[Callable[[], int]] = []

    def before(self, app: ASGIApp) -> ASGIApp:
        """An application before another: it passes requests on and counts them while they run, or turns them away."""

        async def counted(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http" or not _is_mcp(scope):
                await app(scope, receive, send)
                return
            sentence = self._turned_away(scope)
            if sentence is not None:
                self.turned_away += 1
                await refusal(503, sentence, AWAY)(scope, receive, send)
                return
            is_stream = scope["method"] == "GET"
            self._begin(is_stream=is_stream)
            try:
                await app(scope, receive, self._watched(scope, receive, send))
            finally:
                self._end(is_stream=is_stream)

        return counted

    def sessions(self) -> int:
        """How many sessions of the older protocol are open, in all projects."""
        return sum(count() for count in self.open_sessions)

    async def settled(self) -> None:
        """Wait until no request is under way; streams of news don't count."""
        while self.requests:
            self._none_left.clear()
            await self._none_left.wait()

    def _turned_away(self, scope: Scope) -> str | None:
        if self.is_closed:
            return ENDING
        if scope["method"] != "POST":
            return None
        return BUSY if self.bounds is not None and self.bounds.is_full else None

    def _begin(self, *, is_stream: bool) -> None:
        self.streams, self.requests = self.streams + is_stream, self.requests + (not is_stream)

    def _end(self, *, is_stream: bool) -> None:
        self.streams, self.requests = self.streams - is_stream, self.requests - (not is_stream)
        if not self.requests:
            self._none_left.set()

    def _watched(self, scope: Scope, receive: Receive, send: Send) -> Send:
        """A `send` that opens no session while the server ends, and lets its client connect anew."""
        opens = scope["method"] == "POST" and not any(name == SESSION_HEADER for name, _ in scope["headers"])
        is_refused = False

        async def watched(message: Message) -> None:
            nonlocal is_refused
            if message["type"] == "http.response.start" and self.is_ending:
                is_refused = opens and any(name == SESSION_HEADER for name, _ in message["headers"])
                message = {**message, "headers": _closing(message["headers"])}
                if is_refused:
                    await refusal(503, ENDING, AWAY)(scope, receive, send)
            if not is_refused:
                await send(message)

        return watched


def _is_mcp(scope: Scope) -> bool:
    path: str = scope["path"]
    return path == PATH or path.startswith(f"{PATH}/")


def _closing(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """The headers of a response after which the client connects anew: to another server, if one is there."""
    return [*((name, value) for name, value in headers if name != b"connection"), (b"connection", b"close")]
