"""What a server has for those who run it: its traffic, its probes, its metrics, and the paths that tell of them."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

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

READY, METRICS = "/readyz", "/metrics"
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

    def routes(self) -> list[BaseRoute]:
        """`/readyz` for everybody, `/metrics` for those whom the guard lets in."""
        return [Route(READY, self.probes.answer), Route(METRICS, self.metrics)]

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
