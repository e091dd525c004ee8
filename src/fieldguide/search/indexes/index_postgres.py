"""The index in PostgreSQL: words by tsvector and GIN, vectors by pgvector, both from the same transaction."""

import hashlib
import math
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager

from fieldguide.errors import StorageFailed
from fieldguide.search.port import NewDocument, Passage, Scope, chunk_number
from fieldguide.search.words import hidden_words
from fieldguide.storage.port import Transaction
from fieldguide.storage.postgres import PostgresDatabase

HEADINGS_APART = "\n"
NOWHERE = 1.0
TOO_COMMON = 0.25  # a word in more chunks than this tells nothing where rarer ones are at hand
TURN_SECONDS = 0.2
LONGEST_TURN_SECONDS = 30.0


class PostgresIndex:
    """Chunks as rows, each with its words and its vector."""

    def __init__(self, dimensions: int, maker: str, namespace: str = "") -> None:
        self._dimensions = dimensions
        self._maker = maker
        self._namespace = namespace

    def put(
        self, transaction: Transaction, document: int, source: int, new: NewDocument, vectors: Sequence[bytes]
    ) -> None:
        """Store a document's chunks in place of those it had."""
        self.remove(transaction, document)
        transaction.execute_many(
            """
            INSERT INTO search_chunk
                (id, source_id, document_id, maker, headings, body, start_line, end_line, words, vector)
            VALUES
                (:chunk, :source, :document, :maker, :headings, :body, :start_line, :end_line,
                 setweight(to_tsvector('english', :title), 'A') || setweight(to_tsvector('english', :headings), 'B')
                 || to_tsvector('english', :searched), CAST(:vector AS vector))
            """,
            [
                {
                    "chunk": chunk_number(document, position),
                    "source": source,
                    "document": document,
                    "maker": self._maker,
                    "title": _split(new.title),
                    "headings": HEADINGS_APART.join(chunk.headings),
                    "body": chunk.text,
                    "searched": _split(f"{chunk.text}\n{hidden_words(_whole(new.title, chunk.headings, chunk.text))}"),
                    "start_line": chunk.start_line,
                    "end_line": chunk.end_line,
                    "vector": _written(vector),
                }
                for position, (chunk, vector) in enumerate(zip(new.chunks, vectors, strict=True))
            ],
        )

    def remove(self, transaction: Transaction, document: int) -> None:
        """Forget a document's chunks."""
        transaction.execute("DELETE FROM search_chunk WHERE document_id = :document", {"document": document})

    def by_words(self, transaction: Transaction, terms: Sequence[str], scope: Scope, limit: int) -> dict[int, float]:
        """The chunks that hold these terms and their scores, best first: a rare word counts more than a common one."""
        weighed = self._weighed(transaction, terms)
        if not weighed:
            return {}
        rows = transaction.fetch_all(
            """
            SELECT chunk.id AS chunk,
                   SUM(term.weight * ts_rank('{0.25, 0.25, 0.75, 1.0}', chunk.words, term.query, 1)) AS score
            FROM unnest(CAST(:queries AS tsquery[]), CAST(:weights AS double precision[])) AS term (query, weight)
            JOIN search_chunk AS chunk ON chunk.words @@ term.query
            WHERE chunk.source_id = ANY(CAST(:sources AS bigint[]))
                AND chunk.document_id IS DISTINCT FROM CAST(:without AS bigint)
            GROUP BY chunk.id
            ORDER BY score DESC, chunk.id
            LIMIT :limit
            """,
            {"queries": list(weighed), "weights": list(weighed.values()), "limit": limit, **_scoped(scope)},
        )
        return {row["chunk"]: float(row["score"]) for row in rows}

    def holding(self, transaction: Transaction, terms: Sequence[str], scope: Scope) -> set[int]:
        """The documents that hold any of these terms, however many they are."""
        rows = transaction.fetch_all(
            """
            SELECT DISTINCT chunk.document_id AS document
            FROM unnest(CAST(:words AS text[])) AS term (word)
            JOIN search_chunk AS chunk ON chunk.words @@ phraseto_tsquery('english', term.word)
            WHERE chunk.source_id = ANY(CAST(:sources AS bigint[]))
                AND chunk.document_id IS DISTINCT FROM CAST(:without AS bigint)
            """,
            {"words": list(terms), **_scoped(scope)},
        )
        return {row["document"] for row in rows}

    def headed(self, transaction: Transaction, names: Sequence[str], scope: Scope, limit: int) -> list[int]:
        """The chunks whose last heading is one of these names, letter for letter; up to a limit for each."""
        sql = """
            SELECT id AS chunk
            FROM search_chunk
            WHERE source_id = ANY(CAST(:sources AS bigint[])) AND words @@ phraseto_tsquery('english', :words)
                AND (headings = :name OR RIGHT(headings, LENGTH(:name) + 1) = CHR(10) || :name)
            ORDER BY id
            LIMIT :limit
        """
        given = {"sources": list(scope.sources), "limit": limit}
        return [
            row["chunk"]
            for name in names
            for row in transaction.fetch_all(sql, {"words": _split(name), "name": name, **given})
        ]

    def counts(self, transaction: Transaction, terms: Sequence[str], most: int) -> list[int]:
        """In how many chunks of this project each of these terms stands, counted up to so many."""
        sql = """
            SELECT COUNT(*) AS count
            FROM (
                SELECT 1 FROM search_chunk
                WHERE words @@ phraseto_tsquery('english', :word) AND source_id = ANY(CAST(:sources AS bigint[]))
                LIMIT :most
            ) AS found
        """
        ours = self._sources(transaction)
        rows = [transaction.fetch_one(sql, {"word": term, "sources": ours, "most": most}) for term in terms]
        return [int(row["count"]) if row else 0 for row in rows]

    def by_vector(self, transaction: Transaction, vector: bytes, scope: Scope, limit: int) -> dict[int, float]:
        """The chunks whose vectors are nearest to this one and their distances, nearest first."""
        if not any(vector):
            return {}
        rows = transaction.fetch_all(
            """
            SELECT id AS chunk, vector <=> CAST(:vector AS vector) AS distance
            FROM search_chunk
            WHERE source_id = ANY(CAST(:sources AS bigint[])) AND maker = :maker AND vector IS NOT NULL
                AND document_id IS DISTINCT FROM CAST(:without AS bigint)
            ORDER BY distance, id
            LIMIT :limit
            """,
            {"vector": _written(vector), "maker": self._maker, "limit": limit, **_scoped(scope)},
        )
        return {row["chunk"]: float(row["distance"]) for row in rows}

    def distances(self, transaction: Transaction, vector: bytes, chunks: Sequence[int]) -> dict[int, float]:
        """How far these chunks are from a vector."""
        if not chunks or not any(vector):
            return dict.fromkeys(chunks, NOWHERE)
        rows = transaction.fetch_all(
            """
            SELECT id AS chunk, vector <=> CAST(:vector AS vector) AS distance
            FROM search_chunk
            WHERE id = ANY(CAST(:chunks AS bigint[])) AND maker = :maker AND vector IS NOT NULL
            """,
            {"vector": _written(vector), "chunks": list(chunks), "maker": self._maker},
        )
        measured = {row["chunk"]: float(row["distance"]) for row in rows}
        return {chunk: measured.get(chunk, NOWHERE) for chunk in chunks}

    def vectors_of(self, transaction: Transaction, document: int) -> Sequence[bytes]:
        """The vectors of a document's chunks."""
        rows = transaction.fetch_all(
            """
            SELECT CAST(vector AS text) AS vector
            FROM search_chunk
            WHERE document_id = :document AND maker = :maker AND vector IS NOT NULL
            ORDER BY id
            """,
            {"document": document, "maker": self._maker},
        )
        return [bytes(int(float(each)) & 0xFF for each in row["vector"].strip("[]").split(",")) for row in rows]

    def load(self, transaction: Transaction) -> None:
        """Nothing to do: the database itself looks for vectors."""

    def size_bytes(self, transaction: Transaction) -> int:
        """How much room the index takes in its database, for all projects together."""
        row = transaction.fetch_one(
            """
            SELECT pg_total_relation_size('search_chunk') + pg_total_relation_size('search_document')
                 + pg_total_relation_size('search_text') AS size
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

    def _weighed(self, transaction: Transaction, terms: Sequence[str]) -> dict[str, float]:
        """The terms as PostgreSQL reads them, each with its weight; those that say nothing are left out.

        What counts are the chunks of this project: how common a word is elsewhere says nothing about it here.
        """
        ours = self._sources(transaction)
        rows = transaction.fetch_all(
            """
            SELECT CAST(term.query AS text) AS query,
                   (SELECT COUNT(*) FROM search_chunk
                    WHERE words @@ term.query AND source_id = ANY(CAST(:sources AS bigint[]))) AS count
            FROM (
                SELECT phraseto_tsquery('english', word) AS query FROM unnest(CAST(:words AS text[])) AS word
            ) AS term
            WHERE numnode(term.query) > 0
            """,
            {"words": list(terms), "sources": ours},
        )
        total = transaction.fetch_one(
            "SELECT COUNT(*) AS count FROM search_chunk WHERE source_id = ANY(CAST(:sources AS bigint[]))",
            {"sources": ours},
        )
        chunks = max(int(total["count"]) if total else 0, 1)
        found = {row["query"]: int(row["count"]) for row in rows if row["count"]}
        telling = {query: count for query, count in found.items() if count <= TOO_COMMON * chunks}
        return {query: math.log(1 + chunks / count) for query, count in (telling or found).items()}

    def _sources(self, transaction: Transaction) -> list[int]:
        """The sources of this project, of every kind."""
        rows = transaction.fetch_all(
            "SELECT id FROM search_source WHERE starts_with(kind, :namespace)", {"namespace": self._namespace}
        )
        return [row["id"] for row in rows]


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


def _split(text: str) -> str:
    """A text whose identifiers fall apart: PostgreSQL would keep `a_b`, `a.b` and `a/b` as one word each."""
    return text.translate(APART)


APART = str.maketrans("_./-:", "     ")


def _whole(title: str, headings: Sequence[str], text: str) -> str:
    return f"{title} {' '.join(headings)} {text}"


def _written(vector: bytes) -> str | None:
    """A vector as pgvector reads it; one without direction is none."""
    return str(list(memoryview(vector).cast("b"))) if any(vector) else None


def _scoped(scope: Scope) -> dict[str, object]:
    return {"sources": list(scope.sources), "without": scope.without_document}
