"""The index in SQLite: keywords by FTS5, vectors in memory, read in one transaction."""

import json
from collections.abc import Iterator, Mapping, Sequence

from fieldguide.search.indexes.vectors import CurrentVectors, VectorBlock
from fieldguide.search.types import (
    HEADINGS_APART,
    ChunkPassage,
    NewDocument,
    NumberedDocument,
    Scope,
    locate_chunk,
    number_chunk,
    read_passages,
)
from fieldguide.storage.database import Transaction
from fieldguide.text.errors import StillLoading
from fieldguide.text.words import extract_hidden_words

ENOUGH_CANDIDATES = 20_000
SMALL_INDEX = 15_000
UNLIMITED = -1
SOURCE_BITS = 44  # of a chunk's number, below that of its source
CHANGED_SHARE = 0.1
MOST_KEPT = 20_000  # counts of terms
COUNT = """
    SELECT COUNT(*) AS count FROM (SELECT 1 FROM search_chunk WHERE search_chunk MATCH :term LIMIT :most)
"""
# The weights are those of title, headings, body and hidden words. The range spares FTS5 the chunks of other sources.
SCORED = """
    SELECT rowid AS chunk, -bm25(search_chunk, 4.0, 3.0, 1.0, 1.0) AS score
    FROM search_chunk
    WHERE search_chunk MATCH :all
        AND search_chunk.rowid BETWEEN :first AND :last
        AND (search_chunk.rowid >> 44) IN (SELECT value FROM json_each(:sources))
        AND (search_chunk.rowid >> 20) IS NOT :without
"""
HOLDING = SCORED.replace("rowid AS chunk, -bm25(search_chunk, 4.0, 3.0, 1.0, 1.0) AS score", "rowid >> 20 AS document")
DEFINING = """
    SELECT rowid AS chunk
    FROM search_chunk
    WHERE search_chunk MATCH :headed
        AND (headings = :name OR SUBSTR(headings, -LENGTH(:name) - 1) = CHAR(10) || :name)
        AND (search_chunk.rowid >> 44) IN (SELECT value FROM json_each(:sources))
    ORDER BY chunk
    LIMIT :limit
"""
ROWS = "SELECT rowid AS chunk, title, headings, body, hidden, start_line, end_line FROM search_chunk WHERE rowid"
ROWS_BETWEEN = f"{ROWS} BETWEEN :first AND :last"
ROWS_AMONG = f"{ROWS} IN (SELECT value FROM json_each(:chunks))"  # noqa: S608  ours
FORGET = "DELETE FROM search_chunk WHERE rowid = :chunk"  # a range would have FTS5 write out what it gathered
RANKED = f"{SCORED} ORDER BY score DESC, chunk LIMIT :limit"


class TermCounts:
    """In how many chunks terms stand, while the index stays as it is.

    Counts of common terms are kept longer, while the index has about the same size: only their order matters.
    """

    def __init__(self) -> None:
        self._size = 0
        self._kept: tuple[VectorBlock | None, dict[str, int]] = (None, {})

    def of(self, block: VectorBlock) -> dict[str, int]:
        """The counts for an index with these vectors, to be filled."""
        kept, counts = self._kept
        if block is kept and len(counts) < MOST_KEPT:
            return counts
        if abs(len(block) - self._size) > CHANGED_SHARE * self._size:
            self._size = len(block)
            counts = {}
        common = {term: count for term, count in counts.items() if count > ENOUGH_CANDIDATES}
        self._kept = (block, common)
        return common


class SqliteIndex:
    """Chunks in an FTS5 table; their vectors in memory too, for the scan."""

    def __init__(self, dimensions: int, maker: str) -> None:
        self._maker = maker
        self._vectors = CurrentVectors(dimensions, maker)
        self._counts = TermCounts()

    def put(self, transaction: Transaction, source: int, documents: Sequence[NumberedDocument]) -> None:
        """Store the chunks of documents in place of those they had; rows that stay the same are not touched.

        FTS5 writes out what it gathered whenever the next row has a lower number: all rows go in their order.
        """
        gone: list[int] = []
        new: list[dict[str, object]] = []
        for placed in sorted(documents, key=lambda placed: placed.document):
            rows = {row["chunk"]: row for row in _list_rows(placed)}
            place = {"first": number_chunk(placed.document, 0), "last": number_chunk(placed.document + 1, 0) - 1}
            for row in transaction.fetch_all(ROWS_BETWEEN, place):
                if rows.get(row["chunk"]) == dict(row):
                    del rows[row["chunk"]]
                else:
                    gone.append(row["chunk"])
            new += rows.values()
            self._put_vectors(transaction, placed.document, source, b"".join(placed.vectors))
        transaction.execute_many(FORGET, [{"chunk": chunk} for chunk in gone])
        transaction.execute_many(
            """
            INSERT INTO search_chunk (rowid, title, headings, body, hidden, start_line, end_line)
            VALUES (:chunk, :title, :headings, :body, :hidden, :start_line, :end_line)
            """,
            new,
        )

    def remove(self, transaction: Transaction, document: int) -> None:
        """Forget a document's chunks."""
        self.put(transaction, 0, [NumberedDocument(document, NewDocument("", "", "", "", "", (), ()), ())])

    def by_words(self, transaction: Transaction, terms: Sequence[str], scope: Scope, limit: int) -> dict[int, float]:
        """The chunks that hold these terms and their scores, best first.

        Ranking costs far more than finding. So where words are common, only chunks that hold one of the rarer ones are
        ranked, with all words counted. Up to 340,000 real chunks these are the hits at 10 of ranking every chunk; with
        5,000 candidates in place of 20,000 they were 82 of 100 at 143,000 (docs/explain/figures.md).
        """
        rare = list(terms)
        common: list[str] = []
        if self._vectors.rows is None or self._vectors.rows > SMALL_INDEX:
            counts = dict(zip(terms, self.counts(transaction, terms), strict=True))
            found_terms = sorted((term for term in terms if counts[term]), key=counts.__getitem__)
            rare = _rarest(found_terms, counts)
            common = found_terms[len(rare) :]
        if not rare:
            return {}
        given = {"limit": limit, **_describe_scope(scope)}
        rows = transaction.fetch_all(RANKED, {"all": _any_of(rare), **given})
        found: dict[int, float] = {row["chunk"]: row["score"] for row in rows}
        if not common:
            return found
        # `OR` would rank every chunk that holds a common word, only to leave it out again
        both = f"({_any_of(rare)}) AND ({_any_of(common)})"
        for row in transaction.fetch_all(RANKED, {"all": both, **given}):
            found[row["chunk"]] = row["score"]
        best = sorted(found, key=lambda chunk: (-found[chunk], chunk))[:limit]
        return {chunk: found[chunk] for chunk in best}

    def holding(self, transaction: Transaction, terms: Sequence[str], scope: Scope) -> set[int]:
        """The documents that hold any of these terms, however many they are."""
        if not terms:
            return set()
        rows = transaction.fetch_all(HOLDING, {"all": _any_of(terms), **_describe_scope(scope)})
        return {row["document"] for row in rows}

    def headed(self, transaction: Transaction, names: Sequence[str], scope: Scope, limit: int) -> list[int]:
        """The chunks whose last heading is one of these names, letter for letter; up to a limit for each."""
        given = {"sources": json.dumps(scope.sources), "limit": limit}
        return [
            row["chunk"]
            for name in names
            for row in transaction.fetch_all(DEFINING, {"headed": f"headings : {_quoted(name)}", "name": name, **given})
        ]

    def counts(self, transaction: Transaction, terms: Sequence[str]) -> list[int]:
        """In how many chunks each of these terms stands."""
        try:
            known = self._counts.of(self._vectors.seen_by(transaction))
        except StillLoading:
            known = {}
        for term in terms:
            if term not in known:
                count = _counted(transaction, term, ENOUGH_CANDIDATES + 1)
                known[term] = count if count <= ENOUGH_CANDIDATES else _counted(transaction, term, UNLIMITED)
        return [known[term] for term in terms]

    def by_vector(self, transaction: Transaction, vector: bytes, scope: Scope, limit: int) -> dict[int, float]:
        """The chunks whose vectors are nearest to this one and their distances, nearest first."""
        block = self._vectors.seen_by(transaction)
        return block.nearest(vector, scope.sources, without=scope.without_document, limit=limit)

    def distances(self, transaction: Transaction, vector: bytes, chunks: Sequence[int]) -> dict[int, float]:
        """How far these chunks are from a vector."""
        places = [locate_chunk(chunk) for chunk in chunks]
        try:
            block = self._vectors.seen_by(transaction)
        except StillLoading:
            block = self._vectors.some(transaction, [document for document, _ in places])
        return dict(zip(chunks, block.distances(vector, places), strict=True))

    def vectors_of(self, transaction: Transaction, document: int) -> Sequence[bytes]:
        """The vectors of a document's chunks."""
        return self._vectors.some(transaction, [document]).vectors_of(document)

    def load(self, transaction: Transaction) -> None:
        """Read what searches need into memory, however long it takes."""
        self._vectors.read_on(transaction)

    def size_bytes(self, transaction: Transaction) -> int:
        """How much room the index takes in its file; pages that are free again are not counted."""
        row = transaction.fetch_one(
            """
            SELECT (page_count - freelist_count) * page_size AS size
            FROM pragma_page_count, pragma_freelist_count, pragma_page_size
            """,
            {},
        )
        return int(row["size"]) if row else 0

    def passages(self, transaction: Transaction, chunks: Sequence[int]) -> Mapping[int, ChunkPassage]:
        """The texts of these chunks."""
        return read_passages(transaction.fetch_all(ROWS_AMONG, {"chunks": json.dumps(list(chunks))}))

    def _put_vectors(self, transaction: Transaction, document: int, source: int, vectors: bytes) -> None:
        transaction.execute(
            """
            INSERT INTO search_vectors (document_id, source_id, revision, maker, vectors)
            VALUES (:document, :source, (SELECT COALESCE(MAX(revision), 0) + 1 FROM search_vectors), :maker, :vectors)
            ON CONFLICT (document_id) DO UPDATE
            SET source_id = excluded.source_id, revision = excluded.revision, maker = excluded.maker,
                vectors = excluded.vectors
            """,
            {"document": document, "source": source, "maker": self._maker, "vectors": vectors},
        )


def _describe_scope(scope: Scope) -> dict[str, object]:
    return {
        "sources": json.dumps(scope.sources),
        "first": min(scope.sources, default=0) << SOURCE_BITS,
        "last": (max(scope.sources, default=0) + 1 << SOURCE_BITS) - 1,
        "without": scope.without_document,
    }


def _list_rows(placed: NumberedDocument) -> Iterator[dict[str, object]]:
    new = placed.new
    for position, chunk in enumerate(new.chunks):
        whole = f"{new.title} {' '.join(chunk.headings)} {chunk.text}"
        yield {
            "chunk": number_chunk(placed.document, position),
            "title": new.title,
            "headings": HEADINGS_APART.join(chunk.headings),
            "body": chunk.text,
            "hidden": new.prepared.hidden[position] if new.prepared else extract_hidden_words(whole),
            "start_line": chunk.start_line,
            "end_line": chunk.end_line,
        }


def _counted(transaction: Transaction, term: str, most: int) -> int:
    row = transaction.fetch_one(COUNT, {"term": _quoted(term), "most": most})
    return int(row["count"]) if row else 0


def _rarest(terms: Sequence[str], counts: Mapping[str, int]) -> list[str]:
    """The first of these terms, rarest first, that together stand in enough chunks."""
    taken: list[str] = []
    total = 0
    for term in terms:
        if taken and total + counts[term] > ENOUGH_CANDIDATES:
            break
        taken.append(term)
        total += counts[term]
    return taken


def _any_of(terms: Sequence[str]) -> str:
    return " OR ".join(map(_quoted, terms))


def _quoted(term: str) -> str:
    """A term as FTS5 takes it literally: nothing in it is an operator."""
    return '"' + term.replace('"', '""') + '"'
