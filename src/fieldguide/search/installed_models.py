"""Models that somebody has installed beside us: each behind the same small interface, imported when it is chosen."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from fieldguide.search.embedding import LARGEST


class Wordllama:
    """wordllama's static table of 256 dimensions, whose weights come with its package."""

    identity = "wordllama-256"
    dimensions = 256

    def __init__(self) -> None:
        from pathlib import Path

        wordllama: Any = import_module("wordllama")

        package = Path(wordllama.__file__).parent  # its loader would look for one of its own files on the network
        self._model = wordllama.WordLlama.load(cache_dir=package, disable_download=True)

    def embed_documents(self, texts: Sequence[str]) -> list[bytes]:
        """One vector for each text."""
        return packed_rows(self._model.embed(list(texts), norm=True)) if texts else []

    def embed_query(self, text: str) -> bytes:
        """The vector of a query."""
        return self.embed_documents([text])[0]


def packed_rows(rows: Any) -> list[bytes]:
    """The rows of a matrix in the form that is stored."""
    import numpy

    matrix = numpy.asarray(rows, dtype=numpy.float32)
    largest = numpy.abs(matrix).max(axis=1, keepdims=True)
    largest[largest == 0] = 1.0
    return [row.tobytes() for row in numpy.rint(matrix / largest * LARGEST).astype(numpy.int8)]


Encode = Callable[[Sequence[str]], Any]
