"""Hits of code in the order of an answer: the implementation first, what the question names before all.

The engine ranks chunks by their words and vectors. Here counts what is special about code: what a file is for, what a
chunk defines, and that a file which holds several good chunks is about the question. The weights are few and round;
they were chosen leaving one repository out at a time (docs/decisions/0031).
"""

from collections.abc import Callable, Iterable, Sequence

from fieldguide.search.hits import spread
from fieldguide.search.mixed.asked import NAMED, Asked
from fieldguide.search.port import Hit
from fieldguide.source_code.roles import role_of

KEYWORD_SHARE = 0.2  # a question about code seldom has the words of the code
MOST_OF_ONE = 2
FILE_SHARE = 0.4  # of the mean of a file's next best chunks
NEXT_BEST = 3
OPENING = 0.1  # it opens what is named, and is no later part of it
ASKED_ROLE = 0.3  # a role that the question asks for
BESIDE = 0.5  # the most that what lies beside the implementation scores, beside its last hit


def ranked(hits: Sequence[Hit], asked: Asked, is_code: Callable[[str], bool]) -> list[Hit]:
    """The hits in the order of an answer, at most two of one file; what is no code is ranked among them as it is.

    `is_code` says it of a source.
    """
    files = _file_scores(hits)
    openings = _openings(hits)
    of_code = {source: is_code(source) for source in {hit.source for hit in hits}}
    first: list[tuple[float, Hit]] = []
    beside: list[tuple[float, Hit]] = []
    for hit in hits:
        if not of_code[hit.source]:
            first.append((hit.score, hit))
            continue
        role = hit.mark or role_of(hit.document)
        weight = asked.weight_of(hit.passage.headings) + (ASKED_ROLE if role in asked.roles else 0.0)
        if weight >= NAMED and openings[hit.document, hit.passage.headings] == hit.position:
            weight += OPENING
        total = (hit.score + FILE_SHARE * files[hit.source, hit.document]) / (1 + FILE_SHARE) + weight
        (beside if asked.is_beside(role) else first).append((max(total, 0.0), hit))
    return _few_of_a_file(_one_scale(first, beside))


def _few_of_a_file(ordered: Sequence[tuple[float, Hit]]) -> list[Hit]:
    """The best hits of each file, with the lines of the others beside them."""
    chosen = spread(ordered, lambda each: (each[1].source, each[1].document), most=MOST_OF_ONE, limit=len(ordered))
    return [hit._replace(score=score, also=_lines(hit for _, hit in also)) for (score, hit), also in chosen]


def _lines(hits: Iterable[Hit]) -> tuple[tuple[int, int], ...]:
    return tuple(sorted((hit.passage.start_line, hit.passage.end_line) for hit in hits))


def _file_scores(hits: Sequence[Hit]) -> dict[tuple[str, str], float]:
    """For each file, the mean of its next best chunks; those that it has not count as nothing."""
    by_file: dict[tuple[str, str], list[float]] = {}
    for hit in hits:
        by_file.setdefault((hit.source, hit.document), []).append(hit.score)
    return {file: sum(sorted(each, reverse=True)[1 : NEXT_BEST + 1]) / NEXT_BEST for file, each in by_file.items()}


def _openings(hits: Sequence[Hit]) -> dict[tuple[str, tuple[str, ...]], int]:
    """Where each definition opens: the first of its chunks."""
    first: dict[tuple[str, tuple[str, ...]], int] = {}
    for hit in hits:
        key = (hit.document, hit.passage.headings)
        first[key] = min(hit.position, first.get(key, hit.position))
    return first


def _one_scale(first: list[tuple[float, Hit]], beside: list[tuple[float, Hit]]) -> list[tuple[float, Hit]]:
    """Both tiers one after the other, each best first, with scores between 0 and 1 that never rise."""
    first.sort(key=lambda each: -each[0])
    beside.sort(key=lambda each: -each[0])
    most = max(1.0, first[0][0]) if first else 1.0
    bound = BESIDE * first[-1][0] / most if first else BESIDE
    best = beside[0][0] if beside else 1.0
    return [
        *((score / most, hit) for score, hit in first),
        *((bound * score / (best or 1.0), hit) for score, hit in beside),
    ]
