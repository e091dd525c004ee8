"""What is known of a candidate before it is called a hit: few named numbers, the same for every kind.

None of them is the kind itself: how often each kind is right differs so much between repositories that a bias learnt on
some makes the list worse on others (docs/decisions/0035).
"""

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.search.fitness import Terms
from fieldguide.search.mixed.asked import NAMED_ALIKE, Asked
from fieldguide.search.mixed.pools import Candidate
from fieldguide.search.words import PART, has_hump
from fieldguide.source_code.roles import IMPLEMENTATION, TESTS, role_of
from fieldguide.toolsets.guide.items import CODE, TEST

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


class Placed(NamedTuple):
    """A candidate with its path and its kind."""

    candidate: Candidate
    path: str
    kind: str
    is_code: bool


class Features(NamedTuple):
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


def features_of(placed: Sequence[Placed], asked: Asked, terms: Terms) -> list[Features]:
    """The features of each candidate for a question."""
    paths = _path_shares(placed, terms)
    symbols, stems = _about(placed, paths)
    next_best = _file_scores(placed)
    files = {each.path: _of_file(each, paths[each.path], next_best[each.path], stems) for each in placed}
    found: list[Features] = []
    for each in placed:
        headings, file = each.candidate.passage.headings, files[each.path]
        named = asked.weight_of(headings) if each.is_code else 0.0
        found.append(
            Features(
                fused=each.candidate.fused,
                likeness=each.candidate.likeness,
                path_share=file.path_share,
                named=min(named, 1.0) if named >= NAMED_ALIKE else 0.0,
                spoken=float(0.0 < named < NAMED_ALIKE),
                file=file.file,
                beside=file.beside,
                record=file.record,
                heads=0.0 if each.is_code else _headed(symbols, " ".join(headings)),
                companion=file.companion,
            )
        )
    return found


def _of_file(
    placed: Placed, path_share: float, next_best: float, stems: Mapping[tuple[str, ...], float]
) -> FileFeatures:
    return FileFeatures(
        path_share=path_share,
        file=next_best,
        beside=float(placed.is_code and role_of(placed.path) not in (IMPLEMENTATION, TESTS)),
        record=float(_is_record(placed.path)),
        companion=_companion(stems, placed.path) if placed.kind == TEST else 0.0,
    )


def stem_words(path: str) -> tuple[str, ...]:
    """The words of a file's name, without those that say that it is a test."""
    name = path.rpartition("/")[2].partition(".")[0]
    words = [part.lower() for part in PART.findall(name)] if name.isascii() else [name.lower()]
    return tuple(word for word in words if word not in TEST_WORDS)


def _file_scores(placed: Sequence[Placed]) -> dict[str, float]:
    """For each file, the mean of its next best chunks; those that it has not count as nothing."""
    by_file: dict[str, list[float]] = {}
    for each in placed:
        by_file.setdefault(each.path, []).append(each.candidate.fused)
    return {path: sum(sorted(each, reverse=True)[1 : NEXT_BEST + 1]) / NEXT_BEST for path, each in by_file.items()}


def _path_shares(placed: Sequence[Placed], terms: Terms) -> dict[str, float]:
    titles = {each.path: "" if each.is_code else each.candidate.document.title for each in placed}
    return {path: terms.worth(f"{path} {title}") for path, title in titles.items()}


def _about(
    placed: Sequence[Placed], paths: Mapping[str, float]
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
        words = stem_words(each.path)
        if len("".join(words)) >= SHORTEST_STEM and not SAYS_NOTHING.issuperset(words):
            stems[words] = max(stems.get(words, 0.0), weight)
    return symbols, stems


def _is_telling(name: str) -> bool:
    """Whether a name is one of a few: of several words."""
    return len(name) >= SHORTEST_NAME and name.isascii() and ("_" in name.strip("_") or has_hump(name))


def _companion(stems: Mapping[tuple[str, ...], float], path: str) -> float:
    words = frozenset(stem_words(path))
    return max((weight for stem, weight in stems.items() if words.issuperset(stem)), default=0.0)


def _headed(symbols: Mapping[str, float], headings: str) -> float:
    return max((weight for name, weight in symbols.items() if name in headings), default=0.0)


@lru_cache(maxsize=REMEMBERED_PATHS)
def _is_record(path: str) -> bool:
    return RECORDS.fullmatch(path) is not None
