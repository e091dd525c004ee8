"""Value types of the search engine, and the numbers of chunks."""

from collections.abc import Container, Iterable, Sequence
from typing import NamedTuple

from fieldguide.storage.database import Row

VERSION = 7  # a chunk that another version made is made again
POSITION_BITS = 20
DOCUMENT_BITS = 24
HEADINGS_APART = "\n"  # between the headings of a stored chunk


class Chunk(NamedTuple):
    """A piece of a document: its text as it stands there, the headings above it, and its lines, counted from 1.

    `hash` is that of a citation of these lines, where it is known.
    """

    text: str
    headings: tuple[str, ...]
    start_line: int
    end_line: int
    hash: str = ""


class SearchSource(NamedTuple):
    """Where documents come from: a collection, a project's code, its discoveries. Its kind says which toolset's."""

    kind: str
    name: str


class PreparedChunks(NamedTuple):
    """What was made of a document's chunks already: their vectors, unless the model is another, and hidden words."""

    vectors: Sequence[bytes] | None
    hidden: Sequence[str]


class NewDocument(NamedTuple):
    """A document as it is put into the index, read and cut into chunks.

    `hash` is that of its content; `stamp` tells, without reading it, that its file is still the same ("" never does).
    `facts` are what else was read of it, for whoever keeps that. One that `is_given_up` is cut as plain text.
    """

    name: str
    title: str
    text: str
    hash: str
    stamp: str
    outline: Sequence[tuple[int, str, int]]
    chunks: Sequence[Chunk]
    prepared: PreparedChunks | None = None
    facts: object = None
    is_given_up: bool = False


class NumberedDocument(NamedTuple):
    """A document that has its number, and the vectors of its chunks."""

    document: int
    new: NewDocument
    vectors: Sequence[bytes]


class KnownDocument(NamedTuple):
    """What the index knows of a document without opening it."""

    hash: str
    stamp: str
    maker: str


class Scope(NamedTuple):
    """Where to look: the numbers of the sources, and a document to leave out."""

    sources: tuple[int, ...]
    without_document: int | None = None


class ChunkPassage(NamedTuple):
    """A chunk as it was stored, and the title of its document."""

    text: str
    headings: tuple[str, ...]
    start_line: int
    end_line: int
    title: str = ""


class SearchHit(NamedTuple):
    """A chunk that was found: where it stands, how well it fits (more is better), how far it is (cosine, 0 to 2).

    `also` are the lines of further chunks of the document that would be hits too; `mark` is what was noted of the
    document when it was put in, such as that a program wrote it. It is `unsure` where nothing fits the question well.
    `hash` is that of a citation of its lines; empty where only its file can tell.
    """

    source: str
    document: str
    title: str
    passage: ChunkPassage
    position: int
    total: int
    score: float
    distance: float
    also: tuple[tuple[int, int], ...] = ()
    mark: str = ""
    unsure: bool = False
    hash: str = ""


def number_chunk(document: int, position: int) -> int:
    """The number of a document's chunk, counted from 0."""
    return document << POSITION_BITS | position


def locate_chunk(chunk: int) -> tuple[int, int]:
    """The document and the position of a chunk."""
    return chunk >> POSITION_BITS, chunk & ((1 << POSITION_BITS) - 1)


def select_of_sources(chunks: Iterable[int], sources: Container[int]) -> list[int]:
    """Those of some chunks that belong to these sources."""
    return [chunk for chunk in chunks if chunk >> (POSITION_BITS + DOCUMENT_BITS) in sources]


def read_passages(rows: Iterable[Row]) -> dict[int, ChunkPassage]:
    """The stored chunks by their numbers."""
    passages: dict[int, ChunkPassage] = {}
    for row in rows:
        headings = tuple(filter(None, str(row["headings"]).split(HEADINGS_APART)))
        passages[row["chunk"]] = ChunkPassage(row["body"], headings, row["start_line"], row["end_line"], row["title"])
    return passages
