"""How well and how fast a model finds sections by their headings, measured with the real engine on its own file."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from math import log2
from statistics import fmean, median
from time import perf_counter, process_time
from typing import NamedTuple

from fieldguide.search.embedders.heading_questions import HeadedText, Trial
from fieldguide.search.embedding import Embedder
from fieldguide.search.engine import Question, SearchEngine, maker_of
from fieldguide.search.indexes.index_sqlite import SqliteIndex
from fieldguide.search.opening import SCHEMA
from fieldguide.search.port import NewDocument, Scope, Source
from fieldguide.storage.sqlite import SqliteDatabase

RANKS = 10
LOOKED_AT = 50  # chunks; several may be of one section, which counts once
BATCH_DOCUMENTS = 20
SOURCE = Source("trial", "sections")

Progress = Callable[[int, int], None]
Clock = Callable[[], float]


class Quality(NamedTuple):
    """The means over all questions: how high the right section stands, and how often it is among the first ten."""

    ndcg: float
    recall: float


class Measured(NamedTuple):
    """What one model does: quality by its vectors alone and fused with keywords, speeds, and the time of a search."""

    identity: str
    dimensions: int
    vectors: Quality
    fused: Quality
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


def measure_keywords(trial: Trial, folder: str) -> Quality:
    """What keywords find without any model."""
    bench = Bench(NoVectors(), os.path.join(folder, "keywords.db"), process_time)
    bench.index(trial.documents, lambda done, total: None)
    return bench.ask(trial.asked, by_words=True)[0]


def measure_model(
    embedder: Embedder,
    trial: Trial,
    folder: str,
    *,
    is_remote: bool = False,
    progress: Progress = lambda done, total: None,
) -> Measured:
    """What a model finds; the time of a local one is that of the processor, whatever else the machine is doing."""
    bench = Bench(embedder, os.path.join(folder, "model.db"), perf_counter if is_remote else process_time)
    embedder.embed_documents(["What is loaded late is loaded now."])
    seconds = bench.index(trial.documents, progress)
    vectors, _ = bench.ask(trial.asked, by_words=False)
    fused, times = bench.ask(trial.asked, by_words=True)
    return Measured(
        identity=embedder.identity,
        dimensions=embedder.dimensions,
        vectors=vectors,
        fused=fused,
        embedded_chunks_per_second=trial.chunks / max(bench.embedder.seconds, 1e-9),
        indexed_chunks_per_second=trial.chunks / max(seconds, 1e-9),
        query_milliseconds=median(times) * 1000,
    )


class Bench:
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
            SqliteIndex(embedder.dimensions, maker_of(embedder)),
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
            self._engine.put(SOURCE, [document_of(name, documents[name]) for name in batch])
            progress(start + len(batch), len(names))
        self._engine.finish(SOURCE, {})
        return self._clock() - began

    def ask(self, asked: Sequence[HeadedText], *, by_words: bool) -> tuple[Quality, list[float]]:
        """How well the questions are answered, and the seconds that each took."""
        [source] = [each.id for each in self._engine.sources(SOURCE.kind)]
        ranks: list[int | None] = []
        times: list[float] = []
        for section in asked:
            question = Question(section.question, Scope((source,)), LOOKED_AT, by_words=by_words)
            began = perf_counter()
            hits = self._engine.search(question)
            times.append(perf_counter() - began)
            ranked = ((hit.document, self._sections[hit.document, hit.position]) for hit in hits)
            found = list(dict.fromkeys(ranked))[:RANKS]
            right = (section.document, section.number)
            ranks.append(found.index(right) + 1 if right in found else None)
        ndcg = fmean(1 / log2(rank + 1) if rank else 0.0 for rank in ranks)
        return Quality(ndcg, fmean(rank is not None for rank in ranks)), times


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


def document_of(name: str, sections: Sequence[HeadedText]) -> NewDocument:
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
