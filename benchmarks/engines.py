"""Search engines of their own for a measurement: the product's parts over a file in a temporary folder."""

import hashlib
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from itertools import islice
from pathlib import Path

from fieldguide.prose.markdown import read_markdown
from fieldguide.search.chunking import chunk_document
from fieldguide.search.embedding import Embedder
from fieldguide.search.engine import SCHEMA, SearchEngine, name_maker
from fieldguide.search.indexes.sqlite import SqliteIndex
from fieldguide.search.models.choice import choose_embedder
from fieldguide.search.models.remote import WordlessModel
from fieldguide.search.types import Chunk, NewDocument, SearchSource
from fieldguide.storage.sqlite import SqliteDatabase
from fieldguide.text.errors import Misconfiguration

BATCH_DOCUMENTS = 100


class NoVectors(WordlessModel):
    """The `Embedder` of keyword search alone: everything points nowhere, so that only words count."""

    identity = "none"
    dimensions = 8

    def embed_documents(self, texts: Sequence[str]) -> list[bytes]:
        """Nothing for each text."""
        return [bytes(self.dimensions)] * len(texts)

    def embed_query(self, text: str) -> bytes:
        """Nothing."""
        return bytes(self.dimensions)


class Engine(SearchEngine):
    """The product's engine, with its index in sight: each side can be asked alone."""

    def __init__(self, path: Path, embedder: Embedder) -> None:
        self.index = SqliteIndex(embedder.dimensions, name_maker(embedder))
        database = SqliteDatabase(lambda: str(path), [SCHEMA], print, is_derived=True)
        super().__init__(database, self.index, embedder, namespace="", turn=lambda name: nullcontext())

    def fill(self, source: SearchSource, documents: Iterable[NewDocument]) -> int:
        """Put these documents in; gives the number of their source."""
        remaining = iter(documents)
        while batch := list(islice(remaining, BATCH_DOCUMENTS)):
            self.put(source, batch)
        self.finish(source, {})
        return next(each.id for each in self.sources(source.kind) if each.name == source.name)


def find_embedder(name: str) -> Embedder:
    """The model of this name, as a project's settings would name it."""
    try:
        return choose_embedder({"model": name})
    except Misconfiguration as error:
        raise SystemExit(error.message) from error


def read_document(name: str, text: str, *, title: str = "") -> NewDocument:
    """A document read and cut as the product does it."""
    read = read_markdown(text)
    outline = [(heading.level, heading.text, heading.line) for heading in read.headings]
    return new_document(name, title or read.title or name, text, outline=outline, chunks=chunk_document(read))


def whole_document(name: str, text: str, *, title: str) -> NewDocument:
    """A document as one single chunk."""
    return new_document(name, title, text, outline=[], chunks=[Chunk(text, (), 1, text.count("\n") + 1)])


def new_document(
    name: str, title: str, text: str, *, outline: Sequence[tuple[int, str, int]], chunks: Sequence[Chunk]
) -> NewDocument:
    digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
    return NewDocument(name=name, title=title, text=text, hash=digest, stamp="", outline=outline, chunks=chunks)
