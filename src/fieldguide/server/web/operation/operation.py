"""What a server has for those who run it: its traffic, its probes, its metrics, and the paths that tell of them."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from fieldguide import __version__
from fieldguide.limits import Limits
from fieldguide.server.web.operation.draining import Drain
from fieldguide.server.web.operation.families import Extra, Observed, metrics_text
from fieldguide.server.web.operation.probes import Look, Probes
from fieldguide.server.web.operation.refusals import Refusals
from fieldguide.server.web.operation.traffic import Traffic
from fieldguide.server.web.refusal import NO_STORE
from fieldguide.spine.oversight.audit import AuditLog
from fieldguide.spine.oversight.call_bounds import CallBounds
from fieldguide.spine.workers import Workers

HEALTH, READY, METRICS = "/healthz", "/readyz", "/metrics"
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
        looks: Mapping[str, Look],
        bounds: CallBounds,
        *,
        projects: Callable[[], Sequence[Observed]],
        extras: Sequence[Extra] = (),
        audit: AuditLog | None = None,
    ) -> None:
        self._workers = Workers()
        self._limits = limits
        self._projects = projects
        self._extras = extras
        self.probes = Probes(looks, self._workers.run)
        self.traffic = Traffic(bounds)
        self.refusals = Refusals(audit)
        self.close_streams: list[Callable[[], None]] = []

    def before(self, app: ASGIApp) -> ASGIApp:
        """An application before another: it answers for those who run the server, and counts what it passes on."""
        own, counted = self.router(), self.traffic.before(app)

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

    def drain(self) -> Drain:
        """How this server ends in order."""
        return Drain(self._limits, self.traffic, self.probes, self.close_streams)

    async def metrics(self, request: Request) -> Response:
        """`/metrics`, in Prometheus' text format; written on a thread, for it asks the database."""
        text = await self._workers.run(partial(metrics_text, self._projects(), self.traffic, self._all_extras()))
        return Response(text, headers=NO_STORE, media_type=EXPOSITION)

    def _all_extras(self) -> list[Extra]:
        counts = [({"status": str(status)}, float(count)) for status, count in sorted(self.refusals.counts.items())]
        refused = Extra("fieldguide_http_refused_total", "Requests that were refused, by status.", lambda: counts)
        return [refused, *self._extras]


async def _healthz(request: Request) -> Response:
    return JSONResponse({"status": "ok", "version": __version__}, headers=NO_STORE)
