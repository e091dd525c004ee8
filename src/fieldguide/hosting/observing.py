"""A project as those see it who run the server: whether its parts are well, and what a monitor is told of it."""

from datetime import UTC, datetime
from typing import Any

from fieldguide.app import App, namespace_of
from fieldguide.errors import FieldguideError, StorageFailed
from fieldguide.server.web.operation.families import IndexFacts, Observed
from fieldguide.server.web.operation.probes import Look
from fieldguide.storage.migrations import missing_migrations
from fieldguide.storage.port import Database, Schema, Transaction
from fieldguide.upkeep import LateUpkeep

KINDS = ("architecture", "code", "documents")
SYNCED = "SELECT MAX(synced_at) AS at FROM search_source WHERE kind IN (:architecture, :code, :documents)"
PROBE_WORD = "ready"


def looks_at(app: App) -> dict[str, Look]:
    """What `/readyz` asks of a project that is served alone."""
    schemas = [each.schema for each in app.toolsets if each.schema is not None]
    return {**looks_at_database(app.database, schemas), "index": lambda: documents_in(app), "model": _model(app)}


def looks_at_database(database: Database, schemas: list[Schema]) -> dict[str, Look]:
    """Whether a database answers, and whether its tables are those that this version knows."""

    def answers() -> None:
        with database.reading() as transaction:
            transaction.fetch_one("SELECT 1 AS one", {})

    def is_migrated() -> None:
        with database.reading() as transaction:
            missing = missing_migrations(transaction, dict.fromkeys(schemas), dialect=database.dialect)
        if missing:
            raise StorageFailed("The database lacks migrations.")

    return {"database": answers, "migrations": is_migrated}


def observed(app: App, name: str) -> Observed:
    """What a monitor is told of a project."""

    def sent() -> dict[str, int]:
        told: dict[str, int] = app.health()["sent_tokens"]
        return told

    return Observed(name, app.executor, sent, lambda: _index(app))


def _model(app: App) -> Look:
    """Loads the model once, and then asks it for a vector of one word."""
    return lambda: app.engine().embedder.embed_query(PROBE_WORD)


def documents_in(app: App) -> dict[str, int]:
    """How many documents of each kind a project's index holds."""
    engine = app.engine()
    return {kind: sum(source.documents for source in engine.sources(kind)) for kind in KINDS}


def _index(app: App) -> IndexFacts | None:
    upkeeps: list[Any] = [each.upkeep for each in app.toolsets]
    is_at_work = any(each.is_at_work() for each in upkeeps if isinstance(each, LateUpkeep))
    try:
        engine, documents = app.engine(), documents_in(app)
        with engine.database.reading() as transaction:
            size, synced = engine.index.size_bytes(transaction), _synced(transaction, namespace_of(app.settings))
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
