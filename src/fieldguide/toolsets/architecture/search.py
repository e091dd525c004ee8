"""Searches the architecture documents, and cuts the excerpt of each that answers the query.

A title says what a whole document is about, so only the other words of a query tell its sentences apart. Where there
are none, a decision answers with what it decided.
"""

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from fieldguide.knowledge.decisions.reader import read_record
from fieldguide.knowledge.decisions.record import plain_text
from fieldguide.prose.document import Block, ReadDocument
from fieldguide.prose.markdown import read_markdown
from fieldguide.search.engine import SearchEngine, SearchQuestion
from fieldguide.search.ranking import MOST_UNSURE, NOTHING_FITS
from fieldguide.search.types import ChunkPassage, Scope, SearchHit
from fieldguide.text import regex as re
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
ITEM = re.compile(r"^\s*(?:[-*+]\s+|\d{1,3}[.)]\s+|>\s*|\|)")
NO_WORDS = re.compile(r"[\W_]*")
END = re.compile(r"[.!?][\"”')\]]?\s+(?=[\"“'(\[]?[A-Z0-9])|[。！？]")


class DocumentSentence(NamedTuple):
    """A sentence, a row of a table or a line of code in plain words, with its lines and the number of its section."""

    text: str
    first_line: int
    last_line: int
    section: int


class Excerpt(NamedTuple):
    """What is shown of a document, and the lines of the sentence that answers."""

    text: str
    first_line: int
    last_line: int


class ExcerptCache:
    """The sentences of documents, each document cut once for as long as its text stays."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[str, list[DocumentSentence], int]] = {}

    def of(self, document: ArchitectureDocument, passage: ChunkPassage, terms: Sequence[str]) -> Excerpt:
        """The best sentence for these words; `passage` is the place that the search found."""
        sentences, answer = self._read(document)
        if not sentences:
            return Excerpt(cut_around_hit(passage.text, 0, 0, terms), passage.start_line, passage.end_line)
        title = document.title.lower()
        telling = [term for term in terms if _word_at(title, term) is None]
        if answer >= 0 and not any(_held(each.text.lower(), telling) for each in sentences):
            return _shown(sentences, answer, terms)
        best = _find_best_sentence(sentences, telling or terms, range(passage.start_line, passage.end_line + 1))
        return _shown(sentences, best, terms)

    def _read(self, document: ArchitectureDocument) -> tuple[list[DocumentSentence], int]:
        """The sentences of a document, and which of them is a decision's answer, -1 for none."""
        checksum, sentences, answer = self._kept.get(document.path, ("", list[DocumentSentence](), -1))
        if checksum != document.checksum:
            text = HIDDEN.sub("", mask_secret_values(document.text))
            sentences = split_document(read_markdown(text))
            answer = _answer(document.path, text, sentences) if document.category == ADR else -1
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            self._kept[document.path] = (document.checksum, sentences, answer)
        return sentences, answer


def split_document(document: ReadDocument) -> list[DocumentSentence]:
    """The sentences of a document, in their order; headings are none."""
    found: list[DocumentSentence] = []
    section = 0
    for block in document.blocks:
        if block.heading is not None:
            section += 1
            continue
        for paragraph in _paragraphs(document.searched_lines, block):
            found += _sentences(paragraph, section)
        if len(found) >= MOST_SENTENCES:
            break
    return found[:MOST_SENTENCES]


def cut_around_hit(flat: str, start: int, end: int, terms: Iterable[str]) -> str:
    """About 50 characters before and 150 after the first hit in `flat[start:end]`, cut between words.

    A sentence that is no longer than that is given whole. Dots stand where something is cut.
    """
    at = start + find_first_hit(flat[start:end].lower(), terms)
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


def find_first_hit(text: str, terms: Iterable[str]) -> int:
    """The place of the first of the words, whole or by its beginning; the start where there is none."""
    places = [_word_at(text, term) for term in terms]
    return min((place for place in places if place is not None), default=0)


def _find_best_sentence(sentences: Sequence[DocumentSentence], terms: Sequence[str], lines: range) -> int:
    """The sentence that holds most of the words, the rarer counting more; of equals one in the place that was found."""
    held = [_held(sentence.text.lower(), terms) for sentence in sentences]
    counts = Counter(term for found in held for term in found)
    weights = {term: math.log(1 + len(sentences) / number) for term, number in counts.items()}

    def worth(number: int) -> tuple[float, bool, bool, int]:
        is_there = sentences[number].first_line in lines
        is_sentence = len(sentences[number].text.split()) >= LEAST_WORDS
        return math.fsum(weights[term] for term in held[number]), is_sentence and is_there, is_sentence, -number

    return max(range(len(sentences)), key=worth)


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


def _shown(sentences: Sequence[DocumentSentence], best: int, terms: Sequence[str]) -> Excerpt:
    chosen = sentences[best]
    around = [each for each in sentences[max(best - 20, 0) : best + 20] if each.section == chosen.section]
    at = next(number for number, each in enumerate(around) if each is chosen)
    start = sum(len(each.text) + 1 for each in around[:at])
    flat = " ".join(each.text for each in around)
    return Excerpt(cut_around_hit(flat, start, start + len(chosen.text), terms), chosen.first_line, chosen.last_line)


def _answer(path: str, text: str, sentences: Sequence[DocumentSentence]) -> int:
    """The sentence that says what a record decided; -1 where none does."""
    answer = read_record(path, text).answer
    lines = range(answer.first_line, answer.last_line + 1) if answer else range(0)
    return next((number for number, each in enumerate(sentences) if each.first_line in lines), -1)


def _paragraphs(lines: Sequence[str], block: Block) -> Iterator[list[tuple[int, str]]]:
    """Lines that are read together, each with its number: a paragraph, an item, a row, a line of code."""
    together: list[tuple[int, str]] = []
    for number in range(block.start, block.end):
        line = lines[number]
        if together and (block.is_code or not line.strip() or ITEM.match(line)):
            yield together
            together = []
        plain = line.strip() if block.is_code else plain_text(ITEM.sub("", line, count=1).strip(" |\r\n\t"))
        if not NO_WORDS.fullmatch(plain):
            together.append((number + 1, plain))
    if together:
        yield together


def _sentences(paragraph: list[tuple[int, str]], section: int) -> Iterator[DocumentSentence]:
    starts: list[int] = []
    joined = ""
    for _, text in paragraph:
        starts.append(len(joined))
        joined += f"{text} "
    begin = 0
    for end in (*(match.end() for match in END.finditer(joined)), len(joined)):
        said = joined[begin:end].strip()
        if said:
            first, _ = paragraph[bisect_right(starts, begin) - 1]
            last, _ = paragraph[bisect_right(starts, begin + len(said) - 1) - 1]
            yield DocumentSentence(said, first, last, section)
        begin = end


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
    excerpts: "ExcerptCache",
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
        results.append(_result(document, hit, excerpts.of(document, hit.passage, terms)))
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


def _result(document: ArchitectureDocument, hit: SearchHit, excerpt: "Excerpt") -> dict[str, Any]:
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
