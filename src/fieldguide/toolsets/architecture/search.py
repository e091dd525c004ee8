"""Searches the architecture documents, and cuts the excerpt of each that answers the query.

A title says what a whole document is about, so only the other words of a query tell its sentences apart. Where there
are none, a decision answers with what it decided.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from fieldguide.knowledge.decisions.reader import read_record
from fieldguide.knowledge.decisions.record import (
    OPENING,
    RecordPassage,
    RecordSentence,
    find_last_line,
    plain_text,
    read_sentences,
)
from fieldguide.prose.markdown import read_markdown
from fieldguide.search.engine import SearchEngine, SearchQuestion
from fieldguide.search.ranking import MOST_UNSURE, NOTHING_FITS
from fieldguide.search.types import ChunkPassage, Scope, SearchHit
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.display import HIDDEN
from fieldguide.text.secrets import mask_secret_values
from fieldguide.text.words import extract_query_terms
from fieldguide.toolsets.architecture.library import ArchitectureDocument, DocumentLibrary, DocumentShelf
from fieldguide.toolsets.architecture.resources import ADR, CATEGORIES

MOST_FOLDERS = 8


def explain_no_results(shelf: DocumentShelf, category: str | None, library: DocumentLibrary) -> str:
    """A sentence or two for an answer without results."""
    counts = {each: len(shelf.of(each)) for each in CATEGORIES}
    there = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    if not there:
        folders = [*library.folders()]
        more = " …" if len(folders) > MOST_FOLDERS else ""
        looked = ", ".join(folders[:MOST_FOLDERS])
        return (
            f"This project has no guidelines, patterns or decisions where they are looked for ({looked}{more}). "
            "documents_search looks through its other documents."
        )
    if category is not None and not counts.get(category):
        return f"There are no {category} here, but {there}. Leave `resource_type` out to search them all."
    searched = f"{counts[category]} {category}" if category is not None else there
    return f"Searched: {searched}; none fits. Try other or fewer words."


BEFORE = 50
AFTER = 150
STEM = 4
LEAST_WORDS = 3
MOST_SENTENCES = 2_000
MOST_KEPT = 200


class ExcerptSection(NamedTuple):
    """The sentences below one heading, and all that its lines say in plain words."""

    sentences: tuple[RecordSentence, ...]
    lines: RecordPassage

    @property
    def plain(self) -> str:
        """What is cut for an excerpt."""
        lines = (plain_text(OPENING.sub("", line, count=1).strip("|")) for line in self.lines.text.split("\n"))
        return " ".join(filter(None, lines))


class Excerpt(NamedTuple):
    """What is shown of a document, and the lines of the sentence that answers."""

    text: str
    first_line: int
    last_line: int


def make_excerpt(document: ArchitectureDocument, passage: ChunkPassage, terms: Sequence[str]) -> Excerpt:
    """The best sentence for these words; where no sentence has one, the start of the place that the search found."""
    sections, answer = _read_sections(document.path, document.text, document.category == ADR)
    sentences = [(each, section) for section in sections for each in section.sentences][:MOST_SENTENCES]
    title = document.title.lower()
    telling = [term for term in terms if _word_at(title, term) is None]
    if answer and not any(_held(each.text.lower(), telling) for each, _ in sentences):
        chosen = next((number for number, (each, _) in enumerate(sentences) if each.line == answer), None)
    else:
        lines = range(passage.start_line, passage.end_line + 1)
        chosen = _find_best_sentence([each for each, _ in sentences], telling or terms, lines)
    if chosen is None:
        return Excerpt(cut_around_hit(passage.text, 0, 0, terms), passage.start_line, passage.end_line)
    sentence, section = sentences[chosen]
    start = max(section.plain.find(sentence.text), 0)
    text = cut_around_hit(section.plain, start, start + len(sentence.text), terms)
    return Excerpt(text, sentence.line, find_last_line(section.lines, sentence))


@lru_cache(maxsize=MOST_KEPT)
def _read_sections(path: str, text: str, is_decision: bool) -> tuple[list[ExcerptSection], int]:
    """The sections of a document, and the line of what a decision answers, 0 for none."""
    shown = HIDDEN.sub("", mask_secret_values(text))
    document = read_markdown(shown)
    sections: list[ExcerptSection] = []
    bounds = [0, *(each.line - 1 for each in document.headings), len(document.lines)]
    for start, end in pairwise(bounds):
        blocks = [block for block in document.blocks if start <= block.start < end and block.heading is None]
        if blocks:
            inner = document.text_of(blocks[0].start, end)
            lines = RecordPassage(inner, blocks[0].start + 1, end)
            sections.append(ExcerptSection(tuple(read_sentences(lines)), lines))
    answer = read_record(path, shown).answer if is_decision else None
    return sections, answer.first_line if answer else 0


def cut_around_hit(flat: str, start: int, end: int, terms: Iterable[str]) -> str:
    """About 50 characters before and 150 after the first hit in `flat[start:end]`, cut between words.

    A sentence that is no longer than that is given whole. Dots stand where something is cut.
    """
    places = [_word_at(flat[start:end].lower(), term) for term in terms]
    at = start + min((place for place in places if place is not None), default=0)
    first = max(at - BEFORE, 0)
    last = min(at + AFTER, len(flat))
    if end - start <= BEFORE + AFTER:
        first = min(first, start)
        last = max(last, end)
    if first and flat[first - 1] != " ":
        first = flat.find(" ", first, at) + 1 or first
    if last < len(flat) and flat[last] != " ":
        last = max(flat.rfind(" ", at, last), at) if " " in flat[at:last] else last
    return f"{'...' if first else ''}{flat[first:last].strip()}{'...' if last < len(flat) else ''}"


def _find_best_sentence(sentences: Sequence[RecordSentence], terms: Sequence[str], lines: range) -> int | None:
    """The sentence that holds most of the words, the rarer counting more; of equals one in the place that was found."""
    held = [_held(sentence.text.lower(), terms) for sentence in sentences]
    counts = Counter(term for found in held for term in found)
    weights = {term: math.log(1 + len(sentences) / number) for term, number in counts.items()}

    def worth(number: int) -> tuple[float, bool, bool, int]:
        is_there = sentences[number].line in lines
        is_sentence = len(sentences[number].text.split()) >= LEAST_WORDS
        return math.fsum(weights[term] for term in held[number]), is_sentence and is_there, is_sentence, -number

    return max(range(len(sentences)), key=worth, default=None)


def _held(text: str, terms: Sequence[str]) -> list[str]:
    return [term for term in terms if _word_at(text, term) is not None]


def _word_at(text: str, term: str) -> int | None:
    """The first place of a word, else of one that begins like it."""
    whole = _begins_at(text, term)
    if whole is None and len(term) > STEM:
        return _begins_at(text, term[: max(STEM, len(term) - 3)])
    return whole


def _begins_at(text: str, beginning: str) -> int | None:
    at = text.find(beginning)
    while at > 0 and (text[at - 1].isalnum() or text[at - 1] == "_") and text[at].isascii():
        at = text.find(beginning, at + 1)
    return None if at < 0 else at


KIND = "architecture"
UNSURE = "Nothing fits well: these are the nearest, marked as unsure. Try other words."
NEAR_DISTANCE = 0.76  # without any of the words a document counts when it is this near; what is foreign is beyond .8
FIRST_CHUNKS = 100
MOST_CHUNKS = 6400


class ArchitectureQuery(NamedTuple):
    """What a caller looks for; no category means all of them."""

    query: str
    category: str | None
    limit: int


def search_architecture(
    engine: SearchEngine,
    shelf: DocumentShelf,
    wanted: ArchitectureQuery,
    cancellation: Cancellation,
) -> Any:
    """The documents that match, best first, and how many match in all."""
    terms = extract_query_terms(wanted.query)
    sources = [source for source in engine.sources(KIND) if wanted.category in (None, source.name)]
    documents = {document.path: document for document in shelf.documents}
    if not terms or not sources:
        return {"results": [], "total_matches": 0}
    scope = Scope(tuple(source.id for source in sources))
    worded = engine.documents_with(terms, scope, cancellation) & documents.keys()
    best = _search_documents(engine, SearchQuestion(wanted.query, scope, FIRST_CHUNKS), wanted.limit, cancellation)
    best = [hit for hit in best if hit.document in documents]
    matching = [hit for hit in best if hit.document in worded or hit.distance <= NEAR_DISTANCE]
    shown = matching[: wanted.limit]
    unsure = {}
    if not matching:
        shown = [hit._replace(unsure=True) for hit in best[: min(MOST_UNSURE, wanted.limit)]]
        unsure = {"fit": NOTHING_FITS, "hint": UNSURE} if shown else {}
    results: list[dict[str, Any]] = []
    for hit in shown:
        document = documents[hit.document]
        results.append(_result(document, hit, make_excerpt(document, hit.passage, terms)))
    return {"results": results, "total_matches": len(worded | {hit.document for hit in matching}), **unsure}


def _search_documents(
    engine: SearchEngine, question: SearchQuestion, documents: int, cancellation: Cancellation
) -> list[SearchHit]:
    """The best chunk of each document, best first; looks further while long documents take all the places."""
    while True:
        hits = engine.search(question, cancellation)
        first: dict[str, SearchHit] = {}
        for hit in hits:
            first.setdefault(hit.document, hit)
        if len(first) >= documents or len(hits) < question.limit or question.limit >= MOST_CHUNKS:
            return list(first.values())
        question = question._replace(limit=question.limit * 4)


def _result(document: ArchitectureDocument, hit: SearchHit, excerpt: Excerpt) -> dict[str, Any]:
    return {
        "uri": document.full_uri,
        "title": mask_secret_values(document.title),
        "resource_type": document.category,
        "relevance_score": round(min(max(hit.score, 0.0), 1.0), 4),
        "excerpt": excerpt.text,
        "lines": [excerpt.first_line, excerpt.last_line],
        "citation": document.cited(excerpt.first_line, excerpt.last_line),
        **({"unsure": True} if hit.unsure else {}),
    }
