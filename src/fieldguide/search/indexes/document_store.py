"""Stores sources and their documents in the database, in plain SQL."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from fieldguide.search.types import DOCUMENT_BITS, KnownDocument, NewDocument, SearchSource
from fieldguide.storage.database import Row, Transaction


class StoredSource(NamedTuple):
    """A source that is in the database: its number, its name, what it says of itself, and how much it holds."""

    id: int
    name: str
    details: Mapping[str, Any]
    documents: int
    is_synced: bool


class StoredDocument(NamedTuple):
    """A document without its text; `hashes` are those of its chunks' lines for citations, in one, where known."""

    id: int
    source: int
    name: str
    title: str
    size: int
    chunks: int
    outline: Sequence[tuple[int, str, int]]
    hashes: str = ""
    source_name: str = ""


@dataclass(frozen=True, slots=True)
class DocumentStore:
    """Sources and documents through one transaction; the namespace is that of the project's tables."""

    transaction: Transaction
    namespace: str

    def sources(self, kind: str) -> list[StoredSource]:
        """Every source of a kind, by name."""
        rows = self.transaction.fetch_all(
            """
            SELECT id, name, details, synced_at,
                   (SELECT COUNT(*) FROM search_document WHERE source_id = search_source.id) AS documents
            FROM search_source
            WHERE kind = :kind
            ORDER BY name
            """,
            {"kind": self.namespace + kind},
        )
        sources: list[StoredSource] = []
        for row in rows:
            details = json.loads(row["details"])
            is_synced = row["synced_at"] is not None
            sources.append(StoredSource(row["id"], row["name"], details, row["documents"], is_synced))
        return sources

    def source_numbers(self, kind: str) -> dict[str, int]:
        """The numbers of all sources of a kind, by name."""
        sql = "SELECT id, name FROM search_source WHERE kind = :kind ORDER BY name"
        rows = self.transaction.fetch_all(sql, {"kind": self.namespace + kind})
        return {row["name"]: row["id"] for row in rows}

    def add_source(self, source: SearchSource) -> int:
        """The number of a source, which is made when it is not there; nobody else can change it until we are done."""
        row = self.transaction.fetch_one(
            """
            INSERT INTO search_source (kind, name, details) VALUES (:kind, :name, '{}')
            ON CONFLICT (kind, name) DO UPDATE SET details = search_source.details
            RETURNING id
            """,
            {"kind": self.namespace + source.kind, "name": source.name},
        )
        assert row is not None  # noqa: S101  an insert gives back its row
        return int(row["id"])

    def find_source(self, source: SearchSource) -> int | None:
        """The number of a source; None when it is not there."""
        row = self.transaction.fetch_one(
            "SELECT id FROM search_source WHERE kind = :kind AND name = :name",
            {"kind": self.namespace + source.kind, "name": source.name},
        )
        return None if row is None else int(row["id"])

    def describe_source(self, source: int, details: Mapping[str, Any]) -> None:
        """Keep what a source says of itself; from now on it counts as synced."""
        self.transaction.execute(
            "UPDATE search_source SET details = :details, synced_at = now() WHERE id = :id",
            {"id": source, "details": json.dumps(dict(details), ensure_ascii=False, sort_keys=True)},
        )

    def remove_source(self, source: int) -> None:
        """Forget a source that has no documents any more."""
        self.transaction.execute("DELETE FROM search_source WHERE id = :id", {"id": source})

    def known(
        self, source: int, names: Iterable[str] | None = None, folders: Iterable[str] = ()
    ) -> dict[str, KnownDocument]:
        """What is known of the documents of a source; given names, of those, and of those in these folders."""
        rows = [*self.transaction.fetch_all(KNOWN, {"source": source})] if names is None else []
        for name in names or ():
            rows += self.transaction.fetch_all(f"{KNOWN} AND name = :name", {"source": source, "name": name})
        for folder in folders:
            given = {"source": source, "folder": f"{folder}/", "length": len(folder) + 1}
            rows += self.transaction.fetch_all(f"{KNOWN} AND SUBSTR(name, 1, :length) = :folder", given)
        return {row["name"]: KnownDocument(row["hash"], row["stamp"], row["maker"]) for row in rows}

    def put(self, source: int, new: NewDocument, *, maker: str) -> int:
        """Store a document in place of the one that had its name; its number stays."""
        hashes = "".join(chunk.hash for chunk in new.chunks)
        row = self.transaction.fetch_one(
            """
            INSERT INTO search_document (id, source_id, name, title, outline, size, chunks, hash, stamp, maker, hashes)
            VALUES (
                (SELECT COALESCE(MAX(id), :first) + 1 FROM search_document WHERE id BETWEEN :first AND :last),
                :source, :name, :title, :outline, :size, :chunks, :hash, :stamp, :maker, :hashes
            )
            ON CONFLICT (source_id, name) DO UPDATE
            SET title = excluded.title, outline = excluded.outline, size = excluded.size, chunks = excluded.chunks,
                hash = excluded.hash, stamp = excluded.stamp, maker = excluded.maker, hashes = excluded.hashes
            RETURNING id
            """,
            {
                "source": source,
                "first": source << DOCUMENT_BITS,
                "last": (source + 1 << DOCUMENT_BITS) - 1,
                "name": new.name,
                "title": new.title,
                "outline": json.dumps(list(new.outline), ensure_ascii=False, separators=(",", ":")),
                "size": len(new.text),
                "chunks": len(new.chunks),
                "hash": new.hash,
                "stamp": new.stamp,
                "maker": maker,
                "hashes": hashes,
            },
        )
        assert row is not None  # noqa: S101  an insert gives back its row
        self.transaction.execute(
            """
            INSERT INTO search_text (document_id, text) VALUES (:id, :text)
            ON CONFLICT (document_id) DO UPDATE SET text = excluded.text
            """,
            {"id": row["id"], "text": new.text},
        )
        return int(row["id"])

    def stamp(self, source: int, stamps: Iterable[tuple[str, str]]) -> None:
        """Keep new stamps of documents whose content is the same as before."""
        self.transaction.execute_many(
            "UPDATE search_document SET stamp = :stamp WHERE source_id = :source AND name = :name",
            [{"source": source, "name": name, "stamp": stamp} for name, stamp in stamps],
        )

    def remove(self, source: int, name: str) -> int | None:
        """Forget a document; its number, for whoever keeps its chunks."""
        row = self.transaction.fetch_one(
            "DELETE FROM search_document WHERE source_id = :source AND name = :name RETURNING id",
            {"source": source, "name": name},
        )
        return None if row is None else int(row["id"])

    def count(self, source: int) -> int:
        """How many documents a source has."""
        sql = "SELECT COUNT(*) AS count FROM search_document WHERE source_id = :source"
        row = self.transaction.fetch_one(sql, {"source": source})
        return int(row["count"]) if row else 0

    def chunks(self, sources: Iterable[int]) -> int:
        """How many chunks the documents of these sources have."""
        sql = "SELECT SUM(chunks) AS count FROM search_document WHERE source_id = :source"
        rows = [self.transaction.fetch_one(sql, {"source": source}) for source in sources]
        return sum(int(row["count"] or 0) for row in rows if row)

    def page(self, source: int, *, limit: int, offset: int) -> list[StoredDocument]:
        """Some documents of a source, by name; their texts stay where they are."""
        rows = self.transaction.fetch_all(
            f"{DOCUMENT} WHERE source_id = :source ORDER BY name LIMIT :limit OFFSET :offset",
            {"source": source, "limit": limit, "offset": offset},
        )
        return [_document(row) for row in rows]

    def find(self, source: int, name: str) -> StoredDocument | None:
        """A document by its name."""
        row = self.transaction.fetch_one(
            f"{DOCUMENT} WHERE source_id = :source AND name = :name", {"source": source, "name": name}
        )
        return None if row is None else _document(row)

    def numbered(self, documents: Sequence[int]) -> dict[int, StoredDocument]:
        """Documents by their numbers, without their headings: an outline has only what was noted of its document."""
        wanted = sorted(set(documents))
        found: dict[int, StoredDocument] = {}
        for start in range(0, len(wanted), len(ASKED_AT_ONCE)):
            some = wanted[start : start + len(ASKED_AT_ONCE)]  # a short list is filled up with its last number
            given = dict.fromkeys(ASKED_AT_ONCE, some[-1]) | dict(zip(ASKED_AT_ONCE, some, strict=False))
            for row in self.transaction.fetch_all(NUMBERED, given):
                found[row["id"]] = _document(row)
        return found

    def text(self, document: int) -> str:
        """The text of a document, byte for byte."""
        row = self.transaction.fetch_one("SELECT text FROM search_text WHERE document_id = :id", {"id": document})
        return str(row["text"]) if row else ""

    def names(self, source: int) -> list[str]:
        """The names of all documents of a source, in one row: 30,000 rows take three times as long."""
        row = self.transaction.fetch_one(NAMES, {"source": source})
        return json.loads(row["names"]) if row else []


NAMES = "SELECT json_group_array(name) AS names FROM search_document WHERE source_id = :source"
KNOWN = "SELECT name, hash, stamp, maker FROM search_document WHERE source_id = :source"
ASKED_AT_ONCE = tuple(f"n{number}" for number in range(50))
NAMED = ", ".join(f":{name}" for name in ASKED_AT_ONCE)
DOCUMENT = """
    SELECT id, source_id AS source, name, title, size, chunks, outline, hashes,
        (SELECT search_source.name FROM search_source WHERE search_source.id = source_id) AS source_name
    FROM search_document
"""
NOTED = "CASE WHEN SUBSTR(outline, 1, 4) = '[[0,' THEN outline ELSE '[]' END AS outline"
NUMBERED = f"{DOCUMENT.replace('outline', NOTED, 1)} WHERE id IN ({NAMED})"


def _document(row: Row) -> StoredDocument:
    fields: dict[str, Any] = {**row}
    fields["outline"] = tuple((level, text, line) for level, text, line in json.loads(row["outline"]))
    return StoredDocument(**fields)
