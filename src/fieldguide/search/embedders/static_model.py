"""Fieldguide's own embedding model: a row of bytes for each word piece, weighted and added up.

A row counts less the nearer it is to the sum of all: what says the same again adds little. A document goes through a
small network after that, which a query does without. `training/` makes the file and `model/card.md` says what it can
do. Nothing is read before the first text comes.
"""

import math
import mmap
import os
import struct
import sys
import threading
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from fieldguide.errors import Failure
from fieldguide.search.embedders.wordpieces import WordPieces
from fieldguide.search.embedding import LARGEST, packed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

NAME = "fieldguide-static"
SHIPPED = Path(__file__).parents[1] / "model" / "static.bin"
MAGIC = b"FGSTATI2"
DIGEST_BYTES = 16
HEADER = struct.Struct(f"<8sIIIQ{DIGEST_BYTES}s")  # the fields of `Header`
GATE = struct.Struct("<2f")
FREQUENCY_POWER = 0.75  # a word that stands twice in a text says less than twice as much; training counts alike


class Header(NamedTuple):
    """The first bytes of a model file; the digest is of all that follows them."""

    magic: bytes
    rows: int
    dimensions: int
    hidden: int
    vocabulary_bytes: int
    digest: bytes


class Gate(NamedTuple):
    """How much a row counts: the logistic function of `slope` times its cosine with the sum of all rows, plus `at`."""

    slope: float
    at: float


@dataclass(frozen=True, slots=True)
class Table:
    """A model file in memory: row `n` is `dimensions` signed bytes times `scales[n]`; `Network` reads the network."""

    pieces: WordPieces
    scales: "array[float]"
    rows: memoryview
    dimensions: int
    gate: Gate
    hidden: int
    network: memoryview


class Network(NamedTuple):
    """What a document's vector goes through: one hidden layer, whose answer is added to the vector."""

    widen: "Floats"
    bias: "Floats"
    narrow: "Floats"


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
        counts = table.pieces.count(text)
        if "numpy" in sys.modules:  # a search has loaded it: then it is the faster way
            return packed_rows(added_up(counts, *_arrays(table), table.gate)[None])[0]
        return packed(_added_up_slowly(counts, table))

    def readable_share(self, text: str) -> float:
        """How much of a text the model knows as words or longer pieces of them; letters alone tell it nothing."""
        return 1.0 if text.isascii() else self._loaded().pieces.known_share(text)

    def embed_documents(self, texts: Sequence[str]) -> list[bytes]:
        """One vector for each text that is to be found; a text without a known word points nowhere."""
        if not texts:
            return []
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # more threads only wait for each other here, at full speed
        import numpy as np

        table = self._loaded()
        rows, scales = _arrays(table)
        sums = np.stack([added_up(table.pieces.count(text), rows, scales, table.gate) for text in texts])
        return packed_rows(through(sums, self._network))

    @cached_property
    def _network(self) -> Network:
        import numpy as np

        table = self._loaded()
        width, hidden = table.dimensions, table.hidden
        numbers = np.frombuffer(table.network, "<f2").astype(np.float32)
        widen, bias, narrow = np.split(numbers, [width * hidden, (width + 1) * hidden])
        return Network(widen.reshape(width, hidden), bias, narrow.reshape(hidden, width))

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
    gate_at = rows_at + header.rows * header.dimensions
    network_at = gate_at + GATE.size
    if len(content) != network_at + 2 * header.hidden * (2 * header.dimensions + 1):
        raise Failure(f"The embedding model {path.name} is cut short. Install Fieldguide again.")
    pieces = str(content[words_at:rows_at], "utf-8").split("\n")
    return Table(
        pieces=WordPieces(dict(zip(pieces, range(header.rows), strict=True))),
        scales=array("f", struct.unpack(f"<{header.rows}e", content[HEADER.size : words_at])),
        rows=content[rows_at:gate_at].cast("b"),
        dimensions=header.dimensions,
        gate=Gate(*GATE.unpack(content[gate_at:network_at])),
        hidden=header.hidden,
        network=content[network_at:],
    )


def added_up(counts: dict[int, int], rows: "NDArray[np.generic]", scales: "Floats", gate: Gate) -> "Floats":
    """The rows of a text, weighted, gated and added up."""
    import numpy as np

    found = np.fromiter(counts.keys(), np.intp, len(counts))
    times = np.fromiter(counts.values(), np.float32, len(counts))
    chosen = rows[found].astype(np.float32)
    weights = scales[found] * times**FREQUENCY_POWER
    total = weights @ chosen
    lengths = np.sqrt(np.einsum("ij,ij->i", chosen, chosen)) * np.linalg.norm(total)
    alike = chosen @ total / np.where(lengths == 0, 1.0, lengths)
    gated = weights / (1 + np.exp(-gate.slope * alike - gate.at))
    summed: Floats = (gated @ chosen).astype(np.float32)
    return summed


def through(sums: "Floats", network: Network) -> "Floats":
    """The vectors of documents: sums at length one, and what the network adds to each; a sum of nothing stays."""
    import numpy as np

    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    directions = sums / np.where(lengths == 0, 1.0, lengths)
    added = np.maximum(directions @ network.widen + network.bias, 0) @ network.narrow
    answered: Floats = np.where(lengths == 0, 0.0, directions + added)
    return answered


def packed_rows(vectors: "Floats") -> list[bytes]:
    """What `packed` does, for many vectors at once."""
    import numpy as np

    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
    scaled = np.rint(vectors * (LARGEST / np.where(largest == 0, 1.0, largest))).astype(np.int8)
    return [row.tobytes() for row in scaled]


def _arrays(table: Table) -> "tuple[NDArray[np.int8], Floats]":
    import numpy as np

    rows = np.frombuffer(table.rows, np.int8).reshape(-1, table.dimensions)
    return rows, np.frombuffer(table.scales, np.float32)


def _added_up_slowly(counts: dict[int, int], table: Table) -> list[float]:
    """What `added_up` does, without numpy: the first query of a process need not wait for its import."""
    width = table.dimensions
    rows = [table.rows[row * width : (row + 1) * width].tolist() for row in counts]
    weights = [table.scales[row] * times**FREQUENCY_POWER for row, times in counts.items()]
    total = _weighted(rows, weights, width)
    origin = [0.0] * width
    length = math.dist(total, origin)
    for number, row in enumerate(rows):
        own = math.dist(row, origin)
        product = (own**2 + length**2 - math.dist(row, total) ** 2) / 2  # the law of cosines: a third of the time
        weights[number] /= 1 + math.exp(-table.gate.slope * product / (own * length or 1.0) - table.gate.at)
    return _weighted(rows, weights, width)


def _weighted(rows: Sequence[Sequence[int]], weights: Sequence[float], width: int) -> list[float]:
    total = [0.0] * width
    for row, weight in zip(rows, weights, strict=True):
        total = [sum_ + weight * component for sum_, component in zip(total, row, strict=True)]
    return total
