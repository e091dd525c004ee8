"""Connections of the web server that nobody can hold for nothing: silent ones end, and give way when there are many.

All of this comes before a token is seen: any program on this machine may open a connection.
"""

import asyncio
from email.utils import formatdate
from functools import lru_cache
from time import time
from typing import Any, cast

from uvicorn.protocols.http.h11_impl import H11Protocol

from fieldguide.limits import Limits


class PatientProtocol(H11Protocol):
    """One connection: a request's head must arrive in time, and after an answer the rest of its body too.

    What is sent must be taken in time as well: a client that leaves its answer or its stream unread loses it. 512
    connections are two for each of 200 sessions, and within the 1,024 files that most systems allow.
    """

    def __init__(self, *, limits: Limits, **given: Any) -> None:
        super().__init__(**given)
        self._limits = limits
        self._hurry: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None
        self.since = self.loop.time()

    @property
    def is_waiting(self) -> bool:
        """Whether no request is being answered on it."""
        return not self.cycle or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Begin; where there are too many, the one that has waited longest ends."""
        super().connection_made(transport)
        self._watch()
        if len(self.connections) > self._limits.http_connections:
            ours = cast("set[PatientProtocol]", self.connections)
            waiting = (each for each in ours if each.is_waiting and not each.transport.is_closing())
            min(waiting, key=lambda each: each.since, default=self).transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the timers with the connection."""
        self._calm()
        self._forget_unread()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what came; whatever is not yet a request has until the timer ends."""
        self.server_state.default_headers = [(b"date", _date(int(time())))]
        super().data_received(data)
        self._watch() if self.is_waiting else self._calm()

    def on_response_complete(self) -> None:
        """Wait for the next request; uvicorn ends a connection on which none comes."""
        self.since = self.loop.time()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Wait for a client that does not read, and for so long only."""
        super().pause_writing()
        if self._unread is None:
            self._unread = self.loop.call_later(self._limits.http_unread_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on: the client has read nearly all of it."""
        self._forget_unread()
        super().resume_writing()

    def _forget_unread(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def _watch(self) -> None:
        if self._hurry is None and not self.transport.is_closing():
            self._hurry = self.loop.call_later(self._limits.http_request_seconds, self.transport.abort)

    def _calm(self) -> None:
        if self._hurry is not None:
            self._hurry.cancel()
            self._hurry = None


@lru_cache(maxsize=2)
def _date(second: int) -> bytes:
    return formatdate(second, usegmt=True).encode()
