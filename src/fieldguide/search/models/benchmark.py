"""Measures how well and how fast a model finds sections of documents by their headings.

The text is cut at every heading and kept without it, so that a heading can only be answered by what is said below it.
"""

import os
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from math import log2
from statistics import fmean, median
from time import perf_counter, process_time
from typing import NamedTuple

from fieldguide.prose.document import Block
from fieldguide.prose.readers import read_document
from fieldguide.search.embedding import Embedder
from fieldguide.search.engine import SCHEMA, SearchEngine, SearchQuestion, name_maker
from fieldguide.search.indexes.sqlite import SqliteIndex
from fieldguide.search.types import Chunk, NewDocument, Scope, SearchSource, chunk_document
from fieldguide.storage.database import Transaction
from fieldguide.storage.sqlite import SqliteDatabase

SEED = 20240601
LEAST_CHARACTERS = 80  # a shorter text hardly says what its heading promises
LEAST_LETTERS = 3


class HeadedText(NamedTuple):
    """The text below one heading, as chunks; `headings` are the headings above it, its own last."""

    document: str
    number: int
    headings: tuple[str, ...]
    chunks: Sequence[Chunk]

    @property
    def question(self) -> str:
        """What somebody might ask to be led here."""
        return " ".join(dict.fromkeys(self.headings))


class HeadingTrial(NamedTuple):
    """What models are tried on: documents, whole but for their headings, and the sections that are asked for."""

    documents: Mapping[str, Sequence[HeadedText]]
    asked: Sequence[HeadedText]

    @property
    def sections(self) -> int:
        """How many sections there are to find."""
        return sum(map(len, self.documents.values()))

    @property
    def chunks(self) -> int:
        """How many chunks there are to index."""
        return sum(len(section.chunks) for sections in self.documents.values() for section in sections)


def make_trial(documents: Iterable[tuple[str, str]], *, questions: int, chunks: int) -> HeadingTrial:
    """A trial over these documents (name and text), never larger than asked for and the same every time."""
    cut = {name: list(split_sections(name, text)) for name, text in documents}
    headed = [section for sections in cut.values() for section in sections if section.headings]
    counts = Counter(section.headings[-1].casefold() for section in headed)
    usable: list[HeadedText] = []
    for section in headed:
        heading = section.headings[-1]
        letters = sum(map(str.isalpha, heading))
        characters = sum(len(chunk.text) for chunk in section.chunks)
        is_unique = counts[heading.casefold()] == 1  # "See also" leads nowhere in particular
        if is_unique and letters >= LEAST_LETTERS and characters >= LEAST_CHARACTERS:
            usable.append(section)
    chance = random.Random(SEED)  # noqa: S311  a sample, not a secret
    names = [name for name in cut if cut[name]]
    chance.shuffle(names)
    kept = _fitting({name: cut[name] for name in names}, chunks)
    possible = [section for section in usable if section.document in kept]
    return HeadingTrial(kept, chance.sample(possible, min(questions, len(possible))))


def _fitting(documents: Mapping[str, Sequence[HeadedText]], room: int) -> dict[str, Sequence[HeadedText]]:
    """The documents, in their order, that have room for all of their chunks."""
    kept: dict[str, Sequence[HeadedText]] = {}
    for name, sections in documents.items():
        size = sum(len(section.chunks) for section in sections)
        if size <= room:
            kept[name] = sections
            room -= size
    return kept


def split_sections(name: str, text: str) -> Iterator[HeadedText]:
    """The sections of a document that say anything, in its order."""
    document = read_document(name, text)
    path: dict[int, str] = {}
    body: list[Block] = []
    number = 0
    for block in [*document.blocks, None]:
        if block is not None and block.heading is None:
            body.append(block)
            continue
        chunks = chunk_document(document._replace(headings=(), blocks=tuple(body)))
        if chunks:
            number += 1
            yield HeadedText(name, number, tuple(path.values()), chunks)
        if block is not None and block.heading is not None:
            heading = document.headings[block.heading]
            path = {level: said for level, said in path.items() if level < heading.level}
            path[heading.level] = heading.text
            body = []


def count_documents_by_maker(transaction: Transaction, namespace: str) -> dict[str, int]:
    """How many documents of a namespace each maker has made, most first; a maker ends with its model's identity."""
    rows = transaction.fetch_all(
        """
        SELECT maker, COUNT(*) AS documents
        FROM search_document JOIN search_source ON search_source.id = search_document.source_id
        WHERE substr(kind, 1, length(CAST(:namespace AS TEXT))) = CAST(:namespace AS TEXT)
        GROUP BY maker
        ORDER BY documents DESC, maker
        """,
        {"namespace": namespace},
    )
    return {str(row["maker"]): int(row["documents"]) for row in rows}


RANKS = 10
LOOKED_AT = 50  # chunks; several may be of one section, which counts once
BATCH_DOCUMENTS = 20
SOURCE = SearchSource("trial", "sections")

Progress = Callable[[int, int], None]
Clock = Callable[[], float]


class SearchQuality(NamedTuple):
    """The means over all questions: how high the right section stands, and how often it is among the first ten."""

    ndcg: float
    recall: float


class ModelMeasurement(NamedTuple):
    """What one model does: quality by its vectors alone and fused with keywords, speeds, and the time of a search."""

    identity: str
    dimensions: int
    vectors: SearchQuality
    fused: SearchQuality
    embedded_chunks_per_second: float
    indexed_chunks_per_second: float
    query_milliseconds: float


class NoVectors:
    """The `Embedder` of keyword search alone: everything points nowhere, so that only words count."""

    identity = "none"
    dimensions = 8

    def embed_documents(self, texts: Sequence[str]) -> list[bytes]:
        """Nothing for each text."""
        return [bytes(self.dimensions)] * len(texts)

    def embed_query(self, text: str) -> bytes:
        """Nothing."""
        return bytes(self.dimensions)


def measure_keywords(trial: HeadingTrial, folder: str) -> SearchQuality:
    """What keywords find without any model."""
    bench = ModelBenchmark(NoVectors(), os.path.join(folder, "keywords.db"), process_time)
    bench.index(trial.documents, lambda done, total: None)
    return bench.ask(trial.asked, by_words=True)[0]


def measure_model(
    embedder: Embedder,
    trial: HeadingTrial,
    folder: str,
    *,
    is_remote: bool = False,
    progress: Progress = lambda done, total: None,
) -> ModelMeasurement:
    """What a model finds; the time of a local one is that of the processor, whatever else the machine is doing."""
    bench = ModelBenchmark(embedder, os.path.join(folder, "model.db"), perf_counter if is_remote else process_time)
    embedder.embed_documents(["What is loaded late is loaded now."])
    seconds = bench.index(trial.documents, progress)
    vectors, _ = bench.ask(trial.asked, by_words=False)
    fused, times = bench.ask(trial.asked, by_words=True)
    return ModelMeasurement(
        identity=embedder.identity,
        dimensions=embedder.dimensions,
        vectors=vectors,
        fused=fused,
        embedded_chunks_per_second=trial.chunks / max(bench.embedder.seconds, 1e-9),
        indexed_chunks_per_second=trial.chunks / max(seconds, 1e-9),
        query_milliseconds=median(times) * 1000,
    )


class ModelBenchmark:
    """An engine over a fresh file with one model in it."""

    def __init__(self, embedder: Embedder, path: str, clock: Clock) -> None:
        for left_over in (path, f"{path}-wal", f"{path}-shm"):
            if os.path.exists(left_over):
                os.remove(left_over)
        self.embedder = TimedEmbedder(embedder, clock)
        self._clock = clock
        self._sections: dict[tuple[str, int], int] = {}
        self._engine = SearchEngine(
            SqliteDatabase(lambda: path, [SCHEMA], lambda sentence: None, is_derived=True),
            SqliteIndex(embedder.dimensions, name_maker(embedder)),
            self.embedder,
            namespace="",
            turn=lambda name="": nullcontext(),
        )

    def index(self, documents: Mapping[str, Sequence[HeadedText]], progress: Progress) -> float:
        """Put the documents in; how many seconds that took."""
        for name, sections in documents.items():
            numbers = [section.number for section in sections for _ in section.chunks]
            self._sections |= {(name, position): number for position, number in enumerate(numbers)}
        began = self._clock()
        names = list(documents)
        for start in range(0, len(names), BATCH_DOCUMENTS):
            batch = names[start : start + BATCH_DOCUMENTS]
            self._engine.put(SOURCE, [make_document(name, documents[name]) for name in batch])
            progress(start + len(batch), len(names))
        self._engine.finish(SOURCE, {})
        return self._clock() - began

    def ask(self, asked: Sequence[HeadedText], *, by_words: bool) -> tuple[SearchQuality, list[float]]:
        """How well the questions are answered, and the seconds that each took."""
        [source] = [each.id for each in self._engine.sources(SOURCE.kind)]
        ranks: list[int | None] = []
        times: list[float] = []
        for section in asked:
            question = SearchQuestion(section.question, Scope((source,)), LOOKED_AT, by_words=by_words)
            began = perf_counter()
            hits = self._engine.search(question)
            times.append(perf_counter() - began)
            ranked = ((hit.document, self._sections[hit.document, hit.position]) for hit in hits)
            found = list(dict.fromkeys(ranked))[:RANKS]
            right = (section.document, section.number)
            ranks.append(found.index(right) + 1 if right in found else None)
        ndcg = fmean(1 / log2(rank + 1) if rank else 0.0 for rank in ranks)
        return SearchQuality(ndcg, fmean(rank is not None for rank in ranks)), times


class TimedEmbedder:
    """An `Embedder` that counts the seconds which another one spends on documents."""

    def __init__(self, embedder: Embedder, clock: Clock) -> None:
        self.identity = embedder.identity
        self.dimensions = embedder.dimensions
        self.seconds = 0.0
        self.embed_query = embedder.embed_query
        self._embedder = embedder
        self._clock = clock

    def embed_documents(self, texts: Sequence[str]) -> list[bytes]:
        """What the other one gives."""
        began = self._clock()
        vectors = self._embedder.embed_documents(texts)
        self.seconds += self._clock() - began
        return vectors


def make_document(name: str, sections: Sequence[HeadedText]) -> NewDocument:
    """A document without title and headings: those are what is asked for."""
    return NewDocument(
        name=name,
        title="",
        text="",
        hash="",
        stamp="",
        outline=(),
        chunks=[chunk for section in sections for chunk in section.chunks],
    )
