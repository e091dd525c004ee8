"""What one process looks after in every project that it serves: places for calls, quotas, the audit log."""

import os
import sys
from collections.abc import Callable
from typing import NamedTuple

from fieldguide.app import App
from fieldguide.config import Settings
from fieldguide.server.observing.observer import Observer
from fieldguide.server.observing.traces import LACKING, Traces, open_traces, wants_traces
from fieldguide.server.web.operation.families import Extra, Sample, plain_number
from fieldguide.spine.oversight.call_bounds import CallBounds
from fieldguide.spine.oversight.oversight import Oversight
from fieldguide.spine.oversight.quotas import Quotas, Tally
from fieldguide.storage.port import Database
from fieldguide.teams.audit.log import AuditWriter
from fieldguide.teams.audit.opening import open_audit


class Overseen(NamedTuple):
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
        app.protocol.observer = Observer(oversight, tracer)

    def extras(self) -> list[Extra]:
        """What a monitor is told of the audit log, and of the connections to the database."""
        audit = self.audit
        if audit is None:
            return [self._pool()]
        return [
            self._pool(),
            plain_number("fieldguide_audit_rows_total", "Rows written to the audit log.", lambda: audit.written),
            plain_number("fieldguide_audit_waiting", "Rows not in the database yet.", lambda: audit.waiting),
            plain_number("fieldguide_audit_lost_total", "Rows that could not be kept.", lambda: audit.lost),
        ]

    def _pool(self) -> Extra:
        about = "Connections to PostgreSQL: open, free, and how many threads wait for one."
        return Extra("fieldguide_database_connections", about, _connections)

    def close(self) -> None:
        """Write what the audit log has not written yet."""
        if self.audit is not None:
            self.audit.close()
        if self.database is not None:
            self.database.close()
        if self.traces is not None:
            self.traces.close()


def _connections() -> list[Sample]:
    if "fieldguide.storage.shared_pool" not in sys.modules:  # nobody works with PostgreSQL here
        return []
    from fieldguide.storage.shared_pool import POOLS

    return [({"state": name}, count) for name, count in POOLS.numbers().items()]


def oversee(
    settings: Settings, tell: Callable[[str], None], *, is_for_many: bool = False, tally: Tally | None = None
) -> Overseen:
    """What these settings ask for: a server for many has an audit log unless they say no.

    `tally` counts for the quotas, where several processes share them.
    """
    limits, is_audited = settings.limits, is_for_many if settings.audit is None else settings.audit
    tally = tally or _shared_tally(settings)
    database = open_audit(settings, tell) if is_audited else None
    audit = None if database is None else AuditWriter(database, limits, tell=tell)
    return Overseen(CallBounds(limits), Quotas(limits, tally), audit, database, open_traces(os.environ))


def _shared_tally(settings: Settings) -> Tally | None:
    """What all replicas of a service count together; None where there is one server only."""
    if settings.database is None:
        return None
    from fieldguide.storage.postgres import PostgresDatabase
    from fieldguide.teams.replicas import SCHEMA
    from fieldguide.teams.replicas.tallies import SharedTally

    most_connections = settings.limits.database_connections
    return SharedTally(PostgresDatabase(settings.database, [SCHEMA], most_connections=most_connections))
