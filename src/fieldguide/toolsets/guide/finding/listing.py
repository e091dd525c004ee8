"""From candidates to a list: neighbours in a file are one hit, a file has two at most, the same text stands once."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from fieldguide.toolsets.guide.finding.features import Placed

MOST_LINES = 100  # of one hit: what a reader opens at once
JOINED = 2.0  # log odds: a neighbour that is so much less likely still belongs to the hit
FURTHER = 2.0  # log odds that a second hit of one file has less: measured, as all here (docs/decisions/0035)
LEAST = -4.5  # log odds: what is less likely is no hit
MOST_OF_ONE = 2
MOST_ALSO = 5
MOST_COPIES = 10
SHORTEST_SAME = 80  # characters: shorter texts may be the same by chance

Span = tuple[int, int]


class Scored(NamedTuple):
    """A candidate, the logarithm of its odds, and its lines."""

    placed: Placed
    odds: float
    start: int
    end: int


def scored(placed: Placed, odds: float) -> Scored:
    """A candidate with its odds."""
    passage = placed.candidate.passage
    return Scored(placed, odds, passage.start_line, max(passage.start_line, passage.end_line))


class Listed(NamedTuple):
    """A hit: its best candidate, its lines, its odds, and further places of the file, or of the same text."""

    best: Scored
    start: int
    end: int
    odds: float
    also: tuple[str, ...] = ()


def listed(candidates: Iterable[Scored], limit: int) -> list[Listed]:
    """The hits, likeliest first; equal ones by their places."""
    by_file: dict[str, list[Scored]] = {}
    for each in candidates:
        by_file.setdefault(each.placed.path, []).append(each)
    files = [sorted(each, key=_order) for each in by_file.values()]
    files.sort(key=lambda each: (_order(each[0]), each[0].placed.path))
    hits = [hit for each in files[: limit + MOST_COPIES] for hit in _of_file(each)]  # no other can be among the first
    hits = [hit for hit in hits if hit.odds >= LEAST]
    hits.sort(key=lambda hit: (-hit.odds, hit.best.placed.path, hit.start))
    return _without_copies(hits, limit)


def _of_file(candidates: Sequence[Scored]) -> list[Listed]:
    """The hits of one file: its best candidates, each with the neighbours that belong to it."""
    hits: list[Listed] = []
    also: list[Span] = []
    for each in candidates:
        start, end = each.start, each.end
        if any(max(hit.end, end) - min(hit.start, start) < MOST_LINES for hit in hits):
            continue  # who opens the hit is there
        if len(hits) == MOST_OF_ONE:
            also.append((start, end))
            continue
        start, end = _grown(each, candidates, [(hit.start, hit.end) for hit in hits])
        hits.append(Listed(each, start, end, each.odds - FURTHER * len(hits)))
    places = [f"#L{start}-L{end}" for start, end in sorted(also[:MOST_ALSO])]
    return [hits[0]._replace(also=tuple(places)), *hits[1:]]


def _grown(own: Scored, candidates: Sequence[Scored], taken: Sequence[Span]) -> Span:
    """The lines of a hit with those of its neighbours, best first, as far as they fit."""
    start, end = own.start, own.end
    for each in candidates:
        if each.odds < own.odds - JOINED:
            break  # the others are less likely still
        first, last = min(start, each.start), max(end, each.end)
        is_free = not any(begin <= last and first <= until for begin, until in taken)
        if last - first < MOST_LINES and is_free:
            start, end = first, last
    return start, end


def _without_copies(hits: Sequence[Listed], limit: int) -> list[Listed]:
    """The first hits without those whose text is that of an earlier one, which names them."""
    first: dict[str, int] = {}
    kept: list[Listed] = []
    for hit in hits:
        if len(kept) == limit:
            break
        text = " ".join(hit.best.placed.candidate.passage.text.split())
        place = first.get(text) if len(text) >= SHORTEST_SAME else None
        if place is None:
            first[text] = len(kept)
            kept.append(hit)
        elif len(kept[place].also) < MOST_ALSO:
            copy = f"{hit.best.placed.path}#L{hit.start}-L{hit.end}"
            kept[place] = kept[place]._replace(also=(*kept[place].also, copy))
    return kept


def _order(candidate: Scored) -> tuple[float, int]:
    return -candidate.odds, candidate.start
