"""Several processes that fill one PostgreSQL index at once: each reads, embeds and writes its share of the texts."""

import multiprocessing
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from benchmarks.engines import find_embedder
from benchmarks.scale_corpus import Corpus, Share
from benchmarks.scale_places import opened, put, source_of
from fieldguide.search.models.choice import BUILT_IN

END_SECONDS = 60.0


class Filled(NamedTuple):
    """How many chunks there are, and how long the slowest writer took for the latest of them."""

    chunks: int
    seconds: float


class Writers:
    """Processes with a source of the project each, as its documents and its code have: writers of one would take turns.

    Equal texts come to the same writer, which leaves out the second.
    """

    def __init__(self, address: str, repositories: Sequence[Path], count: int) -> None:
        self._processes = []
        self._wires: list[Connection] = []
        context = multiprocessing.get_context("fork")
        for number in range(count):
            ours, its = context.Pipe()
            arguments = (its, address, repositories, Share(number, count))
            process = context.Process(target=write_share, args=arguments, daemon=True)
            process.start()
            self._processes.append(process)
            self._wires.append(ours)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if error is None:
            for wire in self._wires:
                wire.send(None)
        for process in self._processes:
            process.join(END_SECONDS if error is None else 0)
            process.terminate()

    def fill(self, size: int, until: float) -> Filled:
        """Have every writer put in its share of so many chunks, or what it can until a moment of the clock."""
        began = time.monotonic()
        for wire in self._wires:
            wire.send((size // len(self._wires), until))
        chunks = sum(wire.recv() for wire in self._wires)
        return Filled(chunks, time.monotonic() - began)


def write_share(wire: Connection, address: str, repositories: Sequence[Path], share: Share) -> None:
    """Put in as many chunks as are asked for, until nobody asks any more."""
    corpus = Corpus(repositories, find_embedder(BUILT_IN), share)
    engine = opened(address)
    while (asked := wire.recv()) is not None:
        size, until = asked
        for batch in corpus.up_to(size):
            put(engine, batch, source_of(share.number))
            if time.monotonic() > until:
                break
        wire.send(corpus.chunks)
    engine.database.close()
