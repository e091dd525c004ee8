"""Which files go with a path, best first: what changed with it, what imports it or it imports, what is called alike.

The weights were chosen by what changed together later, leaving one repository out at a time (docs/decisions/0039): the
past of the file itself tells most, the past of its folder where it has little of its own.
"""

import posixpath
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from fieldguide.import_graph.store import ALIKE, AROUND, IMPORTS, NAMES, Edge
from fieldguide.project_history.history import History
from fieldguide.source_code.test_files import is_test
from fieldguide.toolsets.guide.governing.kinds import kind_of, stem_of

FOLDER_SHARE = 0.8
IMPORT_WEIGHT = 0.02
TEST_WEIGHT = 0.01
STEM_WEIGHT = 0.1
ACTIVITY_WEIGHT = 0.02
SIBLING_WEIGHT = 0.01
MOST_OF_PACKAGE = 3  # tests that see a file without importing it, before those that do
MOST_NAMING = 4  # tests that name it in quotes, or import from its package
MOST_ALIKE = 4  # tests that only import something of the same name
FIRST = 10  # places that tests may take before other files
MOST_ACTIVE = 60
MOST_RELATED = 60
PACKAGE = -1
BONDS = {
    PACKAGE: "is in its package",
    IMPORTS: "imports it",
    AROUND: "imports from its package",
    NAMES: "names it in quotes",
    ALIKE: "imports something of its name",
}


class Graph(NamedTuple):
    """What the import graph says of one file, and which code files there are."""

    importers: Sequence[Edge]
    imported: Sequence[Edge]
    paths: Sequence[str]


class Related(NamedTuple):
    """A file that goes with another: how strongly, why, and the line of it that says so."""

    path: str
    score: float
    why: tuple[str, ...]
    line: int = 1


def related_files(path: str, history: History, graph: Graph) -> list[Related]:
    """The files that go with a path: tests that import it first, then by their scores; each with its reasons."""
    near = history.near(path)
    scores = _scores(path, history, graph, near)
    surest = sorted(graph.importers, key=lambda edge: -edge.bond)
    edges = {edge.importer: edge for edge in (*surest, *_of_package(path, graph.paths))}
    by_score = sorted(scores, key=lambda other: (-scores[other], other))
    tests = _tests(edges.values(), scores)
    wanted = [other for other in by_score if kind_of(other)]
    beside = [other for other in by_score[:MOST_RELATED] if not kind_of(other)]
    order = dict.fromkeys((*tests, *wanted, *beside))
    imported = {edge.imported: edge for edge in graph.imported}
    reasons = Reasons(path, history, edges, imported, near)
    return [reasons.of(other, scores.get(other, 0.0)) for other in islice(order, MOST_RELATED)]


def _scores(path: str, history: History, graph: Graph, near: Mapping[str, float]) -> dict[str, float]:
    scores = dict(history.together([path]))

    def add(other: str, weight: float) -> None:
        if other != path:
            scores[other] = scores.get(other, 0.0) + weight

    for other, weight in near.items():
        add(other, FOLDER_SHARE * weight)
    for edge in graph.imported:
        add(edge.imported, IMPORT_WEIGHT)
    for edge in (*graph.importers, *_of_package(path, graph.paths)):
        if edge.bond <= IMPORTS:
            add(edge.importer, IMPORT_WEIGHT + (TEST_WEIGHT if is_test(edge.importer) else 0.0))
    _add_named(path, graph.paths, add)
    for other in history.most_active(MOST_ACTIVE):
        add(other, 0.0)
    for other in scores:
        scores[other] += ACTIVITY_WEIGHT * history.activity(other)
    return scores


def _of_package(path: str, paths: Iterable[str]) -> list[Edge]:
    """The tests of a Go package see all its files, and import none of them."""
    folder = posixpath.dirname(path)
    if not path.endswith(".go"):
        return []
    beside = (other for other in paths if other.endswith("_test.go") and posixpath.dirname(other) == folder)
    return [Edge(other, path, 1, PACKAGE) for other in beside if other != path]


def _add_named(path: str, paths: Iterable[str], add: Callable[[str, float], None]) -> None:
    """What is called alike, and what lies beside it: less the more lies there."""
    folder, stem = posixpath.dirname(path), stem_of(path)
    beside: list[str] = []
    for other in paths:
        if stem and stem_of(other) == stem:
            add(other, STEM_WEIGHT)
        if posixpath.dirname(other) == folder:
            beside.append(other)
    for other in beside:
        add(other, SIBLING_WEIGHT / (1.0 + len(beside) ** 0.5))


def _tests(edges: Iterable[Edge], scores: Mapping[str, float]) -> list[str]:
    """Tests that import it, then those that import its package or name it, then a few that name something like it."""
    groups: dict[int, list[str]] = {PACKAGE: [], IMPORTS: [], NAMES: [], ALIKE: []}
    for edge in edges:
        if is_test(edge.importer):
            groups[NAMES if edge.bond == AROUND else edge.bond].append(edge.importer)
    for group in groups.values():
        group.sort(key=lambda other: (-scores.get(other, 0.0), other))
    sure = [*groups[PACKAGE][:MOST_OF_PACKAGE], *groups[IMPORTS]]
    return [*sure[:FIRST], *groups[NAMES][:MOST_NAMING], *groups[ALIKE][:MOST_ALIKE]][:FIRST]


class Reasons(NamedTuple):
    """Why files go with one path."""

    path: str
    history: History
    importers: Mapping[str, Edge]
    imported: Mapping[str, Edge]
    near: Mapping[str, float]

    def of(self, other: str, score: float) -> Related:
        """A file with everything that binds it to the path, and the line that imports it."""
        why: list[str] = []
        edge = self.importers.get(other)
        if edge:
            why.append(BONDS[edge.bond])
        if other in self.imported:
            why.append(f"is imported by it in line {self.imported[other].line}")
        times, of = self.history.support(self.path, other)
        if times:
            why.append(f"changed with it in {times} of its {of} commits")
        return Related(other, score, tuple(why or [self._at_least(other)]), edge.line if edge else 1)

    def _at_least(self, other: str) -> str:
        if stem_of(self.path) and stem_of(other) == stem_of(self.path):
            return "is called alike"
        return "changes with its folder" if other in self.near else "changes often"
