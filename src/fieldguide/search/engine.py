"""The search engine: documents are put in source by source, and chunks come out, ranked by their words and vectors."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from fieldguide.errors import Failure, StillLoading
from fieldguide.limits import Limits
from fieldguide.search.chunking import VERSION
from fieldguide.search.early.aside import Aside
from fieldguide.search.early.right_of_way import RightOfWay
from fieldguide.search.embedding import CONTEXT_SHARE, Embedder, in_context, mean, reads_of
from fieldguide.search.fusion import CANDIDATES, fuse
from fieldguide.search.hits import Ranked, first_of_each, gathered
from fieldguide.search.indexes.store import DocumentStore, StoredDocument, StoredSource
from fieldguide.search.misfits import Misfits
from fieldguide.search.port import Hit, Index, Known, NewDocument, Placed, Scope, Source
from fieldguide.search.question import Question as Question
from fieldguide.search.reranking import RERANKED, Reranker, looked_at_again
from fieldguide.search.words import query_terms
from fieldguide.spine.cancellation import Cancellation
from fieldguide.storage.port import Database, Transaction

MEGABYTE = 1_000_000
MOST_HEADED = 30
READ_CHARACTERS = 4_000  # of a document: so many tell which script it is in
UNREAD = 0.1  # a few letters that the model does not know change nothing


class Turn(Protocol):
    """Gives the turn to index: the one that is named, or the one for all that takes long."""

    def __call__(self, name: str = "") -> AbstractContextManager[None]:
        """Wait for the turn, and hold it while the block runs; StorageFailed when it does not come."""
        ...


class SearchEngine:
    """One engine for every toolset, over one database; every method may be called from any thread.

    `turn` is held by whoever brings the index up to date: one process at a time indexes, all search; what is small has
    a turn of its own, so that it need not wait for what is large. `made_over` are the sources that this engine has once
    made its own: never twice, or two servers with two models would make each other's work again for ever; `way` is for
    who must not wait for the background. `file` is where the index lies, if it lies in one.
    """

    def __init__(
        self,
        database: Database,
        index: Index,
        embedder: Embedder,
        *,
        namespace: str,
        turn: Turn,
        limits: Limits | None = None,
        file: Callable[[], str] | None = None,
        reranker: Reranker | None = None,
    ) -> None:
        self.database = database
        self.embedder = embedder
        self.turn = turn
        self.limits = limits or Limits()
        self.file = file
        self.reranker = reranker
        self.made_over: set[Source] = set()
        self.way = RightOfWay()
        self.index = self._index = index
        self._namespace = namespace
        self._loading = Aside("search-load")
        self._settling = Aside("search-settle")

    @property
    def maker(self) -> str:
        """What made the chunks and vectors that are current: what another maker made is made again."""
        return maker_of(self.embedder)

    def store(self, transaction: Transaction) -> DocumentStore:
        """The sources and documents, in a transaction of the engine's database."""
        return DocumentStore(transaction, self._namespace)

    def sources(self, kind: str) -> list[StoredSource]:
        """Every source of a kind, by name."""
        with self.database.reading() as transaction:
            return self.store(transaction).sources(kind)

    def is_full(self) -> bool:
        """Whether the index is as large as it may be."""
        with self.database.reading() as transaction:
            return self._index.size_bytes(transaction) >= self.limits.index_megabytes * MEGABYTE

    def known(self, source: Source) -> dict[str, Known]:
        """What the index knows of each document of a source."""
        with self.database.reading() as transaction:
            store = self.store(transaction)
            number = store.find_source(source)
            return {} if number is None else store.known(number)

    def known_of(self, source: Source, names: Iterable[str], folders: Iterable[str]) -> dict[str, Known]:
        """What the index knows of some documents of a source: those with these names, and those in these folders."""
        with self.database.reading() as transaction:
            store = self.store(transaction)
            number = store.find_source(source)
            return {} if number is None else store.known_of(number, names, folders)

    def count(self, source: Source) -> int:
        """How many documents a source has."""
        with self.database.reading() as transaction:
            store = self.store(transaction)
            number = store.find_source(source)
            return 0 if number is None else store.count(number)

    def put(self, source: Source, documents: Sequence[NewDocument]) -> None:
        """Store these documents whole: all of them, or none."""
        vectors = self._embedded(documents)
        with self.database.writing() as transaction:
            store = self.store(transaction)
            number = store.add_source(source)
            placed = [
                Placed(store.put(number, new, maker=self.maker), new, rows)
                for new, rows in zip(documents, vectors, strict=True)
            ]
            self._index.put(transaction, number, placed)

    def finish(
        self,
        source: Source,
        details: Mapping[str, Any],
        *,
        gone: Sequence[str] = (),
        stamps: Sequence[tuple[str, str]] = (),
    ) -> None:
        """Say that a source is whole: forget what is gone, keep new stamps and what the source says of itself."""
        if not gone and not stamps and self._says(source) == details:
            return
        with self.database.writing() as transaction:
            store = self.store(transaction)
            number = store.add_source(source)
            self._forget(transaction, number, gone)
            if stamps:
                store.stamp(number, stamps)
            store.describe_source(number, details)
            is_settled = self._index.is_settled(transaction)
        if not is_settled:
            self._settling.begin(lambda: self._index.settle(self.database))

    def settled(self) -> None:
        """Wait until what follows the end of a large sync has been made."""
        self._settling.join()

    def remove(self, source: Source) -> None:
        """Forget a source with all of its documents."""
        with self.database.writing() as transaction:
            store = self.store(transaction)
            number = store.add_source(source)
            self._forget(transaction, number, store.names(number))
            store.remove_source(number)

    def search(self, question: Question, cancellation: Cancellation | None = None) -> list[Hit]:
        """The chunks that answer best, best first; equal ones in the order of their places."""
        return self.search_all([question], cancellation)[0]

    def search_all(self, questions: Sequence[Question], cancellation: Cancellation | None = None) -> list[list[Hit]]:
        """The answers to several questions, from one and the same state of the index; a repeated one is asked once."""
        vectors = {question: self.query_vector(question) for question in dict.fromkeys(questions)}
        with self.database.reading(cancellation) as transaction:
            answers = {question: self._search(transaction, question, vector) for question, vector in vectors.items()}
        return [answers[question] for question in questions]

    def documents_with(self, terms: Sequence[str], scope: Scope, cancellation: Cancellation | None = None) -> set[str]:
        """The names of all documents that hold any of these terms."""
        with self.database.reading(cancellation) as transaction:
            found = self._index.holding(transaction, terms, scope)
            return {document.name for document in self.store(transaction).numbered([*found]).values()}

    def query_vector(self, question: Question) -> bytes:
        """The vector of a question; where the model is away, words alone must do, if they may."""
        try:
            return self.embedder.embed_query(question.text)
        except Failure:
            if question.needs_model or not question.by_words:
                raise
            return bytes(self.embedder.dimensions)

    def _embedded(self, documents: Sequence[NewDocument]) -> list[list[bytes]]:
        """The vectors of each document's chunks; the model is asked once for all of them."""
        texts = [_embedded_texts(each) for each in documents]
        rows = iter(self.embedder.embed_documents([text for each in texts for text in each]))
        return [in_context([next(rows) for _ in each]) for each in texts]

    def _search(self, transaction: Transaction, question: Question, vector: bytes) -> list[Hit]:
        reads = reads_of(self.embedder, question.text)
        near = self.near(transaction, vector, question)
        ranked = Ranked(_likeness(near), near)
        if question.by_words:
            share = 1 - (1 - question.keyword_share) * reads
            ranked = self._with_words(transaction, question, vector, near, share)
        if question.floored and hasattr(self.embedder, "readable_share"):  # for other models' distances none was chosen
            misfits = Misfits(transaction, self._index, self.store(transaction))
            ranked = misfits.taken_out(ranked, question.floored, query_terms(question.text), reads)
        if not question.rerank or not question.by_words:
            return self._hits(transaction, ranked, question)
        hits = self._hits(transaction, ranked, question._replace(limit=max(RERANKED, question.limit)))
        return looked_at_again(hits, question.text, self.reranker)[: question.limit]

    def _with_words(
        self, transaction: Transaction, question: Question, vector: bytes, near: Mapping[int, float], share: float
    ) -> Ranked:
        """The nearest chunks and those that hold the question's words, which have their share in the ranking."""
        terms = query_terms(question.text)
        worded = self._index.by_words(transaction, terms, question.scope, max(CANDIDATES, question.limit))
        headed = first_of_each(self._index.headed(transaction, question.names, question.scope, MOST_HEADED))
        missing = [chunk for chunk in dict.fromkeys([*worded, *headed]) if chunk not in near]
        distances = {**near, **self._index.distances(transaction, vector, missing)}
        return Ranked(fuse(worded, _likeness(distances), share), distances, headed)

    def near(self, transaction: Transaction, vector: bytes, question: Question) -> dict[int, float]:
        """The nearest chunks; while the vectors are still read into memory, words alone must do, if they may."""
        try:
            return self._index.by_vector(transaction, vector, question.scope, max(question.candidates, question.limit))
        except StillLoading:
            self._loading.begin(self._load_all)  # it comes to its end whether or not anybody asks again
            if not question.by_words:
                raise
            return {}

    def _load_all(self) -> None:
        with self.database.reading() as transaction:
            self._index.load(transaction)

    def related(
        self, document: StoredDocument, *, sources: Sequence[int], limit: int, text: str | None, same_document: bool
    ) -> list[Hit]:
        """The chunks that are most like a document (by the centre of its vectors) or like a text, most alike first."""
        given = self.embedder.embed_query(text) if text else None
        with self.database.reading() as transaction:
            vector = given or mean(self._index.vectors_of(transaction, document.id))
            scope = Scope(tuple(sources), None if same_document else document.id)
            if text or same_document:
                near = self._index.by_vector(transaction, vector, scope, max(CANDIDATES, limit))
            else:
                near = self._one_a_document(transaction, vector, scope, limit)
            about = text or self.store(transaction).text(document.id)[:READ_CHARACTERS]
            question = Question(about, scope, limit, most_of_one=None if text or same_document else 1)
            unread = 1 - reads_of(self.embedder, about)
            ranked = Ranked(_likeness(near), near)
            if unread >= UNREAD:
                ranked = self._with_words(transaction, question, vector, near, unread)
            return self._hits(transaction, ranked, question)

    def _one_a_document(self, transaction: Transaction, vector: bytes, scope: Scope, limit: int) -> dict[int, float]:
        """The nearest chunk of each document; looks further while long documents take all the places."""
        wanted = max(CANDIDATES, limit)
        while True:
            near = self._index.by_vector(transaction, vector, scope, wanted)
            first = first_of_each(near)
            if len(first) >= limit or len(near) < wanted:
                return {chunk: near[chunk] for chunk in first}
            wanted *= 4

    def _says(self, source: Source) -> Mapping[str, Any] | None:
        """What a source that is whole says of itself; None when it is not whole."""
        found = [each.details for each in self.sources(source.kind) if each.name == source.name and each.is_synced]
        return found[0] if found else None

    def _forget(self, transaction: Transaction, source: int, names: Sequence[str]) -> None:
        store = self.store(transaction)
        for name in names:
            if (document := store.remove(source, name)) is not None:
                self._index.remove(transaction, document)

    def _hits(self, transaction: Transaction, ranked: Ranked, question: Question) -> list[Hit]:
        return gathered(
            transaction,
            self._index,
            self.store(transaction),
            ranked,
            limit=question.limit,
            max_distance=question.max_distance,
            most_of_one=question.most_of_one,
            is_beside=question.is_beside,
        )


def maker_of(embedder: Embedder) -> str:
    """The name of what makes chunks and vectors now."""
    return f"{VERSION}/{CONTEXT_SHARE}/{embedder.identity}"


def embedded_text(title: str, headings: Sequence[str], body: str) -> str:
    """What the model reads of a chunk: the title, the headings above it, and its text."""
    path = dict.fromkeys([title, *headings])
    return f"{' > '.join(filter(None, path))}\n{body}"


def _embedded_texts(document: NewDocument) -> list[str]:
    return [embedded_text(document.title, chunk.headings, chunk.text) for chunk in document.chunks]


def _likeness(distances: Mapping[int, float]) -> dict[int, float]:
    return {chunk: 1.0 - distance for chunk, distance in distances.items()}
