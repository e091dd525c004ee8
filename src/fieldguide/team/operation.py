"""Answers `/healthz`, `/readyz` and `/metrics`, and drains a server before it ends.

Anybody may ask, so the answer names the parts and nothing of what is in them, and a crowd that asks costs one look.

First `/readyz` says 503 while calls are still answered, so that a balancer looks elsewhere before anybody is refused.
Then the streams of news end, each with its result, and the first moment without a call is the end. Where no such moment
comes, calls are refused after half of the time, so that in the other half the last ones come to theirs.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from time import monotonic
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from fieldguide import __version__
from fieldguide.settings.limits import Limits
from fieldguide.spine.oversight import AuditLog, CallBounds
from fieldguide.spine.workers import Workers
from fieldguide.team.metrics import ExtraMetric, ObservedProject, RefusedRequests, RequestTraffic, write_metrics
from fieldguide.wire.http_messages import NO_STORE

Probe = Callable[[], object]
FRESH_SECONDS = 1.0
LONGEST_SECONDS = 5.0
OK = "ok"
FAILED = "failed"
DRAINING = "draining"


class ReadinessProbes:
    """The looks by the names of the parts; each raises where its part is not well. They run on a thread, in order.

    `run` runs a plain function on a thread. A look that hangs is not begun again before it has ended.
    """

    def __init__(
        self,
        looks: Mapping[str, Probe],
        run: Callable[[Callable[[], None]], Awaitable[None]],
        *,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._looks = looks
        self._run = run
        self._clock = clock
        self._seen_at = -FRESH_SECONDS
        self._found: dict[str, str] = {}
        self._looking: asyncio.Future[None] | None = None
        self.is_draining = False

    async def answer(self, request: Request) -> Response:
        """`/readyz`: 200 where every part is well, else 503; while the server ends, 503 at once."""
        if self.is_draining:
            return JSONResponse({"status": DRAINING}, 503, headers=NO_STORE)
        parts = await self.parts()
        is_ready = all(state == OK for state in parts.values())
        body: dict[str, Any] = {"status": "ready" if is_ready else "not ready"}
        if parts:
            body["parts"] = parts
        return JSONResponse(body, 200 if is_ready else 503, headers=NO_STORE)

    async def parts(self) -> dict[str, str]:
        """How each part was found, a moment ago or now."""
        if self._clock() - self._seen_at >= FRESH_SECONDS and self._looking is None:
            self._looking = asyncio.ensure_future(self._run(self._look))
            self._looking.add_done_callback(self._ended)
        if self._looking is not None:
            await asyncio.wait([self._looking], timeout=LONGEST_SECONDS)
        return {name: self._found.get(name, FAILED) for name in self._looks}

    def _look(self) -> None:
        found: dict[str, str] = {}
        for name, look in self._looks.items():
            self._found = {**self._found, name: FAILED}  # while it hangs
            try:
                look()
                found[name] = OK
            except Exception:  # noqa: BLE001  whatever it is, the part is not well; the journal tells of causes
                found[name] = FAILED
            self._found = {**self._found, **found}

    def _ended(self, looking: "asyncio.Future[None]") -> None:
        self._looking = None
        self._seen_at = self._clock()
        if not looking.cancelled():
            looking.exception()


class ServerDrain:
    """The end of one server, in order and in bounded time."""

    def __init__(
        self,
        limits: Limits,
        traffic: RequestTraffic,
        probes: ReadinessProbes,
        close_streams: Sequence[Callable[[], None]],
    ) -> None:
        self._limits = limits
        self._traffic = traffic
        self._probes = probes
        self._close_streams = close_streams
        self._hurried = asyncio.Event()

    async def run(self) -> None:
        """Come to an end; at once from the moment when somebody hurries it."""
        self._probes.is_draining = self._traffic.is_ending = True
        half = self._limits.drain_seconds / 2
        if not await self._is_over(asyncio.sleep(self._limits.drain_notice_seconds), None):
            self._end_streams()
            if not await self._is_over(self._traffic.settled(), half):
                self._traffic.is_closed = True
                self._end_streams()  # of those that were opened meanwhile
                await self._is_over(self._traffic.settled(), half)
        self._traffic.is_closed = True

    def hurry(self) -> None:
        """Wait for nothing any more."""
        self._hurried.set()

    def _end_streams(self) -> None:
        for close in self._close_streams:
            close()

    async def _is_over(self, what: Awaitable[None], seconds: float | None) -> bool:
        """Wait for something, and whether that was all there was to wait for; of a mere pause it never is."""
        waited = asyncio.ensure_future(what)
        hurried = asyncio.ensure_future(self._hurried.wait())
        done, left = await asyncio.wait([waited, hurried], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        for each in left:
            each.cancel()
        return hurried in done or (waited in done and seconds is not None)


HEALTH = "/healthz"
READY = "/readyz"
METRICS = "/metrics"
OWN = frozenset((HEALTH, READY, METRICS))
EXPOSITION = "text/plain; version=0.0.4; charset=utf-8"


class Operation:
    """One for each process, whichever projects it serves.

    `looks` are what `/readyz` asks, by the names of the parts. `projects` gives the projects that are open now, and
    `extras` further numbers; `audit` is told of requests that are refused.
    """

    def __init__(
        self,
        limits: Limits,
        looks: Mapping[str, Probe],
        bounds: CallBounds,
        *,
        projects: Callable[[], Sequence[ObservedProject]],
        extras: Sequence[ExtraMetric] = (),
        audit: AuditLog | None = None,
    ) -> None:
        self._workers = Workers()
        self._limits = limits
        self._projects = projects
        self._extras = extras
        self.probes = ReadinessProbes(looks, self._workers.run)
        self.traffic = RequestTraffic(bounds)
        self.refusals = RefusedRequests(audit)
        self.close_streams: list[Callable[[], None]] = []

    def before(self, app: ASGIApp) -> ASGIApp:
        """An application before another: it answers for those who run the server, and counts what it passes on."""
        own = self.router()
        counted = self.traffic.before(app)

        async def answered(scope: Scope, receive: Receive, send: Send) -> None:
            is_own = scope["type"] == "http" and scope["path"] in OWN
            await (own if is_own else counted)(scope, receive, send)

        return answered

    def router(self) -> Router:
        """`/healthz` and `/readyz` for everybody, `/metrics` for those whom somebody before it lets in."""
        paths = {HEALTH: _healthz, READY: self.probes.answer, METRICS: self.metrics}
        return Router([Route(path, answer) for path, answer in paths.items()])

    def follow(self, close_streams: Callable[[], None], sessions: Callable[[], int]) -> Callable[[], None]:
        """Follow the streams and sessions of a project that was opened; gives back what forgets them."""
        self.close_streams.append(close_streams)
        self.traffic.open_sessions.append(sessions)

        def forget() -> None:
            self.close_streams.remove(close_streams)
            self.traffic.open_sessions.remove(sessions)

        return forget

    def drain(self) -> ServerDrain:
        """How this server ends in order."""
        return ServerDrain(self._limits, self.traffic, self.probes, self.close_streams)

    async def metrics(self, request: Request) -> Response:
        """`/metrics`, in Prometheus' text format; written on a thread, for it asks the database."""
        text = await self._workers.run(partial(write_metrics, self._projects(), self.traffic, self._all_extras()))
        return Response(text, headers=NO_STORE, media_type=EXPOSITION)

    def _all_extras(self) -> list[ExtraMetric]:
        counts = [({"status": str(status)}, float(count)) for status, count in sorted(self.refusals.counts.items())]
        refused = ExtraMetric("fieldguide_http_refused_total", "Requests that were refused, by status.", lambda: counts)
        return [refused, *self._extras]


async def _healthz(request: Request) -> Response:
    return JSONResponse({"status": "ok", "version": __version__}, headers=NO_STORE)
