"""Which documents of real projects are taken for decision records, compared with labels.

`decision_record_labels.toml` says which documents of public repositories are records. The weights of
`fieldguide.decisions.recognition` were learnt on the projects of the part `chosen on`, and are measured there by
leaving one project out: they are learnt from all others, and the project is judged by those. The projects of the part
`unseen` are judged by the committed weights. Checkouts lie in the folder `--data` as `owner+name`; the shared records
are used too where they are there.

    python -m benchmarks.decision_records --data CHECKOUTS            # leaves one project out
    python -m benchmarks.decision_records --data CHECKOUTS --unseen   # the last part
    python -m benchmarks.decision_records --data CHECKOUTS --weights  # prints what is learnt from all
"""

import argparse
import tomllib
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.labelled_sets import SHARED_DATA
from benchmarks.report import describe_machine, format_table
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.knowledge.decisions.recognition import (
    INDEX,
    INDEX_OF_RECORDS,
    WEIGHTS,
    Weights,
    find_indexes,
    is_never_record,
    may_be_record,
    observe_document,
    observe_neighbours,
    recognize_records,
    score_document,
)
from fieldguide.prose.discovery import find_text

LABELS = Path(__file__).parent / "decision_record_labels.toml"
LARGEST_BYTES = 1 << 20
GOAL_FOUND, GOAL_WRONG = 0.95, 0.01
AGAINST = frozenset(("folder: other", "neighbours: few", "neighbours: too few"))
NOT_WEIGHED = frozenset((INDEX, INDEX_OF_RECORDS))
RIDGE, NEAR_RIDGE, STEPS = 4.0, 0.5, 60
MOST_RECORDS, MOST_OTHERS = 60.0, 300.0  # a large project counts no more than this
# What somebody declares counts, even where few of the projects that were learnt from declare it.
LEAST_WEIGHTS = {
    "sections: a decision and its reasons": 3.0, "section: consequences": 0.5, "title: called": 0.5,
    "folder: status": 1.5, "folder: proposals": 1.0,
    "name: called and numbered": 1.5,
}  # fmt: skip
DISPLACED, LEAST_SEEN = 0.1, 4  # how much a record counts when it is taken out of its folder and loses its name


class Labelled(NamedTuple):
    """A project: what was observed of its documents, which are records (None where unsure), records not listed."""

    name: str
    observed: Mapping[str, frozenset[str]]
    labels: Mapping[str, bool | None]
    unlisted: int


def main() -> int:
    options = _options()
    wanted = "unseen" if options.unseen else "chosen on"
    projects = [*read_projects(options.data, wanted)]
    if not options.unseen:
        projects += read_shared(SHARED_DATA)
    if not projects:
        raise SystemExit(f"There is no checkout of a labelled project in {options.data}.")
    print(f"Decision records, {wanted}. {describe_machine()}\n")
    if options.weights:
        _print_weights(learn(projects))
        return 0
    rows: list[tuple[str, ...]] = []
    totals = [0, 0, 0, 0]
    shares: list[float] = []
    for project in projects:
        others = [each for each in projects if each is not project]
        counts = judge(project, WEIGHTS if options.unseen else learn(others), show=options.show)
        totals = [total + count for total, count in zip(totals, counts, strict=True)]
        shares += [counts[0] / counts[1]] if counts[1] else []
        rows.append((project.name, *map(str, counts)))
    print(format_table(("project", "found", "records", "wrong", "other documents"), rows))
    found, wrong = totals[0] / totals[1], totals[2] / totals[3]
    print(f"\nfound {totals[0]} of {totals[1]} ({found:.1%}; mean over projects {sum(shares) / len(shares):.1%}),")
    print(f"wrong {totals[2]} of {totals[3]} other documents ({wrong:.2%})")
    return int(options.check and (found < GOAL_FOUND or wrong > GOAL_WRONG))


def read_projects(data: Path, part: str) -> list[Labelled]:
    """The labelled projects of a part that are checked out."""
    written: list[dict[str, Any]] = tomllib.loads(LABELS.read_text(encoding="utf-8"))["project"]
    found: list[Labelled] = []
    for each in written:
        root = data / each["repository"].replace("/", "+")
        if each["part"] == part and root.is_dir():
            found.append(read_project(each["repository"], root, _labeller(each)))
    return found


def read_shared(data: Path) -> list[Labelled]:
    """The shared records, which lie there without the other documents of their projects, and documentation."""
    found: list[Labelled] = []
    found += [read_project(root.name, root, _is_shared_record) for root in sorted(data.glob("adr/*")) if root.is_dir()]
    trees = (data / "docs" / "rust-book", data / "docs" / "fastapi")
    found += [read_project(root.name, root, lambda path: False) for root in trees if root.is_dir()]
    return found


def read_project(name: str, root: Path, label: Callable[[str], bool | None]) -> Labelled:
    documents = [each.path for each in find_text(ConfinedFolder(str(root))).documents if may_be_record(each)]
    observed: dict[str, frozenset[str]] = {}
    for path in documents:
        text = (root / path).read_bytes()[:LARGEST_BYTES].decode(errors="replace")
        observed[path] = observe_document(path, text)
    suffixes = (".md", ".mdx", ".rst", ".adoc", ".markdown")
    files = [each.relative_to(root).as_posix() for each in root.rglob("*") if each.suffix in suffixes]
    unlisted = sum(1 for path in files if path not in observed and label(path))
    return Labelled(name, observed, {path: label(path) for path in observed}, unlisted)


def judge(project: Labelled, weights: Weights, *, show: bool = False) -> tuple[int, int, int, int]:
    """How many records were found, of how many, and how many other documents were taken, of how many."""
    taken = recognize_records(project.observed, weights)
    records = {path for path, label in project.labels.items() if label}
    others = {path for path, label in project.labels.items() if label is False}
    if show:
        for path in sorted(records - taken):
            print(f"{project.name}: missed {path}")
        for path in sorted(others & taken):
            print(f"{project.name}: wrong {path}")
    return len(records & taken), len(records) + project.unlisted, len(others & taken), len(others)


def learn(projects: Sequence[Labelled]) -> Weights:
    """The weights of observations, each with the sign that makes sense; those that help nothing are zero."""
    own: list[tuple[frozenset[str], bool, float]] = []
    for project in projects:
        for path, label, weight in _weighed(project):
            seen = frozenset(project.observed[path] - NOT_WEIGHED)
            own.append((seen, label, weight))
            if label and len([each for each in seen if not each.startswith(("name:", "folder:"))]) >= LEAST_SEEN:
                moved = frozenset(each for each in seen if not each.startswith("folder:"))
                own.append((moved, label, DISPLACED * weight))
                own.append((frozenset(e for e in moved if not e.startswith("name:")), label, DISPLACED * weight))
    learnt, base = _fit(own, [0.0] * len(own), RIDGE)
    learnt |= {name: max(least, learnt.get(name, 0.0)) for name, least in LEAST_WEIGHTS.items()}
    first = Weights(learnt, {}, base)
    near: list[tuple[frozenset[str], bool, float]] = []
    known: list[float] = []
    for project in projects:
        weighed = [*_weighed(project)]
        scores = {
            path: score_document(seen, first)
            for path, seen in project.observed.items()
            if not is_never_record(path, seen)
        }
        around = dict(observe_neighbours(scores, find_indexes(project.observed)))
        near += [(frozenset(around[path]), label, weight) for path, label, weight in weighed]
        known += [scores[path] for path, _, _ in weighed]
    around_weights, more = _fit(near, known, NEAR_RIDGE)
    return Weights(learnt, around_weights, base + more)


def _weighed(project: Labelled) -> list[tuple[str, bool, float]]:
    sure = {
        path: label
        for path, label in project.labels.items()
        if label is not None and not is_never_record(path, project.observed[path])
    }
    records = sum(sure.values())
    shares = {
        True: min(1.0, MOST_RECORDS / max(records, 1)),
        False: min(1.0, MOST_OTHERS / max(len(sure) - records, 1)),
    }
    return [(path, label, shares[label]) for path, label in sure.items()]


def _fit(
    rows: Sequence[tuple[frozenset[str], bool, float]], known: Sequence[float], ridge: float
) -> tuple[dict[str, float], float]:
    """Logistic regression by Newton's method; what comes out with the wrong sign is left out, and it begins again."""
    names = sorted({each for seen, _, _ in rows for each in seen})
    merged: dict[tuple[frozenset[str], bool, float], float] = {}
    for (seen, label, weight), score in zip(rows, known, strict=True):
        key = (seen, label, round(score, 3))
        merged[key] = merged.get(key, 0.0) + weight
    truth = np.array([label for _, label, _ in merged], dtype=float)
    offset = np.array([score for _, _, score in merged])
    weights = np.array([*merged.values()])
    while True:
        table = np.array([[*(name in seen for name in names), True] for seen, _, _ in merged], dtype=float)
        penalty = np.array([ridge] * len(names) + [0.001])
        fitted = np.zeros(len(names) + 1)
        for _ in range(STEPS):
            chance = 1 / (1 + np.exp(-np.clip(table @ fitted + offset, -30, 30)))
            slope = table.T @ (weights * (chance - truth)) + penalty * fitted
            curve = (table * (weights * chance * (1 - chance))[:, None]).T @ table + np.diag(penalty)
            step = np.linalg.solve(curve, slope)
            fitted -= step
            if np.abs(step).max() < 1e-6:
                break
        right = [name for name, value in zip(names, fitted, strict=False) if (value < 0) == (name in AGAINST)]
        if right == names:
            return dict(zip(names, map(float, fitted), strict=False)), float(fitted[-1])
        names = right


def _labeller(written: Mapping[str, Any]) -> Callable[[str], bool | None]:
    def matches(path: str, key: str) -> bool:
        return any(fnmatchcase(path, glob) for glob in written.get(key, ()))

    def label(path: str) -> bool | None:
        return None if matches(path, "unsure") else matches(path, "records") and not matches(path, "except")

    return label


def _is_shared_record(path: str) -> bool | None:
    stem = Path(path).stem.lower()
    return None if stem in ("readme", "index") else not stem.endswith("template")


def _print_weights(weights: Weights) -> None:
    for title, table in (("own", weights.own), ("near", weights.near)):
        print(title)
        for name, value in sorted(table.items(), key=lambda pair: -pair[1]):
            print(f'    "{name}": {value:.1f},')
    print("base", round(weights.base, 1))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder of checkouts, each named owner+name")
    parser.add_argument("--unseen", action="store_true", help="judge the last part by the committed weights")
    parser.add_argument("--weights", action="store_true", help="print the weights learnt from every project")
    parser.add_argument("--show", action="store_true", help="name every document that is judged wrongly")
    parser.add_argument("--check", action="store_true", help="fail where a goal is missed")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
