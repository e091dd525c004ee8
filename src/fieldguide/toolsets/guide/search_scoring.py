"""Scores the candidates of a search on one scale, and makes a list of hits from them.

None of them is the kind itself: how often each kind is right differs so much between repositories that a bias learnt on
some makes the list worse on others (docs/decisions/0058).

`python -m training.calibrate` learns the weights anew; `card.md` beside them says on what, and how well they do where
they were not learnt.
"""

import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from operator import mul
from typing import NamedTuple

from fieldguide.files.kinds import IMPLEMENTATION, TESTS, find_role
from fieldguide.search.code_ranking import NAMED_ALIKE, QuestionNames
from fieldguide.search.pools import PoolCandidate
from fieldguide.search.ranking import QueryTerms
from fieldguide.text import regex as re
from fieldguide.text.words import PART, has_hump
from fieldguide.toolsets.guide.items import CODE, DECISION, DOCUMENT, SPEC, TEST

NEXT_BEST = 3
FIRST_CODE = 12  # candidates of code that say what tests and headings are about
FALLING = 5.0  # how fast those say less, the less they fit
SHORTEST_NAME = 5
SHORTEST_STEM = 4
REMEMBERED_PATHS = 20_000
TEST_WORDS = frozenset(("test", "tests", "spec", "specs"))
SAYS_NOTHING = frozenset(("init", "mod", "index", "main", "lib", "core", "common", "base", "types", "utils"))
RECORDS = re.compile(
    r"(?i)(?:.*/)?\.?(?:change[-_]?logs?|changes|news|history|release[-_]?notes?|releases|what[-_]?s[-_]?new)(?:[./].*)?"
)


class PlacedCandidate(NamedTuple):
    """A candidate with its path and its kind."""

    candidate: PoolCandidate
    path: str
    kind: str
    is_code: bool


class CandidateFeatures(NamedTuple):
    """What tells whether a candidate is right, each between 0 and about 1.

    `fused`: how well it fits beside the others of its pool. `likeness`: how alike it truly is. `path_share`: how much
    of the question stands in its path and title. `named`: the question names what it defines; `spoken`: in plain words.
    `file`: how well the next best chunks of its file fit. `beside`: code that is no implementation and no test.
    `record`: a list of what has changed. `heads`: its heading names what the best code defines. `companion`: a test
    whose name is that of one of the best files.
    """

    fused: float
    likeness: float
    path_share: float
    named: float
    spoken: float
    file: float
    beside: float
    record: float
    heads: float
    companion: float


class FileFeatures(NamedTuple):
    """What is the same for every chunk of a file."""

    path_share: float
    file: float
    beside: float
    record: float
    companion: float


def compute_features(
    placed: Sequence[PlacedCandidate], asked: QuestionNames, terms: QueryTerms
) -> list[CandidateFeatures]:
    """The features of each candidate for a question."""
    titles = {each.path: "" if each.is_code else each.candidate.document.title for each in placed}
    paths = {path: terms.worth(f"{path} {title}") for path, title in titles.items()}
    symbols, stems = _about(placed, paths)
    next_best = _file_scores(placed)
    files = {each.path: _of_file(each, paths[each.path], next_best[each.path], stems) for each in placed}
    found: list[CandidateFeatures] = []
    for each in placed:
        headings = each.candidate.passage.headings
        named = asked.weight_of(headings) if each.is_code else 0.0
        file = files[each.path]
        heads = 0.0
        if not each.is_code:
            written = " ".join(headings)
            heads = max((weight for name, weight in symbols.items() if name in written), default=0.0)
        found.append(
            CandidateFeatures(
                fused=each.candidate.fused,
                likeness=each.candidate.likeness,
                path_share=file.path_share,
                named=min(named, 1.0) if named >= NAMED_ALIKE else 0.0,
                spoken=float(0.0 < named < NAMED_ALIKE),
                file=file.file,
                beside=file.beside,
                record=file.record,
                heads=heads,
                companion=file.companion,
            )
        )
    return found


def _of_file(
    placed: PlacedCandidate, path_share: float, next_best: float, stems: Mapping[tuple[str, ...], float]
) -> FileFeatures:
    return FileFeatures(
        path_share=path_share,
        file=next_best,
        beside=float(placed.is_code and find_role(placed.path) not in (IMPLEMENTATION, TESTS)),
        record=float(_is_record(placed.path)),
        companion=_companion(stems, placed.path) if placed.kind == TEST else 0.0,
    )


def split_file_stem(path: str) -> tuple[str, ...]:
    """The words of a file's name, without those that say that it is a test."""
    name = path.rpartition("/")[2].partition(".")[0]
    words = [part.lower() for part in PART.findall(name)] if name.isascii() else [name.lower()]
    return tuple(word for word in words if word not in TEST_WORDS)


def _file_scores(placed: Sequence[PlacedCandidate]) -> dict[str, float]:
    """For each file, the mean of its next best chunks; those that it has not count as nothing."""
    by_file: dict[str, list[float]] = {}
    for each in placed:
        by_file.setdefault(each.path, []).append(each.candidate.fused)
    return {path: sum(sorted(each, reverse=True)[1 : NEXT_BEST + 1]) / NEXT_BEST for path, each in by_file.items()}


def _about(
    placed: Sequence[PlacedCandidate], paths: Mapping[str, float]
) -> tuple[dict[str, float], dict[tuple[str, ...], float]]:
    """What the best code defines, and what its files are called, each with how much that says."""
    code = [(each.candidate.fused + 0.5 * paths[each.path], each) for each in placed if each.kind == CODE]
    code.sort(key=lambda scored: -scored[0])
    symbols: dict[str, float] = {}
    stems: dict[tuple[str, ...], float] = {}
    for score, each in code[:FIRST_CODE]:
        weight = math.exp(FALLING * (score - code[0][0]))
        for name in filter(_is_telling, each.candidate.passage.headings):
            symbols[name] = max(symbols.get(name, 0.0), weight)
        words = split_file_stem(each.path)
        if len("".join(words)) >= SHORTEST_STEM and not SAYS_NOTHING.issuperset(words):
            stems[words] = max(stems.get(words, 0.0), weight)
    return symbols, stems


def _is_telling(name: str) -> bool:
    """Whether a name is one of a few: of several words."""
    return len(name) >= SHORTEST_NAME and name.isascii() and ("_" in name.strip("_") or has_hump(name))


def _companion(stems: Mapping[tuple[str, ...], float], path: str) -> float:
    words = frozenset(split_file_stem(path))
    return max((weight for stem, weight in stems.items() if words.issuperset(stem)), default=0.0)


@lru_cache(maxsize=REMEMBERED_PATHS)
def _is_record(path: str) -> bool:
    return RECORDS.fullmatch(path) is not None


WEIGHTS_FILE = os.path.join(os.path.dirname(__file__), "search_weights.json")
BIAS = "bias"


def compute_log_odds(features: Sequence[CandidateFeatures], weights: Mapping[str, float] | None = None) -> list[float]:
    """The logarithm of the odds of each candidate: the sum of its features by their weights."""
    given = weights or read_weights()
    row = [given[name] for name in CandidateFeatures._fields]
    return [given[BIAS] + sum(map(mul, row, each)) for each in features]


def to_probability(odds: float) -> float:
    """That as a probability."""
    return 1 / (1 + math.exp(-odds))


@cache
def read_weights() -> Mapping[str, float]:
    """The weights that belong to the package."""
    with open(WEIGHTS_FILE, encoding="utf-8") as file:
        return {name: float(weight) for name, weight in json.load(file).items()}


MOST_LINES = 100  # of one hit: what a reader opens at once
JOINED = 3.0  # log odds: a neighbour that is so much less likely still belongs to the hit
FURTHER = 1.0  # log odds that a second hit of one file has less: measured, as all here (docs/decisions/0058)
LEAST = -4.5  # log odds: what is less likely is marked as unsure
MOST_OF_ONE = 2
MOST_ALSO = 5
MOST_COPIES = 10
MUCH_LIKELIER = 0.7  # log odds
PROSE = (DOCUMENT, DECISION, SPEC)
SHORTEST_SAME = 80  # characters: shorter texts may be the same by chance

Span = tuple[int, int]


class ScoredCandidate(NamedTuple):
    """A candidate, the logarithm of its odds, its lines, and whether it holds a name that the question has."""

    placed: PlacedCandidate
    odds: float
    start: int
    end: int
    holds_name: bool = False


def score_candidate(placed: PlacedCandidate, odds: float, *, holds_name: bool = False) -> ScoredCandidate:
    """A candidate with its odds."""
    passage = placed.candidate.passage
    return ScoredCandidate(placed, odds, passage.start_line, max(passage.start_line, passage.end_line), holds_name)


class ListedHit(NamedTuple):
    """A hit: its best candidate, its lines, its odds, and further places of the file, or of the same text."""

    best: ScoredCandidate
    start: int
    end: int
    odds: float
    also: tuple[str, ...] = ()
    unsure: bool = False


def list_hits(candidates: Iterable[ScoredCandidate], limit: int) -> list[ListedHit]:
    """The hits, likeliest first; equal ones by their places."""
    by_file: dict[str, list[ScoredCandidate]] = {}
    for each in candidates:
        by_file.setdefault(each.placed.path, []).append(each)
    files = [sorted(each, key=_order) for each in by_file.values()]
    files.sort(key=lambda each: (_order(each[0]), each[0].placed.path))
    hits: list[ListedHit] = []
    for of_file in files[: limit + MOST_COPIES]:  # no other can be among the first
        hits += _list_file_hits(of_file)
    hits.sort(key=lambda hit: (-hit.odds, hit.best.placed.path, hit.start))
    return _without_copies(hits, limit)


def is_likely(hit: ListedHit) -> bool:
    """Whether a hit may be given without a remark; what holds a name of the question always is."""
    return hit.odds >= LEAST or hit.best.placed.candidate.is_exact


def put_code_and_prose_first(hits: Sequence[ListedHit], *, prefers_prose: bool) -> list[ListedHit]:
    """The hits with the best code and the best prose in the first two places, before any test.

    Code comes first, unless prose is preferred or much likelier. Where a question names something, what holds the name
    comes before what does not.
    """
    exact = [hit for hit in hits if hit.best.holds_name]
    among = exact or hits
    code = next((hit for hit in among if hit.best.placed.kind == CODE), None)
    prose = next((hit for hit in among if hit.best.placed.kind in PROSE), None)
    first = [hit for hit in (code, prose) if hit is not None]
    if code and prose and (prefers_prose or prose.odds > code.odds + MUCH_LIKELIER):
        first.reverse()
    ordered = list({hit.best.placed.candidate.chunk: hit for hit in [*first, *exact, *hits]}.values())
    return _never_rising(ordered)


def _never_rising(hits: Sequence[ListedHit]) -> list[ListedHit]:
    """The hits with odds that never rise: what stands before another is told to be as likely at least."""
    told: list[ListedHit] = []
    least = -math.inf
    for hit in reversed(hits):
        least = max(least, hit.odds)
        told.append(hit._replace(odds=least))
    return told[::-1]


def _list_file_hits(candidates: Sequence[ScoredCandidate]) -> list[ListedHit]:
    """The hits of one file: its best candidates, each with the neighbours that belong to it."""
    hits: list[ListedHit] = []
    also: list[Span] = []
    for each in candidates:
        start = each.start
        end = each.end
        if any(max(hit.end, end) - min(hit.start, start) < MOST_LINES for hit in hits):
            continue  # who opens the hit is there
        if len(hits) == MOST_OF_ONE:
            also.append((start, end))
            continue
        start, end = _grown(each, candidates, [(hit.start, hit.end) for hit in hits])
        hits.append(ListedHit(each, start, end, each.odds - FURTHER * len(hits)))
    places = [f"#L{start}-L{end}" for start, end in sorted(also[:MOST_ALSO])]
    return [hits[0]._replace(also=tuple(places)), *hits[1:]]


def _grown(own: ScoredCandidate, candidates: Sequence[ScoredCandidate], taken: Sequence[Span]) -> Span:
    """The lines of a hit with those of its neighbours, best first, as far as they fit."""
    start = own.start
    end = own.end
    for each in candidates:
        if each.odds < own.odds - JOINED:
            break  # the others are less likely still
        first = min(start, each.start)
        last = max(end, each.end)
        is_free = not any(begin <= last and first <= until for begin, until in taken)
        if last - first < MOST_LINES and is_free:
            start = first
            end = last
    return start, end


def _without_copies(hits: Sequence[ListedHit], limit: int) -> list[ListedHit]:
    """The first hits without those whose text is that of an earlier one, which names them."""
    first: dict[str, int] = {}
    kept: list[ListedHit] = []
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


def _order(candidate: ScoredCandidate) -> tuple[bool, float, int]:
    """What holds a name of the question comes first, so that it is what a hit of its file shows."""
    return not candidate.holds_name, -candidate.odds, candidate.start
