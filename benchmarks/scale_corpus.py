"""Real documents for measurements of size, embedded once for every place that they are put into."""

import sys
from collections.abc import Iterator, Sequence
from itertools import islice

from benchmarks.real_text import real_documents
from fieldguide.search.embedding import Embedder, blend_context, compose_embedded_text
from fieldguide.search.types import NewDocument

BATCH = 200

Made = tuple[NewDocument, list[bytes]]


class Corpus:
    """So many chunks of real documents, with their vectors."""

    def __init__(self, chunks: int, embedder: Embedder) -> None:
        self._made: list[Made] = []
        self.chunks = 0
        documents = real_documents(chunks)
        while batch := list(islice(documents, BATCH)):
            self._made += zip(batch, embedded(embedder, batch), strict=True)
            self.chunks += sum(len(each.chunks) for each in batch)
        print(f"{self.chunks:,} real chunks embedded", file=sys.stderr)

    def made(self, chunks: int) -> Iterator[Made]:
        """Documents with so many chunks together, or as many as there are."""
        held = 0
        for made in self._made:
            if held >= chunks:
                return
            held += len(made[1])
            yield made


def embedded(embedder: Embedder, documents: Sequence[NewDocument]) -> list[list[bytes]]:
    """The vectors of each document's chunks, as the engine makes them."""
    texts = [
        [compose_embedded_text(each.title, chunk.headings, chunk.text) for chunk in each.chunks] for each in documents
    ]
    rows = iter(embedder.embed_documents([text for each in texts for text in each]))
    return [blend_context([next(rows) for _ in each]) for each in texts]
