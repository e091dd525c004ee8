"""A second look at the best hits: by a model that reads question and text together, where a person has chosen one.

Without one, those that hold more of the query's words rise a little, which on the labelled sets gains nothing to speak
of (docs/explain/search.md).
"""

from collections.abc import Sequence
from typing import Protocol

from fieldguide.search.port import Hit
from fieldguide.search.words import query_terms

RERANKED = 50
COVERAGE_SHARE = 0.3
STEM = 5  # of a longer word only its beginning must be there: "scaling" stands for "scale" and "scaled"


class Reranker(Protocol):
    """Reads a question and a text together."""

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the query, 0 to 1."""
        ...


def looked_at_again(hits: Sequence[Hit], query: str, reranker: Reranker | None) -> list[Hit]:
    """The hits in the order of a second look, best first."""
    if reranker is None:
        return reranked(hits, query_terms(query))
    texts = [
        "\n".join((" > ".join(dict.fromkeys((hit.title, *hit.passage.headings))), hit.passage.text)) for hit in hits
    ]
    scores = reranker.scores(query, texts)
    scored = [hit._replace(score=score) for hit, score in zip(hits, scores, strict=True)]
    return sorted(scored, key=lambda hit: -hit.score)


def reranked(hits: Sequence[Hit], terms: Sequence[str]) -> list[Hit]:
    """The hits with their scores mixed with the share of the terms that each holds, best first."""
    scored = [
        hit._replace(score=(1 - COVERAGE_SHARE) * hit.score + COVERAGE_SHARE * _coverage(hit, terms)) for hit in hits
    ]
    return sorted(scored, key=lambda hit: -hit.score)


def _coverage(hit: Hit, terms: Sequence[str]) -> float:
    held = " ".join((hit.title, *hit.passage.headings, hit.passage.text)).casefold()
    found = sum(term[:STEM] in held if len(term) > STEM else term in held for term in terms)
    return found / len(terms) if terms else 0.0
