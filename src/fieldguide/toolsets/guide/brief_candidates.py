"""Finds the chunks that may belong to a task by words, vectors and names, and joins chunks to whole definitions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

from fieldguide.code.symbols.facts import COMMAND, ROUTE
from fieldguide.code.symbols.lookup import Symbols
from fieldguide.files.kinds import is_test, match_text_kinds
from fieldguide.search.engine import SearchEngine, SearchQuestion
from fieldguide.search.indexes.document_store import StoredDocument
from fieldguide.search.ranking import UNLIKE, first_chunk_per_document, weigh_terms
from fieldguide.search.types import ChunkPassage, Scope, locate_chunk, number_chunk
from fieldguide.storage.database import Transaction
from fieldguide.text import regex as re
from fieldguide.text.words import (
    EVERY_PART,
    STOP_WORDS,
    extract_query_terms,
    has_hump,
    make_search_term,
    split_humps,
    split_plain_words,
    strip_ending,
)

LONGEST_SUBJECT = 300
LONGEST_TASK = 4_000
NAME = re.compile(r"[A-Za-z_$][\w$]*")
WRITTEN = re.compile(r"`([^`\s]+)`|([\w$]*[a-z][A-Z][\w$]*|\w+_\w+|[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)+|\w+\(\))")
PATH = re.compile(r"[\w.@+-]+/[\w.@+/-]*[\w@+-]/?|[\w@+-]+/|[\w@+-]+\.[a-z]{1,5}\b")
QUALIFIED = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::|#|->)[A-Za-z_]\w*)+(?:\(\))?")
LEAST_NAME = 3
LEAST_STEM = 4
ENDINGS = ("ing", "ies", "ed", "es", "s")
# fmt: off
EVERYDAY = STOP_WORDS | frozenset((
    "add", "added", "adding", "adds", "all", "also", "change", "changed", "changes", "chore", "every", "feat", "find",
    "fix", "fixed", "fixes", "fixing", "list", "locate", "make", "makes", "new", "now", "only", "refactor", "remove",
    "removed", "removes", "see", "show", "update", "updated", "updates", "used", "uses",
))
# fmt: on


class TaskText:
    """The names, words and stems of a task, each computed once."""

    def __init__(self, task: str) -> None:
        self.whole = task[:LONGEST_TASK].strip()
        self.subject = self.whole.partition("\n")[0][:LONGEST_SUBJECT]

    @cached_property
    def names(self) -> Sequence[str]:
        """The identifiers that the task writes, in its order, without the dots and colons between them."""
        names = dict.fromkeys(name for each in self._written for name in NAME.findall(each))
        return [name for name in names if len(name) >= LEAST_NAME]

    @cached_property
    def qualified(self) -> Sequence[str]:
        """What the task writes with its class, module or package: `Client.send`, `driver.ModuleConfig`."""
        return [*dict.fromkeys(each for each in self._written if QUALIFIED.fullmatch(each))]

    @cached_property
    def _written(self) -> list[str]:
        return [first or second for first, second in WRITTEN.findall(self.whole)]

    @cached_property
    def words(self) -> frozenset[str]:
        """The words that say something, lower case."""
        return frozenset(word.lower() for word in split_plain_words(self.whole)) - EVERYDAY

    @cached_property
    def paths(self) -> frozenset[str]:
        """The paths of files and folders that the task writes, without a slash at their ends."""
        return frozenset(path.strip("/") for path in PATH.findall(self.whole))

    @cached_property
    def text_kinds(self) -> frozenset[str]:
        """The kinds of text beside the code that the task speaks of."""
        return match_text_kinds(tuple(self.words))

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of all that say something."""
        return split_stems(self.whole)

    @cached_property
    def subject_stems(self) -> frozenset[str]:
        """The stems of the first line."""
        return split_stems(self.subject)


def split_stems(text: str) -> frozenset[str]:
    """The stems of a text's words, identifiers taken apart, without those of everyday words."""
    stems: set[str] = set()
    for word in split_plain_words(text):
        stems.update(split_word_stems(word))
    return frozenset(stems)


@lru_cache(maxsize=50_000)
def split_word_stems(word: str) -> tuple[str, ...]:
    """The stems of the parts of a word; none where it says nothing."""
    parts = split_humps(word, EVERY_PART) if has_hump(word) else [word]
    lowered = [part.lower() for part in parts if len(part) > 1]
    return tuple(stem_word(part) for part in lowered if part not in EVERYDAY)


@lru_cache(maxsize=50_000)
def stem_word(word: str) -> str:
    """The beginning of a word that its other forms share."""
    return strip_ending(word, ENDINGS, LEAST_STEM)


CODE = "code"
TEXT = "text"
DOCUMENTS = "documents"
ARCHITECTURE = "architecture"
LOCAL = "dir:"
MOST_WORDED = 600  # chunks for each text
MOST_NEAR = 400
MOST_TEXT = 100  # chunks of text beside the code for each text, and as many by likeness
MOST_OF_ONE = 80  # chunks of one file that are looked at when the file is
OTHER_LINES = (".ipynb", ".pdf")  # what is indexed of these has other lines than the file


class ChunkPlace(NamedTuple):
    """A chunk of a file, and how well it fits: its words (1 is the best match) and its likeness to the whole task.

    Likeness is scaled from 0, the last of the nearest chunks, to 1, the nearest; others are below 0.
    """

    number: int
    passage: ChunkPassage
    words: float = 0.0
    likeness: float = 0.0
    text: float = 0.0
    """Words and likeness in one, of the first line and of the whole task."""


@dataclass(slots=True)
class CandidateFile:
    """A file with the chunks of it that are looked at, in their order."""

    path: str
    kind: str
    document: StoredDocument
    category: str = ""
    places: list[ChunkPlace] = field(default_factory=list[ChunkPlace])


class QuerySides(NamedTuple):
    """One text of the task, as it is looked for: the words' scores, and what likeness is measured by."""

    vector: bytes
    worded: Mapping[int, float]
    best: float
    lowest: float
    highest: float
    distances: dict[int, float]

    def words(self, chunk: int) -> float:
        """The score of a chunk's words, 0 to 1."""
        if not self.best:
            return 0.0
        return min(self.worded.get(chunk, 0.0) / self.best, 1.0)

    def likeness(self, chunk: int) -> float:
        """Where a chunk stands between the last of the nearest and the nearest, -1 to 1."""
        spread = self.highest - self.lowest
        if spread <= 0:
            return 0.0
        alike = 1.0 - self.distances.get(chunk, 1.0)
        return max(-1.0, min(1.0, (alike - self.lowest) / spread))


class CandidateSearch:
    """Looks for one task, in one transaction."""

    def __init__(self, engine: SearchEngine, transaction: Transaction, task: TaskText) -> None:
        self._engine = engine
        self._transaction = transaction
        self._task = task
        self._store = engine.store(transaction)
        self._sources: dict[int, tuple[str, str]] = {}
        for kind in (CODE, TEXT, DOCUMENTS, ARCHITECTURE):
            for source in engine.sources(kind):
                if kind != DOCUMENTS or source.name.startswith(LOCAL):
                    self._sources[source.id] = (kind, source.name)
        texts = tuple(number for number, (kind, _) in self._sources.items() if kind == TEXT)
        self._scope = Scope(tuple(number for number in self._sources if number not in texts))
        self._text_scope = Scope(texts)
        whole = self._side(task.whole)
        subject = whole if task.subject == task.whole else self._side(task.subject)
        self._sides = (subject, whole)

    def found(self) -> tuple[dict[str, CandidateFile], Mapping[str, float]]:
        """The files by path whose text fits, with the chunks that fit; and how much each stem of the task says.

        There is none where nothing fits the task at all. The rarer a stem is, the more it says.
        """
        if not any(side.worded or side.highest >= UNLIKE for side in self._sides):
            return {}, {}
        chunks: dict[int, None] = {}
        for side in self._sides:
            chunks.update(dict.fromkeys((*side.worded, *side.distances)))
        documents = self._store.numbered([locate_chunk(chunk)[0] for chunk in chunks])
        files = self._files(documents.values())
        self._fill(files, [chunk for chunk in chunks if locate_chunk(chunk)[0] in documents])
        return files, self._stems()

    def nearest(self, count: int) -> list[CandidateFile]:
        """The files that are most like the task, however unlike it they are, each with its nearest chunk."""
        distances = self._sides[1].distances
        chunks = first_chunk_per_document(sorted(distances, key=lambda chunk: (distances[chunk], chunk)))[:count]
        files = self._files(self._store.numbered([locate_chunk(chunk)[0] for chunk in chunks]).values())
        self._fill(files, chunks)
        return list(files.values())

    def add(self, files: dict[str, CandidateFile], paths: Iterable[str]) -> None:
        """Add files by their paths; those that are not indexed are left out."""
        documents = filter(None, map(self._named, paths))
        for path, file in self._files(documents).items():
            files.setdefault(path, file)

    def open(self, files: Sequence[CandidateFile]) -> None:
        """Look at all chunks of these files."""
        chunks: list[int] = []
        for file in files:
            count = min(file.document.chunks, MOST_OF_ONE)
            chunks += [number_chunk(file.document.id, place) for place in range(count)]
        self._fill({file.path: file for file in files}, chunks)

    def holding(self, fragment: str) -> list[str]:
        """The files that hold the words of a fragment one after the other."""
        term = make_search_term(fragment)
        if not term:
            return []
        scope = Scope(tuple(self._sources))
        documents = self._store.numbered(sorted(self._engine.index.holding(self._transaction, [term], scope)))
        paths = (self.path_of(document) for document in documents.values())
        return sorted({path for path in paths if path is not None})

    def paths(self) -> set[str]:
        """Every indexed file."""
        found: set[str] = set()
        for source in self._sources:
            folder = self._folder(source)
            names = self._store.names(source)
            found.update([f"{folder}/{name}" for name in names] if folder else names)
        return found

    def path_of(self, document: StoredDocument) -> str | None:
        """The path of a document in the project; None where its lines are not those of a file."""
        path = self._join(document.source, document.name)
        return None if path.lower().endswith(OTHER_LINES) else path

    def _join(self, source: int, name: str) -> str:
        folder = self._folder(source)
        return f"{folder}/{name}" if folder else name

    def _folder(self, source: int) -> str:
        """The folder that the names of a source begin at; empty if that is the project."""
        kind, name = self._sources[source]
        folder = name.removeprefix(LOCAL) if kind == DOCUMENTS else ""
        return "" if folder == "." else folder

    def _side(self, text: str) -> QuerySides:
        engine = self._engine
        transaction = self._transaction
        question = SearchQuestion(text, self._scope, MOST_NEAR, candidates=MOST_NEAR)
        vector = engine.query_vector(question)
        worded = engine.index.by_words(transaction, extract_query_terms(text), self._scope, MOST_WORDED)
        near = engine.near(transaction, vector, question)
        alike = [1.0 - distance for distance in near.values()]
        lowest = min(alike, default=0.0)
        highest = max(alike, default=0.0)
        best = max(worded.values(), default=0.0)
        if not self._text_scope.sources:
            return QuerySides(vector, worded, best, lowest, highest, {**near})
        # text is measured by what code and documents hold, and takes no candidate's place from them
        aside = question._replace(scope=self._text_scope, limit=MOST_TEXT, candidates=MOST_TEXT)
        near_text = engine.near(transaction, vector, aside)
        worded_text = engine.index.by_words(transaction, extract_query_terms(text), self._text_scope, MOST_TEXT)
        return QuerySides(vector, {**worded, **worded_text}, best, lowest, highest, {**near, **near_text})

    def _files(self, documents: Iterable[StoredDocument]) -> dict[str, CandidateFile]:
        """One file for each path: what is a document and a decision is both, in one place."""
        files: dict[str, CandidateFile] = {}
        for document in sorted(documents, key=lambda each: each.id):
            kind, source = self._sources[document.source]
            path = self.path_of(document)
            if path is None:
                continue
            known = files.get(path)
            if known is None or known.kind == ARCHITECTURE:
                files[path] = CandidateFile(path, kind, document, known.category if known else "")
            if kind == ARCHITECTURE:
                files[path].category = source
        return files

    def _named(self, path: str) -> StoredDocument | None:
        for number, (kind, source) in self._sources.items():
            inside = path
            if kind == DOCUMENTS and source != f"{LOCAL}.":
                folder = f"{source.removeprefix(LOCAL)}/"
                inside = path[len(folder) :] if path.startswith(folder) else ""
            if inside:
                document = self._store.find(number, inside)
                if document is not None:
                    return document
        return None

    def _fill(self, files: Mapping[str, CandidateFile], chunks: Sequence[int]) -> None:
        """Put these chunks into their files, each once, in their order."""
        by_document = {file.document.id: file for file in files.values()}
        known = {place.number for file in by_document.values() for place in file.places}
        lacking = [chunk for chunk in chunks if locate_chunk(chunk)[0] in by_document and chunk not in known]
        first, whole = self._sides
        for side in self._sides:
            missing = [chunk for chunk in lacking if chunk not in side.distances]
            side.distances.update(self._engine.index.distances(self._transaction, side.vector, missing))
        for number, passage in sorted(self._engine.index.passages(self._transaction, lacking).items()):
            words = whole.words(number)
            likeness = whole.likeness(number)
            text = 0.35 * first.words(number) + 0.25 * words
            text += 0.2 * (max(first.likeness(number), 0.0) + max(likeness, 0.0))
            place = ChunkPlace(number, passage, words, likeness, text)
            by_document[locate_chunk(number)[0]].places.append(place)
        for file in files.values():
            file.places.sort(key=lambda place: place.number)

    def _stems(self) -> dict[str, float]:
        """How much each stem says; what only the later lines say counts less."""
        terms = [term for term in extract_query_terms(self._task.whole) if " " not in term]
        counts = self._engine.index.counts(self._transaction, terms)
        weights = weigh_terms(terms, counts, self._store.chunks(self._scope.sources))
        stems: dict[str, float] = {}
        for (term, weight), count in zip(weights.items(), counts, strict=True):
            if count:
                stem = stem_word(term)
                share = 1.0 if stem in self._task.subject_stems else 0.7
                stems[stem] = max(stems.get(stem, 0.0), share * weight)
        return stems


MOST_NAMES = 12
MOST_DEFINITIONS = 3  # a name that more have is meant by chance
MOST_QUALIFIED = 2  # definitions of a name with what it is in: more are meant by chance
MOST_FILES = 8
IMPORT = "import"
ENTRIES = (ROUTE, COMMAND)  # what is asked for by a name that only its declaration has


def find_named_uses(symbols: Symbols, task: TaskText) -> dict[str, str]:
    """The files that certainly use a symbol that the task names, as long as they are few, each with its name."""
    found: dict[str, str] = {}
    for name in task.names[:MOST_NAMES]:
        meant = [each for each in symbols.definitions(name) if not is_test(each.path)]
        for symbol in meant if len(meant) <= MOST_DEFINITIONS else ():
            if symbol.kind in ENTRIES:
                found.setdefault(symbol.path, symbol.name)
            certain = [use.path for use in symbols.references(symbol) if use.is_certain and use.role != IMPORT]
            paths = {path for path in certain if path != symbol.path}
            if len(paths) <= MOST_FILES:
                found.update(dict.fromkeys(sorted(paths - found.keys()), symbol.name))
    return found


def find_named_files(symbols: Symbols, task: TaskText) -> frozenset[str]:
    """The files that define what the task writes with its class, module or package."""
    found: set[str] = set()
    for name in task.qualified[:MOST_NAMES]:
        meant = [each for each in symbols.definitions(name) if not is_test(each.path)]
        found.update(each.path for each in meant if len(meant) <= MOST_QUALIFIED)
    return frozenset(found)


NAMED = 1.0
NAMED_AROUND = 0.4
SAID = 0.3


def score_name(headings: Sequence[str], task: TaskText) -> float:
    """1 where the task writes the name, less where it names what is around it, or says it as a plain word."""
    if not headings:
        return 0.0
    if headings[-1] in task.names:
        return NAMED
    if not set(headings).isdisjoint(task.names):
        return NAMED_AROUND
    return SAID if headings[-1].lower() in task.words else 0.0


TELLING = 4  # stems: a text that says as much as the four rarest says all


class WeighedTask:
    """A task, and how much each of its stems says."""

    def __init__(self, task: TaskText, stems: Mapping[str, float]) -> None:
        self.task = task
        self.stems = stems

    @cached_property
    def most(self) -> float:
        """How much a text can say."""
        return sum(sorted(self.stems.values(), reverse=True)[:TELLING]) or 1.0


LONGEST = 120  # lines of one definition that are one place
IMPORTS = (
    "import ",
    "from ",
    "use ",
    "pub use ",
    "#include",
    "# include",
    "using ",
    "package ",
    "mod ",
    "'use strict'",
    "<?php",
)
COMMENTS = ("//", "#", "*", "/*", "--", ";")
NAMESPACE = re.compile(r"namespace [\w.\\]+;")  # of a whole file in PHP and C#
CLOSING = re.compile(r"\s*(?:[\])};,]+|end|#\s*endif.*)?\s*")  # of what is before a definition
QUOTES = ('"""', "'''")


class Definition(NamedTuple):
    """Lines of a file that belong together: a whole definition or section, or a part of a long one."""

    start: int
    end: int
    headings: tuple[str, ...]
    places: tuple[ChunkPlace, ...]
    text: str
    is_import: bool


def split_definitions(file: CandidateFile, longest: int = LONGEST) -> list[Definition]:
    """The definitions of a file in their order, as far as its chunks are known; a part has at most so many lines."""
    runs: list[list[Definition]] = []
    for place in file.places:
        for each in _make_definitions(place, is_code=file.kind == CODE):
            if runs and _belongs(runs[-1], each, longest):
                runs[-1].append(each)
            else:
                runs.append([each])
    return [_trim(run[0] if len(run) == 1 else _join(run)) for run in runs]


def _belongs(run: Sequence[Definition], each: Definition, longest: int) -> bool:
    """Whether a chunk goes on with one definition that is not too long."""
    last = run[-1]
    if last.headings != each.headings or last.is_import or not each.headings:
        return False
    is_next = locate_chunk(last.places[-1].number)[1] + 1 == locate_chunk(each.places[0].number)[1]
    return is_next and each.end - run[0].start < longest


def _trim(definition: Definition) -> Definition:
    """A definition without what closes another before it."""
    lines = definition.text.split("\n")
    first = next((number for number, line in enumerate(lines) if not CLOSING.fullmatch(line)), 0)
    return definition._replace(start=definition.start + first, text="\n".join(lines[first:])) if first else definition


def _join(run: Sequence[Definition]) -> Definition:
    places = tuple(each.places[0] for each in run)
    lines: list[str] = []
    for each in run:
        lines += [""] * (each.start - run[0].start - len(lines))  # chunks leave out the blank lines between them
        lines += each.text.split("\n")
    return run[0]._replace(end=run[-1].end, places=places, text="\n".join(lines))


def _make_definitions(place: ChunkPlace, *, is_code: bool) -> Iterator[Definition]:
    """A chunk as it is, its imports apart."""
    start = place.passage.start_line
    lines = place.passage.text.split("\n")[: place.passage.end_line - start + 1]
    imports = count_import_lines(lines) if is_code else 0
    bare = [line.strip() for line in lines[imports:]]
    if is_code and not place.passage.headings and all(not line or line.startswith(COMMENTS) for line in bare):
        imports = len(lines)  # such as the licence at the head of a file
    if imports:
        yield Definition(start, start + imports - 1, (), (place,), "\n".join(lines[:imports]), is_import=True)
    first = next((number for number, line in enumerate(lines) if number >= imports and line.strip()), None)
    if first is not None:
        headings = place.passage.headings
        text = "\n".join(lines[first:])
        yield Definition(start + first, place.passage.end_line, headings, (place,), text, is_import=False)


def count_import_lines(lines: Sequence[str]) -> int:
    """How many lines at the beginning are imports, with the comments and blank lines before and between them."""
    last = 0
    is_open = False
    quote = ""  # of the text at the head of a file
    for number, line in enumerate(lines, 1):
        bare = line.strip()
        if quote:
            quote = "" if quote in bare else quote
        elif is_open:
            is_open = not any(mark in bare for mark in ")}]'\";")
            last = number
        elif bare.startswith(IMPORTS) or " require(" in line or NAMESPACE.fullmatch(bare):
            is_open = bare.endswith(("(", "{", ",", "\\"))
            last = number
        elif bare.startswith(QUOTES):
            quote = "" if bare.count(bare[:3]) > 1 else bare[:3]
        elif bare and not bare.startswith(COMMENTS):
            break
    return last
