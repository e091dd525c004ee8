"""Counts the requests under way, turns new ones away under load, and records refused requests.

It stands before everything else, so it sees what any layer refuses. It never looks at what was shown as a token.

A request is judged by its head: whoever is turned away is told so before the body of the request was read.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fieldguide.spine.oversight import (
    LONGEST_USER,
    RETRY_SECONDS,
    AuditLog,
    AuditRecord,
    CallBounds,
    shorten_caller_name,
)
from fieldguide.wire.http_endpoint import PATH
from fieldguide.wire.http_messages import make_refusal

TOLD = (401, 403, 404)
FIRST_ERROR = 400
LONGEST_PATH = 100


class RefusedRequests:
    """What was refused in one process."""

    def __init__(self, audit: AuditLog | None = None) -> None:
        self.counts: Counter[int] = Counter()
        self._audit = audit

    def before(self, app: ASGIApp) -> ASGIApp:
        """An application before another: it sees the status of every response."""

        async def watched(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                await app(scope, receive, send)
                return

            async def seen(message: Message) -> None:
                if message["type"] == "http.response.start" and message["status"] >= FIRST_ERROR:
                    self._refused(scope, message["status"])
                await send(message)

            await app(scope, receive, seen)

        return watched

    def _refused(self, scope: Scope, status: int) -> None:
        self.counts[status] += 1
        if self._audit is None or status not in TOLD:
            return
        state: dict[str, Any] = scope.get("state") or {}
        client: Any = state.get("asked_from") or scope.get("client")
        self._audit.note(
            AuditRecord(
                project="",
                user=shorten_caller_name(_user(scope), LONGEST_USER),
                action=f"HTTP {shorten_caller_name(scope['method'], 16)}",
                name=shorten_caller_name(scope["path"], LONGEST_PATH),
                effect="refused",
                outcome=str(status),
                connection="" if client is None else f"from {client[0]}",
            )
        )


def _user(scope: Scope) -> str:
    """Whose request it was, if it had shown that before it was refused."""
    state: dict[str, Any] = scope.get("state") or {}
    return str(state.get("asked_by", ""))


BUSY = "The server is busy: too many calls run or wait already. Try again in a moment."
ENDING = "The server is about to end and takes nothing new. Try again: another one, or the next one, answers."
AWAY = {"retry-after": str(RETRY_SECONDS), "connection": "close"}
SESSION_HEADER = b"mcp-session-id"


class RequestTraffic:
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
                await make_refusal(503, sentence, AWAY)(scope, receive, send)
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
        self.streams = self.streams + is_stream
        self.requests = self.requests + (not is_stream)

    def _end(self, *, is_stream: bool) -> None:
        self.streams = self.streams - is_stream
        self.requests = self.requests - (not is_stream)
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
                    await make_refusal(503, ENDING, AWAY)(scope, receive, send)
            if not is_refused:
                await send(message)

        return watched


def _is_mcp(scope: Scope) -> bool:
    path: str = scope["path"]
    return path == PATH or path.startswith(f"{PATH}/")


def _closing(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """The headers of a response after which the client connects anew: to another server, if one is there."""
    return [*((name, value) for name, value in headers if name != b"connection"), (b"connection", b"close")]
