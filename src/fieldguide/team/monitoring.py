"""Sets up limits, quotas, audit log and traces of a process, and describes projects for probes and metrics."""

import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, NamedTuple

from fieldguide.settings.config import Settings, find_namespace
from fieldguide.spine.oversight import CallBounds, Oversight, Quotas, Tally
from fieldguide.storage.database import Database, Schema, Transaction
from fieldguide.storage.migrations import find_missing_migrations
from fieldguide.team.audit import AuditWriter, open_audit
from fieldguide.team.metrics import ExtraMetric, IndexFacts, ObservedProject, Sample, make_plain_metric
from fieldguide.team.operation import Probe
from fieldguide.team.served_project import App
from fieldguide.text.errors import FieldguideError, StorageFailed
from fieldguide.toolsets.upkeep import LateUpkeep
from fieldguide.wire.telemetry import LACKING, RequestObserver, Traces, open_traces, wants_traces

KINDS = ("architecture", "code", "documents")
SYNCED = "SELECT MAX(synced_at) AS at FROM search_source WHERE kind IN (:architecture, :code, :documents)"
PROBE_WORD = "ready"


def make_probes(app: App) -> dict[str, Probe]:
    """What `/readyz` asks of a project that is served alone."""
    schemas = [each.schema for each in app.toolsets if each.schema is not None]
    return {**make_database_probes(app.database, schemas), "index": lambda: count_documents(app), "model": _model(app)}


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


def observe_project(app: App, name: str) -> ObservedProject:
    """What a monitor is told of a project."""

    def sent() -> dict[str, int]:
        told: dict[str, int] = app.health()["sent_tokens"]
        return told

    return ObservedProject(name, app.executor, sent, lambda: _index(app))


def _model(app: App) -> Probe:
    """Loads the model once, and then asks it for a vector of one word."""
    return lambda: app.engine().embedder.embed_query(PROBE_WORD)


def count_documents(app: App) -> dict[str, int]:
    """How many documents of each kind a project's index holds."""
    engine = app.engine()
    counts: dict[str, int] = {}
    for kind in KINDS:
        counts[kind] = sum(source.documents for source in engine.sources(kind))
    return counts


def _index(app: App) -> IndexFacts | None:
    upkeeps: list[Any] = [each.upkeep for each in app.toolsets]
    is_at_work = any(each.is_at_work() for each in upkeeps if isinstance(each, LateUpkeep))
    try:
        engine = app.engine()
        documents = count_documents(app)
        with engine.database.reading() as transaction:
            size = engine.index.size_bytes(transaction)
            synced = _synced(transaction, find_namespace(app.settings))
    except FieldguideError:
        return None
    return IndexFacts(documents, size, synced, is_at_work)


def _synced(transaction: Transaction, namespace: str) -> float | None:
    row = transaction.fetch_one(SYNCED, {kind: namespace + kind for kind in KINDS})
    at: Any = None if row is None else row["at"]
    if isinstance(at, str):
        at = datetime.fromisoformat(at)
    if not isinstance(at, datetime):
        return None
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()


class ProcessOversight(NamedTuple):
    """The parts that all projects of a process share."""

    bounds: CallBounds
    quotas: Quotas
    audit: AuditWriter | None
    database: Database | None
    traces: Traces | None = None

    def of(self, project: str) -> Oversight:
        """What is looked after in the project of this name."""
        return Oversight(project, self.bounds, self.quotas, self.audit)

    def observe(self, app: App) -> None:
        """Follow the requests to an app, where somebody asks for traces or an audit log."""
        oversight = app.executor.oversight
        if self.traces is None and wants_traces(os.environ):
            app.executor.journal.note("Traces", notice=LACKING)
        if oversight is None or (self.traces is None and self.audit is None):
            return
        tracer = None
        if self.traces is not None:
            tracer = self.traces.of(oversight.project, lambda name: app.protocol.input_schema(name) is not None)
        app.protocol.observer = RequestObserver(oversight, tracer)

    def extras(self) -> list[ExtraMetric]:
        """What a monitor is told of the audit log, and of the connections to the database."""
        audit = self.audit
        if audit is None:
            return [self._pool()]
        return [
            self._pool(),
            make_plain_metric("fieldguide_audit_rows_total", "Rows written to the audit log.", lambda: audit.written),
            make_plain_metric("fieldguide_audit_waiting", "Rows not in the database yet.", lambda: audit.waiting),
            make_plain_metric("fieldguide_audit_lost_total", "Rows that could not be kept.", lambda: audit.lost),
        ]

    def _pool(self) -> ExtraMetric:
        about = "Connections to PostgreSQL: open, free, and how many threads wait for one."
        return ExtraMetric("fieldguide_database_connections", about, _connections)

    def close(self) -> None:
        """Write what the audit log has not written yet."""
        if self.audit is not None:
            self.audit.close()
        if self.database is not None:
            self.database.close()
        if self.traces is not None:
            self.traces.close()


def _connections() -> list[Sample]:
    if "fieldguide.storage.postgres" not in sys.modules:  # nobody works with PostgreSQL here
        return []
    from fieldguide.storage.postgres import POOLS

    return [({"state": name}, count) for name, count in POOLS.numbers().items()]


def open_oversight(
    settings: Settings, tell: Callable[[str], None], *, is_for_many: bool = False, tally: Tally | None = None
) -> ProcessOversight:
    """What these settings ask for: a server for many has an audit log unless they say no.

    `tally` counts for the quotas, where several processes share them.
    """
    limits = settings.limits
    is_audited = is_for_many if settings.audit is None else settings.audit
    tally = tally or _shared_tally(settings)
    database = open_audit(settings, tell) if is_audited else None
    audit = None if database is None else AuditWriter(database, limits, tell=tell)
    return ProcessOversight(CallBounds(limits), Quotas(limits, tally), audit, database, open_traces(os.environ))


def _shared_tally(settings: Settings) -> Tally | None:
    """What all replicas of a service count together; None where there is one server only."""
    if settings.database is None:
        return None
    from fieldguide.storage.postgres import PostgresDatabase
    from fieldguide.team.registry import REPLICAS_SCHEMA
    from fieldguide.team.replicas.sharing import SharedTally

    most_connections = settings.limits.database_connections
    return SharedTally(PostgresDatabase(settings.database, [REPLICAS_SCHEMA], most_connections=most_connections))
