"""Vectors in memory, and the exact search for the nearest: every one is looked at, 100,000 in a few milliseconds.

The scan is simsimd's: it works on plain bytes (numpy's import would double the time to a first answer) and is quicker
than numpy's own product, which has no kernel for bytes. Vectors of one source lie together, so that a search in some
sources never touches the others.
"""

import heapq
import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import simsimd

from fieldguide.search.port import chunk_number

SAMPLED = 64
NOWHERE = 1.0  # the distance of a vector without direction: neither like nor unlike anything


class Rows(NamedTuple):
    """The vectors of one document, one after the other."""

    source: int
    vectors: bytes


class VectorBlock:
    """The vectors of many documents as one block; it never changes, a newer one takes its place."""

    def __init__(self, documents: Mapping[int, Rows], dimensions: int) -> None:
        self._dimensions = dimensions
        self._documents = sorted(documents, key=lambda document: (documents[document].source, document))
        self._bytes = b"".join(documents[document].vectors for document in self._documents)
        self._starts: list[int] = []
        self._places: dict[int, int] = {}
        self._source_of = {document: documents[document].source for document in self._documents}
        self._sources: dict[int, tuple[int, int]] = {}
        at = 0
        for number, document in enumerate(self._documents):
            rows = documents[document]
            self._starts.append(at)
            self._places[document] = number
            first, _ = self._sources.get(rows.source, (at, at))
            at += len(rows.vectors) // dimensions
            self._sources[rows.source] = first, at
        self._end = at

    def __len__(self) -> int:
        return self._end

    def documents(self) -> Iterator[tuple[int, Rows]]:
        """Every document with its vectors: what the next block is made from."""
        size = self._dimensions
        for document in self._documents:
            start, end = self._span(document)
            yield document, Rows(self._source_of[document], self._bytes[start * size : end * size])

    def vectors_of(self, document: int) -> list[bytes]:
        """The vectors of one document's chunks."""
        if document not in self._places:
            return []
        size = self._dimensions
        start, end = self._span(document)
        return [self._bytes[row * size : (row + 1) * size] for row in range(start, end)]

    def nearest(self, vector: bytes, sources: Iterable[int], *, without: int | None, limit: int) -> dict[int, float]:
        """The nearest chunks of these sources and their distances, nearest first."""
        if not any(vector):
            return {}
        skipped = range(*self._span(without)) if without in self._places else range(0)
        found: list[tuple[float, int]] = []
        for first, last in sorted(self._sources[source] for source in set(sources) if source in self._sources):
            if first < last:
                found += _smallest(self._scan(vector, first, last), limit + len(skipped), first)
        rows = sorted(entry for entry in found if entry[1] not in skipped)[:limit]
        return {self._chunk(row): distance for distance, row in rows}

    def distances(self, vector: bytes, chunks: Sequence[tuple[int, int]]) -> list[float]:
        """How far each of these (document, position) is; one that is not here is nowhere."""
        if not any(vector):
            return [NOWHERE] * len(chunks)
        rows = [self._row(document, position) for document, position in chunks]
        size = self._dimensions
        held = [self._bytes[row * size : (row + 1) * size] for row in rows if row is not None]
        measured = iter(_distances(vector, b"".join(held), size).tolist() if held else ())
        return [NOWHERE if row is None else next(measured) for row in rows]

    def _scan(self, vector: bytes, first: int, last: int) -> "memoryview[float]":
        size = self._dimensions
        return _distances(vector, memoryview(self._bytes)[first * size : last * size], size)

    def _span(self, document: int) -> tuple[int, int]:
        number = self._places[document]
        following = number + 1
        return self._starts[number], self._starts[following] if following < len(self._starts) else self._end

    def _row(self, document: int, position: int) -> int | None:
        if document not in self._places:
            return None
        start, end = self._span(document)
        return start + position if start + position < end else None

    def _chunk(self, row: int) -> int:
        number = bisect_right(self._starts, row) - 1
        return chunk_number(self._documents[number], row - self._starts[number])


def _distances(vector: bytes, rows: bytes | memoryview, size: int) -> "memoryview[float]":
    """The cosine distances of a vector to these rows."""
    query = memoryview(vector).cast("b", (1, size))
    table = memoryview(rows).cast("b", (len(rows) // size, size))
    found: Any = simsimd.cdist(query, table, "cosine")
    return memoryview(found).cast("B").cast("d")


def _smallest(distances: "memoryview[float]", limit: int, first: int) -> list[tuple[float, int]]:
    """The smallest of these with their row numbers; by numpy where other work has already imported it."""
    numpy = _imported_numpy()
    if numpy is not None and len(distances) > limit:
        values = numpy.frombuffer(distances)
        near = _near(numpy, values, limit)
        most = numpy.partition(values[near], limit - 1)[limit - 1]
        return [(float(values[row]), first + int(row)) for row in near[values[near] <= most]]
    listed = distances.tolist()
    most = heapq.nsmallest(limit, listed)[-1]
    return [(value, first + row) for row, value in enumerate(listed) if value <= most]


def _near(numpy: Any, values: Any, limit: int) -> Any:
    """The rows that may be among the smallest: those under a bound that a sample gives, a tenth of the work."""
    sample = values[::SAMPLED]
    if len(sample) > limit:
        place = 4 * limit // SAMPLED + 1  # four times as many as are wanted, if the sample is like the whole
        bound = numpy.partition(sample, place)[place]
        near = numpy.flatnonzero(values <= bound)
        if len(near) >= limit:
            return near
    return numpy.arange(len(values))


def _imported_numpy() -> Any:
    numpy = sys.modules.get("numpy")
    is_whole = not getattr(getattr(numpy, "__spec__", None), "_initializing", False)  # another thread may be importing
    return numpy if is_whole else None
