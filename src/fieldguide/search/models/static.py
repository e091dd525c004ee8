"""The built-in embedding model: a table of word-piece vectors, and the tokenizer that feeds it.

A row counts less the nearer it is to the sum of all: what says the same again adds little. A document goes through a
small network after that, which a query does without. `training/` makes the file and `model/card.md` says what it can
do. Nothing is read before the first text comes.
"""

import math
import mmap
import struct
import unicodedata
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from operator import mul
from pathlib import Path
from typing import NamedTuple

from fieldguide.search import embedding
from fieldguide.search.embedding import Row, pack_row
from fieldguide.text import regex as re
from fieldguide.text.errors import Failure
from fieldguide.text.words import Remembered, split_humps, split_plain_words

CONTINUED = "##"  # opens a piece that only stands inside a word, as in the vocabulary of the teacher
LONGEST_WORD = 64  # characters; what is longer is a key or a picture, and no word
CACHED_WORDS = 50_000  # a few megabytes; the documentation of a large project has about as many

# Chinese characters and kana stand alone, as no space parts the words that they make.
IDEOGRAPHS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002ffff"
IDEOGRAPH = re.compile(f"[{IDEOGRAPHS}]")
ASCII_AS_SPACE = bytes(32 if code < 128 else code for code in range(256))
REMEMBERED_CHARACTERS = 4_096


class WordPieces:
    """The words of a text as row numbers: `ConfigMap` counts as config, as map and, if it has a row, as configmap.

    A character that no piece covers is passed over, so that any text in any script gives an answer.
    """

    def __init__(self, rows: Mapping[str, int]) -> None:
        self.rows = rows
        self._longest = max(map(len, rows), default=0)
        self._cache = Remembered[str, list[int]](lambda word: [*self._cut(word)], CACHED_WORDS)
        self._cut_humps = Remembered[str, list[tuple[int, int]]](lambda hump: [*self._pieces(hump)], CACHED_WORDS // 4)

    def count(self, text: str) -> dict[int, int]:
        """How often each row stands in the text."""
        if not text.isascii():
            text = text.translate(_BASES)
        return Counter(chain.from_iterable(map(self._cache.__getitem__, split_words(text))))

    def known_share(self, text: str) -> float:
        """The share of a text's letters that stand in known pieces of more than one letter."""
        words = split_words(text.translate(_BASES))
        letters = sum(map(len, words))
        known = sum(self._known_letters(word) for word in words)
        return known / letters if letters else 0.0

    def _known_letters(self, word: str) -> int:
        if len(word) > LONGEST_WORD:
            return 0
        if word.isascii() or word.lower() in self.rows:
            return len(word) if len(word) > 1 or word.isascii() else 0
        return sum(size for _, size in self._pieces(word.lower()) if size > 1)

    def _cut(self, word: str) -> Iterator[int]:
        if len(word) > LONGEST_WORD:
            return
        whole = self.rows.get(word.lower())
        humps = _humps(word)
        if whole is not None:
            yield whole
            if len(humps) == 1:
                return
        for hump in humps:
            for row, _ in self._cut_humps[hump.lower()]:
                yield row

    def _pieces(self, word: str) -> Iterator[tuple[int, int]]:
        """The longest known piece from the left, again and again: its row, and its number of letters."""
        start = 0
        while start < len(word):
            prefix = CONTINUED if start else ""
            for end in range(min(len(word), start + self._longest), start, -1):
                row = self.rows.get(prefix + word[start:end])
                if row is not None:
                    yield row, end - start
                    break
            else:
                end = start + 1
            start = end


def split_words(text: str) -> list[str]:
    """The words of a text, those of ASCII letters and digits first; an ideograph is a word of its own.

    Tables do the work, as every text of an index goes through here.
    """
    words = split_plain_words(text)
    if not text.isascii():
        rest = text.encode(errors="replace").translate(ASCII_AS_SPACE).decode()
        words += rest.translate(_APART).split()
    return words


def _humps(word: str) -> list[str]:
    """`getHTTPServer` as get, HTTP and Server; `k8s`, `K8s` and `UTF8` stay in one."""
    if word[1:].islower() or word.isupper() or not word.isascii():
        return [word]
    return split_humps(word)


def _base(code: int) -> str:
    """A letter without its accents; one by one, as a long run of accents takes `normalize` quadratic time."""
    return "".join(each for each in unicodedata.normalize("NFD", chr(code)) if not unicodedata.combining(each))


def _apart(code: int) -> str:
    character = chr(code)
    if not character.isalnum():
        return " "
    return f" {character} " if IDEOGRAPH.match(character) else character


_BASES = Remembered(_base, REMEMBERED_CHARACTERS)
_APART = Remembered(_apart, REMEMBERED_CHARACTERS)
_POWERS = Remembered[int, float](lambda times: times**FREQUENCY_POWER, REMEMBERED_CHARACTERS)


NAME = "fieldguide-static"
SHIPPED = Path(__file__).parents[1] / "model" / "static.bin"
MAGIC = b"FGSTATI2"
DIGEST_BYTES = 16
HEADER = struct.Struct(f"<8sIIIQ{DIGEST_BYTES}s")  # the fields of `Header`
GATE = struct.Struct("<2f")
KEPT_ROWS = 6_144  # as floats, a kilobyte each
FREQUENCY_POWER = 0.75  # a word that stands twice in a text says less than twice as much; training counts alike


class Header(NamedTuple):
    """The first bytes of a model file; the digest is of all that follows them."""

    magic: bytes
    rows: int
    dimensions: int
    hidden: int
    vocabulary_bytes: int
    digest: bytes


class RowGate(NamedTuple):
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
    gate: RowGate
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
    """A row of the table as floats, how long it is, and its scale."""

    components: Row
    length: float
    scale: float


class StaticModel:
    """The `Embedder` that needs no network, no download and no accelerator."""

    knows_words = True

    def __init__(self, path: Path = SHIPPED) -> None:
        self._path = path
        self._known = Remembered(self._read_row, KEPT_ROWS)

    @property
    def is_shipped(self) -> bool:
        """Whether it is the model that comes with this package."""
        return self._path == SHIPPED

    @cached_property
    def _header(self) -> Header:
        return read_header(self._path)

    @cached_property
    def _table(self) -> Table:
        return read_table(self._path)

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
        return pack_row(self._added_up(text))

    def readable_share(self, text: str) -> float:
        """How much of a text the model knows as words or longer pieces of them; letters alone tell it nothing."""
        return 1.0 if text.isascii() else self._table.pieces.known_share(text)

    def word_weight(self, word: str) -> float | None:
        """How much a lower-case word adds to a vector: little for a common one; None where it has no row of its own."""
        number = self._table.pieces.rows.get(word)
        if number is None:
            return None
        known = self._known[number]
        return known.scale * known.length

    def word_likeness(self, words: Sequence[str], text: str) -> list[float]:
        """How alike the most alike word of a text is to each of these, 0 to 1: the mean over the pieces of a word."""
        table = self._table
        there = self._directions(list(table.pieces.count(text)))
        cut = [list(table.pieces.count(word)) for word in words]
        pieces = list(dict.fromkeys(piece for each in cut for piece in each))
        if not there or not pieces:
            return [0.0] * len(words)
        width = table.dimensions
        products = embedding.multiply_rows(self._directions(pieces), there, width).cast("B").cast("f")
        beside = len(there) // width
        best: dict[int, float] = {}
        for at, piece in enumerate(pieces):
            best[piece] = min(max(max(products[at * beside : (at + 1) * beside]), 0.0), 1.0)
        return [sum(map(best.__getitem__, each)) / len(each) if each else 0.0 for each in cut]

    def _directions(self, numbers: Sequence[int]) -> "array[float]":
        """Some rows, each of length one, one after the other."""
        rows = array("f")
        for number in numbers:
            known = self._known[number]
            rows.frombytes(embedding.scale_row(known.components, 1 / (known.length or 1.0)).cast("B"))
        return rows

    def embed_documents(self, texts: Sequence[str]) -> list[bytes]:
        """One vector for each text that is to be found; a text without a known word points nowhere."""
        if not texts:
            return []
        sums = [self._added_up(text) for text in texts]
        return [pack_row(row) for row in apply_network(sums, self._network)]

    def _added_up(self, text: str) -> Row:
        """The rows of a text, weighted, gated and added up."""
        table = self._table
        counts = table.pieces.count(text)
        rows = [*map(self._known.__getitem__, counts)]
        if not rows:
            return memoryview(array("f", bytes(embedding.BYTES * table.dimensions)))
        components, lengths, scales = zip(*rows, strict=True)
        weights = [*map(mul, scales, map(_POWERS.__getitem__, counts.values()))]
        total = embedding.sum_weighted(components, weights, table.dimensions)
        alike = [embedding.multiply(each, total) for each in components]
        length = embedding.measure_length(total)
        slope, at = table.gate
        gated = [
            weight / (1 + math.exp(-slope * product / (own_length * length or 1.0) - at))
            for weight, product, own_length in zip(weights, alike, lengths, strict=True)
        ]
        return embedding.sum_weighted(components, gated, table.dimensions)

    def _read_row(self, number: int) -> KnownRow:
        table = self._table
        width = table.dimensions
        components = embedding.from_signed(table.rows[number * width : (number + 1) * width])
        return KnownRow(components, embedding.measure_length(components), table.scales[number])

    @cached_property
    def _network(self) -> Network:
        table = self._table
        width = table.dimensions
        hidden = table.hidden
        numbers = struct.unpack(f"<{hidden * (2 * width + 1)}e", table.network)
        bias = numbers[width * hidden : (width + 1) * hidden]
        widen = array("f")
        narrow = array("f")
        for number in range(hidden):
            widen.extend((*numbers[number : width * hidden : hidden], bias[number]))
        for number in range(width):
            narrow.extend(numbers[(width + 1) * hidden + number :: width])
        return Network(widen, narrow, hidden)


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
        gate=RowGate(*GATE.unpack(content[gate_at:network_at])),
        hidden=header.hidden,
        network=content[network_at:],
    )


def apply_network(sums: Sequence[Row], network: Network) -> list[Row]:
    """The vectors of documents: sums at length one, and what the network adds to each; a sum of nothing stays."""
    lengths = [embedding.measure_length(row) for row in sums]
    directions = [embedding.scale_row(row, 1 / (length or 1.0)) for row, length in zip(sums, lengths, strict=True)]
    width = len(sums[0])
    given = array("f")
    for direction in directions:
        given.frombytes(direction.cast("B"))
        given.append(1.0)  # for the bias
    widened = embedding.clip_negative(embedding.multiply_rows(given, network.widen, width + 1))
    added = embedding.multiply_rows(widened, network.narrow, network.hidden).cast("B").cast("f")
    return [
        embedding.add_rows(direction, added[place * width : (place + 1) * width]) if lengths[place] else direction
        for place, direction in enumerate(directions)
    ]
