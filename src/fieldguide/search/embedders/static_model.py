"""Fieldguide's own embedding model: a row of bytes for each word piece, weighted and added up.

A row counts less the nearer it is to the sum of all: what says the same again adds little. A document goes through a
small network after that, which a query does without. `training/` makes the file and `model/card.md` says what it can
do. Nothing is read before the first text comes.
"""

import math
import mmap
import struct
import threading
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from fieldguide.errors import Failure
from fieldguide.search import float_rows
from fieldguide.search.embedders.wordpieces import WordPieces
from fieldguide.search.embedding import packed_row
from fieldguide.search.float_rows import Row

NAME = "fieldguide-static"
SHIPPED = Path(__file__).parents[1] / "model" / "static.bin"
MAGIC = b"FGSTATI2"
DIGEST_BYTES = 16
HEADER = struct.Struct(f"<8sIIIQ{DIGEST_BYTES}s")  # the fields of `Header`
GATE = struct.Struct("<2f")
KEPT_ROWS = 8_192  # as floats, a kilobyte each; the words of a large project's documents need about as many
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
    """What a document's vector goes through: one hidden layer, whose answer is added to the vector.

    `widen` has a row for each hidden number, with its bias at the end; `narrow` a row for each component.
    """

    widen: Row
    narrow: Row
    hidden: int


class KnownRow(NamedTuple):
    """A row of the table as floats, and how long it is."""

    components: Row
    length: float


class StaticModel:
    """The `Embedder` that needs no network, no download and no accelerator."""

    def __init__(self, path: Path = SHIPPED) -> None:
        self._path = path
        self._known: dict[int, KnownRow] = {}
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
        return packed_row(self._added_up(text))

    def readable_share(self, text: str) -> float:
        """How much of a text the model knows as words or longer pieces of them; letters alone tell it nothing."""
        return 1.0 if text.isascii() else self._loaded().pieces.known_share(text)

    def embed_documents(self, texts: Sequence[str]) -> list[bytes]:
        """One vector for each text that is to be found; a text without a known word points nowhere."""
        if not texts:
            return []
        return [packed_row(row) for row in through([self._added_up(text) for text in texts], self._network)]

    def _added_up(self, text: str) -> Row:
        """The rows of a text, weighted, gated and added up."""
        table = self._loaded()
        counts = table.pieces.count(text)
        rows = [self._known.get(row) or self._remember(table, row) for row in counts]
        weights = [table.scales[row] * times**FREQUENCY_POWER for row, times in counts.items()]
        components = [row.components for row in rows]
        total = float_rows.weighted_sum(components, weights, table.dimensions)
        alike = float_rows.products_with(components, total)
        length = float_rows.length_of(total)
        slope, at = table.gate
        gated = [
            weight / (1 + math.exp(-slope * product / (row.length * length or 1.0) - at))
            for weight, product, row in zip(weights, alike, rows, strict=True)
        ]
        return float_rows.weighted_sum(components, gated, table.dimensions)

    def _remember(self, table: Table, number: int) -> KnownRow:
        width = table.dimensions
        components = float_rows.from_signed(table.rows[number * width : (number + 1) * width])
        row = KnownRow(components, float_rows.length_of(components))
        if len(self._known) >= KEPT_ROWS:
            self._known.clear()
        self._known[number] = row
        return row

    @cached_property
    def _network(self) -> Network:
        table = self._loaded()
        width, hidden = table.dimensions, table.hidden
        numbers = struct.unpack(f"<{hidden * (2 * width + 1)}e", table.network)
        bias = numbers[width * hidden : (width + 1) * hidden]
        widen, narrow = array("f"), array("f")
        for number in range(hidden):
            widen.extend((*numbers[number : width * hidden : hidden], bias[number]))
        for number in range(width):
            narrow.extend(numbers[(width + 1) * hidden + number :: width])
        return Network(widen, narrow, hidden)

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


def through(sums: Sequence[Row], network: Network) -> list[Row]:
    """The vectors of documents: sums at length one, and what the network adds to each; a sum of nothing stays."""
    lengths = [float_rows.length_of(row) for row in sums]
    directions = [float_rows.times(row, 1 / (length or 1.0)) for row, length in zip(sums, lengths, strict=True)]
    width = len(sums[0])
    given = array("f")
    for direction in directions:
        given.frombytes(direction.cast("B"))
        given.append(1.0)  # for the bias
    widened = float_rows.positive(float_rows.products(given, network.widen, width + 1))
    added = float_rows.products(widened, network.narrow, network.hidden).cast("B").cast("f")
    return [
        float_rows.plus(direction, added[place * width : (place + 1) * width]) if lengths[place] else direction
        for place, direction in enumerate(directions)
    ]
