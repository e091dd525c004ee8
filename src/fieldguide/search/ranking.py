"""Fuses keyword and vector scores into ranked hits, and judges whether hits fit the question.

The fused score can't tell, as it begins near 1 for every question. A question that a project does not answer has words
that say much and that no text near it has, nor words like them. Words that say little may be missing: questions in
plain words are made of them. How much a word says comes from the model, never from how many chunks there are, so that
text about other things does not turn the judgement.

Words count relative to the best; likeness is spread between the least and the most alike of all candidates, those that
only their words brought in included. On the development sets this is the best of keywords, vectors and both, which
spreading the words too was not, nor reciprocal rank fusion.

Both depend on what else is in the index: BM25 on the number of chunks and their mean length, the spread on the least
alike candidate. `fuse_steadily` does not: text about other things does not change the order of hits.

Nothing is withheld: chunks of sources in which nothing fits are marked as unsure, and come after the others. The
judgement looks at the question and at single chunks, never at how many chunks there are.

Records are short and about many things, so that the nearest of them is near to any question. Each is judged alone, by
how alike it is and by the share of the question's words that it holds. One that does not answer never stands above code
and documents.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest
from typing import TYPE_CHECKING, NamedTuple

from fieldguide.search.embedding import Embedder
from fieldguide.search.indexes.document_store import StoredDocument
from fieldguide.search.types import (
    HEADINGS_APART,
    ChunkPassage,
    Scope,
    SearchHit,
    locate_chunk,
    select_of_sources,
)
from fieldguide.storage.database import Transaction
from fieldguide.text.words import (
    extract_hidden_words,
    extract_identifiers,
    extract_query_terms,
    make_search_term,
    pad_words,
    strip_ending,
)

if TYPE_CHECKING:
    from fieldguide.search.indexes.sqlite import SqliteIndex

LOOKED_AT = 8  # hits: where none of so many fits, none does
MOST_COUNTED = 2_000  # a term in so many chunks is a common one, however many more there are
UNLIKE = 0.25  # a hit that is no more alike than this has nothing to do with what was asked
COMMON_WEIGHT = 0.3  # what a word says beyond this is missed: "the" has 0.15, "file" 0.5, "kubelet" 1.3


# the least by which the likeness of the best hit must exceed what it lacks
CODE_FLOOR = -0.1
DOCUMENT_FLOOR = -0.02


def measure_missing(weights: Sequence[float], matches: Sequence[float]) -> float:
    """What a text lacks of some words: the mean of how much each says, less how well it is matched (0 to 1)."""
    lacks = [max(weight - COMMON_WEIGHT, 0.0) * (1.0 - match) for weight, match in zip(weights, matches, strict=True)]
    return sum(lacks) / len(lacks) if lacks else 0.0


def weigh_terms(terms: Sequence[str], counts: Sequence[int], chunks: int) -> dict[str, float]:
    """How much each term says: more, the fewer of the chunks hold it; most where none does."""
    return {term: math.log(1 + chunks / max(count, 0.5)) for term, count in zip(terms, counts, strict=True)}


class QueryTerms:
    """The terms of a question by their weights, to be looked for in many texts, in whatever form they stand there."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        self.weights = weights
        self._total = sum(weights.values())
        self._stems = [(term, list(map(_start_of, term.split()))) for term in weights]
        self._words = [(stems[0].lstrip(), weights[term]) for term, stems in self._stems if len(stems) == 1]

    def share(self, texts: Iterable[str]) -> float:
        """The share of them, by their weight, that stand in a text."""
        return sum(self.weights[term] for term in self.held(texts)) / self._total if self._total else 0.0

    def held(self, texts: Iterable[str], *, in_parts: bool = True) -> list[str]:
        """Those that stand in a text as words or beginnings of words, or else as parts of identifiers."""
        text = " ".join(texts)
        padded = pad_words(text)
        held = [term for term, stems in self._stems if all(map(padded.__contains__, stems))]
        if in_parts and len(held) < len(self._stems):
            padded += f"{extract_hidden_words(text)} "
            held = [term for term, stems in self._stems if all(map(padded.__contains__, stems))]
        return held

    def worth(self, line: str) -> float:
        """The share of them, by their weight, that a line holds, be it within other words: a quick look."""
        lowered = line.lower()
        return sum(weight for stem, weight in self._words if stem in lowered) / (self._total or 1.0)


def _start_of(word: str) -> str:
    """The beginning of a word, behind a space; of scripts without spaces, the word anywhere."""
    return f" {strip_ending(word)}" if word.isascii() else word


CANDIDATES = 100
KEYWORD_SHARE = 0.5
STEADY_KEYWORD_SHARE = 0.4
LIKENESS_SPAN = 0.25  # a chunk that is so much less alike than the best counts nothing there
USUAL_CHUNKS = 5_000  # a term's rarity is that in an index of this size, whatever the size
USUAL_WORDS = 200  # of a chunk
# as the index has them
TITLE_WEIGHT = 4.0
HEADINGS_WEIGHT = 3.0
# k1 and b of BM25
SATURATION = 1.2
LENGTH_SHARE = 0.75
CHARACTERS_OF_A_WORD = 6

Fields = tuple[str, str, str]  # title, headings, text


def fuse(
    keyword: Mapping[int, float], likeness: Mapping[int, float], keyword_share: float = KEYWORD_SHARE
) -> dict[int, float]:
    """The fused score, 0 to 1, of every chunk whose likeness is known; one without any of the words counts 0 there."""
    best = max(keyword.values(), default=0.0)
    lowest = min(likeness.values(), default=0.0)
    highest = max(likeness.values(), default=0.0)
    fused: dict[int, float] = {}
    for chunk, alike in likeness.items():
        worded = _share(keyword.get(chunk, 0.0), 0.0, best)
        fused[chunk] = keyword_share * worded + (1 - keyword_share) * _share(alike, lowest, highest)
    return fused


def fuse_steadily(
    keyword: Mapping[int, float], distances: Mapping[int, float], keyword_share: float
) -> dict[int, float]:
    """The fused score, 0 to 1, of every chunk, measured from the best of each side alone."""
    best = max(keyword.values(), default=0.0) or 1.0
    nearest = min(distances.values(), default=0.0)
    fused: dict[int, float] = {}
    for chunk, distance in distances.items():
        alike = max(0.0, 1 - (distance - nearest) / LIKENESS_SPAN)
        fused[chunk] = keyword_share * keyword.get(chunk, 0.0) / best + (1 - keyword_share) * alike
    return fused


def _share(value: float, lowest: float, highest: float) -> float:
    """Where a value stands between two others; where those are one, it is all or nothing."""
    if highest > lowest:
        return (value - lowest) / (highest - lowest)
    return 1.0 if highest > 0 else 0.0


MOST_UNSURE = 3  # hits that are given where nothing fits well
NOTHING_FITS = "nothing fits well"
MOST_ALSO = 5  # further places of a document that a hit names
MARK_LEVEL = 0  # in an outline: no heading, but what the document is


class RankedChunks(NamedTuple):
    """Chunks by number: how well each fits, and how far away it is; those that are `asked_for` by name come first.

    `unsure` are those of sources in which nothing fits the question well; they come last.
    """

    scores: Mapping[int, float]
    distances: Mapping[int, float]
    asked_for: Sequence[int] = ()
    unsure: frozenset[int] = frozenset()

    def best_first(self, max_distance: float | None) -> list[int]:
        """The chunks that are near enough, best first; equal ones by their distance, then by their place."""
        ordered: list[tuple[bool, float, float, int]] = []
        for chunk, score in self.scores.items():
            distance = self.distances[chunk]
            if max_distance is None or distance <= max_distance:
                ordered.append((chunk in self.unsure, -score, distance, chunk))
        near = [chunk for *_, chunk in sorted(ordered)]
        return list(dict.fromkeys([*self.asked_for, *near])) if self.asked_for else near


def keep_fitting(hits: Iterable[SearchHit]) -> list[SearchHit]:
    """The hits that fit, in their order, and behind them the nearest few of those that are unsure."""
    found = list(hits)
    unsure = [hit for hit in found if hit.unsure]
    return [*(hit for hit in found if not hit.unsure), *unsure[:MOST_UNSURE]]


def first_chunk_per_document(chunks: Iterable[int]) -> list[int]:
    """Of each document the first of these chunks."""
    first: dict[int, int] = {}
    for chunk in chunks:
        first.setdefault(locate_chunk(chunk)[0], chunk)
    return list(first.values())


def spread_over_documents(chunks: Iterable[int], *, most: int | None, limit: int) -> list[tuple[int, list[int]]]:
    """The first of these, at most so many of one document; the first of a document carries those that are left out."""
    chosen: list[tuple[int, list[int]]] = []
    of_document: dict[int, list[tuple[int, list[int]]]] = {}
    for chunk in chunks:
        if len(chosen) >= limit:
            break
        there = of_document.setdefault(locate_chunk(chunk)[0], [])
        if most is None or len(there) < most:
            there.append((chunk, []))
            chosen.append(there[-1])
        elif len(there[0][1]) < MOST_ALSO:
            there[0][1].append(chunk)
    return chosen


def read_mark(document: StoredDocument) -> str:
    """What was noted of a document when it was put in."""
    return next((text for level, text, _ in document.outline if level == MARK_LEVEL), "")


READABLE = 0.5
LEAST_HELD = 0.3  # of the terms, where the model can't read the question
RARE_WEIGHT = 1.0  # of a word, to the model: "kubelet" and made-up words, but not "file" or "assign"
RARE_CHUNKS = 40  # what stands in more of them tells little of each
UNKNOWN_WEIGHT = 1.3
EXACT_BONUS = 0.5


class FlooredSources(NamedTuple):
    """Sources, and how well the best of their chunks must fit."""

    sources: frozenset[int]
    floor: float


class QueryWords:
    """The words of a question: how much each says, which are rare, and which are names."""

    def __init__(self, text: str, embedder: Embedder) -> None:
        self._embedder = embedder
        self.is_judged = embedder.knows_words
        self.is_steady = self.is_judged and text.isascii()
        self.terms = extract_query_terms(text)
        self.readable = embedder.readable_share(text)
        self.identifiers = extract_identifiers(text, embedder.word_weight)
        self.weights: dict[str, float] = {}
        for term in self.terms:  # a word that the model does not know, and a name of several words, say most
            known = embedder.word_weight(term)
            self.weights[term] = UNKNOWN_WEIGHT if known is None else known
        self.words = [term for term in self.terms if " " not in term]
        self.rare = [word for word in self.words if self.is_judged and self.weights[word] >= RARE_WEIGHT]
        self.exact_terms = list(dict.fromkeys([*map(make_search_term, self.identifiers), *self.rare]))
        self._rare_terms = QueryTerms(dict.fromkeys(self.rare, 1.0))

    def holds_name(self, texts: Sequence[str]) -> bool:
        """Whether a text holds one of the names as it is written."""
        whole = "\n".join(texts).casefold() if self.identifiers else ""
        return any(_stands_in(name.casefold(), whole) for name in self.identifiers)

    def is_exact(self, texts: Sequence[str]) -> bool:
        """Whether a text holds one of the names as it is written, or every rare word."""
        if self.holds_name(texts):
            return True
        return bool(self.rare) and len(self._rare_terms.held(texts)) == len(self.rare)

    def fits(self, floor: float, found: Sequence[tuple[float, Sequence[str]]]) -> bool:
        """Whether one of some texts fits, each told by its likeness; words alike are looked for where need be."""
        if not self.is_judged:
            return True
        terms = QueryTerms({word: self.weights[word] for word in self.words})
        if self.readable < READABLE:
            return any(terms.share(texts) >= LEAST_HELD for _, texts in found)
        weights = [self.weights[word] for word in self.words]
        doubtful: list[tuple[float, Sequence[str], frozenset[str]]] = []
        for likeness, texts in found:
            held = frozenset(terms.held(texts))
            if likeness - measure_missing(weights, [word in held for word in self.words]) >= floor:
                return True
            if likeness >= floor:
                doubtful.append((likeness, texts, held))
        for likeness, texts, held in doubtful:
            alike = self._embedder.word_likeness(self.words, "\n".join(texts))
            matches = [1.0 if word in held else match for word, match in zip(self.words, alike, strict=True)]
            if likeness - measure_missing(weights, matches) >= floor:
                return True
        return False


@dataclass(slots=True)
class FitJudge:
    """Judges the chunks of one question in one transaction; each is read once."""

    transaction: Transaction
    index: "SqliteIndex"
    words: QueryWords
    passages: dict[int, ChunkPassage] = field(default_factory=dict[int, ChunkPassage])

    def exact(self, scope: Scope) -> frozenset[int]:
        """The chunks that hold a name of the question as it is written, or all of its rare words."""
        if not self.words.exact_terms:
            return frozenset()
        chunks = [*self.index.by_words(self.transaction, self.words.exact_terms, scope, RARE_CHUNKS)]
        return frozenset(chunk for chunk, texts in self.fields(chunks).items() if self.words.is_exact(texts))

    def unsure(self, ranked: RankedChunks, floored: Sequence[FlooredSources], exact: Collection[int]) -> frozenset[int]:
        """The chunks of sources in which nothing fits."""
        found: list[int] = []
        for each in floored:
            chunks = select_of_sources(ranked.scores, each.sources)
            is_held = any(chunk in exact or chunk in ranked.asked_for for chunk in chunks)
            if is_held:
                continue
            nearest = nsmallest(LOOKED_AT, [(ranked.distances[chunk], chunk) for chunk in chunks])
            best = nsmallest(LOOKED_AT, [(-ranked.scores[chunk], chunk) for chunk in chunks])
            texts = self.fields([chunk for _, chunk in (*nearest, *best)])
            if not self.words.fits(each.floor, [(1.0 - ranked.distances[chunk], texts[chunk]) for chunk in texts]):
                found += chunks
        return frozenset(found)

    def read(self, chunks: Iterable[int]) -> Mapping[int, ChunkPassage]:
        """The texts of these chunks, among those that were read before."""
        wanted = [chunk for chunk in dict.fromkeys(chunks) if chunk not in self.passages]
        if wanted:
            self.passages.update(self.index.passages(self.transaction, wanted))
        return self.passages

    def fields(self, chunks: Sequence[int]) -> dict[int, Fields]:
        """The title, the headings and the text of each chunk."""
        passages = self.read(chunks)
        found: dict[int, Fields] = {}
        for chunk in chunks:
            passage = passages[chunk]
            found[chunk] = (passage.title, HEADINGS_APART.join(passage.headings), passage.text)
        return found

    def steady_words(self, worded: Sequence[int]) -> dict[int, float]:
        """BM25 of some chunks as in an index of usual size, whatever else is in this one.

        A term is looked for by the beginning that its forms share.
        """
        counts = self.index.counts(self.transaction, self.words.terms)
        terms: list[tuple[list[str], float]] = []
        for term, count in zip(self.words.terms, counts, strict=True):
            stems = [_start_of(word) for word in term.split()]
            terms.append((stems, math.log(1 + USUAL_CHUNKS / (count + 0.5))))
        scores: dict[int, float] = {}
        for chunk, fields in self.fields(worded).items():
            title, headings, text = map(pad_words, fields)
            words = (len(title) + len(headings) + len(text)) / CHARACTERS_OF_A_WORD
            damping = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * words / USUAL_WORDS)
            whole = title + headings + text
            total = 0.0
            for stems, rarity in terms:
                if stems[0] in whole:  # most terms are in few chunks: one look is quicker than three counts
                    in_title = min(map(title.count, stems))
                    in_headings = min(map(headings.count, stems))
                    found = min(map(text.count, stems)) + TITLE_WEIGHT * in_title + HEADINGS_WEIGHT * in_headings
                    total += rarity * found * (SATURATION + 1) / (found + damping)
            scores[chunk] = total
        return scores


def add_exact_bonus(scores: Mapping[int, float], exact: Collection[int]) -> Mapping[int, float]:
    """The scores, still between 0 and 1, in which chunks that hold what the question names rise."""
    if not exact or len(exact) >= RARE_CHUNKS:
        return scores
    return {chunk: (score + EXACT_BONUS * (chunk in exact)) / (1 + EXACT_BONUS) for chunk, score in scores.items()}


def _stands_in(name: str, text: str) -> bool:
    """Whether a name stands in a text, and not within a longer word."""
    at = text.find(name)
    while at >= 0:
        before = text[at - 1 : at] if at else ""
        after = text[at + len(name) : at + len(name) + 1]
        if not (before.isalnum() and name[0].isalnum()) and not after.isalnum():
            return True
        at = text.find(name, at + 1)
    return False


NEAR = 1 / 3
LEAST_OF_NEAR = 0.75
LEAST = 0.95
"""Of likeness and share together; less is asked of a record that is near by its likeness alone. Chosen on questions
about two projects: there what answers has 1.03 and more, the rest 0.82, or 0.69 if near."""


class RecordJudge:
    """Judges records for one question."""

    def __init__(self, question: str) -> None:
        self._question = question
        self._terms = _terms_of(question)
        self._names = extract_identifiers(question)

    def answers(self, likeness: float, *texts: str) -> bool:
        """Whether a record with these texts answers the question: a long question may hold it, instead of it that."""
        if any(name in text for name in self._names for text in texts):
            return True
        share = max(self._terms.share(texts), _terms_of(texts[-1]).share((self._question,)))
        return likeness + share >= (LEAST_OF_NEAR if likeness >= NEAR else LEAST)


def _terms_of(text: str) -> QueryTerms:
    return QueryTerms(dict.fromkeys((term for term in extract_query_terms(text) if " " not in term), 1.0))
