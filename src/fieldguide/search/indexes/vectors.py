"""Holds the vectors of an index in memory and finds the nearest ones exactly.

The scan is simsimd's: it works on plain bytes, for which numpy has no product of its own.

A change makes new those segments alone that hold what has changed, and shares the others with the block before: it
costs what has changed, in time and in memory.

A part that was read stays, whatever becomes of the call that read it. So a load that takes longer than a call may take
comes to its end all the same: calls after it, or a thread that the engine starts, go on where it stopped.
"""

import json
import threading
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from time import monotonic
from typing import Any, NamedTuple

import simsimd

from fieldguide.search.embedding import Row as Floats
from fieldguide.search.embedding import to_signed
from fieldguide.search.types import DOCUMENT_BITS, number_chunk
from fieldguide.storage.database import Row, Transaction
from fieldguide.text.errors import StillLoading

LEVELS = 127  # steps in a distance of one; cosine distances go up to two, so that a step fits into a byte
COARSE = 16
ALIKE = 1e-6  # distances this near to each other may be equal but for rounding
_NOT_ABOVE = b"\x01" * 256 + bytes(255)  # read from 255 - level on: one up to the level, nothing above it
_COARSER = bytes(level // COARSE for level in range(256))


def find_smallest(distances: Floats, limit: int) -> list[int]:
    """The places of the smallest of these, and of as many again that equal the last of them but for rounding."""
    if len(distances) <= limit:
        return list(range(len(distances)))
    levels = to_signed(distances, LEVELS)
    level = _level_with(levels, limit)
    near = _up_to(levels, level, distances)
    last = sorted(distance for _, distance in near)[limit - 1]
    if round((last + ALIKE) * LEVELS) > level:  # what lies just beyond the step may be as good
        near = _up_to(levels, level + 1, distances)
    sure = [place for place, distance in near if distance < last - ALIKE]
    alike = [place for place, distance in near if abs(distance - last) <= ALIKE]
    return sure + alike[: 2 * limit]


def _level_with(levels: bytes, limit: int) -> int:
    """The level up to which at least so many are; steps of sixteen are counted first, so that few must be counted."""
    coarse = levels.translate(_COARSER)
    counted = 0
    for step in range(256 // COARSE):
        held = coarse.count(step)
        if counted + held >= limit:
            return _level_within(levels, step * COARSE, limit - counted)
        counted += held
    return 255


def _level_within(levels: bytes, first: int, limit: int) -> int:
    counted = 0
    for level in range(first, first + COARSE):
        counted += levels.count(level)
        if counted >= limit:
            return level
    return 255


def _up_to(levels: bytes, level: int, distances: Floats) -> list[tuple[int, float]]:
    """The places of those that are not above a level, in order, with their distances."""
    marked = levels.translate(_NOT_ABOVE[255 - level : 511 - level])
    found: list[tuple[int, float]] = []
    place = marked.find(1)
    while place >= 0:
        found.append((place, distances[place]))
        place = marked.find(1, place + 1)
    return found


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
        """Every document with its vectors."""
        for number, document in enumerate(self._documents):
            yield document, self.rows(self._starts[number], self._starts[number + 1])

    def changed(self, documents: Mapping[int, bytes]) -> "Segment":
        """The segment in which these documents have these vectors; one with none is not there any more.

        What lies between them is copied in one piece: 1.3 ms for 30,000 rows, of which single documents took 15 ms.
        """
        made = Segment((), self._dimensions)
        parts: list[memoryview] = []
        copied = 0
        for document, vectors in sorted(documents.items()):
            place = bisect_left(self._documents, document)
            parts.append(made._append(self, copied, place))
            is_known = place < len(self._documents) and self._documents[place] == document
            copied = place + is_known
            if vectors:
                parts.append(made._append(Segment([(document, vectors)], self._dimensions), 0, 1))
        parts.append(made._append(self, copied, len(self._documents)))
        made._bytes = memoryview(b"".join(parts))
        return made

    def _append(self, other: "Segment", first: int, last: int) -> memoryview:
        """Take over the numbers of some documents of another segment; their vectors."""
        shift = self._starts[-1] - other._starts[first]
        starts = other._starts[first + 1 : last + 1]
        self._starts.extend(array("q", (start + shift for start in starts)) if shift else starts)
        self._documents.extend(other._documents[first:last])
        return other.rows(other._starts[first], other._starts[last])

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
        return number_chunk(self._documents[number], row - self._starts[number])

    def rows(self, first: int, last: int) -> memoryview:
        """The vectors from one row to before another."""
        return self._bytes[first * self._dimensions : last * self._dimensions]


def compute_distances(vector: bytes, rows: bytes | memoryview, *, is_rough: bool = False) -> memoryview:
    """The bytes of the cosine distances of a vector to these rows: doubles, or floats of four bytes, soon copied."""
    size = len(vector)
    table = memoryview(rows).cast("b", (len(rows) // size, size))
    found: Any = simsimd.cdist(
        memoryview(vector).cast("b", (1, size)), table, "cosine", out_dtype="f32" if is_rough else "f64"
    )
    return memoryview(found).cast("B")


SEGMENT_ROWS = 16_384


class RowSpan(NamedTuple):
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
        for number, segment in enumerate(self._segments or (Segment((), self._dimensions),)):
            made = segment.changed(touched[number]) if number in touched else segment
            if len(made) >= 2 * SEGMENT_ROWS:
                segments += cut_segments([*made.documents()], self._dimensions)
            elif len(made):
                segments.append(made)
        return VectorBlock(segments, self._dimensions)

    def vectors_of(self, document: int) -> list[bytes]:
        """The vectors of one document's chunks."""
        segment, first, last = self._span(document)
        return [bytes(segment.rows(row, row + 1)) for row in range(first, last)] if segment else []

    def nearest(self, vector: bytes, sources: Iterable[int], *, without: int | None, limit: int) -> dict[int, float]:
        """The nearest chunks of these sources and their distances, nearest first."""
        spans: list[RowSpan] = []
        for source in sorted(set(sources)) if any(vector) else ():
            for segment in self._segments:
                start, end = segment.source_span(source)
                if start < end:
                    spans.append(RowSpan(segment, start, end))
        if not spans:
            return {}
        wanted = limit
        if without is not None:
            _, first, last = self._span(without)
            wanted += last - first
        roughly = [compute_distances(vector, span.segment.rows(*span[1:]), is_rough=True) for span in spans]
        starts = [0, *accumulate(span.last - span.first for span in spans)]
        rows: list[tuple[Segment, int]] = []
        for place in find_smallest(memoryview(b"".join(roughly)).cast("f"), wanted):
            number = bisect_right(starts, place) - 1
            rows.append((spans[number].segment, spans[number].first + place - starts[number]))
        held = b"".join(segment.rows(row, row + 1) for segment, row in rows)
        measured = compute_distances(vector, held).cast("d")
        found = zip(measured.tolist(), (segment.chunk(row) for segment, row in rows), strict=True)
        left_out = range(0) if without is None else range(number_chunk(without, 0), number_chunk(without + 1, 0))
        nearest = sorted(entry for entry in found if entry[1] not in left_out)[:limit]
        return {chunk: distance for distance, chunk in nearest}

    def distances(self, vector: bytes, chunks: Sequence[tuple[int, int]]) -> list[float]:
        """How far each of these (document, position) is; one that is not here is nowhere."""
        if not any(vector):
            return [NOWHERE] * len(chunks)
        rows = [self._row(document, position) for document, position in chunks]
        held = b"".join(row for row in rows if row is not None)
        measured = iter(compute_distances(vector, held).cast("d").tolist() if held else ())
        return [NOWHERE if row is None else next(measured) for row in rows]

    def _span(self, document: int) -> RowSpan | tuple[None, int, int]:
        number = bisect_right(self._firsts, document) - 1
        if number < 0:
            return None, 0, 0
        return RowSpan(self._segments[number], *self._segments[number].span(document))

    def _row(self, document: int, position: int) -> memoryview | None:
        segment, first, last = self._span(document)
        row = first + position
        return segment.rows(row, row + 1) if segment and row < last else None


def cut_segments(documents: Sequence[tuple[int, bytes | memoryview]], dimensions: int) -> Iterator[Segment]:
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
            taken = []
            size = 0
    if taken:
        yield Segment(taken, dimensions)


PATIENCE_SECONDS = 0.5  # how long calls wait for a load together; then they answer without the vectors
PART_DOCUMENTS = 1000
REMEMBERED = 1000  # changes, for whoever still sees the index as it was before them
NOT_YET = "The index is being read into memory. Ask again in a moment."
VECTORS = "SELECT document_id, CASE WHEN maker = :maker THEN vectors ELSE x'' END AS vectors FROM search_vectors"
VECTORS_AMONG = f"{VECTORS} WHERE document_id IN (SELECT value FROM json_each(:documents))"  # noqa: S608  ours


class IndexState(NamedTuple):
    """Which index a transaction sees, and how many changes of it."""

    identity: str
    revision: int


@dataclass(slots=True)
class VectorLoad:
    """A load under way: what was read, and the state that it began with, to which later changes are added."""

    state: IndexState
    patience_ends: float
    segments: list[Segment] = field(default_factory=list[Segment])
    pending: list[tuple[int, bytes | memoryview]] = field(default_factory=list[tuple[int, bytes | memoryview]])
    last_document: int = -1


class CurrentVectors:
    """One block for all calls of a process; every method may be called from any thread."""

    def __init__(self, dimensions: int, maker: str) -> None:
        self._dimensions = dimensions
        self._maker = maker
        self._lock = threading.Lock()
        self._load: VectorLoad | None = None
        self._is_read_on = False
        self._state: IndexState | None = None
        self._block = VectorBlock((), dimensions)
        self._newest_changes: dict[int, int] = {}
        self._older: tuple[IndexState, VectorBlock] | None = None
        self.rows: int | None = None
        """How many vectors there are, by the latest transaction that saw a change; None before all were read."""
        self._last_seen: tuple[Transaction | None, VectorBlock] = (None, self._block)

    def seen_by(self, transaction: Transaction) -> VectorBlock:
        """The block as this transaction sees the database; `StillLoading` when a load takes too long to wait for."""
        last, block = self._last_seen
        if last is transaction:  # what a transaction sees stays the same
            return block
        load = self._load
        is_late = self._is_read_on and load is not None and monotonic() > load.patience_ends
        if is_late or not self._lock.acquire(timeout=PATIENCE_SECONDS):
            raise StillLoading(NOT_YET)
        try:
            state = self._state_of(transaction)
            if self._state is None or self._state.identity != state.identity:
                self._read(transaction, state)
            held = self._state or state
            if self._older and self._older[0] == state:
                block = self._older[1]
            elif held.revision > state.revision:
                block = self._as_it_was(transaction, state)
            else:
                if held.revision < state.revision:
                    self._bring_up_to_date(transaction, state)
                block = self._block
        finally:
            self._lock.release()
        self._last_seen = (transaction, block)
        return block

    def read_on(self, transaction: Transaction) -> None:
        """Read until all is read, part by part: calls that come meanwhile do not wait for it."""
        state = self._state_of(transaction)
        is_done = False
        self._is_read_on = True
        try:
            while not is_done:
                with self._lock:
                    is_held = self._state is not None and self._state.identity == state.identity
                    is_done = is_held or not self._may_go_on(state) or self._read_part(transaction)
        finally:
            self._is_read_on = False

    def some(self, transaction: Transaction, documents: Sequence[int]) -> VectorBlock:
        """The vectors of these documents alone, for who can't wait for all."""
        return VectorBlock((), self._dimensions).changed(self._vectors(transaction, documents))

    def _read(self, transaction: Transaction, state: IndexState) -> None:
        """Read the whole index, or as much of it as calls have patience for."""
        if not self._may_go_on(state):
            raise StillLoading(NOT_YET)
        while not self._read_part(transaction):
            if self._load and monotonic() > self._load.patience_ends:
                raise StillLoading(NOT_YET)

    def _may_go_on(self, state: IndexState) -> bool:
        """Whether a transaction may add to the load: one that sees less than the load began with may not."""
        if self._load is None or self._load.state.identity != state.identity:
            self._state = None
            self._block = VectorBlock((), self._dimensions)
            self._older = None
            self._load = VectorLoad(state, monotonic() + PATIENCE_SECONDS)
        return self._load.state.revision <= state.revision

    def _read_part(self, transaction: Transaction) -> bool:
        """Read some more documents; True when these were the last. What changes meanwhile is read once more, later."""
        load = self._load
        assert load is not None  # noqa: S101  who calls has begun it
        rows = transaction.fetch_all(
            f"{VECTORS} WHERE document_id > :last ORDER BY document_id LIMIT :limit",
            {"maker": self._maker, "last": load.last_document, "limit": PART_DOCUMENTS},
        )
        is_end = len(rows) < PART_DOCUMENTS
        load.pending += [(row["document_id"], row["vectors"]) for row in rows if row["vectors"]]
        load.last_document = rows[-1]["document_id"] if rows else load.last_document
        size = sum(len(vectors) for _, vectors in load.pending)
        if load.pending and (is_end or size >= SEGMENT_ROWS * self._dimensions):
            load.segments.append(Segment(load.pending, self._dimensions))
            load.pending = []
        if is_end:
            self._block = VectorBlock(load.segments, self._dimensions)
            self.rows = len(self._block)
            self._state = load.state
            self._load = None
            self._remember_changes(transaction)
        return is_end

    def _bring_up_to_date(self, transaction: Transaction, state: IndexState) -> None:
        assert self._state is not None  # noqa: S101  who calls has looked
        rows = transaction.fetch_all(
            f"{VECTORS} WHERE revision > :seen", {"maker": self._maker, "seen": self._state.revision}
        )
        self._block = self._block.changed(_by_document(rows))
        self.rows = len(self._block)
        self._state = state
        self._remember_changes(transaction)

    def _as_it_was(self, transaction: Transaction, state: IndexState) -> VectorBlock:
        """The block for a transaction that sees less than others have seen already."""
        later = [document for document, revision in self._newest_changes.items() if revision > state.revision]
        if len(later) < len(self._newest_changes) or len(later) < REMEMBERED:
            block = self._block.changed(self._vectors(transaction, later))
        else:
            rows = transaction.fetch_all(VECTORS, {"maker": self._maker})
            block = VectorBlock((), self._dimensions).changed(_by_document(rows))
        self._older = state, block
        return block

    def _remember_changes(self, transaction: Transaction) -> None:
        rows = transaction.fetch_all(
            "SELECT document_id, revision FROM search_vectors ORDER BY revision DESC LIMIT :limit",
            {"limit": REMEMBERED},
        )
        self._newest_changes = {row["document_id"]: row["revision"] for row in rows}

    def _vectors(self, transaction: Transaction, documents: Sequence[int]) -> dict[int, bytes]:
        rows = transaction.fetch_all(VECTORS_AMONG, {"maker": self._maker, "documents": json.dumps(list(documents))})
        return dict.fromkeys(documents, b"") | _by_document(rows)

    def _state_of(self, transaction: Transaction) -> IndexState:
        row = transaction.fetch_one(
            """
            SELECT (SELECT identity FROM search_identity) AS identity,
                   (SELECT COALESCE(MAX(revision), 0) FROM search_vectors) AS revision
            """,
            {},
        )
        return IndexState(str(row["identity"]), int(row["revision"])) if row else IndexState("", 0)


def _by_document(rows: Sequence[Row]) -> dict[int, bytes]:
    return {row["document_id"]: row["vectors"] for row in rows}
