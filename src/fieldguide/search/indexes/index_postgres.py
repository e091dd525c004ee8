"""The index in PostgreSQL: words by tsvector and GIN, vectors by pgvector, both from the same transaction.

How it searches stands in the functions of the migration `0009_scale`: one call to the database for each question that
is asked of an index, and plans that know the project and the words (docs/decisions/0052).
"""

import hashlib
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager

from fieldguide.errors import StorageFailed
from fieldguide.search.indexes import near_index
from fieldguide.search.indexes.copied_chunks import HEADINGS_APART, Into, copy_chunks, split_names, written
from fieldguide.search.port import Passage, Placed, Scope, chunk_number
from fieldguide.storage.port import Database, Transaction
from fieldguide.storage.postgres import PostgresDatabase

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

    def put(self, transaction: Transaction, source: int, documents: Sequence[Placed]) -> None:
        """Store the chunks of documents in place of those they had: copied in one go, however many they are."""
        self._forget(transaction, [each.document for each in documents])
        copy_chunks(transaction, Into(self._namespace, source, self._maker), documents)

    def remove(self, transaction: Transaction, document: int) -> None:
        """Forget a document's chunks."""
        self._forget(transaction, [document])

    def by_words(self, transaction: Transaction, terms: Sequence[str], scope: Scope, limit: int) -> dict[int, float]:
        """The chunks that hold these terms and their scores, best first: a rare word counts more than a common one.

        How common a word is in this project is known beforehand; how common it is elsewhere says nothing here. Only
        chunks that hold one of the rarer words are ranked, with all words counted.
        """
        rows = transaction.fetch_all(
            """
            SELECT chunk, score
            FROM search_by_words(
                :project, CAST(:words AS text[]), CAST(:sources AS bigint[]), CAST(:without AS bigint), :limit, :enough,
                :too_common
            )
            """,
            {
                "words": list(terms),
                "limit": limit,
                "enough": ENOUGH_CANDIDATES,
                "too_common": TOO_COMMON,
                **self._scoped(scope),
            },
        )
        return {row["chunk"]: float(row["score"]) for row in rows}

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
        rows = transaction.fetch_all(
            """
            SELECT chunk
            FROM search_headed(
                :project, CAST(:names AS text[]), CAST(:split AS text[]), CAST(:sources AS bigint[]), :limit
            )
            """,
            {"names": list(names), "split": split_names(names), "limit": limit, **self._scoped(scope)},
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
        rows = transaction.fetch_all(
            """
            SELECT chunk, distance
            FROM search_by_vector(
                :project, :maker, CAST(:vector AS halfvec), CAST(:sources AS bigint[]), CAST(:without AS bigint),
                :limit, :exact, :reach
            )
            """,
            {
                "vector": written(vector),
                "maker": self._maker,
                "limit": limit,
                "exact": near_index.FROM_CHUNKS,
                "reach": near_index.REACH,
                **self._scoped(scope),
            },
        )
        return {row["chunk"]: float(row["distance"]) for row in rows}

    def distances(self, transaction: Transaction, vector: bytes, chunks: Sequence[int]) -> dict[int, float]:
        """How far these chunks are from a vector."""
        if not chunks or not any(vector):
            return dict.fromkeys(chunks, NOWHERE)
        rows = transaction.fetch_all(
            """
            SELECT chunk_id AS chunk, vector <=> CAST(:vector AS halfvec) AS distance
            FROM search_vector
            WHERE chunk_id = ANY(CAST(:chunks AS bigint[])) AND maker = :maker
            """,
            {"vector": written(vector), "chunks": list(chunks), "maker": self._maker},
        )
        measured = {row["chunk"]: float(row["distance"]) for row in rows}
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
            {"first": chunk_number(document, 0), "end": chunk_number(document + 1, 0), "maker": self._maker},
        )
        return [bytes(int(float(each)) & 0xFF for each in row["vector"].strip("[]").split(",")) for row in rows]

    def load(self, transaction: Transaction) -> None:
        """Nothing to do: the database itself looks for vectors."""

    def is_settled(self, transaction: Transaction) -> bool:
        """Whether what makes searches of many chunks quick is there for as many as there are."""
        return near_index.is_settled(transaction, self._near)

    def settle(self, database: Database) -> None:
        """Make what makes searches of many chunks quick, however long it takes; nobody waits for it."""
        near_index.settle(database, self._near)

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

    def passages(self, transaction: Transaction, chunks: Sequence[int]) -> Mapping[int, Passage]:
        """The texts of these chunks."""
        rows = transaction.fetch_all(
            """
            SELECT id AS chunk, headings, body, start_line, end_line
            FROM search_chunk
            WHERE id = ANY(CAST(:chunks AS bigint[]))
            """,
            {"chunks": list(chunks)},
        )
        return {
            row["chunk"]: Passage(
                row["body"],
                tuple(each for each in str(row["headings"]).split(HEADINGS_APART) if each),
                row["start_line"],
                row["end_line"],
            )
            for row in rows
        }

    @property
    def _near(self) -> near_index.Near:
        return near_index.Near(self._namespace, self._maker, self._dimensions)

    def _forget(self, transaction: Transaction, documents: Sequence[int]) -> None:
        sql = "DELETE FROM search_chunk WHERE document_id = ANY(CAST(:documents AS bigint[]))"
        transaction.execute(sql, {"documents": list(documents)})

    def _scoped(self, scope: Scope) -> dict[str, object]:
        return {"project": self._namespace, "sources": list(scope.sources), "without": scope.without_document}


@contextmanager
def advisory_turn(database: PostgresDatabase, namespace: str) -> Generator[None]:
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
