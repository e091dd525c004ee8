"""Ways to make one ranking of two, side by side on the development sets: how the engine's own was chosen.

Every way gets the same candidates: the best hundred by words and the best hundred by vectors, with the true likeness of
all of them. Related-document tasks are left out, because they are answered by vectors alone.
"""

import argparse
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from benchmarks import report
from benchmarks.engines import Engine, find_embedder, read_document
from benchmarks.labelled_sets import SETS, LabelledSet, read_sets
from benchmarks.ranking_figures import judge_ranking
from fieldguide.search import ranking
from fieldguide.search.models.choice import BUILT_IN
from fieldguide.search.ranking import CANDIDATES, fuse
from fieldguide.search.types import Scope, SearchSource, locate_chunk
from fieldguide.text.words import extract_query_terms

SOURCE = SearchSource("benchmark", "set")
SHARES = (0.4, 0.5, 0.55, 0.6, 0.7)
RANK_CONSTANT = 60


class Candidates(NamedTuple):
    """What both sides found for a query: scores by words, likeness by vectors, and the true likeness of everything."""

    words: Mapping[int, float]
    near: Mapping[int, float]
    likeness: Mapping[int, float]
    names: Mapping[int, str]
    labels: Mapping[str, float]


Way = Callable[[Candidates], Mapping[int, float]]


def main() -> int:
    """Print nDCG@10 of each way on each set."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fusion", description=__doc__)
    parser.add_argument("--data", type=Path, action="append", help="a labelled set or a folder of them (default: ours)")
    options = parser.parse_args()
    sets = [each for each in read_sets(options.data or [SETS]) if not each.is_related_task]
    gathered = {each.name: list(gather(each)) for each in sets}
    print(f"Fusion, nDCG@10. {report.describe_machine()}\n")
    rows = [
        [name, *(f"{fmean(_judged(way, each) for each in gathered[labelled.name]):.3f}" for labelled in sets)]
        for name, way in ways().items()
    ]
    print(report.format_table(["way", *(each.name for each in sets)], rows))
    return 0


def ways() -> Mapping[str, Way]:
    """Each side alone, two ways that are often used, and ours with several shares."""
    return {
        "words alone": lambda found: found.words,
        "vectors alone": lambda found: found.near,
        f"reciprocal ranks, k = {RANK_CONSTANT}": _reciprocal,
        "both spread from 0 to 1, half and half": _spread_both,
        **{f"ours, {share:g} for words{_mark(share)}": partial(_ours, share) for share in SHARES},
    }


def gather(labelled: LabelledSet) -> Iterator[Candidates]:
    """The candidates for each query of a set."""
    with tempfile.TemporaryDirectory(prefix="fieldguide-benchmark-") as folder:
        engine = Engine(Path(folder) / "chunks.db", find_embedder(BUILT_IN))
        documents = (read_document(each.id, each.text, title=each.title) for each in labelled.documents)
        scope = Scope((engine.fill(SOURCE, documents),))
        with engine.database.reading() as transaction:
            for query in labelled.queries:
                vector = engine.embedder.embed_query(query.text)
                words = engine.index.by_words(transaction, extract_query_terms(query.text), scope, CANDIDATES)
                near = engine.index.by_vector(transaction, vector, scope, CANDIDATES)
                everything = list(dict.fromkeys([*words, *near]))
                distances = engine.index.distances(transaction, vector, everything)
                stored = engine.store(transaction).numbered([locate_chunk(chunk)[0] for chunk in everything])
                yield Candidates(
                    words=words,
                    near={chunk: 1 - distance for chunk, distance in near.items()},
                    likeness={chunk: 1 - distance for chunk, distance in distances.items()},
                    names={chunk: stored[locate_chunk(chunk)[0]].name for chunk in everything},
                    labels=labelled.labels[query.id],
                )


def _judged(way: Way, found: Candidates) -> float:
    scores = way(found)
    chunks = sorted(scores, key=lambda chunk: (-scores[chunk], chunk))
    return judge_ranking(list(dict.fromkeys(found.names[chunk] for chunk in chunks)), found.labels)[0]


def _ours(share: float, found: Candidates) -> Mapping[int, float]:
    words = {chunk: score * share / ranking.KEYWORD_SHARE for chunk, score in _only_words(found).items()}
    rest = (1 - share) / (1 - ranking.KEYWORD_SHARE)
    return {
        chunk: words[chunk] + rest * (score - _only_words(found)[chunk])
        for chunk, score in fuse(found.words, found.likeness).items()
    }


def _only_words(found: Candidates) -> Mapping[int, float]:
    """The part of our score that words give."""
    return fuse(found.words, dict.fromkeys(found.likeness, 0.0))


def _spread_both(found: Candidates) -> Mapping[int, float]:
    sides = [_spread(found.words), _spread(found.near)]
    return {chunk: sum(side.get(chunk, 0.0) for side in sides) / 2 for chunk in found.likeness}


def _spread(scores: Mapping[int, float]) -> Mapping[int, float]:
    low, high = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
    return {chunk: (score - low) / (high - low) if high > low else 1.0 for chunk, score in scores.items()}


def _reciprocal(found: Candidates) -> Mapping[int, float]:
    sides: Sequence[Mapping[int, float]] = (_ranks(found.words), _ranks(found.near))
    return {chunk: sum(side.get(chunk, 0.0) for side in sides) for chunk in found.likeness}


def _ranks(scores: Mapping[int, float]) -> Mapping[int, float]:
    return {chunk: 1 / (RANK_CONSTANT + rank) for rank, chunk in enumerate(scores, start=1)}


def _mark(share: float) -> str:
    return " (chosen)" if share == ranking.KEYWORD_SHARE else ""


if __name__ == "__main__":
    raise SystemExit(main())
