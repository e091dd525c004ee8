"""Documents for measurements of size: real ones as far as they go, and beyond that mixtures of them, marked as such.

A mixture has the first half of each chunk from one real document and the second half from another; its vectors lie
between theirs, with some noise. So words stay as common as they are, no two chunks are equal, and nothing is embedded
again. The same number always gives the same document.
"""

import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from benchmarks.engines import new_document
from benchmarks.real_text import real_documents
from fieldguide.search.chunking import Chunk
from fieldguide.search.embedding import Embedder, in_context
from fieldguide.search.engine import embedded_text
from fieldguide.search.port import NewDocument

BATCH = 200
APART = 7919  # a prime: how far from a document its partner is
NOISE = 12.0
NEAREST_SHARE = 0.75
LARGEST = 127

Made = tuple[NewDocument, list[bytes]]


class Corpus:
    """So many chunks of real documents, embedded once, and as many more as are wanted."""

    def __init__(self, real_chunks: int, embedder: Embedder) -> None:
        self._real: list[Made] = []
        held = 0
        documents = real_documents(real_chunks)
        while batch := list(islice(documents, BATCH)):
            self._real += zip(batch, embedded(embedder, batch), strict=True)
            held += sum(len(each.chunks) for each in batch)
            print(f"\r{held:,} real chunks embedded", end="", file=sys.stderr)
        print(file=sys.stderr)
        self.real_chunks = held

    @property
    def documents(self) -> list[NewDocument]:
        return [new for new, _ in self._real]

    def made(self, chunks: int) -> Iterator[Made]:
        """Documents with so many chunks together: real ones, then mixtures."""
        held = number = 0
        while held < chunks:
            turn, place = divmod(number, len(self._real))
            made = self._real[place] if turn == 0 else self._mixed(turn, place)
            held += len(made[1])
            number += 1
            if made[1]:
                yield made

    def _mixed(self, turn: int, place: int) -> Made:
        first, first_vectors = self._real[place]
        second, second_vectors = self._real[(place + turn * APART) % len(self._real)]
        if not second.chunks:
            second, second_vectors = first, first_vectors
        chunks = [
            mixed_chunk(chunk, second.chunks[position % len(second.chunks)])
            for position, chunk in enumerate(first.chunks)
        ]
        text = "\n\n".join(chunk.text for chunk in chunks)
        name = f"synthetic/{turn}/{first.name}"
        new = new_document(name, first.title, text, outline=[], chunks=chunks)
        return new, mixed_vectors(first_vectors, second_vectors, seed=turn * len(self._real) + place)


def embedded(embedder: Embedder, documents: Sequence[NewDocument]) -> list[list[bytes]]:
    """The vectors of each document's chunks, as the engine makes them."""
    texts = [[embedded_text(each.title, chunk.headings, chunk.text) for chunk in each.chunks] for each in documents]
    rows = iter(embedder.embed_documents([text for each in texts for text in each]))
    return [in_context([next(rows) for _ in each]) for each in texts]


def mixed_chunk(first: Chunk, second: Chunk) -> Chunk:
    text = f"{first.text[: len(first.text) // 2]} {second.text[len(second.text) // 2 :]}"
    return Chunk(text, first.headings, first.start_line, first.end_line)


def mixed_vectors(first: Sequence[bytes], second: Sequence[bytes], *, seed: int) -> list[bytes]:
    """Between the vectors of two documents, nearer to the first."""
    if not first:
        return []
    numbers = np.random.default_rng(seed)
    ours = unit(np.frombuffer(b"".join(first), np.int8).reshape(len(first), -1))
    theirs = unit(np.frombuffer(b"".join(second[i % len(second)] for i in range(len(first))), np.int8))
    theirs = theirs.reshape(ours.shape)
    mixed = NEAREST_SHARE * ours + (1 - NEAREST_SHARE) * theirs + numbers.normal(0, NOISE / 2048, ours.shape)
    scaled = np.rint(mixed * (LARGEST / np.abs(mixed).max(axis=1, keepdims=True))).astype(np.int8)
    return [row.tobytes() for row in scaled]


def unit(rows: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    floats = rows.astype(np.float32)
    width = 256 if floats.ndim == 1 else floats.shape[1]
    floats = floats.reshape(-1, width)
    directions: np.ndarray[Any, Any] = floats / np.maximum(np.linalg.norm(floats, axis=1, keepdims=True), 1e-9)
    return directions
