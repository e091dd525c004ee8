"""Operates a server: `/healthz`, `/readyz`, `/metrics`, the drain before its end, and limits.

Anybody may ask for `/readyz`, so its answer names only the parts, and many requests share one check.

A drain begins with `/readyz` answering 503 while calls are still served, so that a balancer looks elsewhere first. Then
the server ends at the first moment without a call. If no such moment comes, calls are refused after half of the time,
and the last ones have the other half to finish.
"""

import asyncio
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Scope

from fieldguide import __version__
from fieldguide.settings.config import Settings
from fieldguide.settings.limits import Limits
from fieldguide.spine.oversight import Oversight
from fieldguide.spine.workers import Workers
from fieldguide.storage.database import Database, Schema, find_missing_migrations
from fieldguide.team.metrics import (
    ExtraMetric,
    ObservedProject,
    Sample,
    count_documents,
    write_metrics,
)
from fieldguide.text.errors import StorageFailed
from fieldguide.wire.http_guard import NO_STORE, CallBounds, RequestTraffic

if TYPE_CHECKING:
    from fieldguide.app import App

Probe = Callable[[], object]
FRESH_SECONDS = 1.0
LONGEST_SECONDS = 5.0
OK = "ok"
FAILED = "failed"
DRAINING = "draining"
HEALTH = "/healthz"
READY = "/readyz"
METRICS = "/metrics"
OWN = frozenset((HEALTH, READY, METRICS))
EXPOSITION = "text/plain; version=0.0.4; charset=utf-8"
PROBE_WORD = "ready"


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

    def __init__(self, limits: Limits, traffic: RequestTraffic, probes: ReadinessProbes) -> None:
        self._limits = limits
        self._traffic = traffic
        self._probes = probes
        self._hurried = asyncio.Event()

    async def run(self) -> None:
        """Come to an end; at once from the moment when somebody hurries it."""
        self._probes.is_draining = self._traffic.is_ending = True
        half = self._limits.drain_seconds / 2
        is_hurried = await self._is_over(asyncio.sleep(self._limits.drain_notice_seconds), None)
        if not is_hurried and not await self._is_over(self._traffic.settled(), half):
            self._traffic.is_closed = True
            await self._is_over(self._traffic.settled(), half)
        self._traffic.is_closed = True

    def hurry(self) -> None:
        """Wait for nothing any more."""
        self._hurried.set()

    async def _is_over(self, what: Awaitable[None], seconds: float | None) -> bool:
        """Wait for something, and whether that was all there was to wait for; of a mere pause it never is."""
        waited = asyncio.ensure_future(what)
        hurried = asyncio.ensure_future(self._hurried.wait())
        done, left = await asyncio.wait([waited, hurried], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        for each in left:
            each.cancel()
        return hurried in done or (waited in done and seconds is not None)


class RefusedRequests:
    """What was refused in one process."""

    def __init__(self) -> None:
        self.counts: Counter[int] = Counter()

    def __call__(self, scope: Scope, status: int) -> None:
        """Count a refusal."""
        self.counts[status] += 1


class Operation:
    """Probes, metrics and drain of a process, whichever projects it serves.

    `looks` are what `/readyz` asks, by the names of the parts. `projects` gives the projects that are open now.
    """

    def __init__(
        self,
        limits: Limits,
        looks: Mapping[str, Probe],
        bounds: CallBounds,
        *,
        projects: Callable[[], Sequence[ObservedProject]],
    ) -> None:
        self._workers = Workers()
        self._limits = limits
        self._projects = projects
        self.probes = ReadinessProbes(looks, self._workers.run)
        self.traffic = RequestTraffic(bounds)
        self.refusals = RefusedRequests()

    def before(self, app: ASGIApp) -> ASGIApp:
        """An application before another: it answers for those who run the server, and counts what it passes on."""
        return self.traffic.before(app, dict.fromkeys(OWN, self.router()))

    def router(self) -> Router:
        """`/healthz` and `/readyz` for everybody, `/metrics` for those whom somebody before it lets in."""
        paths = {HEALTH: _healthz, READY: self.probes.answer, METRICS: self.metrics}
        return Router([Route(path, answer) for path, answer in paths.items()])

    def follow(self, sessions: Callable[[], int]) -> Callable[[], None]:
        """Count the sessions of a project that was opened; gives back what forgets them."""
        self.traffic.open_sessions.append(sessions)
        return partial(self.traffic.open_sessions.remove, sessions)

    def drain(self) -> ServerDrain:
        """How this server ends in order."""
        return ServerDrain(self._limits, self.traffic, self.probes)

    async def metrics(self, request: Request) -> Response:
        """`/metrics`, in Prometheus' text format; written on a thread, for it asks the database."""
        text = await self._workers.run(partial(write_metrics, self._projects(), self.traffic, self._extras()))
        return Response(text, headers=NO_STORE, media_type=EXPOSITION)

    def _extras(self) -> list[ExtraMetric]:
        counts = [({"status": str(status)}, float(count)) for status, count in sorted(self.refusals.counts.items())]
        refused = ExtraMetric("fieldguide_http_refused_total", "Requests that were refused, by status.", lambda: counts)
        about = "Connections to PostgreSQL: open, free, and how many threads wait for one."
        return [refused, ExtraMetric("fieldguide_database_connections", about, _connections)]


async def _healthz(request: Request) -> Response:
    return JSONResponse({"status": "ok", "version": __version__}, headers=NO_STORE)


def make_probes(app: "App") -> dict[str, Probe]:
    """What `/readyz` asks of a project that is served alone."""
    schemas = [each.schema for each in app.toolsets if each.schema is not None]
    return {
        **make_database_probes(app.database, schemas),
        "index": lambda: count_documents(app),
        "model": lambda: app.engine().embedder.embed_query(PROBE_WORD),
    }


def make_database_probes(database: Database, schemas: list[Schema]) -> dict[str, Probe]:
    """Whether a database answers, and whether its tables are those that this version knows."""

    def answers() -> None:
        with database.reading() as transaction:
            transaction.fetch_one("SELECT 1 AS one", {})

    def is_migrated() -> None:
        with database.reading() as transaction:
            missing = find_missing_migrations(transaction, dict.fromkeys(schemas), dialect=database.dialect)
        if missing:
            raise StorageFailed("The database lacks migrations.")

    return {"database": answers, "migrations": is_migrated}


class ProcessOversight(NamedTuple):
    """The parts that all projects of a process share."""

    bounds: CallBounds
    is_audited: bool

    def of(self, project: str) -> Oversight:
        """What is looked after in the project of this name."""
        return Oversight(project, self.bounds, self.is_audited)


def _connections() -> list[Sample]:
    if "fieldguide.storage.postgres" not in sys.modules:  # nobody works with PostgreSQL here
        return []
    from fieldguide.storage.postgres import POOLS

    return [({"state": name}, count) for name, count in POOLS.numbers().items()]


def open_oversight(settings: Settings, *, is_for_many: bool = False) -> ProcessOversight:
    """What these settings ask for: a server for many has an audit log unless they say no."""
    is_audited = is_for_many if settings.audit is None else settings.audit
    return ProcessOversight(CallBounds(settings.limits), is_audited)
