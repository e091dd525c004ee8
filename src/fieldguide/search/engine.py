"""The search engine: opens an index with its model, stores documents by source and answers questions.

Turns: one process at a time indexes. The turn is a lock on a file, which ends with the process that holds it.
"""

import os
import threading
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from itertools import islice
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, NamedTuple

from fieldguide.files.file_system import try_file_lock
from fieldguide.search.embedding import CONTEXT_SHARE, Embedder, average_vectors, blend_context, compose_embedded_text
from fieldguide.search.indexes.document_store import DocumentStore, StoredDocument, StoredSource
from fieldguide.search.models.choice import OwnModels
from fieldguide.search.ranking import (
    CANDIDATES,
    KEYWORD_SHARE,
    STEADY_KEYWORD_SHARE,
    FitJudge,
    FlooredSources,
    QueryWords,
    RankedChunks,
    add_exact_bonus,
    first_chunk_per_document,
    fuse,
    fuse_steadily,
    read_mark,
    spread_over_documents,
)
from fieldguide.search.types import (
    VERSION,
    ChunkPassage,
    KnownDocument,
    NewDocument,
    NumberedDocument,
    Scope,
    SearchHit,
    SearchSource,
    locate_chunk,
)
from fieldguide.settings.limits import Limits
from fieldguide.storage.database import Database, Schema, Transaction
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.citation import HASH_DIGITS
from fieldguide.text.errors import Failure, FieldguideError, StillLoading
from fieldguide.text.words import extract_query_terms

if TYPE_CHECKING:
    from fieldguide.search.indexes.sqlite import SqliteIndex

KeepFacts = Callable[[Transaction, Sequence[NewDocument]], None]
"""Keeps what else was read of documents, in the transaction that stores them."""

ReadChunks = Callable[[Sequence[int]], Mapping[int, ChunkPassage]]
"""Gives the texts of some chunks, perhaps among others."""


class SearchQuestion(NamedTuple):
    """What is looked for: a text, where, how many hits at most, and how far away they may be.

    `keyword_share` is how much words count beside vectors; `most_of_one` how many hits one document may give.
    `candidates` are so many of the nearest chunks. What has one of the `names` as its heading is looked at in any
    case, and hits below a floor of `floored` are marked as unsure. Where the model is away, words alone must do,
    unless the question `needs_model`. Where it `is_steady`, text about other things
    does not change the order of hits.
    """

    text: str
    scope: Scope
    limit: int
    max_distance: float | None = None
    by_words: bool = True
    keyword_share: float = KEYWORD_SHARE
    most_of_one: int | None = None
    candidates: int = CANDIDATES
    needs_model: bool = False
    names: tuple[str, ...] = ()
    floored: tuple[FlooredSources, ...] = ()
    is_steady: bool = False


MEGABYTE = 1_000_000
MOST_HEADED = 30
NEAREST_READ = 20
READ_CHARACTERS = 4_000  # of a document: so many tell which script it is in
UNREAD = 0.1  # a few letters that the model does not know change nothing
LONGEST_STAND_SECONDS = 2.5
MOST_GIVEN_SECONDS = 30.0  # in all: an agent that asks without a pause must not keep the index from getting whole
PATIENCE_SECONDS = 2.0  # before it is told that somebody waits
SHORTEST_LOOK_SECONDS = 0.02
LONGEST_LOOK_SECONDS = 0.25
WAITS = "Another process is indexing this project; this one goes on when that one is done."


class BackgroundWork:
    """A thread for work that nobody waits for; `begin` may be called from any thread."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def begin(self, work: Callable[[], None]) -> None:
        """Have the work done, unless it is under way; when it fails, whoever needs it begins it again."""
        with self._lock:
            if self._thread is None or not self._thread.is_alive():

                def run() -> None:
                    with suppress(FieldguideError):
                        work()

                self._thread = threading.Thread(target=run, name=self._name, daemon=True)
                self._thread.start()

    def join(self) -> None:
        """Wait until what was begun has ended."""
        if (thread := self._thread) is not None:
            thread.join()


class IndexingPriority:
    """One for each engine; those who take it do not wait for each other."""

    def __init__(self) -> None:
        self._free = threading.Condition()
        self._taken = 0
        self._given_seconds = 0.0

    @contextmanager
    def taken(self) -> Generator[None]:
        """Have the background stand aside while the block runs."""
        with self._free:
            self._taken += 1
        try:
            yield
        finally:
            with self._free:
                self._taken -= 1
                self._free.notify_all()

    def give(self) -> None:
        """Stand aside for as long as somebody needs it, within bounds."""
        if not self._taken or self._given_seconds > MOST_GIVEN_SECONDS:
            return
        began = monotonic()
        with self._free:
            self._free.wait_for(lambda: not self._taken, LONGEST_STAND_SECONDS)
        self._given_seconds += monotonic() - began


@contextmanager
def hold_file_turn(path: str, tell: Callable[[str], None]) -> Generator[None]:
    """Hold the turn that a file stands for; where no file can be made, nobody else indexes either."""
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    except OSError:
        yield
        return
    began = monotonic()
    look_seconds = SHORTEST_LOOK_SECONDS
    has_told = False
    try:
        while not try_file_lock(lock):
            if monotonic() - began > PATIENCE_SECONDS and not has_told:
                tell(WAITS)
                has_told = True
            sleep(look_seconds)
            look_seconds = min(look_seconds * 1.5, LONGEST_LOOK_SECONDS)
        yield
    finally:
        os.close(lock)


class SearchEngine:
    """One engine for every toolset, over one database; every method may be called from any thread.

    `turn` is held by whoever brings the index up to date: one process at a time indexes, all search; what is small has
    a turn of its own, by its name, so that it need not wait for what is large. `made_over` are the sources that this
    engine has once made its own: never twice, or two servers with two models would make each other's work again for
    ever; `way` is for who must not wait for the background. `file` is where the index lies, if it lies in one.
    """

    def __init__(
        self,
        database: Database,
        index: "SqliteIndex",
        embedder: Embedder,
        *,
        namespace: str,
        turn: Callable[[str], AbstractContextManager[None]],
        limits: Limits | None = None,
        file: Callable[[], str] | None = None,
    ) -> None:
        self.database = database
        self.embedder = embedder
        self._turn = turn
        self.limits = limits or Limits()
        self.file = file
        self.made_over: set[SearchSource] = set()
        self.way = IndexingPriority()
        self.index = self._index = index
        self.namespace = namespace
        self._loading = BackgroundWork("search-load")

    @property
    def maker(self) -> str:
        """What made the chunks and vectors that are current: what another maker made is made again."""
        return name_maker(self.embedder)

    def turn(self, name: str = "") -> AbstractContextManager[None]:
        """Wait for the turn to index, the one of this name or the one for all that takes long, and hold it."""
        return self._turn(name)

    def store(self, transaction: Transaction) -> DocumentStore:
        """The sources and documents, in a transaction of the engine's database."""
        return DocumentStore(transaction, self.namespace)

    def sources(self, kind: str) -> list[StoredSource]:
        """Every source of a kind, by name."""
        with self.database.reading() as transaction:
            return self.store(transaction).sources(kind)

    def is_full(self) -> bool:
        """Whether the index is as large as it may be."""
        with self.database.reading() as transaction:
            return self._index.size_bytes(transaction) >= self.limits.index_megabytes * MEGABYTE

    def known(
        self, source: SearchSource, names: Iterable[str] | None = None, folders: Iterable[str] = ()
    ) -> dict[str, KnownDocument]:
        """What the index knows of the documents of a source; given names, of those, and of those in these folders."""
        with self.database.reading() as transaction:
            store = self.store(transaction)
            number = store.find_source(source)
            return {} if number is None else store.known(number, names, folders)

    def count(self, source: SearchSource) -> int:
        """How many documents a source has."""
        with self.database.reading() as transaction:
            store = self.store(transaction)
            number = store.find_source(source)
            return 0 if number is None else store.count(number)

    def put(self, source: SearchSource, documents: Sequence[NewDocument], keep_facts: KeepFacts | None = None) -> None:
        """Store these documents whole, with the facts that were read of them: all of them, or none."""
        vectors = self._embedded(documents)
        with self.database.writing() as transaction:
            store = self.store(transaction)
            number = store.add_source(source)
            placed = [
                NumberedDocument(store.put(number, new, maker=self.maker), new, rows)
                for new, rows in zip(documents, vectors, strict=True)
            ]
            self._index.put(transaction, number, placed)
            if keep_facts is not None:
                keep_facts(transaction, documents)

    def finish(
        self,
        source: SearchSource,
        details: Mapping[str, Any],
        *,
        gone: Sequence[str] = (),
        stamps: Sequence[tuple[str, str]] = (),
    ) -> None:
        """Say that a source is whole: forget what is gone, keep new stamps and what the source says of itself."""
        if not gone and not stamps:
            named = [each for each in self.sources(source.kind) if each.name == source.name and each.is_synced]
            if named and named[0].details == details:
                return
        with self.database.writing() as transaction:
            store = self.store(transaction)
            number = store.add_source(source)
            self._forget(transaction, number, gone)
            if stamps:
                store.stamp(number, stamps)
            store.describe_source(number, details)

    def remove(self, source: SearchSource) -> None:
        """Forget a source with all of its documents."""
        with self.database.writing() as transaction:
            store = self.store(transaction)
            number = store.add_source(source)
            self._forget(transaction, number, store.names(number))
            store.remove_source(number)

    def search(self, question: SearchQuestion, cancellation: Cancellation | None = None) -> list[SearchHit]:
        """The chunks that answer best, best first; equal ones in the order of their places."""
        return self.search_all([question], cancellation)[0]

    def search_all(
        self, questions: Sequence[SearchQuestion], cancellation: Cancellation | None = None
    ) -> list[list[SearchHit]]:
        """The answers to several questions, from one and the same state of the index; a repeated one is asked once."""
        vectors = {each: self.query_vector(each) for each in dict.fromkeys(questions)}
        with self.database.reading(cancellation) as transaction:
            answers = {each: self._search(transaction, each, vector) for each, vector in vectors.items()}
        return [answers[question] for question in questions]

    def documents_with(self, terms: Sequence[str], scope: Scope, cancellation: Cancellation | None = None) -> set[str]:
        """The names of all documents that hold any of these terms."""
        with self.database.reading(cancellation) as transaction:
            found = self._index.holding(transaction, terms, scope)
            return {document.name for document in self.store(transaction).numbered([*found]).values()}

    def query_vector(self, question: SearchQuestion) -> bytes:
        """The vector of a question; where the model is away, words alone must do, if they may."""
        try:
            return self.embedder.embed_query(question.text)
        except Failure:
            if question.needs_model or not question.by_words:
                raise
            return bytes(self.embedder.dimensions)

    def _embedded(self, documents: Sequence[NewDocument]) -> list[Sequence[bytes]]:
        """The vectors of each document's chunks; the model is asked once for all that are not made yet."""
        texts: list[str] = []
        for document in documents:
            if not _has_vectors(document):
                texts += [compose_embedded_text(document.title, each.headings, each.text) for each in document.chunks]
        rows = iter(self.embedder.embed_documents(texts))
        vectors: list[Sequence[bytes]] = []
        for document in documents:
            made = document.prepared.vectors if document.prepared else None
            vectors.append(blend_context(list(islice(rows, len(document.chunks)))) if made is None else made)
        return vectors

    def _search(self, transaction: Transaction, question: SearchQuestion, vector: bytes) -> list[SearchHit]:
        words = QueryWords(question.text, self.embedder)
        judge = FitJudge(transaction, self._index, words)
        exact = frozenset[int]()
        if question.by_words:
            most_worded = max(CANDIDATES, question.limit)
            near = self.near(transaction, vector, question)
            exact = judge.exact(question.scope)
            worded = self._index.by_words(transaction, words.terms, question.scope, most_worded)
            headed, distances = self._measure(transaction, question, vector, near, [*worded, *sorted(exact)])
            if question.is_steady and words.is_steady:
                # the nearest are read too: whether one is among the first by words depends on all other texts
                looked_at = dict.fromkeys([*worded, *islice(near, NEAREST_READ)])
                scores = fuse_steadily(judge.steady_words([*looked_at]), distances, STEADY_KEYWORD_SHARE)
            else:
                scores = fuse(worded, _likeness(distances), 1 - (1 - question.keyword_share) * words.readable)
            ranked = RankedChunks(add_exact_bonus(scores, exact), distances, headed)
        else:
            near = self.near(transaction, vector, question)
            exact = judge.exact(question.scope)
            ranked = RankedChunks(_likeness(near), near)
        ranked = ranked._replace(unsure=judge.unsure(ranked, question.floored, exact))
        return self._hits(transaction, ranked, question, judge.read)

    def fuse_candidates(
        self,
        transaction: Transaction,
        question: SearchQuestion,
        vector: bytes,
        near: Mapping[int, float],
        worded: Mapping[int, float],
        share: float,
        exact: Collection[int] = (),
    ) -> RankedChunks:
        """Rank the nearest chunks with those found by words, by a heading or exactly; words have this share."""
        headed, distances = self._measure(transaction, question, vector, near, [*worded, *sorted(exact)])
        return RankedChunks(add_exact_bonus(fuse(worded, _likeness(distances), share), exact), distances, headed)

    def _measure(
        self,
        transaction: Transaction,
        question: SearchQuestion,
        vector: bytes,
        near: Mapping[int, float],
        others: Iterable[int],
    ) -> tuple[list[int], dict[int, float]]:
        """The chunks with a heading that the question names, and the distances of all candidates."""
        headed: list[int] = []
        if question.names:
            found = self._index.headed(transaction, question.names, question.scope, MOST_HEADED)
            headed = first_chunk_per_document(found)
        missing = [chunk for chunk in dict.fromkeys([*others, *headed]) if chunk not in near]
        return headed, {**near, **self._index.distances(transaction, vector, missing)}

    def near(self, transaction: Transaction, vector: bytes, question: SearchQuestion) -> dict[int, float]:
        """The nearest chunks; while the vectors are still read into memory, words alone must do, if they may."""
        try:
            return self._index.by_vector(transaction, vector, question.scope, max(question.candidates, question.limit))
        except StillLoading:
            self._loading.begin(self._load_all)
            if not question.by_words:
                raise
            return {}

    def _load_all(self) -> None:
        """Read the vectors into memory; it comes to its end whether or not anybody asks again."""
        with self.database.reading() as loading:
            self._index.load(loading)

    def related(
        self, document: StoredDocument, *, sources: Sequence[int], limit: int, text: str | None, same_document: bool
    ) -> list[SearchHit]:
        """The chunks that are most like a document (by the centre of its vectors) or like a text, most alike first."""
        given = self.embedder.embed_query(text) if text else None
        with self.database.reading() as transaction:
            vector = given or average_vectors(self._index.vectors_of(transaction, document.id))
            scope = Scope(tuple(sources), None if same_document else document.id)
            if text or same_document:
                near = self._index.by_vector(transaction, vector, scope, max(CANDIDATES, limit))
            else:
                near = self._one_a_document(transaction, vector, scope, limit)
            about = text or self.store(transaction).text(document.id)[:READ_CHARACTERS]
            question = SearchQuestion(about, scope, limit, most_of_one=None if text or same_document else 1)
            unread = 1 - self.embedder.readable_share(about)
            ranked = RankedChunks(_likeness(near), near)
            if unread >= UNREAD:
                terms = extract_query_terms(about)
                worded = self._index.by_words(transaction, terms, scope, max(CANDIDATES, limit))
                ranked = self.fuse_candidates(transaction, question, vector, near, worded, unread)
            return self._hits(transaction, ranked, question)

    def _one_a_document(self, transaction: Transaction, vector: bytes, scope: Scope, limit: int) -> dict[int, float]:
        """The nearest chunk of each document; looks further while long documents take all the places."""
        wanted = max(CANDIDATES, limit)
        while True:
            near = self._index.by_vector(transaction, vector, scope, wanted)
            first = first_chunk_per_document(near)
            if len(first) >= limit or len(near) < wanted:
                return {chunk: near[chunk] for chunk in first}
            wanted *= 4

    def _forget(self, transaction: Transaction, source: int, names: Sequence[str]) -> None:
        store = self.store(transaction)
        removed = [store.remove(source, name) for name in names]
        for document in sorted(number for number in removed if number is not None):  # in order: as in `SqliteIndex.put`
            self._index.remove(transaction, document)

    def _hits(
        self, transaction: Transaction, ranked: RankedChunks, question: SearchQuestion, read: ReadChunks | None = None
    ) -> list[SearchHit]:
        """The best chunks as hits, best first; `read` gives their texts."""
        best = ranked.best_first(question.max_distance)
        chosen = spread_over_documents(best, most=question.most_of_one, limit=question.limit)
        documents = self.store(transaction).numbered([locate_chunk(chunk)[0] for chunk, _ in chosen])
        wanted = [each for chunk, also in chosen for each in (chunk, *also)]
        passages = self._index.passages(transaction, wanted) if read is None else read(wanted)
        hits: list[SearchHit] = []
        for chunk, also in chosen:
            number, position = locate_chunk(chunk)
            document = documents[number]
            hit = SearchHit(
                source=document.source_name,
                document=document.name,
                title=document.title,
                passage=passages[chunk],
                position=position,
                total=document.chunks,
                score=ranked.scores[chunk],
                distance=ranked.distances[chunk],
                also=tuple((passages[each].start_line, passages[each].end_line) for each in sorted(also)),
                mark=read_mark(document),
                unsure=chunk in ranked.unsure,
                hash=document.hashes[position * HASH_DIGITS : (position + 1) * HASH_DIGITS],
            )
            hits.append(hit)
        return hits


def name_maker(embedder: Embedder) -> str:
    """The name of what makes chunks and vectors now."""
    return f"{VERSION}/{CONTEXT_SHARE}/{embedder.identity}"


def _has_vectors(document: NewDocument) -> bool:
    return document.prepared is not None and document.prepared.vectors is not None


def _likeness(distances: Mapping[int, float]) -> dict[int, float]:
    return {chunk: 1.0 - distance for chunk, distance in distances.items()}


def load_indexed_text(engine: SearchEngine, source: SearchSource, document: str) -> str | None:
    """The text of a document; None where the index does not have it."""
    with engine.database.reading() as transaction:
        store = engine.store(transaction)
        number = store.find_source(source)
        stored = None if number is None else store.find(number, document)
        return None if stored is None else store.text(stored.id)


SCHEMA = Schema("search", "fieldguide.search")


def open_sqlite_engine(
    path: Callable[[], str],
    settings: Mapping[str, Any],
    tell: Callable[[str], None],
    limits: Limits | None = None,
    models: OwnModels | None = None,
    namespace: str = "",
) -> SearchEngine:
    """An engine over a SQLite file of its own: the index is derived, so its writes never hold up those of users."""
    from fieldguide.search.indexes.sqlite import SqliteIndex
    from fieldguide.storage.sqlite import SqliteDatabase

    embedder = (models or OwnModels()).embedder(settings)
    return SearchEngine(
        SqliteDatabase(path, [SCHEMA], tell, is_derived=True),
        SqliteIndex(embedder.dimensions, name_maker(embedder)),
        embedder,
        namespace=namespace,
        turn=lambda name: hold_file_turn(f"{path()}{name and '-' + name}.indexing", tell),
        limits=limits,
        file=path,
    )
