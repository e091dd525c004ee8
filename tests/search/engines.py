"""Engines for tests: every `open` is another engine over the same tables, as another process would have."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

from fieldguide.prose.markdown import read_markdown
from fieldguide.search.chunking import chunk_document
from fieldguide.search.embedding import Embedder
from fieldguide.search.engine import SCHEMA, SearchEngine, SearchQuestion, name_maker
from fieldguide.search.indexes.sqlite import SqliteIndex
from fieldguide.search.types import NewDocument, Scope, SearchHit, SearchSource
from fieldguide.storage.sqlite import SqliteDatabase
from tests.fakes import FakeEmbedder

WORDS = ("fern", "fox", "moss", "pond")
DOCS = SearchSource("documents", "dir:docs")
OTHER = SearchSource("documents", "dir:other")
KEPT = {
    "details": "SELECT details AS value FROM search_source",
    "title": "SELECT title AS value FROM search_document",
    "text": "SELECT text AS value FROM search_text",
    "body": "SELECT body AS value FROM search_chunk",
}


class SqlitePlace:
    """A file, and the engines over it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._opened: list[SqliteDatabase] = []

    def open(self, embedder: Embedder | None = None) -> SearchEngine:
        model = embedder or FakeEmbedder(*WORDS)
        self._opened.append(SqliteDatabase(lambda: str(self._path), [SCHEMA], lambda notice: None))
        index = SqliteIndex(model.dimensions, name_maker(model))
        return SearchEngine(self._opened[-1], index, model, namespace="", turn=lambda name: nullcontext())

    def close(self) -> None:
        for database in self._opened:
            database.close()


def document(name: str, text: str) -> NewDocument:
    """A document as a sync would make it."""
    read = read_markdown(text)
    outline = [(heading.level, heading.text, heading.line) for heading in read.headings]
    return NewDocument(
        name=name,
        title=read.title or name,
        text=text,
        hash=f"hash of {text}",
        stamp="",
        outline=outline,
        chunks=chunk_document(read),
    )


def put(engine: SearchEngine, source: SearchSource = DOCS, /, **texts: str) -> None:
    """Put documents into a source, named by the keywords."""
    engine.put(source, [document(name, text) for name, text in texts.items()])


def numbers(engine: SearchEngine, *sources: SearchSource) -> tuple[int, ...]:
    """The numbers that the engine gave to these sources."""
    found = {each.name: each.id for each in engine.sources("documents")}
    return tuple(found[source.name] for source in sources)


def search(
    engine: SearchEngine, text: str, *sources: SearchSource, without: int | None = None, **options: Any
) -> list[SearchHit]:
    """The hits in these sources, or in the documents of the tests."""
    scope = Scope(numbers(engine, *(sources or (DOCS,))), without)
    return engine.search(SearchQuestion(text=text, scope=scope, limit=options.pop("limit", 10), **options))


def names(hits: list[SearchHit]) -> list[str]:
    """The documents of these hits."""
    return [hit.document for hit in hits]


def kept(engine: SearchEngine) -> dict[str, list[str]]:
    """One column of each table, as it is in the database."""
    with engine.database.reading() as transaction:
        return {column: [row["value"] for row in transaction.fetch_all(sql, {})] for column, sql in KEPT.items()}
