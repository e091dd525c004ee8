"""The vectors of some documents in memory, and how far they are from another: one piece of a block.

The scan is simsimd's: it works on plain bytes, for which numpy has no product of its own.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

import simsimd

from fieldguide.search.port import DOCUMENT_BITS, chunk_number

NOWHERE = 1.0  # the distance of a vector without direction: neither like nor unlike anything


class Segment:
    """The vectors of documents whose numbers follow each other; it never changes, a newer one takes its place.

    The number of a document begins with that of its source, so documents of one source lie together here.
    """

    def __init__(self, documents: Sequence[tuple[int, bytes | memoryview]], dimensions: int) -> None:
        self._dimensions = dimensions
        self._documents = array("q", (document for document, _ in documents))
        self._starts = array("q", (0, *accumulate(len(vectors) // dimensions for _, vectors in documents)))
        self._bytes = memoryview(b"".join(vectors for _, vectors in documents))

    def __len__(self) -> int:
        return self._starts[-1]

    @property
    def first(self) -> int:
        """The number of the first document."""
        return self._documents[0]

    def documents(self) -> Iterator[tuple[int, memoryview]]:
        """Every document with its vectors: what the next segment is made from."""
        for number, document in enumerate(self._documents):
            yield document, self.rows(self._starts[number], self._starts[number + 1])

    def span(self, document: int) -> tuple[int, int]:
        """The rows of a document, from and to; none where it is not here."""
        number = bisect_left(self._documents, document)
        if number == len(self._documents) or self._documents[number] != document:
            return 0, 0
        return self._starts[number], self._starts[number + 1]

    def source_span(self, source: int) -> tuple[int, int]:
        """The rows of a source, from and to."""
        first = bisect_left(self._documents, source << DOCUMENT_BITS)
        last = bisect_left(self._documents, (source + 1) << DOCUMENT_BITS)
        return self._starts[first], self._starts[last]

    def chunk(self, row: int) -> int:
        """The number of the chunk whose vector is in a row; a document without chunks has no row."""
        number = bisect_left(self._starts, row + 1) - 1
        return chunk_number(self._documents[number], row - self._starts[number])

    def rows(self, first: int, last: int) -> memoryview:
        """The vectors from one row to before another."""
        return self._bytes[first * self._dimensions : last * self._dimensions]


def distances(vector: bytes, rows: bytes | memoryview, size: int) -> "memoryview[float]":
    """The cosine distances of a vector to these rows."""
    return _as_doubles(simsimd.cdist(_table(vector, size), _table(rows, size), "cosine"))


def rough_distances(vector: bytes, rows: bytes | memoryview, size: int) -> memoryview:
    """The same as floats of four bytes, to choose from: many are soon copied."""
    found: Any = simsimd.cdist(_table(vector, size), _table(rows, size), "cosine", out_dtype="f32")
    return memoryview(found).cast("B")


def _table(rows: bytes | memoryview, size: int) -> "memoryview[int]":
    return memoryview(rows).cast("b", (len(rows) // size, size))


def _as_doubles(found: Any) -> "memoryview[float]":
    return memoryview(found).cast("B").cast("d")
