"""The vectors of an index as a transaction sees them: read once for all calls, in parts, and then what has changed.

A part that was read stays, whatever becomes of the call that read it. So a load that takes longer than a call may take
comes to its end all the same: calls after it, or a thread that the engine starts, go on where it stopped.
"""

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import NamedTuple

from fieldguide.errors import StillLoading
from fieldguide.search.indexes.vector_block import SEGMENT_ROWS, VectorBlock
from fieldguide.search.indexes.vectors import Segment
from fieldguide.storage.port import Row, Transaction

PATIENCE_SECONDS = 2.0  # how long calls wait for a load together; then they answer without the vectors
PART_DOCUMENTS = 1000
REMEMBERED = 1000  # changes, for whoever still sees the index as it was before them
NOT_YET = "The index is being read into memory. Ask again in a moment."
VECTORS = "SELECT document_id, CASE WHEN maker = :maker THEN vectors ELSE x'' END AS vectors FROM search_vectors"
VECTORS_AMONG = f"{VECTORS} WHERE document_id IN (SELECT value FROM json_each(:documents))"  # noqa: S608  ours


class State(NamedTuple):
    """Which index a transaction sees, and how many changes of it."""

    identity: str
    revision: int


@dataclass(slots=True)
class Load:
    """A load under way: what was read, and the state that it began with, to which later changes are added."""

    state: State
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
        self._load: Load | None = None
        self._state: State | None = None
        self._block = VectorBlock((), dimensions)
        self._newest_changes: dict[int, int] = {}
        self._older: tuple[State, VectorBlock] | None = None

    def seen_by(self, transaction: Transaction) -> VectorBlock:
        """The block as this transaction sees the database; `StillLoading` when a load takes too long to wait for."""
        if not self._lock.acquire(timeout=PATIENCE_SECONDS):
            raise StillLoading(NOT_YET)
        try:
            return self._seen(transaction, self._state_of(transaction))
        finally:
            self._lock.release()

    def read_on(self, transaction: Transaction) -> None:
        """Read until all is read, part by part: calls that come meanwhile do not wait for it."""
        state = self._state_of(transaction)
        is_done = False
        while not is_done:
            with self._lock:
                is_done = self._is_held(state) or not self._may_go_on(state) or self._read_part(transaction)

    def some(self, transaction: Transaction, documents: Sequence[int]) -> VectorBlock:
        """The vectors of these documents alone, for who can't wait for all."""
        return VectorBlock((), self._dimensions).changed(self._vectors(transaction, documents))

    def _seen(self, transaction: Transaction, state: State) -> VectorBlock:
        if not self._is_held(state):
            self._read(transaction, state)
        if self._older and self._older[0] == state:
            return self._older[1]
        held = self._state
        assert held is not None  # noqa: S101  it was read
        if held.revision > state.revision:
            return self._as_it_was(transaction, state)
        if held.revision < state.revision:
            self._bring_up_to_date(transaction, state)
        return self._block

    def _read(self, transaction: Transaction, state: State) -> None:
        """Read the whole index, or as much of it as calls have patience for."""
        if not self._may_go_on(state):
            raise StillLoading(NOT_YET)
        while not self._read_part(transaction):
            if self._load and monotonic() > self._load.patience_ends:
                raise StillLoading(NOT_YET)

    def _may_go_on(self, state: State) -> bool:
        """Whether a transaction may add to the load: one that sees less than the load began with may not."""
        if self._load is None or self._load.state.identity != state.identity:
            self._state, self._block, self._older = None, VectorBlock((), self._dimensions), None
            self._load = Load(state, monotonic() + PATIENCE_SECONDS)
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
            self._block, self._state, self._load = VectorBlock(load.segments, self._dimensions), load.state, None
            self._remember_changes(transaction)
        return is_end

    def _bring_up_to_date(self, transaction: Transaction, state: State) -> None:
        assert self._state is not None  # noqa: S101  who calls has looked
        rows = transaction.fetch_all(
            f"{VECTORS} WHERE revision > :seen",
            {"maker": self._maker, "seen": self._state.revision},
        )
        self._block, self._state = self._block.changed(_by_document(rows)), state
        self._remember_changes(transaction)

    def _as_it_was(self, transaction: Transaction, state: State) -> VectorBlock:
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
        rows = transaction.fetch_all(
            VECTORS_AMONG,
            {"maker": self._maker, "documents": json.dumps(list(documents))},
        )
        return dict.fromkeys(documents, b"") | _by_document(rows)

    def _is_held(self, state: State) -> bool:
        return self._state is not None and self._state.identity == state.identity

    def _state_of(self, transaction: Transaction) -> State:
        row = transaction.fetch_one(
            """
            SELECT (SELECT identity FROM search_identity) AS identity,
                   (SELECT COALESCE(MAX(revision), 0) FROM search_vectors) AS revision
            """,
            {},
        )
        return State(str(row["identity"]), int(row["revision"])) if row else State("", 0)


def _by_document(rows: Sequence[Row]) -> dict[int, bytes]:
    return {row["document_id"]: row["vectors"] for row in rows}
