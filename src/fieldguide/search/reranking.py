"""A second look at the best hits: those that hold more of the query's words rise."""

from collections.abc import Sequence

from fieldguide.search.port import Hit

RERANKED = 50
COVERAGE_SHARE = 0.3
STEM = 5  # of a longer word only its beginning must be there: "scaling" stands for "scale" and "scaled"


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
