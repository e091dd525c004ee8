"""Value types of the search engine, how a document is cut into chunks, and the protocol of an index."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from fieldguide.prose.document import Block, ReadDocument
from fieldguide.prose.markdown import strip_attributes
from fieldguide.storage.database import Database, Row, Transaction

VERSION = 5  # a chunk that another version made is made again
AIM = 1000
MOST = 1600
LONGEST_LINE = 2 * MOST
LONGEST_HEADING = 300  # characters, as every chunk below a heading carries it
MOST_CHUNKS = 20_000  # of one document; what comes after them is read, but not searched
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


class NewDocument(NamedTuple):
    """A document as it is put into the index, read and cut into chunks.

    `hash` is that of its content; `stamp` tells, without reading it, that its file is still the same ("" never does).
    """

    name: str
    title: str
    text: str
    hash: str
    stamp: str
    outline: Sequence[tuple[int, str, int]]
    chunks: Sequence[Chunk]


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

    @property
    def fields(self) -> tuple[str, str, str]:
        """The title, the headings and the text, as words are looked for in them."""
        return self.title, HEADINGS_APART.join(self.headings), self.text


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


def chunk_document(document: ReadDocument) -> list[Chunk]:
    """The chunks of a document in its order; text that is nothing but blank gives none."""
    chunks: list[Chunk] = []
    for path, blocks in _sections(document):
        for start, end in _spans(blocks, document.searched_lines):
            chunks += [Chunk(text, path, start + 1, end) for text in _pieces(document.text_of(start, end))]
            if len(chunks) > MOST_CHUNKS:
                return chunks[:MOST_CHUNKS]
    return chunks


def _sections(document: ReadDocument) -> Iterator[tuple[tuple[str, ...], list[Block]]]:
    """Each heading with the blocks up to the next, and the headings that it stands under, itself last.

    A heading with nothing of its own before a deeper one is told by the paths of what follows it.
    """
    headings = document.headings
    path: dict[int, str] = {}
    section: list[Block] = []
    for block in document.blocks:
        if block.heading is None:
            section.append(block)
            continue
        heading = headings[block.heading]
        is_empty = len(section) == 1 and section[0].heading is not None and max(path, default=0) < heading.level
        if section and not is_empty:
            yield tuple(path.values()), section
        path = {level: text for level, text in path.items() if level < heading.level}
        path[heading.level] = strip_attributes(heading.text)[:LONGEST_HEADING]
        section = [block]
    if section:
        yield tuple(path.values()), section


def _spans(blocks: list[Block], lines: list[str]) -> Iterator[tuple[int, int]]:
    """The lines of each chunk of a section: blocks are put together up to the aim, and cut where one is too long."""
    start = blocks[0].start
    end = start
    size = 0
    for block in blocks:
        added = sum(map(len, lines[end : block.end]))
        if size and size + added > AIM:
            yield start, end
            start = block.start
            size = 0
            added = sum(map(len, lines[start : block.end]))
        if added > MOST:
            *whole, (start, end) = _cut(start, block.end, lines)
            yield from whole
            size = sum(map(len, lines[start:end]))
            continue
        end = block.end
        size += added
    yield start, end


def _cut(start: int, end: int, lines: list[str]) -> Iterator[tuple[int, int]]:
    """A block that is too long, cut between lines."""
    size = 0
    for number in range(start, end):
        if size and size + len(lines[number]) > AIM:
            yield start, number
            start = number
            size = 0
        size += len(lines[number])
    yield start, end


def _pieces(text: str) -> Iterator[str]:
    """The text itself; where a single line is longer than any chunk, it is cut between words, if it has any."""
    while len(text) > LONGEST_LINE:
        at = text.rfind(" ", MOST // 2, MOST)
        at = MOST if at < 0 else at + 1
        yield text[:at]
        text = text[at:]
    if text.strip():
        yield text


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


class SearchIndex(Protocol):
    """The chunks of the documents in one kind of database, to be found by their words and by their vectors."""

    def put(self, transaction: Transaction, source: int, documents: Sequence[NumberedDocument]) -> None:
        """Store the chunks of documents of a source in place of those they had."""
        ...

    def remove(self, transaction: Transaction, document: int) -> None:
        """Forget a document's chunks."""
        ...

    def by_words(self, transaction: Transaction, terms: Sequence[str], scope: Scope, limit: int) -> dict[int, float]:
        """The chunks that hold these terms and their scores, best first."""
        ...

    def holding(self, transaction: Transaction, terms: Sequence[str], scope: Scope) -> set[int]:
        """The documents that hold any of these terms, however many they are."""
        ...

    def headed(self, transaction: Transaction, names: Sequence[str], scope: Scope, limit: int) -> list[int]:
        """The chunks whose last heading is one of these names, letter for letter; up to a limit for each."""
        ...

    def counts(self, transaction: Transaction, terms: Sequence[str], most: int) -> list[int]:
        """In how many chunks each of these terms stands, counted up to so many."""
        ...

    def by_vector(self, transaction: Transaction, vector: bytes, scope: Scope, limit: int) -> dict[int, float]:
        """The chunks whose vectors are nearest to this one and their distances, nearest first.

        `StillLoading` when they must be read into memory first, and that takes longer than a call may wait.
        """
        ...

    def distances(self, transaction: Transaction, vector: bytes, chunks: Sequence[int]) -> dict[int, float]:
        """How far these chunks are from a vector."""
        ...

    def vectors_of(self, transaction: Transaction, document: int) -> Sequence[bytes]:
        """The vectors of a document's chunks."""
        ...

    def load(self, transaction: Transaction) -> None:
        """Read what searches need into memory, however long it takes."""
        ...

    def is_settled(self, transaction: Transaction) -> bool:
        """Whether what makes searches of many chunks quick is there for as many as there are."""
        ...

    def settle(self, database: Database) -> None:
        """Make what makes searches of many chunks quick, however long it takes; nobody waits for it."""
        ...

    def size_bytes(self, transaction: Transaction) -> int:
        """How much room the index takes in its database."""
        ...

    def passages(self, transaction: Transaction, chunks: Sequence[int]) -> Mapping[int, ChunkPassage]:
        """The texts of these chunks."""
        ...
