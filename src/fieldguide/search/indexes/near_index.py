"""The index of the nearest vectors of one project and maker in PostgreSQL (HNSW): made when there are many chunks.

It is made beside everything else that goes on (`CONCURRENTLY`) by the one who just indexed, and left out where vectors
are few: to compare all of them is then as quick, exact, and takes no room.
"""

from typing import NamedTuple, cast

from fieldguide.errors import StorageFailed
from fieldguide.storage.port import Database, Transaction
from fieldguide.storage.postgres import PostgresDatabase

FROM_CHUNKS = 10_000
REACH = 800  # candidates that a search keeps in sight (`ef_search`)
MOST_DIMENSIONS = 4_000  # of half floats, that such an index takes
CHANGED_ROWS = 5_000  # beyond which, and a fifth of all, plans are made from new statistics
BYTES_A_CHUNK = 900  # of memory beside the vector while it is made
LEAST_MEGABYTES, MOST_MEGABYTES = 64, 4_000
WORKERS = 2  # beside the one that leads
TABLES = ("search_chunk", "search_vector", "search_word")
TURN = "SELECT pg_try_advisory_lock(hashtextextended(:key, 0)) AS is_ours"  # it ends with the connection
OUTDATED = """
    SELECT relname AS name FROM pg_stat_user_tables
    WHERE relid IN (to_regclass('search_chunk'), to_regclass('search_vector'), to_regclass('search_word'))
        AND n_mod_since_analyze > :changed AND n_mod_since_analyze > 0.2 * n_live_tup
"""


class Near(NamedTuple):
    """Whose vectors they are, what made them, and how many components each has."""

    project: str
    maker: str
    dimensions: int


def is_settled(transaction: Transaction, near: Near) -> bool:
    """Whether there is an index where there should be one, and statistics are about right."""
    return not _is_missing(transaction, near) and not transaction.fetch_all(OUTDATED, {"changed": CHANGED_ROWS})


def settle(database: Database, near: Near) -> None:
    """Make what is missing; where another process is about it, leave it to that one.

    Several workers need shared memory for all vectors, which a container may not have: then one does it alone.
    """
    try:
        _settle(cast("PostgresDatabase", database), near, workers=WORKERS)
    except StorageFailed:
        _settle(cast("PostgresDatabase", database), near, workers=0)


def _settle(database: PostgresDatabase, near: Near, *, workers: int) -> None:
    with database.for_long() as statements:
        row = statements.fetch_one(TURN, {"key": f"search_near {near.project}"})
        if not row or not row["is_ours"]:
            return
        for row in statements.fetch_all(OUTDATED, {"changed": CHANGED_ROWS}):
            if row["name"] in TABLES:
                statements.execute(f"ANALYZE {row['name']}", {})
        if _is_missing(statements, near):
            statements.execute(f"SET max_parallel_maintenance_workers = {workers}", {})
            _make(statements, near)


def _make(statements: Transaction, near: Near) -> None:
    for row in statements.fetch_all(LEFT_OVER, {"project": near.project}):
        statements.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {row['name']}", {})
    megabytes = _chunks(statements, near) * (BYTES_A_CHUNK + 2 * near.dimensions) // 1_000_000
    memory = max(LEAST_MEGABYTES, min(megabytes, MOST_MEGABYTES))
    statements.execute(f"SET maintenance_work_mem = '{memory}MB'", {})
    for row in statements.fetch_all(WRITTEN, near._asdict()):
        statements.execute(row["sql"], {})


def _is_missing(transaction: Transaction, near: Near) -> bool:
    if near.dimensions > MOST_DIMENSIONS or _chunks(transaction, near) <= FROM_CHUNKS:
        return False
    row = transaction.fetch_one(
        """
        SELECT EXISTS (
            SELECT 1 FROM pg_index
            WHERE indexrelid = to_regclass(search_near_index(:project, :maker)) AND indisvalid
        ) AS is_there
        """,
        {"project": near.project, "maker": near.maker},
    )
    return not (row and row["is_there"])


def _chunks(transaction: Transaction, near: Near) -> int:
    sql = "SELECT COALESCE(SUM(chunks), 0) AS chunks FROM search_size WHERE namespace = :project"
    row = transaction.fetch_one(sql, {"project": near.project})
    return int(row["chunks"]) if row else 0


# Those of the project that no search uses: of another maker, or left half made by a process that ended.
LEFT_OVER = """
    SELECT CAST(CAST(indexrelid AS regclass) AS text) AS name
    FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
    WHERE indrelid = to_regclass('search_vector') AND starts_with(relname, search_near_indexes(:project))
"""
WRITTEN = """
    SELECT format(
        'CREATE INDEX CONCURRENTLY %I ON search_vector USING hnsw ((CAST(vector AS halfvec(%s))) halfvec_cosine_ops)'
        ' WITH (m = 24, ef_construction = 128) WHERE namespace = %L AND maker = %L',
        search_near_index(:project, :maker), CAST(:dimensions AS bigint), CAST(:project AS text), CAST(:maker AS text)
    ) AS sql
"""
