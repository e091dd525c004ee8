"""How alike two titles must be, or how far a record must stand out, to answer the question of a proposal.

Two numbers, `SAME_TITLE` and `OUTSTANDING` of the check of decisions, chosen on the pairs of `benchmarks.adr`: each
project is judged with the numbers that were best on the others. Positive are superseding pairs, negative are the pairs
of a project that nobody linked; best is what finds most pairs while at most one unrelated pair in 200 is taken for one.
"""

import argparse
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

from benchmarks.adr_pairs import Pair, Project, linked_pairs, propose, read_pairs, read_projects
from benchmarks.labelled_sets import SHARED_DATA
from fieldguide.knowledge.decisions.clauses import read_proposal
from fieldguide.knowledge.decisions.ranking import Ranking, outline_record
from fieldguide.knowledge.decisions.record import DecisionRecord
from fieldguide.search.models.static import StaticModel

LIKENESSES = (0.2, 0.25, 0.3, 0.35, 0.4, 0.5)
SCORES = (6.0, 7.0, 8.0, 9.0, 10.0)
MOST_WRONG = 1 / 200


class Row(NamedTuple):
    """A record beside a proposal."""

    project: str
    is_pair: bool
    likeness: float
    score: float


def main() -> int:
    """Print the numbers that are best on all projects, and how those of the others do on each."""
    parser = argparse.ArgumentParser(prog="python -m training.same_question", description=__doc__)
    parser.add_argument("--data", type=Path, default=SHARED_DATA / "adr")
    data = parser.parse_args().data
    projects = read_projects(data)
    superseded, references = (read_pairs(data / f"{name}.tsv") for name in ("supersedes", "references"))
    rows = [*_pairs(projects, superseded), *_unrelated(projects, linked_pairs(superseded, references))]
    best = {name: _best(rows, name) for name in (*projects, "")}
    told = [row for row in rows if _is_same(row, *best[row.project])]
    pairs, others = sum(row.is_pair for row in rows), sum(not row.is_pair for row in rows)
    right, wrong = sum(row.is_pair for row in told), sum(not row.is_pair for row in told)
    print(f"Best on all: likeness {best[''][0]}, score {best[''][1]}.")
    print(f"Each project left out: {right} of {pairs} pairs, {wrong} of {others} unrelated ({wrong / others:.2%}).")
    return 0


def _pairs(projects: dict[str, Project], pairs: Sequence[Pair]) -> Iterator[Row]:
    for pair in pairs:
        project = projects[pair.project]
        for path, likeness, score in _beside(project.before(pair), project.records[pair.newer]):
            if path == pair.older:
                yield Row(pair.project, True, likeness, score)


def _unrelated(projects: dict[str, Project], known: set[Pair]) -> Iterator[Row]:
    for project in projects.values():
        for record in project.records.values():
            others = [other for other in project.records.values() if other.path != record.path]
            for path, likeness, score in _beside(others, record):
                if Pair(project.name, record.path, path) not in known:
                    yield Row(project.name, False, likeness, score)


def _beside(records: Sequence[DecisionRecord], proposed: DecisionRecord) -> Iterator[tuple[str, float, float]]:
    outlines = [outline_record(record) for record in records]
    ranking = Ranking(outlines, StaticModel())
    own = read_proposal(*propose(proposed), {}).outline
    for record, outline, score in zip(records, outlines, ranking.scores(own), strict=True):
        yield record.path, ranking.keywords.likeness(own.subject, outline.subject), score


def _best(rows: Sequence[Row], left_out: str) -> tuple[float, float]:
    seen = [row for row in rows if row.project != left_out]
    most = MOST_WRONG * sum(not row.is_pair for row in seen)

    def worth(numbers: tuple[float, float]) -> tuple[int, float]:
        told = [row for row in seen if _is_same(row, *numbers)]
        wrong = sum(not row.is_pair for row in told)
        return (sum(row.is_pair for row in told) if wrong <= most else -1, -wrong)

    return max(product(LIKENESSES, SCORES), key=worth)


def _is_same(row: Row, likeness: float, score: float) -> bool:
    return row.likeness >= likeness or row.score >= score


if __name__ == "__main__":
    raise SystemExit(main())
