"""`search-architecture`: documents, ranked by the engine of all toolsets, each with the place that fits best."""

from collections.abc import Set
from typing import TYPE_CHECKING, Any, NamedTuple

from fieldguide.search.engine import Question, SearchEngine
from fieldguide.search.port import Hit, Scope
from fieldguide.search.words import query_terms
from fieldguide.secret_values import without_secret_values
from fieldguide.spine.cancellation import Cancellation
from fieldguide.toolsets.architecture.library import Document, Shelf

if TYPE_CHECKING:
    from fieldguide.toolsets.architecture.excerpts import Excerpt, Excerpts

KIND = "architecture"
NEAR_DISTANCE = 0.76  # without any of the words a document counts when it is this near; what is foreign is beyond .8
FIRST_CHUNKS = 100
MOST_CHUNKS = 6400


class Wanted(NamedTuple):
    """What a caller looks for; no category means all of them."""

    query: str
    category: str | None
    limit: int


def search_architecture(
    engine: SearchEngine, shelf: Shelf, excerpts: "Excerpts", wanted: Wanted, cancellation: Cancellation
) -> Any:
    """The documents that match, best first, and how many match in all."""
    terms = query_terms(wanted.query)
    scope = _scope(engine, wanted.category)
    documents = {document.path: document for document in shelf.documents}
    if not terms or not scope.sources:
        return {"results": [], "total_matches": 0}
    worded = engine.documents_with(terms, scope, cancellation) & documents.keys()
    best = _best(engine, Question(wanted.query, scope, FIRST_CHUNKS), wanted.limit, cancellation)
    matching = [hit for hit in best if _matches(hit, worded) and hit.document in documents]
    found = [(documents[hit.document], hit) for hit in matching[: wanted.limit]]
    return {
        "results": [_result(each, hit, excerpts.of(each, hit.passage, terms)) for each, hit in found],
        "total_matches": len(worded | {hit.document for hit in matching}),
    }


def _scope(engine: SearchEngine, category: str | None) -> Scope:
    return Scope(tuple(source.id for source in engine.sources(KIND) if category in (None, source.name)))


def _matches(hit: Hit, worded: Set[str]) -> bool:
    """Whether a document has one of the words, or is near without."""
    return hit.document in worded or hit.distance <= NEAR_DISTANCE


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


def _result(document: Document, hit: Hit, excerpt: "Excerpt") -> dict[str, Any]:
    return {
        "uri": document.full_uri,
        "title": without_secret_values(document.title),
        "resource_type": document.category,
        "relevance_score": round(min(max(hit.score, 0.0), 1.0), 4),
        "excerpt": excerpt.text,
        "lines": [excerpt.first_line, excerpt.last_line],
        "citation": document.cited(excerpt.first_line, excerpt.last_line),
    }
