"""`search-architecture`: documents, ranked by the engine of all toolsets, each with the place that fits best."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from fieldguide import linear_regex as re
from fieldguide.document_formats.lines import split_lines
from fieldguide.search.engine import Question, SearchEngine
from fieldguide.search.kept_text import kept_text
from fieldguide.search.port import Hit, Scope, Source
from fieldguide.search.words import query_terms
from fieldguide.secret_values import without_secret_values
from fieldguide.spine.answers.cited_files import CitedFiles
from fieldguide.spine.cancellation import Cancellation
from fieldguide.spine.foreign_text.hidden_text import HIDDEN
from fieldguide.toolsets.architecture.library import Document, Shelf

KIND = "architecture"
NEAR_DISTANCE = 0.76  # without any of the words a document counts when it is this near; what is foreign is beyond .8
FIRST_CHUNKS = 100
MOST_CHUNKS = 6400
BEFORE = 50
AFTER = 150
STEM = 4
BLANKS = re.compile(r"\s+")


class Wanted(NamedTuple):
    """What a caller looks for; no category means all of them."""

    query: str
    category: str | None
    limit: int


def search_architecture(engine: SearchEngine, shelf: Shelf, wanted: Wanted, cancellation: Cancellation) -> Any:
    """The documents that match, best first, and how many match in all."""
    terms = query_terms(wanted.query)
    sources = [source for source in engine.sources(KIND) if wanted.category in (None, source.name)]
    scope = Scope(tuple(source.id for source in sources))
    documents = {document.path: document for document in shelf.documents}
    if not terms or not scope.sources:
        return {"results": [], "total_matches": 0}
    worded = engine.documents_with(terms, scope, cancellation)
    best = _best(engine, Question(wanted.query, scope, FIRST_CHUNKS), wanted.limit, cancellation)
    matching = [hit for hit in best if hit.document in worded or hit.distance <= NEAR_DISTANCE]
    known = [(documents[hit.document], hit) for hit in matching if hit.document in documents]
    total = len((worded | {hit.document for hit in matching}) & documents.keys())
    files = CitedFiles(lambda path: documents[path].file[1:])
    return {
        "results": [
            _result(document, hit, terms) | {"citation": _cited(engine, files, hit)}
            for document, hit in known[: wanted.limit]
        ],
        "total_matches": total,
    }


def _best(engine: SearchEngine, question: Question, documents: int, cancellation: Cancellation) -> list[Hit]:
    """The best chunk of each document, best first; looks further while long documents take all the places."""
    while True:
        hits = engine.search(question, cancellation)
        first: dict[str, Hit] = {}
        for hit in hits:
            first.setdefault(hit.document, hit)
        if len(first) >= documents or len(hits) < question.limit or question.limit >= MOST_CHUNKS:
            return list(first.values())
        question = question._replace(limit=question.limit * 4)


def _result(document: Document, hit: Hit, terms: Iterable[str]) -> dict[str, Any]:
    return {
        "uri": document.full_uri,
        "title": without_secret_values(document.title),
        "resource_type": document.category,
        "relevance_score": round(min(max(hit.score, 0.0), 1.0), 4),
        "excerpt": excerpt(hit.passage.text, terms),
    }


def _cited(engine: SearchEngine, files: CitedFiles, hit: Hit) -> str:
    passage = hit.passage

    def kept() -> list[str]:
        return split_lines(kept_text(engine, Source(KIND, hit.source), hit.document) or "")

    return files.cited(hit.document, passage.start_line, passage.end_line, passage.text, kept)


def excerpt(text: str, terms: Iterable[str]) -> str:
    """About 50 characters before and 150 after the first hit, cut between words, with dots where it is cut."""
    flat = BLANKS.sub(" ", HIDDEN.sub("", text)).strip()
    at = _first_hit(flat.lower(), terms)
    start, end = max(at - BEFORE, 0), min(at + AFTER, len(flat))
    if start:
        start = flat.find(" ", start, at) + 1 or start
    if end < len(flat):
        end = max(flat.rfind(" ", at, end), at) if flat.rfind(" ", at, end) > at else end
    return f"{'...' if start else ''}{flat[start:end].strip()}{'...' if end < len(flat) else ''}"


def _first_hit(text: str, terms: Iterable[str]) -> int:
    """Where the first of the words stands, whole or by its beginning; the start where none does."""
    wanted = tuple(terms)
    whole = [at for term in wanted if (at := _word_at(text, term)) is not None]
    if whole:
        return min(whole)
    stems = (term[: max(STEM, len(term) - 3)] for term in wanted if len(term) > STEM)
    return min((at for stem in stems if (at := _word_at(text, stem)) is not None), default=0)


def _word_at(text: str, beginning: str) -> int | None:
    """The first place where a word begins so."""
    at = text.find(beginning)
    while at > 0 and (text[at - 1].isalnum() or text[at - 1] == "_"):
        at = text.find(beginning, at + 1)
    return None if at < 0 else at
