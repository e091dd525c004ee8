"""The vectors of an index as one block of segments, and the exact search for the nearest: every one is looked at.

A change makes new those segments alone that hold what has changed, and shares the others with the block before: it
costs what has changed, in time and in memory.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from fieldguide.search.indexes.nearest import smallest
from fieldguide.search.indexes.vectors import NOWHERE, Segment, distances, rough_distances
from fieldguide.search.port import chunk_number

SEGMENT_ROWS = 16_384


class Span(NamedTuple):
    """Some rows of a segment, from and to."""

    segment: Segment
    first: int
    last: int


class VectorBlock:
    """The vectors of many documents; it never changes, a newer one takes its place."""

    def __init__(self, segments: Iterable[Segment], dimensions: int) -> None:
        self._dimensions = dimensions
        self._segments = tuple(segments)
        self._firsts = [segment.first for segment in self._segments]
        self._end = sum(map(len, self._segments))

    def __len__(self) -> int:
        return self._end

    def changed(self, documents: Mapping[int, bytes]) -> "VectorBlock":
        """The block in which these documents have these vectors; one with none is not there any more."""
        touched: dict[int, dict[int, bytes]] = {}
        for document, vectors in documents.items():
            touched.setdefault(max(0, bisect_right(self._firsts, document) - 1), {})[document] = vectors
        segments: list[Segment] = []
        for number, segment in enumerate(self._segments or (None,)):
            if number not in touched:
                segments += [segment] if segment else []
                continue
            held: dict[int, bytes | memoryview] = dict(segment.documents()) if segment else {}
            held |= touched[number]
            segments += cut([(each, held[each]) for each in sorted(held) if len(held[each])], self._dimensions)
        return VectorBlock(segments, self._dimensions)

    def vectors_of(self, document: int) -> list[bytes]:
        """The vectors of one document's chunks."""
        segment, first, last = self._span(document)
        return [bytes(segment.rows(row, row + 1)) for row in range(first, last)] if segment else []

    def nearest(self, vector: bytes, sources: Iterable[int], *, without: int | None, limit: int) -> dict[int, float]:
        """The nearest chunks of these sources and their distances, nearest first."""
        spans = list(self._spans(sources)) if any(vector) else []
        if not spans:
            return {}
        skipped = _length(self._span(without)) if without is not None else 0
        wanted = limit + skipped
        rows = self._nearest_rows(vector, spans, wanted)
        measured = distances(vector, b"".join(segment.rows(row, row + 1) for segment, row in rows), self._dimensions)
        found = zip(measured.tolist(), (segment.chunk(row) for segment, row in rows), strict=True)
        left_out = range(0) if without is None else range(chunk_number(without, 0), chunk_number(without + 1, 0))
        nearest = sorted(entry for entry in found if entry[1] not in left_out)[:limit]
        return {chunk: distance for distance, chunk in nearest}

    def distances(self, vector: bytes, chunks: Sequence[tuple[int, int]]) -> list[float]:
        """How far each of these (document, position) is; one that is not here is nowhere."""
        if not any(vector):
            return [NOWHERE] * len(chunks)
        rows = [self._row(document, position) for document, position in chunks]
        held = b"".join(row for row in rows if row is not None)
        measured = iter(distances(vector, held, self._dimensions).tolist() if held else ())
        return [NOWHERE if row is None else next(measured) for row in rows]

    def _nearest_rows(self, vector: bytes, spans: Sequence[Span], wanted: int) -> list[tuple[Segment, int]]:
        measured = [
            rough_distances(vector, each.segment.rows(each.first, each.last), self._dimensions) for each in spans
        ]
        starts = [0, *accumulate(map(_length, spans))]
        rows: list[tuple[Segment, int]] = []
        for place in smallest(memoryview(b"".join(measured)).cast("f"), wanted):
            number = bisect_right(starts, place) - 1
            rows.append((spans[number].segment, spans[number].first + place - starts[number]))
        return rows

    def _spans(self, sources: Iterable[int]) -> Iterator[Span]:
        for source in sorted(set(sources)):
            for segment in self._segments:
                first, last = segment.source_span(source)
                if first < last:
                    yield Span(segment, first, last)

    def _span(self, document: int) -> Span | tuple[None, int, int]:
        number = bisect_right(self._firsts, document) - 1
        if number < 0:
            return None, 0, 0
        return Span(self._segments[number], *self._segments[number].span(document))

    def _row(self, document: int, position: int) -> memoryview | None:
        segment, first, last = self._span(document)
        row = first + position
        return segment.rows(row, row + 1) if segment and row < last else None


def cut(documents: Sequence[tuple[int, bytes | memoryview]], dimensions: int) -> Iterator[Segment]:
    """Segments of about the same size, from documents in the order of their numbers; few documents are one."""
    total = sum(len(vectors) for _, vectors in documents)
    aim = total / max(1, total // (SEGMENT_ROWS * dimensions))
    taken: list[tuple[int, bytes | memoryview]] = []
    size = 0
    for document, vectors in documents:
        taken.append((document, vectors))
        size += len(vectors)
        if size >= aim:
            yield Segment(taken, dimensions)
            taken, size = [], 0
    if taken:
        yield Segment(taken, dimensions)


def _length(span: Span | tuple[None, int, int]) -> int:
    return span[2] - span[1]
