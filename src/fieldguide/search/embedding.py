"""What the engine needs of a model: texts in, vectors out.

A vector is `dimensions` signed bytes of which only the direction counts: each is scaled to its own largest component,
so that a byte loses as little as it can, and the cosine of two of them needs no scale.
"""

from collections.abc import Sequence
from typing import Protocol

LARGEST = 127


class Embedder(Protocol):
    """A model that turns texts into vectors; near vectors mean that the texts are about the same thing."""

    @property
    def identity(self) -> str:
        """Names the model and its version: vectors of two identities can't be compared."""
        ...

    @property
    def dimensions(self) -> int:
        """How many components a vector has."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> list[bytes]:
        """One vector for each text that is to be found."""
        ...

    def embed_query(self, text: str) -> bytes:
        """The vector of what somebody looks for."""
        ...


def packed(components: Sequence[float]) -> bytes:
    """One vector in the form that is stored; no components, or none but zeros, point nowhere."""
    largest = max(map(abs, components), default=0.0)
    if not largest:
        return bytes(len(components))
    scale = LARGEST / largest
    return bytes(round(component * scale) & 0xFF for component in components)


def mean(vectors: Sequence[bytes]) -> bytes:
    """The direction that these vectors share: the middle of them, each counted as long as the others."""
    rows = [memoryview(vector).cast("b") for vector in vectors if any(vector)]
    if not rows:
        return bytes(len(vectors[0])) if vectors else b""
    lengths = [sum(component * component for component in row) ** 0.5 for row in rows]
    return packed(
        [sum(c / length for c, length in zip(column, lengths, strict=True)) for column in zip(*rows, strict=True)]
    )
