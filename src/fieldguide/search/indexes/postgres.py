"""The index in PostgreSQL: keywords by tsvector, vectors by pgvector with an HNSW index, chunks loaded by COPY.

One statement puts in what a whole batch of documents has, so that whatever follows the chunks (how common words are,
vectors by themselves) is counted once for all of them. Policies forbid COPY into the table itself.

It is made beside everything else that goes on (`CONCURRENTLY`) by the one who just indexed, and left out where vectors
are few: to compare all of them is then as quick, exact, and takes no room.

How it searches is written in the functions of the migrations `0009_scale`, `0012_small_projects` and `0014_by_source`:
one call to the database for each question that is asked of an index, and plans that know the project and the words
(docs/decisions/0052).
"""

import hashlib
import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, cast

from fieldguide.search.types import (
    HEADINGS_APART,
    ChunkPassage,
    LookedUp,
    LookUp,
    NumberedDocument,
    Scope,
    number_chunk,
    read_passages,
)
from fieldguide.storage.database import Database, Row, Transaction
from fieldguide.storage.postgres import PostgresDatabase, PostgresTransaction
from fieldguide.text.errors import StorageFailed
from fieldguide.text.words import extract_hidden_words

APART = str.maketrans("_./-:", "     ")  # PostgreSQL would keep `a_b`, `a.b` and `a/b` as one word each
MAKE_ROOM = """
    CREATE TEMPORARY TABLE search_incoming (
        chunk BIGINT, document BIGINT, title TEXT, headings TEXT, body TEXT, searched TEXT,
        start_line BIGINT, end_line BIGINT, vector TEXT
    ) ON COMMIT DROP
"""
COPY = """
    COPY pg_temp.search_incoming (chunk, document, title, headings, body, searched, start_line, end_line, vector)
    FROM STDIN
"""
PUT_IN = """
    INSERT INTO search_chunk
        (id, namespace, source_id, document_id, maker, headings, body, start_line, end_line, words, vector)
    SELECT chunk, :project, :source, document, :maker, headings, body, start_line, end_line,
        setweight(to_tsvector('english', title), 'A') || setweight(to_tsvector('english', headings), 'B')
            || to_tsvector('english', searched),
        CAST(vector AS vector)
    FROM pg_temp.search_incoming
    ORDER BY chunk
"""


def format_vector(vector: bytes) -> str | None:
    """A vector as pgvector reads it; one without direction is none."""
    return str(list(memoryview(vector).cast("b"))) if any(vector) else None


def format_numbers(numbers: Iterable[int]) -> str:
    """Numbers as PostgreSQL reads an array of them; the driver would look at the type of each."""
    return f"{{{','.join(map(str, numbers))}}}"


def _read_pairs(row: Row | None, chunks: str = "chunks", numbers: str = "numbers") -> dict[int, float]:
    """Chunks with a number each, in order: as two arrays they take the driver half the time of as many rows."""
    if row is None or row[chunks] is None:
        return {}
    return dict(zip(row[chunks], row[numbers], strict=True))


def _rows(placed: NumberedDocument) -> Iterator[tuple[Any, ...]]:
    new = placed.new
    for position, (chunk, vector) in enumerate(zip(new.chunks, placed.vectors, strict=True)):
        whole = f"{new.title} {' '.join(chunk.headings)} {chunk.text}"
        yield (
            number_chunk(placed.document, position),
            placed.document,
            new.title.translate(APART),
            HEADINGS_APART.join(chunk.headings),
            chunk.text,
            f"{chunk.text}\n{extract_hidden_words(whole)}".translate(APART),
            chunk.start_line,
            chunk.end_line,
            format_vector(vector),
        )


# Up to which comparing all vectors (0.5 us each) is as quick as the index where it finds the same (25 ms), and exact.
FROM_CHUNKS = 50_000
# Chunks that the index looks at in 100,000 to 400,000; `0009_scale` has the shares of others. For questions that were
# not used for tuning, 800 of 36,000 found .94 of the ten nearest, 1,000 found .975, 2,000 found .998.
REACH = 2_000
MOST_DIMENSIONS = 4_000  # of half floats, that such an index takes
CHANGED_ROWS = 5_000  # beyond which, and a fifth of all, plans are made from new statistics
BYTES_A_CHUNK = 900  # of memory beside the vector while it is made
LEAST_MEGABYTES = 64
MOST_MEGABYTES = 4_000
WORKERS = 2  # beside the one that leads
TABLES = ("search_chunk", "search_vector", "search_word")
TURN = "SELECT pg_try_advisory_lock(hashtextextended(:key, 0)) AS is_ours"  # it ends with the connection
OUTDATED = """
    SELECT relname AS name FROM pg_stat_user_tables
    WHERE relid IN (to_regclass('search_chunk'), to_regclass('search_vector'), to_regclass('search_word'))
        AND n_mod_since_analyze > :changed AND n_mod_since_analyze > 0.2 * n_live_tup
"""


class NearestIndex(NamedTuple):
    """Whose vectors they are, what made them, and how many components each has."""

    project: str
    maker: str
    dimensions: int


def has_nearest_index(transaction: Transaction, near: NearestIndex) -> bool:
    """Whether there is an index where there should be one, and statistics are about right."""
    return not _is_missing(transaction, near) and not transaction.fetch_all(OUTDATED, {"changed": CHANGED_ROWS})


def build_nearest_index(database: Database, near: NearestIndex) -> None:
    """Make what is missing; where another process is about it, leave it to that one.

    Several workers need shared memory for all vectors, which a container may not have: then one does it alone.
    """
    try:
        _settle(cast("PostgresDatabase", database), near, workers=WORKERS)
    except StorageFailed:
        _settle(cast("PostgresDatabase", database), near, workers=0)


def _settle(database: PostgresDatabase, near: NearestIndex, *, workers: int) -> None:
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


def _make(statements: Transaction, near: NearestIndex) -> None:
    for row in statements.fetch_all(LEFT_OVER, {"project": near.project}):
        statements.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {row['name']}", {})
    megabytes = _chunks(statements, near) * (BYTES_A_CHUNK + 2 * near.dimensions) // 1_000_000
    memory = max(LEAST_MEGABYTES, min(megabytes, MOST_MEGABYTES))
    statements.execute(f"SET maintenance_work_mem = '{memory}MB'", {})
    for row in statements.fetch_all(WRITTEN, near._asdict()):
        statements.execute(row["sql"], {})


def _is_missing(transaction: Transaction, near: NearestIndex) -> bool:
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


def _chunks(transaction: Transaction, near: NearestIndex) -> int:
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


NOWHERE = 1.0
TOO_COMMON = 0.25  # a word in more chunks than this tells nothing where rarer ones are at hand
ENOUGH_CANDIDATES = 16_000
TURN_SECONDS = 0.2
LONGEST_TURN_SECONDS = 30.0


class PostgresIndex:
    """Chunks as rows, each with its words; their vectors in a table of their own, for the scan."""

    def __init__(self, dimensions: int, maker: str, namespace: str = "") -> None:
        self._dimensions = dimensions
        self._maker = maker
        self._namespace = namespace

    def put(self, transaction: Transaction, source: int, documents: Sequence[NumberedDocument]) -> None:
        """Store the chunks of documents in place of those they had, copied at once; of repeated ones the last."""
        self._forget(transaction, [each.document for each in documents])
        last = {each.document: each for each in documents}
        rows = [row for each in last.values() for row in _rows(each)]
        if not rows:
            return
        transaction.execute(MAKE_ROOM, {})
        cast("PostgresTransaction", transaction).copy(COPY, rows)
        transaction.execute(PUT_IN, {"project": self._namespace, "source": source, "maker": self._maker})
        transaction.execute("DROP TABLE pg_temp.search_incoming", {})

    def remove(self, transaction: Transaction, document: int) -> None:
        """Forget a document's chunks."""
        self._forget(transaction, [document])

    def by_words(self, transaction: Transaction, terms: Sequence[str], scope: Scope, limit: int) -> dict[int, float]:
        """The chunks that hold these terms and their scores, best first: a rare word counts more than a common one.

        How common a word is in this project is known beforehand; how common it is elsewhere says nothing here. Only
        chunks that hold one of the rarer words are ranked, with all words counted.
        """
        found = transaction.fetch_one(
            """
            SELECT array_agg(chunk) AS chunks, array_agg(score) AS numbers
            FROM search_by_words(
                :project, CAST(:words AS text[]), CAST(:sources AS bigint[]), CAST(:without AS bigint), :limit, :enough,
                :too_common
            )
            """,
            {"words": list(terms), "limit": limit, **self._scoped(scope)},
        )
        return _read_pairs(found)

    def look_up(self, transaction: Transaction, asked: LookUp) -> LookedUp:
        """What a question needs to be ranked, in one statement: four take a tenth of a search longer."""
        row = transaction.fetch_one(
            """
            SELECT *
            FROM search_look_up(
                :project, :maker, CAST(:vector AS halfvec), CAST(:terms AS text[]), CAST(:exact_terms AS text[]),
                CAST(:sources AS bigint[]), CAST(:without AS bigint), :most_near, :most_worded, :most_exact,
                :exact, :reach, :enough, :too_common
            )
            """,
            {**asked._asdict(), **self._scoped(asked.scope), "vector": format_vector(asked.vector)},
        )
        assert row is not None  # noqa: S101  a function gives one row
        return LookedUp(
            near=_read_pairs(row, "near", "distances"),
            worded=_read_pairs(row, "worded", "scores"),
            perhaps_exact=row["perhaps_exact"] or (),
            distances=_read_pairs(row, "others", "other_distances"),
        )

    def holding(self, transaction: Transaction, terms: Sequence[str], scope: Scope) -> set[int]:
        """The documents that hold any of these terms, however many they are."""
        rows = transaction.fetch_all(
            """
            SELECT document
            FROM search_holding(
                :project, CAST(:words AS text[]), CAST(:sources AS bigint[]), CAST(:without AS bigint)
            )
            """,
            {"words": list(terms), **self._scoped(scope)},
        )
        return {row["document"] for row in rows}

    def headed(self, transaction: Transaction, names: Sequence[str], scope: Scope, limit: int) -> list[int]:
        """The chunks whose last heading is one of these names, letter for letter; up to a limit for each."""
        if not names:
            return []
        split = [name.translate(APART) for name in names]
        rows = transaction.fetch_all(
            """
            SELECT chunk
            FROM search_headed(
                :project, CAST(:names AS text[]), CAST(:split AS text[]), CAST(:sources AS bigint[]), :limit
            )
            """,
            {"names": list(names), "split": split, "limit": limit, **self._scoped(scope)},
        )
        return [row["chunk"] for row in rows]

    def counts(self, transaction: Transaction, terms: Sequence[str], most: int) -> list[int]:
        """In how many chunks of this project each of these terms stands, counted up to so many."""
        rows = transaction.fetch_all(
            "SELECT LEAST(chunks, :most) AS count FROM search_terms(:project, CAST(:words AS text[])) ORDER BY place",
            {"project": self._namespace, "words": list(terms), "most": most},
        )
        return [int(row["count"]) for row in rows]

    def by_vector(self, transaction: Transaction, vector: bytes, scope: Scope, limit: int) -> dict[int, float]:
        """The chunks whose vectors are nearest to this one and their distances, nearest first."""
        if not any(vector):
            return {}
        found = transaction.fetch_one(
            """
            SELECT chunks, distances AS numbers
            FROM search_nearest(
                :project, :maker, CAST(:vector AS halfvec), CAST(:sources AS bigint[]), CAST(:without AS bigint),
                :limit, :exact, :reach
            )
            """,
            {"vector": format_vector(vector), "limit": limit, **self._scoped(scope)},
        )
        return _read_pairs(found)

    def distances(self, transaction: Transaction, vector: bytes, chunks: Sequence[int]) -> dict[int, float]:
        """How far these chunks are from a vector."""
        if not chunks or not any(vector):
            return dict.fromkeys(chunks, NOWHERE)
        found = transaction.fetch_one(
            """
            SELECT array_agg(chunk_id) AS chunks, array_agg(vector <=> CAST(:vector AS halfvec)) AS numbers
            FROM search_vector
            WHERE chunk_id = ANY(CAST(:chunks AS bigint[])) AND maker = :maker
            """,
            {"vector": format_vector(vector), "chunks": format_numbers(chunks), "maker": self._maker},
        )
        measured = _read_pairs(found)
        return {chunk: measured.get(chunk, NOWHERE) for chunk in chunks}

    def vectors_of(self, transaction: Transaction, document: int) -> Sequence[bytes]:
        """The vectors of a document's chunks."""
        rows = transaction.fetch_all(
            """
            SELECT CAST(vector AS text) AS vector
            FROM search_vector
            WHERE chunk_id >= :first AND chunk_id < :end AND maker = :maker
            ORDER BY chunk_id
            """,
            {"first": number_chunk(document, 0), "end": number_chunk(document + 1, 0), "maker": self._maker},
        )
        vectors: list[bytes] = []
        for row in rows:
            components = row["vector"].strip("[]").split(",")
            vectors.append(bytes(int(float(each)) & 0xFF for each in components))
        return vectors

    def load(self, transaction: Transaction) -> None:
        """Nothing to do: the database itself looks for vectors."""

    def is_settled(self, transaction: Transaction) -> bool:
        """Whether what makes searches of many chunks quick is there for as many as there are."""
        return has_nearest_index(transaction, self._near)

    def settle(self, database: Database) -> None:
        """Make what makes searches of many chunks quick, however long it takes; nobody waits for it."""
        build_nearest_index(database, self._near)

    def size_bytes(self, transaction: Transaction) -> int:
        """How much room the index takes in its database, for all projects together."""
        row = transaction.fetch_one(
            """
            SELECT SUM(pg_total_relation_size(CAST(name AS regclass))) AS size
            FROM unnest(ARRAY['search_chunk', 'search_vector', 'search_word', 'search_document', 'search_text']) AS name
            """,
            {},
        )
        return int(row["size"]) if row else 0

    def passages(self, transaction: Transaction, chunks: Sequence[int]) -> Mapping[int, ChunkPassage]:
        """The texts of these chunks."""
        rows = transaction.fetch_all(
            """
            SELECT search_chunk.id AS chunk, title, headings, body, start_line, end_line
            FROM search_chunk JOIN search_document ON search_document.id = document_id
            WHERE search_chunk.id = ANY(CAST(:chunks AS bigint[]))
            """,
            {"chunks": format_numbers(chunks)},
        )
        return read_passages(rows)

    @property
    def _near(self) -> NearestIndex:
        return NearestIndex(self._namespace, self._maker, self._dimensions)

    def _forget(self, transaction: Transaction, documents: Sequence[int]) -> None:
        sql = "DELETE FROM search_chunk WHERE document_id = ANY(CAST(:documents AS bigint[]))"
        transaction.execute(sql, {"documents": format_numbers(documents)})

    def _scoped(self, scope: Scope) -> dict[str, object]:
        """Where to look, and within which bounds."""
        return {
            "project": self._namespace,
            "sources": format_numbers(scope.sources),
            "without": scope.without_document,
            "maker": self._maker,
            "exact": FROM_CHUNKS,
            "reach": REACH,
            "enough": ENOUGH_CANDIDATES,
            "too_common": TOO_COMMON,
        }


@contextmanager
def hold_advisory_turn(database: PostgresDatabase, namespace: str) -> Generator[None]:
    """Hold a turn to index a project, across every process on every machine; it ends with the connection."""
    until = time.monotonic() + LONGEST_TURN_SECONDS
    key = int.from_bytes(hashlib.sha256(namespace.encode()).digest()[:8], signed=True)
    locks = database.locks
    while (holder := locks.take(key)) is None:
        if time.monotonic() > until:
            raise StorageFailed("Another process is indexing this project, and does not come to an end.")
        time.sleep(TURN_SECONDS)
    try:
        yield
    finally:
        locks.give_back(key, holder)
