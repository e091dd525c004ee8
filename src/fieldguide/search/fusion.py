"""One ranking from two: how well a chunk's words fit and how alike its vector is, in equal parts.

Words count relative to the best; likeness is spread between the least and the most alike of all candidates, those that
only their words brought in included. On the development sets this is the best of keywords, vectors and both, which
spreading the words too was not, nor reciprocal rank fusion (docs/explain/search.md has the figures).
"""

from collections.abc import Mapping

CANDIDATES = 100
KEYWORD_SHARE = 0.5


def fuse(
    keyword: Mapping[int, float], likeness: Mapping[int, float], keyword_share: float = KEYWORD_SHARE
) -> dict[int, float]:
    """The fused score, 0 to 1, of every chunk whose likeness is known; one without any of the words counts 0 there."""
    best = max(keyword.values(), default=0.0)
    lowest, highest = min(likeness.values(), default=0.0), max(likeness.values(), default=0.0)
    return {
        chunk: keyword_share * _share(keyword.get(chunk, 0.0), 0.0, best)
        + (1 - keyword_share) * _share(alike, lowest, highest)
        for chunk, alike in likeness.items()
    }


def _share(value: float, lowest: float, highest: float) -> float:
    """Where a value stands between two others; where those are one, it is all or nothing."""
    if highest > lowest:
        return (value - lowest) / (highest - lowest)
    return 1.0 if highest > 0 else 0.0
