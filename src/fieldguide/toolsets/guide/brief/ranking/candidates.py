"""The chunks that may belong to a task: by their words and by their vectors, for its first line and for all of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from fieldguide.search.engine import Question, SearchEngine
from fieldguide.search.fitness import MOST_COUNTED, UNLIKE, term_weights
from fieldguide.search.indexes.store import StoredDocument
from fieldguide.search.port import Passage, Scope, chunk_number, place_of
from fieldguide.search.words import query_terms
from fieldguide.storage.port import Transaction
from fieldguide.toolsets.guide.brief.ranking.task_text import TaskText, stem

CODE, DOCUMENTS, ARCHITECTURE = "code", "documents", "architecture"
LOCAL = "dir:"
MOST_WORDED = 600  # chunks for each text
MOST_NEAR = 400
MOST_OF_ONE = 80  # chunks of one file that are looked at when the file is
OTHER_LINES = (".ipynb", ".pdf", ".docx")  # what is indexed of these has other lines than the file


class Scores(NamedTuple):
    """How well a chunk fits: its words (1 is the best there is) and its likeness, for the first line and for all.

    Likeness is spread from the last of the nearest, 0, to the nearest, 1; what is less alike is below 0.
    """

    subject_words: float
    words: float
    subject_likeness: float
    likeness: float
    text: float
    """All four in one."""


class Place(NamedTuple):
    """A chunk of a file, with what is known of it."""

    number: int
    passage: Passage
    scores: Scores


@dataclass(slots=True)
class File:
    """A file with the chunks of it that are looked at, in their order."""

    path: str
    kind: str
    document: StoredDocument
    category: str = ""
    places: list[Place] = field(default_factory=list[Place])


class Found(NamedTuple):
    """The files by path, and how much each stem of the task says: the rarer, the more."""

    files: dict[str, File]
    stems: Mapping[str, float]


class Sides(NamedTuple):
    """One text of the task, as it is looked for: the words' scores, and what likeness is measured by."""

    vector: bytes
    worded: Mapping[int, float]
    best: float
    lowest: float
    highest: float
    distances: dict[int, float]

    def words(self, chunk: int) -> float:
        """The score of a chunk's words, 0 to 1."""
        return self.worded.get(chunk, 0.0) / self.best if self.best else 0.0

    def likeness(self, chunk: int) -> float:
        """Where a chunk stands between the last of the nearest and the nearest, -1 to 1."""
        alike = 1.0 - self.distances.get(chunk, 1.0)
        spread = self.highest - self.lowest
        return max(-1.0, min(1.0, (alike - self.lowest) / spread)) if spread > 0 else 0.0


class Looking:
    """Looks for one task, in one transaction."""

    def __init__(self, engine: SearchEngine, transaction: Transaction, task: TaskText) -> None:
        self._engine = engine
        self._transaction = transaction
        self._task = task
        self._store = engine.store(transaction)
        self._sources = {
            source.id: (kind, source.name)
            for kind in (CODE, DOCUMENTS, ARCHITECTURE)
            for source in engine.sources(kind)
            if kind != DOCUMENTS or source.name.startswith(LOCAL)
        }
        self._scope = Scope(tuple(self._sources))
        whole = self._side(task.whole)
        self._sides = (whole if task.subject == task.whole else self._side(task.subject), whole)

    def found(self) -> Found:
        """The files that text brings, with the chunks that do; none where nothing fits the task at all."""
        if not any(side.worded or side.highest >= UNLIKE for side in self._sides):
            return Found({}, {})
        chunks = dict.fromkeys(chunk for side in self._sides for chunk in (*side.worded, *side.distances))
        documents = self._store.numbered([place_of(chunk)[0] for chunk in chunks])
        files = self._files(documents.values())
        self._fill(files, [chunk for chunk in chunks if place_of(chunk)[0] in documents])
        return Found(files, self._stems())

    def add(self, files: dict[str, File], paths: Iterable[str]) -> None:
        """Take up files by their paths; those that are not indexed are left out."""
        documents = [found for path in paths if (found := self._named(path)) is not None]
        files.update({path: file for path, file in self._files(documents).items() if path not in files})

    def open(self, files: Sequence[File]) -> None:
        """Look at all chunks of these files."""
        chunks = [chunk for file in files for chunk in _numbers(file.document)]
        self._fill({file.path: file for file in files}, chunks)

    def path_of(self, document: StoredDocument) -> str | None:
        """The path of a document in the project; None where it lies in no file whose lines it has."""
        kind, source = self._sources[document.source]
        folder = source.removeprefix(LOCAL) if kind == DOCUMENTS else ""
        path = document.name if folder in ("", ".") else f"{folder}/{document.name}"
        return None if path.lower().endswith(OTHER_LINES) else path

    def _side(self, text: str) -> Sides:
        engine, transaction = self._engine, self._transaction
        question = Question(text, self._scope, MOST_NEAR, candidates=MOST_NEAR)
        vector = engine.query_vector(question)
        worded = engine.index.by_words(transaction, query_terms(text), self._scope, MOST_WORDED)
        near = engine.near(transaction, vector, question)
        alike = [1.0 - distance for distance in near.values()]
        lowest, highest = min(alike, default=0.0), max(alike, default=0.0)
        return Sides(vector, worded, max(worded.values(), default=0.0), lowest, highest, {**near})

    def _files(self, documents: Iterable[StoredDocument]) -> dict[str, File]:
        """One file for each path: what is a document and a decision is both, in one place."""
        files: dict[str, File] = {}
        for document in sorted(documents, key=lambda each: each.id):
            kind, source = self._sources[document.source]
            path = self.path_of(document)
            if path is None:
                continue
            known = files.get(path)
            if known is None or known.kind == ARCHITECTURE:
                files[path] = File(path, kind, document, known.category if known else "")
            if kind == ARCHITECTURE:
                files[path].category = source
        return files

    def _named(self, path: str) -> StoredDocument | None:
        for number, (kind, source) in self._sources.items():
            folder = source.removeprefix(LOCAL) if kind == DOCUMENTS else "."
            inside = path if folder == "." else path[len(folder) + 1 :] if path.startswith(f"{folder}/") else ""
            if inside and (found := self._store.find(number, inside)) is not None:
                return found
        return None

    def _fill(self, files: Mapping[str, File], chunks: Sequence[int]) -> None:
        """Put these chunks into their files, each once, in their order."""
        by_document = {file.document.id: file for file in files.values()}
        wanted = _lacked(by_document, chunks)
        for side in {id(each): each for each in self._sides}.values():
            self._measure(side, wanted)
        for number, passage in sorted(self._engine.index.passages(self._transaction, wanted).items()):
            by_document[place_of(number)[0]].places.append(Place(number, passage, self._scores(number)))
        for file in files.values():
            file.places.sort(key=lambda place: place.number)

    def _measure(self, side: Sides, chunks: Sequence[int]) -> None:
        missing = [chunk for chunk in chunks if chunk not in side.distances]
        side.distances.update(self._engine.index.distances(self._transaction, side.vector, missing))

    def _scores(self, chunk: int) -> Scores:
        first, whole = self._sides
        words, likeness = (first.words(chunk), whole.words(chunk)), (first.likeness(chunk), whole.likeness(chunk))
        text = 0.35 * words[0] + 0.25 * words[1] + 0.2 * sum(max(each, 0.0) for each in likeness)
        return Scores(*words, *likeness, text)

    def _stems(self) -> dict[str, float]:
        """How much each stem says; what only the later lines say counts less."""
        terms = [term for term in query_terms(self._task.whole) if " " not in term]
        counts = self._engine.index.counts(self._transaction, terms, MOST_COUNTED)
        weights = term_weights(terms, counts, self._store.chunks(self._scope.sources))
        stems: dict[str, float] = {}
        for (term, weight), count in zip(weights.items(), counts, strict=True):
            share = 1.0 if stem(term) in self._task.subject_stems else 0.7
            if count:
                stems[stem(term)] = max(stems.get(stem(term), 0.0), share * weight)
        return stems


def _lacked(by_document: Mapping[int, File], chunks: Sequence[int]) -> list[int]:
    """Those of these chunks whose file is here, and does not hold them yet."""
    known = {place.number for file in by_document.values() for place in file.places}
    return [chunk for chunk in chunks if place_of(chunk)[0] in by_document and chunk not in known]


def _numbers(document: StoredDocument) -> list[int]:
    return [chunk_number(document.id, place) for place in range(min(document.chunks, MOST_OF_ONE))]
