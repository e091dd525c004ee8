"""Fieldguide's own embedding model: a row of bytes for each word piece, weighted and added up.

`training/` makes the file and `model/card.md` says what it can do. Nothing is read before the first text comes.
"""

import mmap
import struct
import threading
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from fieldguide.errors import Failure
from fieldguide.search.embedding import LARGEST, packed
from fieldguide.search.wordpieces import WordPieces

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NAME = "fieldguide-static"
SHIPPED = Path(__file__).with_name("model") / "static.bin"
MAGIC = b"FGSTATIC"
DIGEST_BYTES = 16
HEADER = struct.Struct(f"<8sIIQ{DIGEST_BYTES}s")  # the fields of `Header`
FREQUENCY_POWER = 0.75  # a word that stands twice in a text says less than twice as much; training counts alike


class Header(NamedTuple):
    """The first bytes of a model file; the digest is of all that follows them."""

    magic: bytes
    rows: int
    dimensions: int
    vocabulary_bytes: int
    digest: bytes


@dataclass(frozen=True, slots=True)
class Table:
    """A model file in memory: row `n` is `dimensions` signed bytes times `scales[n]`."""

    pieces: WordPieces
    scales: "array[float]"
    rows: memoryview
    dimensions: int


class StaticModel:
    """The `Embedder` that needs no network, no download and no accelerator.

    A query is added up in plain Python, for numpy takes longer to import than a hundred queries take to embed;
    documents, which come by the thousand, are worth the import.
    """

    def __init__(self, path: Path = SHIPPED) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._table: Table | None = None

    @cached_property
    def _header(self) -> Header:
        return read_header(self._path)

    @property
    def identity(self) -> str:
        """The name and the digest of the file's content."""
        return f"{NAME}-{self._header.dimensions}-{self._header.digest.hex()[:12]}"

    @property
    def dimensions(self) -> int:
        """How many components a vector has."""
        return self._header.dimensions

    def embed_query(self, text: str) -> bytes:
        """The vector of what somebody looks for; text without a known word points nowhere."""
        table = self._loaded()
        width = table.dimensions
        total = [0.0] * width
        for row, times in table.pieces.count(text).items():
            weight = table.scales[row] * times**FREQUENCY_POWER
            components = table.rows[row * width : (row + 1) * width]
            total = [sum_ + weight * component for sum_, component in zip(total, components, strict=True)]
        return packed(total)

    def embed_documents(self, texts: Sequence[str]) -> list[bytes]:
        """One vector for each text, the same that `embed_query` gives, but for rounding."""
        import numpy as np

        table = self._loaded()
        rows = np.frombuffer(table.rows, np.int8).reshape(-1, table.dimensions)
        scales = np.frombuffer(table.scales, np.float32)
        return [_packed_sum(table.pieces.count(text), rows, scales) for text in texts]

    def _loaded(self) -> Table:
        if self._table is None:
            with self._lock:
                if self._table is None:
                    self._table = read_table(self._path)
        return self._table


def read_header(path: Path) -> Header:
    """The header of a model file, or a `Failure` that says what the file is not."""
    try:
        with path.open("rb") as file:
            header = Header(*HEADER.unpack(file.read(HEADER.size)))
    except (OSError, struct.error) as error:
        raise Failure(f"The embedding model {path.name} can't be read. Install Fieldguide again.") from error
    if header.magic != MAGIC:
        raise Failure(f"{path.name} is no embedding model of Fieldguide. Install Fieldguide again.")
    return header


def read_table(path: Path) -> Table:
    """Map a model file into memory; of its rows only those are read from the disk that texts need."""
    header = read_header(path)
    with path.open("rb") as file:
        content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    words_at = HEADER.size + 2 * header.rows
    rows_at = words_at + header.vocabulary_bytes
    if len(content) != rows_at + header.rows * header.dimensions:
        raise Failure(f"The embedding model {path.name} is cut short. Install Fieldguide again.")
    pieces = str(content[words_at:rows_at], "utf-8").split("\n")
    return Table(
        pieces=WordPieces(dict(zip(pieces, range(header.rows), strict=True))),
        scales=array("f", struct.unpack(f"<{header.rows}e", content[HEADER.size : words_at])),
        rows=content[rows_at:].cast("b"),
        dimensions=header.dimensions,
    )


def _packed_sum(counts: dict[int, int], rows: "NDArray[np.int8]", scales: "NDArray[np.float32]") -> bytes:
    import numpy as np

    found = np.fromiter(counts.keys(), np.intp, len(counts))
    times = np.fromiter(counts.values(), np.float32, len(counts))
    weights = scales[found] * times**FREQUENCY_POWER
    total = weights @ rows[found].astype(np.float32)
    largest = np.abs(total).max(initial=0.0)
    if not largest:
        return bytes(rows.shape[1])
    vector: NDArray[np.int8] = np.rint(total * (LARGEST / largest)).astype(np.int8)
    return vector.tobytes()
