"""Learn the weights of a brief from collected tasks: of files, then of their definitions.

Each step is a logistic regression on the features that the product itself computes, given the weights of the steps
before. Prints the weights in `brief_ranking.py` of `src/fieldguide/toolsets/guide/`.
"""

import argparse
import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from fieldguide.git.history import History
from fieldguide.git.log import HistoryCommit
from fieldguide.toolsets.guide import brief_ranking
from fieldguide.toolsets.guide.brief_candidates import (
    MOST_OF_ONE,
    CandidateFile,
    CandidateSearch,
    TaskText,
    WeighedTask,
    split_definitions,
)
from fieldguide.toolsets.guide.brief_ranking import (
    MOST_OPENED,
    Features,
    PastCommits,
    compute_definition_features,
    rank_files,
)

PENALTY = 1.0
ROUNDS = 25
Rows = list[tuple[Features, float]]


class Collected(CandidateSearch):
    """A collected task: it looks as the index did, and has the commits before it."""

    def __init__(self, kept: Mapping[str, Any], commits: Mapping[str, HistoryCommit]) -> None:
        self.kept = kept
        self.weighed = WeighedTask(TaskText(kept["task"]), kept["stems"])
        self.past = PastCommits(History([commits[each] for each in kept["commits"]]), self.weighed)
        self.gold = {each["path"]: each["ranges"] for each in kept["gold"]}
        self._whole = {file.path: file for file in kept["files"]}

    def found(self) -> tuple[dict[str, CandidateFile], Mapping[str, float]]:
        """The files that text brings, with the chunks that do, and the stems of the task."""
        files = {path: self._part(file, self.kept["chunks"]) for path, file in self._whole.items()}
        return {path: file for path, file in files.items() if path in self.kept["brought"]}, self.kept["stems"]

    def add(self, files: dict[str, CandidateFile], paths: Iterable[str]) -> None:
        """Take up files by their paths."""
        files.update({path: self._part(self._whole[path], set()) for path in paths if path in self._whole})

    def open(self, files: Sequence[CandidateFile]) -> None:
        """Look at all chunks of these files."""
        for file in files:
            file.places = self._whole[file.path].places[: MOST_OF_ONE + len(file.places)]

    @staticmethod
    def _part(file: CandidateFile, chunks: set[int]) -> CandidateFile:
        places = [place for place in file.places if place.number in chunks]
        return CandidateFile(file.path, file.kind, file.document, file.category, places)


def main() -> None:
    """Learn from these files, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m training.brief_learn", description=__doc__)
    parser.add_argument("collected", type=Path, nargs="+")
    options = parser.parse_args()
    steps = (
        (brief_ranking, "FILE", _files),
        (brief_ranking, "DEFINITION", _definitions),
    )
    for module, name, rows_of in steps:
        rows = [row for path in options.collected for task in _tasks(path) for row in rows_of(task)]
        table = getattr(module, f"{name}_WEIGHTS")
        table.clear()
        table.update(learnt(rows))
        print(f"{name}_WEIGHTS = {{")
        print(*(f'    "{key}": {value:.4g},' for key, value in table.items()), "}", sep="\n")


def learnt(rows: Rows) -> dict[str, float]:
    """The weights that tell the rows that are right from the others: Newton's steps, on features of one scale."""
    names = sorted(rows[0][0])
    given = np.array([[row[name] for name in names] for row, _ in rows])
    right = np.array([value for _, value in rows])
    middle, scale = given.mean(axis=0), given.std(axis=0) + 1e-9
    scaled = np.column_stack([np.ones(len(rows)), (given - middle) / scale])
    found = np.zeros(scaled.shape[1])
    penalty = np.full(scaled.shape[1], PENALTY)
    penalty[0] = 0.0
    for _ in range(ROUNDS):
        chances = 1 / (1 + np.exp(-np.clip(scaled @ found, -30, 30)))
        slope = scaled.T @ (right - chances) - penalty * found
        curve = (scaled * (chances * (1 - chances))[:, None]).T @ scaled + np.diag(penalty + 1e-9)
        found += np.linalg.solve(curve, slope)
    each = found[1:] / scale
    return {"": float(found[0] - each @ middle), **dict(zip(names, map(float, each), strict=True))}


def _tasks(path: Path) -> Iterator[Collected]:
    read: list[dict[str, Any]] = []
    with path.open("rb") as file, suppress(EOFError):
        while True:
            read.append(pickle.load(file))  # noqa: S301  our own
    for each in read[:-1]:
        yield Collected(each, read[-1])


def _files(task: Collected) -> Rows:
    ranked = rank_files(task, task.found()[0], task.past, {})
    return [(each.features, float(each.file.path in task.gold)) for each in ranked]


def _definitions(task: Collected) -> Rows:
    ranked = rank_files(task, task.found()[0], task.past, {})[:MOST_OPENED]
    task.open([each.file for each in ranked])
    rows: Rows = []
    for each in ranked:
        definitions = split_definitions(each.file)
        features = compute_definition_features(each, definitions, task.weighed, task.past)
        for definition, known in zip(definitions, features, strict=True):
            changed = _is_changed(task, each.file.path, definition.start, definition.end)
            rows.append((known, float(changed)))
    return rows


def _is_changed(task: Collected, path: str, start: int, end: int) -> bool:
    """Whether a change touches some lines; an insertion is between two."""
    for first, last, *how in task.gold.get(path, ()):
        beside = int(how == ["inserted-after"])
        if start <= last + beside and first <= end:
            return True
    return False


if __name__ == "__main__":
    main()
