"""Scores the candidates of a search on one scale, and makes a list of hits from them, as whole definitions.

None of the features is the kind itself: how often each kind is right differs so much between repositories that a
bias learnt on some makes the list worse on others (docs/decisions/0058).

`search_weights.md` describes what the weights were learnt on.
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
from fieldguide.search.engine import SearchEngine
from fieldguide.search.pools import PoolCandidate
from fieldguide.search.ranking import QueryTerms
from fieldguide.search.types import ChunkPassage, locate_chunk, number_chunk
from fieldguide.text import regex as re
from fieldguide.text.cancellation import Cancellation
from fieldguide.toolsets.guide.brief_candidates import CODE as SOURCE_CODE
from fieldguide.toolsets.guide.brief_candidates import (
    CandidateFile,
    ChunkPlace,
    Definition,
    split_definitions,
)
from fieldguide.toolsets.guide.items import CODE, DECISION, DOCUMENT, SPEC, TEST

NEXT_BEST = 3
REMEMBERED_PATHS = 20_000
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
    `record`: a list of what has changed.
    """

    fused: float
    likeness: float
    path_share: float
    named: float
    spoken: float
    file: float
    beside: float
    record: float


def compute_features(
    placed: Sequence[PlacedCandidate], asked: QuestionNames, terms: QueryTerms
) -> list[CandidateFeatures]:
    """The features of each candidate for a question."""
    titles = {each.path: "" if each.is_code else each.candidate.document.title for each in placed}
    paths = {path: terms.worth(f"{path} {title}") for path, title in titles.items()}
    next_best = _file_scores(placed)
    found: list[CandidateFeatures] = []
    for each in placed:
        path = each.path
        headings = each.candidate.passage.headings
        named = asked.weight_of(headings) if each.is_code else 0.0
        found.append(
            CandidateFeatures(
                fused=each.candidate.fused,
                likeness=each.candidate.likeness,
                path_share=paths[path],
                named=min(named, 1.0) if named >= NAMED_ALIKE else 0.0,
                spoken=float(0.0 < named < NAMED_ALIKE),
                file=next_best[path],
                beside=float(each.is_code and find_role(path) not in (IMPLEMENTATION, TESTS)),
                record=float(_is_record(path)),
            )
        )
    return found


def _file_scores(placed: Sequence[PlacedCandidate]) -> dict[str, float]:
    """For each file, the mean of its next best chunks; those that it has not count as nothing."""
    by_file: dict[str, list[float]] = {}
    for each in placed:
        by_file.setdefault(each.path, []).append(each.candidate.fused)
    return {path: sum(sorted(each, reverse=True)[1 : NEXT_BEST + 1]) / NEXT_BEST for path, each in by_file.items()}


@lru_cache(maxsize=REMEMBERED_PATHS)
def _is_record(path: str) -> bool:
    return RECORDS.fullmatch(path) is not None


WEIGHTS_FILE = os.path.join(os.path.dirname(__file__), "search_weights.json")
BIAS = "bias"


def compute_log_odds(features: Sequence[CandidateFeatures]) -> list[float]:
    """The logarithm of the odds of each candidate: the sum of its features by their weights."""
    weights = read_weights()
    row = [weights[name] for name in CandidateFeatures._fields]
    return [weights[BIAS] + sum(map(mul, row, each)) for each in features]


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

    Code comes first, unless prose is preferred or much likelier. Hits that hold a name of the question come before the
    others. The odds of the result never rise: a hit is as likely as those after it, at least.
    """
    exact = [hit for hit in hits if hit.best.holds_name]
    among = exact or hits
    code = next((hit for hit in among if hit.best.placed.kind == CODE), None)
    prose = next((hit for hit in among if hit.best.placed.kind in PROSE), None)
    first = [hit for hit in (code, prose) if hit is not None]
    if code and prose and (prefers_prose or prose.odds > code.odds + MUCH_LIKELIER):
        first.reverse()
    ordered: list[ListedHit] = []
    least = -math.inf
    for hit in reversed({hit.best.placed.candidate.chunk: hit for hit in [*first, *exact, *hits]}.values()):
        least = max(least, hit.odds)
        ordered.append(hit._replace(odds=least))
    return ordered[::-1]


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


AROUND = 8  # chunks on either side of a hit that may belong to its definition
MOST_OF_NAME = 2


class HitPart(NamedTuple):
    """A definition or section of a hit; `whole` are the lines of all of it, where it is a part of a long one."""

    name: str
    start: int
    end: int
    whole: tuple[int, int] | None = None


class WholeHit(NamedTuple):
    """A hit with what it consists of; `own` is the part that fits best."""

    listed: ListedHit
    own: HitPart
    parts: tuple[HitPart, ...] = ()

    @property
    def placed(self) -> PlacedCandidate:
        """Its best candidate."""
        return self.listed.best.placed


def make_whole(engine: SearchEngine, hits: Sequence[ListedHit], cancellation: Cancellation | None) -> list[WholeHit]:
    """The hits as whole definitions and sections, none twice, at most two of a name."""
    passages = _read_neighbours(engine, hits, cancellation)
    whole: list[WholeHit] = []
    for hit in hits:
        found = _enclose(hit, passages)
        if not any(_overlaps(found.listed, each.listed) for each in whole):
            whole.append(found)
    return _limit_names(whole)


def _read_neighbours(
    engine: SearchEngine, hits: Sequence[ListedHit], cancellation: Cancellation | None
) -> Mapping[int, ChunkPassage]:
    chunks: set[int] = set()
    for hit in hits:
        chunks.update(_number_neighbours(hit))
    with engine.database.reading(cancellation) as transaction:
        return engine.index.passages(transaction, sorted(chunks))


def _number_neighbours(hit: ListedHit) -> list[int]:
    """The numbers of the chunks that may belong to the definition of a hit; none where it is in no document."""
    candidate = hit.best.placed.candidate
    if candidate.document.id < 0:
        return []
    document, place = locate_chunk(candidate.chunk)
    places = range(max(0, place - AROUND), min(candidate.document.chunks, place + AROUND + 1))
    return [number_chunk(document, each) for each in places]


def _overlaps(one: ListedHit, other: ListedHit) -> bool:
    return one.best.placed.path == other.best.placed.path and one.start <= other.end and other.start <= one.end


def _enclose(hit: ListedHit, passages: Mapping[int, ChunkPassage]) -> WholeHit:
    """A hit from the beginning of its first definition to the end of its last, as far as a hit may be long."""
    placed = hit.best.placed
    places = [ChunkPlace(each, passages[each]) for each in _number_neighbours(hit) if each in passages]
    kind = SOURCE_CODE if placed.kind in (CODE, TEST) else placed.kind
    file = CandidateFile(placed.path, kind, placed.candidate.document, places=places)
    definitions = [each for each in split_definitions(file, MOST_LINES) if not each.is_import]
    own = next((each for each in definitions if _holds_chunk(each, placed.candidate.chunk)), None)
    if own is None:
        return WholeHit(hit, HitPart("", hit.best.start, hit.best.end))
    start = own.start
    end = own.end
    touched = [each for each in definitions if each.start <= hit.end and each.end >= hit.start]
    touched.sort(key=lambda each: (not _are_related(own, each), abs(each.start - own.start), each.start))
    for each in touched:
        first = min(start, each.start)
        last = max(end, each.end)
        if last - first < MOST_LINES:
            start = first
            end = last
    parts = [_make_part(each, definitions) for each in definitions if start <= each.start and each.end <= end]
    return WholeHit(hit._replace(start=start, end=end), _make_part(own, definitions), tuple(parts))


def _are_related(one: Definition, other: Definition) -> bool:
    """Whether two definitions belong to the same one, or one is a member of the other."""
    around = one.headings[:-1]
    return other.headings[:-1] == around or other.headings == around or other.headings[:-1] == one.headings


def _holds_chunk(definition: Definition, chunk: int) -> bool:
    return any(place.number == chunk for place in definition.places)


def _make_part(own: Definition, definitions: Sequence[Definition]) -> HitPart:
    """A definition with its name; where its neighbours have the same, it is a part of something long."""
    place = definitions.index(own)
    first = place
    last = place
    while own.headings and first > 0 and definitions[first - 1].headings == own.headings:
        first -= 1
    while own.headings and last + 1 < len(definitions) and definitions[last + 1].headings == own.headings:
        last += 1
    whole = (definitions[first].start, definitions[last].end) if first < last else None
    is_long = whole is not None and whole[1] - whole[0] >= MOST_LINES  # shorter ones are overloads
    return HitPart(".".join(own.headings), own.start, own.end, whole if is_long else None)


def _limit_names(hits: Sequence[WholeHit]) -> list[WholeHit]:
    """The hits without those whose name two earlier ones have; the first of them tells where they are."""
    kept: list[WholeHit] = []
    of_name: dict[str, list[int]] = {}
    for hit in hits:
        headings = hit.placed.candidate.passage.headings
        places = of_name.setdefault(headings[-1], []) if hit.placed.is_code and headings else []
        if len(places) < MOST_OF_NAME:
            places.append(len(kept))
            kept.append(hit)
            continue
        first = kept[places[0]]
        if len(first.listed.also) < MOST_ALSO:
            also = (*first.listed.also, f"{hit.placed.path}#L{hit.listed.start}-L{hit.listed.end}")
            kept[places[0]] = first._replace(listed=first.listed._replace(also=also))
    return kept


COMMENTS = ("//", "#", "*", "/*", "--", '"""', "'''", "@")


def is_comment(line: str) -> bool:
    """Whether a line of code is a comment, or a decorator."""
    return line.lstrip().startswith(COMMENTS)
