"""How an engine is put together: its database, its index, its model, and whose turn it is to index."""

from collections.abc import Callable, Mapping
from typing import Any

from fieldguide.limits import Limits
from fieldguide.search.embedders.shared_models import OwnModels
from fieldguide.search.engine import SearchEngine, maker_of
from fieldguide.search.turns import file_turn
from fieldguide.storage.port import Schema

SCHEMA = Schema("search", "fieldguide.search", ("search_source", "search_document"), released=7)


def open_sqlite_engine(
    path: Callable[[], str],
    settings: Mapping[str, Any],
    tell: Callable[[str], None],
    limits: Limits | None = None,
    models: OwnModels | None = None,
) -> SearchEngine:
    """An engine over a SQLite file of its own: the index is derived, so its writes never hold up those of users."""
    from fieldguide.search.indexes.index_sqlite import SqliteIndex
    from fieldguide.storage.sqlite import SqliteDatabase

    models = models or OwnModels()
    embedder = models.embedder(settings)
    return SearchEngine(
        SqliteDatabase(path, [SCHEMA], tell, is_derived=True),
        SqliteIndex(embedder.dimensions, maker_of(embedder)),
        embedder,
        namespace="",
        turn=lambda name="": file_turn(f"{path()}{name and '-' + name}.indexing", tell),
        limits=limits,
        file=path,
        reranker=models.reranker(settings),
    )


def open_postgres_engine(
    address: str,
    namespace: str,
    settings: Mapping[str, Any],
    limits: Limits | None = None,
    models: OwnModels | None = None,
    *,
    is_tenant: bool = False,
) -> SearchEngine:
    """An engine in PostgreSQL; projects that share a database are told apart by their namespace, tenants by walls."""
    from fieldguide.search.indexes.index_postgres import PostgresIndex, advisory_turn
    from fieldguide.storage.postgres import PostgresDatabase

    models = models or OwnModels()
    embedder = models.embedder(settings)
    most_connections = (limits or Limits()).database_connections
    tenant = namespace if is_tenant else None
    database = PostgresDatabase(address, [SCHEMA], most_connections=most_connections, tenant=tenant)
    return SearchEngine(
        database,
        PostgresIndex(embedder.dimensions, maker_of(embedder), namespace),
        embedder,
        namespace=namespace,
        turn=lambda name="": advisory_turn(database, f"{namespace}{name}"),
        limits=limits,
        reranker=models.reranker(settings),
    )
