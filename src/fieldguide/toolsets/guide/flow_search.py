"""Finds the definitions that a question is about: by their text, their names, the documents that name them, and calls.

A question is split into topics. What fits the topics, the whole question and the documents about it passes relevance
on along calls, in both directions: the steps of a flow are what relevant functions call, whatever they are named.
"""

import posixpath
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from time import monotonic
from typing import NamedTuple, TypeVar

from fieldguide.code.symbols.calls import CONSTRUCTORS, IMPLEMENTS, CallEdge, CallGraph
from fieldguide.code.symbols.facts import MACRO, TYPES, SymbolDefinition
from fieldguide.code.symbols.resolvers.c_go import is_header
from fieldguide.code.symbols.resolvers.values import DefinitionPlace
from fieldguide.files.kinds import IMPLEMENTATION, find_role, is_generated
from fieldguide.search.engine import SearchQuestion
from fieldguide.search.ranking import UNLIKE
from fieldguide.search.types import ChunkPassage, Scope, locate_chunk
from fieldguide.spine.tool import Call
from fieldguide.spine.toolset import Services
from fieldguide.storage.database import Transaction
from fieldguide.text import regex as re
from fieldguide.text.words import STOP_WORDS, extract_query_terms
from fieldguide.toolsets.guide.brief_candidates import TaskText, split_stems
from fieldguide.toolsets.guide.items import ProjectLines
from fieldguide.toolsets.guide.search_candidates import ARCHITECTURE, DOCUMENTS, SOURCE_CODE, list_shelves

LONGEST_QUESTION = 2_000
MOST_TOPICS = 10
MOST_TOPIC_WORDS = 5
PARTS = re.compile(
    r"(?i)[,;:?!()\n]|\.(?:\s|$)|\b(?:and|then|or|becomes?|turns?|until|including|includes?|before|after|when|while|where"
    r"|until|via|through|into|from|to|with|by|how|what|which|who|that|if|goes|happens?|get|gets|between|as well as)\b"
)
SAYING_NOTHING = STOP_WORDS | {
    "able", "actually", "all", "also", "answered", "are", "called", "chain", "chooses", "chosen", "code", "come",
    "comes", "concept", "decided", "decides", "describe", "done", "during", "each", "end", "every", "everything",
    "exactly", "explain", "find", "finds", "flow", "flows", "follow", "follows", "found", "given", "going",
    "handed", "handled", "handles", "happen", "happens", "here", "incoming", "involved", "kept", "kind", "kinds",
    "look", "looks", "made", "make", "one", "part", "parts", "path", "process", "project", "put", "reach",
    "reaches", "show", "step", "steps", "system", "taken", "thing", "things", "trace", "turned", "used", "various",
    "work", "works",
}  # fmt: skip
MOST_PASSAGES = 80  # for a topic
MOST_PASSAGES_OF_WHOLE = 300
WORDS_SHARE = 0.35  # of a passage's score; the rest is likeness
PLACES_OF_TOPIC = 15
ANSWER_SHARE = 0.6  # of the best score for a topic: what is below does not answer it
MOST_NAMES = 50_000
NAMES_OF_TOPIC = 25
MOST_NAMESAKES = 4
NAME_SHARE = 0.5  # of a definition's score for a topic; the rest is that of its text
BEGINNING_SHARE = 0.8  # of a word that only begins like one of a name: "config", "configuration"
WHOLE_SHARE = 0.9  # of a topic's score that depends on how well the whole question fits
FILE_SHARE = 0.8  # of that for what lies in a file that fits it, or in the folder of one
FOLDER_SHARE = 0.6
SHORTEST_STEM = 4
MOST_DOCUMENT_PASSAGES = 4
PLACES_OF_WHOLE = 60
SEED_POWER = 2  # the best count more
# What a definition passes on to those it calls and to its callers, in parts.
PASSED_SHARE = 0.8
UNSURE_WEIGHT = 0.5
IMPLEMENTS_WEIGHT = 0.6
ROUNDS = 4
REACHED_POWER = 0.5  # to be reached by many parts of the question counts more than to be near to one
MOST_EXPANDED = (60, 60, 60)  # definitions whose calls and callers are followed, in turns
MOST_SECONDS = 8.0
TYPE_SHARE = 0.9  # a step is a function; a type leads to its functions
MACRO_SHARE = 0.5
SMALL_SHARE = 0.6  # of a function of few lines, which only hands on
SMALL_LINES = 3
SIZE_POWER = 0.4
LONG_LINES = 200
INLINE_TESTS = frozenset(("test", "tests"))  # modules of tests in a file of code
ASIDE = split_stems(
    "test testing mock fake fixture sample example demo benchmark stories"
)  # folders beside the product
HEAD_LINES = 40
LONGEST_IN_HEADER = 400  # lines of a function

Key = TypeVar("Key", int, str, DefinitionPlace)


class Topic(NamedTuple):
    """A part of a question, and the definitions that answer it with their worth, the best first."""

    words: str
    places: Mapping[DefinitionPlace, float]

    def list_answers(self) -> list[DefinitionPlace]:
        """The definitions that answer it nearly as well as the best."""
        least = ANSWER_SHARE * max(self.places.values(), default=0.0)
        return [at for at, worth in self.places.items() if worth >= least]


def is_constant(definition: SymbolDefinition) -> bool:
    """Whether a definition is a macro without code."""
    return definition.kind == MACRO and definition.end_line - definition.line < SMALL_LINES


class ScoredPassage(NamedTuple):
    """A chunk of a file, and how well it fits, 0 to 1."""

    path: str
    passage: ChunkPassage
    score: float


class NameIndex:
    """The names of what a project defines, by their stems."""

    def __init__(self, names: Iterable[str]) -> None:
        self.stems = {name: split_stems(name) for name in names}
        self.by_stem: dict[str, list[str]] = {}
        for name, stems in self.stems.items():
            for stem in stems:
                self.by_stem.setdefault(stem, []).append(name)
        self._ordered = sorted(self.by_stem)

    def find_alike(self, stem: str) -> list[str]:
        """The stems of names that begin with one, and those that it begins with itself."""
        from_here = self._ordered[bisect_left(self._ordered, stem) :]
        longer = takewhile(lambda each: each.startswith(stem), from_here)
        shorter = (stem[:size] for size in range(1, len(stem)))
        return [*longer, *filter(self.by_stem.__contains__, shorter)]


class FlowHome:
    """Where a whole question is at home: one word of it alone would be found anywhere in a large project."""

    def __init__(self, whole: Mapping[DefinitionPlace, float]) -> None:
        self._definitions = whole
        self._highest = max(whole.values(), default=0.0) or 1.0
        self._files: dict[str, float] = {}
        self._folders: dict[str, float] = {}
        for at, score in whole.items():
            folder = posixpath.dirname(at.path)
            self._files[at.path] = max(score, self._files.get(at.path, 0.0))
            self._folders[folder] = max(score, self._folders.get(folder, 0.0))

    def measure(self, at: DefinitionPlace) -> float:
        """How well the whole question fits a definition, its file or its folder, 0 to 1."""
        file = FILE_SHARE * self._files.get(at.path, 0.0)
        folder = FOLDER_SHARE * self._folders.get(posixpath.dirname(at.path), 0.0)
        return max(self._definitions.get(at, 0.0), file, folder) / self._highest


class NameStems(NamedTuple):
    """The stems of a definition's own name, of its name with those around it, and of its file's name."""

    own: frozenset[str]
    qualified: frozenset[str]
    file: frozenset[str]

    def match(self, stem: str) -> float:
        """How well a stem is named: by the definition itself best, then by what it is in, then by its file."""
        return max(
            match_stem(stem, self.own), 0.75 * match_stem(stem, self.qualified), 0.5 * match_stem(stem, self.file)
        )


def match_stem(stem: str, stems: Collection[str]) -> float:
    """Whether a stem is among others, 0 to 1; less where one of them only begins like it."""
    if stem in stems:
        return 1.0
    if len(stem) < SHORTEST_STEM:
        return 0.0
    alike = any(len(each) >= SHORTEST_STEM and (each.startswith(stem) or stem.startswith(each)) for each in stems)
    return BEGINNING_SHARE if alike else 0.0


def split_topics(question: str) -> list[str]:
    """The parts of a question that name something, in its order."""
    topics: dict[str, None] = {}
    for part in PARTS.split(question[:LONGEST_QUESTION]):
        words = [word for word in part.split() if word.strip("`'\"").lower() not in SAYING_NOTHING]
        said = " ".join(words[:MOST_TOPIC_WORDS]).strip(" `'\"-")
        if split_stems(said):
            topics.setdefault(said)
    return list(topics)[:MOST_TOPICS]


class FlowSearch:
    """Finds what one question is about."""

    def __init__(self, services: Services, call: Call, graph: CallGraph, lines: ProjectLines, question: str) -> None:
        self._engine = services.engine()
        self._call = call
        self._graph = graph
        self._lines = lines
        self._question = question
        shelves = list_shelves(services, call, question)
        self._code = Scope(shelves.of(SOURCE_CODE))
        self._documents = Scope(shelves.of(DOCUMENTS, ARCHITECTURE))
        self._names = graph.read_names(NameIndex, MOST_NAMES)
        self._stems: dict[DefinitionPlace, NameStems] = {}
        self._products: dict[str, bool] = {}
        self._aside = ASIDE - split_stems(question)
        self._until = monotonic() + MOST_SECONDS

    def find(self) -> tuple[list[Topic], dict[DefinitionPlace, float]]:
        """The topics, and everything that runs and has to do with the question, with its score, the best first."""
        with self._engine.database.reading(self._call.cancellation) as transaction:
            whole = self._score_definitions(
                self._find_passages(transaction, self._question, self._code, MOST_PASSAGES_OF_WHOLE)
            )
            home = FlowHome(whole)
            topics = [self._find_topic(transaction, words, home) for words in split_topics(self._question)]
            documented = self._find_documented(transaction)
        best = {at: score * self._weigh(at) for at, score in _take_best(whole, PLACES_OF_WHOLE).items()}
        seeds = [topic.places for topic in topics] + [best, documented]
        scaled = [_scale(places) for places in seeds if any(places.values())]
        return topics, self._order(self._spread(scaled))

    def _match_name(self, at: DefinitionPlace, stems: frozenset[str]) -> float:
        return sum(map(self._stems_of(at).match, stems)) / max(1, len(stems))

    def is_told(self, at: DefinitionPlace) -> bool:
        """Whether a definition may be a step: no test, example or demo, and nothing that a program wrote."""
        if at.path not in self._products:
            self._products[at.path] = self._is_product(at.path)
        if not self._products[at.path]:
            return False
        definition = self._graph.definition(at)
        if definition is None or (is_header(at.path) and definition.end_line - definition.line > LONGEST_IN_HEADER):
            return False  # of a header that a macro broke
        return not INLINE_TESTS.intersection(self._graph.qualified(at).split(".")[:-1])

    def _is_product(self, path: str) -> bool:
        """Whether a file was written by hand and is part of what the project gives to others."""
        if find_role(path) != IMPLEMENTATION or self._aside & split_stems(path.rpartition("/")[0].replace("/", " ")):
            return False
        return self._graph.read_file(path, self._is_handwritten)

    def _is_handwritten(self, path: str) -> bool:
        return not is_generated("\n".join(self._lines.shown(path, 1, HEAD_LINES)))

    def has_code(self, at: DefinitionPlace) -> bool:
        """Whether a definition has code worth reading: no declaration of one line, no macro for a constant."""
        definition = self._graph.definition(at)
        return definition is not None and definition.end_line > definition.line and not is_constant(definition)

    def _find_passages(self, transaction: Transaction, text: str, scope: Scope, most: int) -> list[ScoredPassage]:
        """The passages that fit a text by words and likeness; none where nothing fits it at all."""
        if not scope.sources:
            return []
        engine = self._engine
        question = SearchQuestion(text, scope, most, candidates=most)
        worded = engine.index.by_words(transaction, extract_query_terms(text), scope, most)
        near = engine.near(transaction, engine.query_vector(question), question)
        alike = {chunk: 1.0 - distance for chunk, distance in near.items()}
        highest = max(alike.values(), default=0.0)
        if not worded and highest < UNLIKE:
            return []
        lowest = min(alike.values(), default=0.0)
        best = max(worded.values(), default=0.0) or 1.0
        scores = {chunk: WORDS_SHARE * score / best for chunk, score in worded.items()}
        for chunk, likeness in alike.items():
            share = (likeness - lowest) / (highest - lowest) if highest > lowest else 1.0
            scores[chunk] = scores.get(chunk, 0.0) + (1 - WORDS_SHARE) * share
        kept = _take_best(scores, most)
        documents = engine.store(transaction).numbered([locate_chunk(chunk)[0] for chunk in kept])
        found: list[ScoredPassage] = []
        for chunk, passage in engine.index.passages(transaction, list(kept)).items():
            document = documents.get(locate_chunk(chunk)[0])
            if document is not None:
                found.append(ScoredPassage(document.name, passage, kept[chunk]))
        return found

    def _score_definitions(self, passages: Iterable[ScoredPassage]) -> dict[DefinitionPlace, float]:
        """The definitions that passages show, by the best of them; less where a passage shows little of one."""
        scores: dict[DefinitionPlace, float] = {}
        for path, passage, score in passages:
            start = passage.start_line
            end = passage.end_line
            for at, definition in self._graph.overlapping(path, start, end):
                common = min(definition.end_line, end) - max(definition.line, start) + 1
                size = max(1, definition.end_line - definition.line + 1)
                share = common / min(size, end - start + 1)
                if definition.kind in TYPES and size > 3 * (end - start + 1):
                    share *= 0.5
                worth = score * (0.4 + 0.6 * min(1.0, share))
                if worth > scores.get(at, 0.0) and not is_constant(definition) and self.is_told(at):
                    scores[at] = worth
        return scores

    def _find_topic(self, transaction: Transaction, words: str, home: "FlowHome") -> Topic:
        """A topic with the definitions that fit it best by their text and names, where the question is at home."""
        text = self._score_definitions(self._find_passages(transaction, words, self._code, MOST_PASSAGES))
        stems = split_stems(words)
        worth: dict[DefinitionPlace, float] = {}
        for at in dict.fromkeys((*text, *self._find_named(stems))):
            score = NAME_SHARE * self._match_name(at, stems) + (1 - NAME_SHARE) * text.get(at, 0.0)
            score *= 1 - WHOLE_SHARE + WHOLE_SHARE * home.measure(at)
            worth[at] = score * self._weigh(at)
        return Topic(words, _take_best(worth, PLACES_OF_TOPIC))

    def _find_named(self, stems: frozenset[str]) -> Iterator[DefinitionPlace]:
        """The definitions whose own names hold most of some stems."""
        held: dict[str, float] = {}
        for stem in stems:
            shares: dict[str, float] = {}
            for part in self._names.find_alike(stem):
                share = match_stem(stem, (part,))
                if share:
                    shares |= {name: max(share, shares.get(name, 0.0)) for name in self._names.by_stem[part]}
            for name, share in shares.items():
                held[name] = held.get(name, -0.01 * len(self._names.stems[name])) + share
        for name in _take_best(held, NAMES_OF_TOPIC):
            yield from filter(self.is_told, self._graph.named(name, MOST_NAMESAKES))

    def _stems_of(self, at: DefinitionPlace) -> NameStems:
        if at not in self._stems:
            qualified = self._graph.qualified(at)
            own = split_stems(qualified.rpartition(".")[2])
            self._stems[at] = NameStems(own, split_stems(qualified), split_stems(at.path.rpartition("/")[2]))
        return self._stems[at]

    def _find_documented(self, transaction: Transaction) -> dict[DefinitionPlace, float]:
        """The definitions that the passages of documents name that fit the question best."""
        passages = self._find_passages(transaction, self._question, self._documents, MOST_PASSAGES)
        passages.sort(key=lambda each: -each.score)
        scores: dict[DefinitionPlace, float] = {}
        for each in passages[:MOST_DOCUMENT_PASSAGES]:
            for name in sorted(self._names.stems.keys() & TaskText(each.passage.text).names):
                found = [at for at in self._graph.named(name, MOST_NAMESAKES + 1) if self.is_told(at)]
                if len(found) <= MOST_NAMESAKES:
                    for at in found:
                        scores[at] = max(scores.get(at, 0.0), each.score / len(found))
        return scores

    def _weigh(self, at: DefinitionPlace) -> float:
        """How much a definition of this kind and size has to say as a step."""
        definition = self._graph.definition(at)
        if definition is None:
            return 0.0
        is_small = definition.end_line - definition.line < SMALL_LINES or definition.name in CONSTRUCTORS
        weight = SMALL_SHARE if is_small else 1.0
        if definition.kind in TYPES:
            weight *= TYPE_SHARE
        return weight * MACRO_SHARE if definition.kind == MACRO else weight

    def _spread(self, seeds: Sequence[Mapping[DefinitionPlace, float]]) -> dict[DefinitionPlace, float]:
        """How near definitions are to all that the question names.

        What fits one part of it passes relevance on along calls, both ways. A definition counts for how many parts
        reach it more than for how strongly one does.
        """
        steps = StepGraph()
        near: dict[DefinitionPlace, float] = {}
        for most in (*MOST_EXPANDED, 0):
            near = {}
            for seed in seeds:
                reached = steps.walk(seed)
                highest = max(reached.values())
                for at, worth in reached.items():
                    near[at] = near.get(at, 0.0) + (worth / highest) ** REACHED_POWER / len(seeds)
            waiting = {at: worth for at, worth in near.items() if at not in steps.expanded}
            for at in _take_best(waiting, most):
                if monotonic() < self._until:
                    steps.expand(at, self._list_edges(at))
        return near

    def _list_edges(self, at: DefinitionPlace) -> list[CallEdge]:
        """The steps from and to a definition; a type leads to its members."""
        calls = [edge for edge in self._graph.calls(at) if self.is_told(edge.target)]
        callers = [edge for edge in self._graph.callers(at) if self.is_told(edge.source)]
        members = [CallEdge(at, member, 0, IMPLEMENTS) for member in self._graph.members(at)]
        return [*calls, *callers, *members]

    def _order(self, near: Mapping[DefinitionPlace, float]) -> dict[DefinitionPlace, float]:
        """What runs of all that was met, the best first: long functions that call others before short ones."""
        scores: dict[DefinitionPlace, float] = {}
        for at, worth in near.items():
            definition = self._graph.definition(at)
            if definition is not None and definition.kind not in TYPES:
                size = min(LONG_LINES, max(1, definition.end_line - definition.line + 1))
                scores[at] = worth * self._weigh(at) * float(size**SIZE_POWER)
        return _take_best(scores, len(scores))


class StepGraph:
    """The steps that were met around what a question names, and walks along them."""

    def __init__(self) -> None:
        self.expanded: set[DefinitionPlace] = set()
        self._calls: dict[DefinitionPlace, dict[DefinitionPlace, float]] = {}
        self._callers: dict[DefinitionPlace, dict[DefinitionPlace, float]] = {}

    def expand(self, at: DefinitionPlace, edges: Iterable[CallEdge]) -> None:
        """Add the steps from and to a definition."""
        self.expanded.add(at)
        for edge in edges:
            weight = _weigh_edge(edge)
            self._calls.setdefault(edge.source, {})[edge.target] = weight
            self._callers.setdefault(edge.target, {})[edge.source] = weight

    def walk(self, seed: Mapping[DefinitionPlace, float]) -> dict[DefinitionPlace, float]:
        """What each definition gets of a seed in a few rounds; one of many calls, or callers, gets its part of it."""
        here = dict(seed)
        for _ in range(ROUNDS):
            there = dict(seed)
            for at, worth in here.items():
                for ways in (self._calls.get(at), self._callers.get(at)):
                    if ways:
                        share = PASSED_SHARE * worth / sum(ways.values())
                        for other, weight in ways.items():
                            there[other] = there.get(other, 0.0) + share * weight
            here = there
        return here


def _scale(places: Mapping[DefinitionPlace, float]) -> dict[DefinitionPlace, float]:
    """Scores as what a walk begins with, the highest being 1."""
    highest = max(places.values())
    return {at: (score / highest) ** SEED_POWER for at, score in places.items() if score > 0}


def _weigh_edge(edge: CallEdge) -> float:
    if edge.via == IMPLEMENTS:
        return IMPLEMENTS_WEIGHT
    return 1.0 if edge.is_certain else UNSURE_WEIGHT


def _take_best(scores: Mapping[Key, float], most: int) -> dict[Key, float]:
    """The first so many by score, those of the same score in the order of their keys."""
    ordered: Sequence[tuple[Key, float]] = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
    return dict(ordered[:most])
