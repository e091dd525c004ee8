"""An index of real chunks made many times as large within its database: the same texts under other document names.

Their vectors are near those of the originals, and no two are equal: noise is added, the same for the same document. So
nothing is read or embedded again, words are as common as they were, and the nearest are to be told apart.
"""

import sqlite3
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

import numpy as np
import psycopg

from fieldguide.search.types import POSITION_BITS

NOISE = 0.35  # of a vector's length, in all: a copy is about as far from its original as a chunk is from its neighbour
LARGEST = 127
COPIED = 500
READ_ROWS = 20_000
Rows = "np.ndarray[Any, Any]"

SQLITE = (
    """
    INSERT INTO search_document (id, source_id, name, title, outline, size, chunks, hash, stamp, maker)
    SELECT id + :shift, source_id, name || '#' || :shift, title, outline, size, chunks, hash, stamp, maker
    FROM search_document WHERE id >= :start AND id < :end
    """,
    """
    INSERT INTO search_text (document_id, text)
    SELECT document_id + :shift, text FROM search_text WHERE document_id >= :start AND document_id < :end
    """,
    f"""
    INSERT INTO search_chunk (rowid, title, headings, body, hidden, start_line, end_line)
    SELECT rowid + (:shift << {POSITION_BITS}), title, headings, body, hidden, start_line, end_line
    FROM search_chunk WHERE rowid >= (:start << {POSITION_BITS}) AND rowid < (:end << {POSITION_BITS})
    """,  # noqa: S608  a constant of ours
)
SQLITE_VECTORS = """
    SELECT document_id, source_id, revision, maker, vectors FROM search_vectors
    WHERE document_id >= :start AND document_id < :end
"""
SQLITE_PUT = """
    INSERT OR REPLACE INTO search_vectors (document_id, source_id, revision, maker, vectors) VALUES (?, ?, ?, ?, ?)
"""
# What follows the chunks by triggers is made for all copies at once, and the index of words anew at the end.
POSTGRES_BEFORE = (
    "ALTER TABLE search_chunk DISABLE TRIGGER USER",
    "DROP INDEX search_chunk_words",
)
POSTGRES = (
    """
    INSERT INTO search_document (id, source_id, name, title, outline, size, chunks, hash, stamp, maker)
    SELECT id + %(shift)s, source_id, name || '#' || %(shift)s, title, outline, size, chunks, hash, stamp, maker
    FROM search_document WHERE id <= %(last)s
    """,
    """
    INSERT INTO search_text (document_id, text)
    SELECT document_id + %(shift)s, text FROM search_text WHERE document_id <= %(last)s
    """,
    f"""
    INSERT INTO search_chunk
        (id, namespace, source_id, document_id, maker, headings, body, start_line, end_line, words, vector)
    SELECT id + (CAST(%(shift)s AS bigint) << {POSITION_BITS}), namespace, source_id, document_id + %(shift)s, maker,
        headings, body, start_line, end_line, words, vector
    FROM search_chunk WHERE document_id <= %(last)s
    """,  # noqa: S608  a constant of ours
)
POSTGRES_AFTER = (
    "UPDATE search_word SET chunks = chunks * (%(turns)s + 1)",
    "UPDATE search_size SET chunks = chunks * (%(turns)s + 1)",
    "CREATE INDEX search_chunk_words ON search_chunk USING gin (words) WITH (gin_pending_list_limit = 512)",
    "ALTER TABLE search_chunk ENABLE TRIGGER USER",
)
VECTORS = "SELECT chunk_id, namespace, source_id, maker, CAST(vector AS text) FROM search_vector ORDER BY chunk_id"
COPY = "COPY search_vector (chunk_id, namespace, source_id, maker, vector) FROM STDIN (FORMAT BINARY)"
BINARY_HEAD, BINARY_END = b"PGCOPY\n\xff\r\n\0" + bytes(8), b"\xff\xff"


def copy_sqlite(path: str, turns: int) -> None:
    """Copy every document so many times."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        first, last = connection.execute("SELECT MIN(id), MAX(id) FROM search_document").fetchone()
        for turn in range(1, turns + 1):
            print(f"SQLite: copy {turn} of {turns}", file=sys.stderr)
            shift = turn * (last + 1 - first)
            for start in range(first, last + 1, COPIED):
                span = {"start": start, "end": min(start + COPIED, last + 1), "shift": shift}
                connection.execute("BEGIN IMMEDIATE")
                for statement in SQLITE:
                    connection.execute(statement, span)
                connection.executemany(SQLITE_PUT, noisy_documents(connection, span))
                connection.execute("COMMIT")


def noisy_documents(connection: sqlite3.Connection, span: dict[str, int]) -> Iterator[tuple[Any, ...]]:
    for document, source, revision, maker, vectors in connection.execute(SQLITE_VECTORS, span).fetchall():
        if vectors:
            rows = np.frombuffer(vectors, np.int8).reshape(-1, 256)
            vectors = noisy(rows, seed=document + span["shift"]).tobytes()
        yield document + span["shift"], source, revision + span["shift"], maker, vectors


def copy_postgres(address: str, turns: int) -> None:
    """The same in PostgreSQL."""
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("SET maintenance_work_mem = '512MB'")
        for name in [row[0] for row in connection.execute(NEAR).fetchall()]:
            connection.execute(f"DROP INDEX {name}".encode())
        for statement in POSTGRES_BEFORE:
            connection.execute(statement.encode())
        first, last = connection.execute("SELECT MIN(id), MAX(id) FROM search_document").fetchone() or (0, 0)
        originals = [vectors_of(rows) for rows in read_vectors(connection)]
        for turn in range(1, turns + 1):
            print(f"PostgreSQL: copy {turn} of {turns}", file=sys.stderr)
            given = {"shift": turn * (last + 1 - first), "last": last}
            for statement in POSTGRES:
                connection.execute(statement.encode(), given)
            copy_vectors(connection, originals, turn, given["shift"])
        for statement in POSTGRES_AFTER:
            connection.execute(statement.encode(), {"turns": turns} if "%" in statement else None)


def copy_vectors(connection: "psycopg.Connection[Any]", originals: Sequence[Any], turn: int, shift: int) -> None:
    with connection.cursor() as cursor, cursor.copy(COPY) as copying:
        copying.write(BINARY_HEAD)
        for number, (ids, rows, same) in enumerate(originals):
            copies = noisy(rows, seed=turn * len(originals) + number)
            copying.write(binary_rows(ids + (shift << POSITION_BITS), copies, *same))
        copying.write(BINARY_END)


NEAR = "SELECT relname FROM pg_class WHERE starts_with(relname, 'search_near_') AND relkind = 'i'"


def read_vectors(connection: "psycopg.Connection[Any]") -> Iterator[Sequence[Any]]:
    with connection.transaction(), connection.cursor("vectors") as cursor:
        cursor.execute(VECTORS)
        while rows := cursor.fetchmany(READ_ROWS):
            yield rows


def vectors_of(rows: Sequence[Any]) -> tuple[Any, Any, tuple[bytes, int, bytes]]:
    """The numbers of these chunks, their vectors, and what all of them have in common."""
    _, namespace, source, maker, _ = rows[0]
    ids = np.array([row[0] for row in rows], np.int64)
    vectors = np.array([np.fromstring(row[4].strip("[]"), np.float32, sep=",") for row in rows]).astype(np.int8)
    return ids, vectors, (namespace.encode(), source, maker.encode())


def noisy(rows: Any, *, seed: int) -> Any:
    """Vectors near these, in the form that is stored."""
    floats = rows.astype(np.float32)
    lengths = np.linalg.norm(floats, axis=1, keepdims=True)
    noise = np.random.default_rng(seed).standard_normal(floats.shape, np.float32)
    floats += noise * (lengths * NOISE / floats.shape[1] ** 0.5)
    return np.rint(floats * (LARGEST / np.maximum(np.abs(floats).max(axis=1, keepdims=True), 1e-9))).astype(np.int8)


def binary_rows(ids: Any, vectors: Any, namespace: bytes, source: int, maker: bytes) -> bytes:
    """Rows of `search_vector` as COPY takes them: each field with its length before it, big end first."""
    dimensions = vectors.shape[1]
    fields: list[tuple[str, str, Any]] = [
        ("fields", ">i2", 5),
        *(("length_chunk", ">i4", 8), ("chunk", ">i8", ids)),
        *(("length_namespace", ">i4", len(namespace)), ("namespace", f"S{len(namespace)}", namespace)),
        *(("length_source", ">i4", 8), ("source", ">i8", source)),
        *(("length_maker", ">i4", len(maker)), ("maker", f"S{len(maker)}", maker)),
        *(("length_vector", ">i4", 4 + 2 * dimensions), ("dimensions", ">i2", dimensions), ("unused", ">i2", 0)),
    ]
    table = np.zeros(len(ids), [*((name, kind) for name, kind, _ in fields), ("vector", ">f2", (dimensions,))])
    for name, _, value in fields:
        table[name] = value
    table["vector"] = vectors
    return table.tobytes()
