"""How near the vectors of records are to a proposal's, as a share that is added to what their words give."""

from collections.abc import Mapping, Sequence
from typing import Any

from fieldguide.search.embedding import Embedder

USUAL_LIKENESS = 0.35  # two texts about software are about as alike as this, whatever they say
SHARE = 0.35


class Nearness:
    """The vectors of records; where there is no model, nothing is near and the words alone rank."""

    def __init__(self, embedder: Embedder | None, texts: Sequence[str], earlier: "Nearness | None" = None) -> None:
        self._embedder = embedder
        self.identity = embedder.identity if embedder else ""
        known: Mapping[str, bytes] = earlier.vectors if earlier and earlier.identity == self.identity else {}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        made = dict(zip(new, embedder.embed_documents(new), strict=True)) if embedder and new else {}
        self.vectors: Mapping[str, bytes] = {text: made.get(text) or known[text] for text in texts} if embedder else {}
        self._rows = b"".join(self.vectors[text] for text in texts) if embedder else b""
        self._count = len(texts)

    def shares(self, text: str) -> list[float]:
        """For each record what its likeness adds, 0 where it is no more alike than any two texts."""
        if self._embedder is None or not self._count:
            return [0.0] * self._count
        vector = self._embedder.embed_query(text)
        if not any(vector):
            return [0.0] * self._count
        return [SHARE * max(0.0, 1 - distance - USUAL_LIKENESS) for distance in _distances(vector, self._rows)]


def _distances(vector: bytes, rows: bytes) -> list[float]:
    import simsimd

    size = len(vector)
    query = memoryview(vector).cast("b", (1, size))
    table = memoryview(rows).cast("b", (len(rows) // size, size))
    found: Any = simsimd.cdist(query, table, "cosine")
    return [float(distance) for distance in memoryview(found).cast("B").cast("d")]
