"""Chunks on their way into PostgreSQL: copied by COPY into a table of the transaction's own, and put in from there.

One statement puts in what a whole batch of documents has, so that whatever follows the chunks (how common words are,
vectors by themselves) is counted once for all of them. Policies forbid COPY into the table itself.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, cast

from fieldguide.search.port import Placed, chunk_number
from fieldguide.search.words import hidden_words
from fieldguide.storage.port import Transaction
from fieldguide.storage.postgres import PostgresTransaction

HEADINGS_APART = "\n"
APART = str.maketrans("_./-:", "     ")
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


class Into(NamedTuple):
    """Where chunks go, and what made them."""

    project: str
    source: int
    maker: str


def copy_chunks(transaction: Transaction, into: Into, documents: Sequence[Placed]) -> None:
    """Put in the chunks of these documents; of a document that is named twice, the last."""
    last = {each.document: each for each in documents}
    rows = [row for each in last.values() for row in _rows(each)]
    if not rows:
        return
    transaction.execute(MAKE_ROOM, {})
    cast("PostgresTransaction", transaction).copy(COPY, rows)
    transaction.execute(PUT_IN, into._asdict())
    transaction.execute("DROP TABLE pg_temp.search_incoming", {})


def split_names(names: Sequence[str]) -> list[str]:
    """Texts whose identifiers fall apart: PostgreSQL would keep `a_b`, `a.b` and `a/b` as one word each."""
    return [name.translate(APART) for name in names]


def written(vector: bytes) -> str | None:
    """A vector as pgvector reads it; one without direction is none."""
    return str(list(memoryview(vector).cast("b"))) if any(vector) else None


def _rows(placed: Placed) -> Iterator[tuple[Any, ...]]:
    new = placed.new
    for position, (chunk, vector) in enumerate(zip(new.chunks, placed.vectors, strict=True)):
        whole = f"{new.title} {' '.join(chunk.headings)} {chunk.text}"
        yield (
            chunk_number(placed.document, position),
            placed.document,
            new.title.translate(APART),
            HEADINGS_APART.join(chunk.headings),
            chunk.text,
            f"{chunk.text}\n{hidden_words(whole)}".translate(APART),
            chunk.start_line,
            chunk.end_line,
            written(vector),
        )
