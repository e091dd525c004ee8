"""The chain of a decision: what it names and what names it, the code it most likely is about, its tests and commits."""

from collections.abc import Iterator, Sequence

from fieldguide.source_code.test_files import is_test
from fieldguide.tracing import nodes
from fieldguide.tracing.chains.linking import incoming, outgoing
from fieldguide.tracing.decisions import is_open
from fieldguide.tracing.ground import Ground
from fieldguide.tracing.marks import PATH
from fieldguide.tracing.mining import commits_naming, is_code
from fieldguide.tracing.nodes import Link, Node, Trace, ordered
from fieldguide.tracing.store import DecisionRow, Placed

MOST_TESTS = 8
MOST_TESTS_OF_ONE = 2
MOST_CODE_TESTED = 12
MOST_IN_FOLDER = 60  # files: one that holds more is a whole part of the project
NOTHING_FOLLOWS = "Nothing follows it: no code is named by it, names it, or is likely to be its."
NO_TEST = "No test names it or imports its code."


def decision_trace(ground: Ground, row: DecisionRow) -> Trace:
    """The chain of a decision."""
    links = [*_written(ground, row), *ground.miner.code_of(row)]
    code = list(dict.fromkeys(link.path for link in links if link.kind == nodes.CODE))
    links += [*_tests(ground, code), *_commits(ground, row)]
    name = ground.decisions.keys(row)
    node = Node(nodes.DECISION, name[0].name if name else row.path, row.title, row.path, 1, row.status)
    found = ordered(links)
    return Trace(node, found, [] if is_open(row) else _missing(ground, row, found))


def is_followed(ground: Ground, row: DecisionRow, links: Sequence[Link]) -> bool:
    """Whether code or tests belong to a decision, or a commit that names it changed some."""
    if {link.kind for link in links} & {nodes.CODE, nodes.TEST}:
        return True
    commits = commits_naming(ground.store, ground.decisions, row)
    return any(is_code(path) for commit in commits for path in ground.history.files_of(commit))


def _missing(ground: Ground, row: DecisionRow, links: Sequence[Link]) -> list[str]:
    if not is_followed(ground, row, links):
        return [NOTHING_FOLLOWS]
    return [] if nodes.TEST in {link.kind for link in links} else [NO_TEST]


def _written(ground: Ground, row: DecisionRow) -> Iterator[Link]:
    yield from outgoing(ground, row.path, ground.store.marks_of(row.path))
    yield from incoming(ground, naming(ground, row))


def naming(ground: Ground, row: DecisionRow) -> Iterator[Placed]:
    """Where others name a decision: by an id, by its path, or by the number that its path begins with."""
    for key in ground.decisions.keys(row):
        for each in ground.store.named(key.name):
            if each.path != row.path and ground.decisions.called(key.name, each.path) is row:
                yield each
    yield from naming_path(ground, row.path)
    base = row.path.rpartition("/")[2].partition(".")[0]
    for name in dict.fromkeys((base, base.partition("-")[0], "-".join(base.split("-")[:2]))):
        for each in ground.store.named(name):
            if each.mark.role == PATH and ground.places.file(each.mark, each.path) == row.path != each.path:
                yield each


def naming_path(ground: Ground, path: str) -> Iterator[Placed]:
    """Where others name a file by its path."""
    for each in ground.store.named(path.rpartition("/")[2]):
        if each.mark.role == PATH and each.path != path and ground.places.file(each.mark, each.path) == path:
            yield each


def naming_folders(ground: Ground, path: str) -> Iterator[Placed]:
    """Where decisions name a folder that a file lies in."""
    folder = path.rpartition("/")[0]
    while folder and len(ground.store.below(folder, MOST_IN_FOLDER)) < MOST_IN_FOLDER:
        for each in ground.store.named(folder.rpartition("/")[2]):
            is_named = each.mark.role == PATH and each.mark.said.endswith("/") and each.path in ground.decisions.by_path
            if is_named and ground.places.file(each.mark, each.path) == f"{folder}/":
                yield each
        folder = folder.rpartition("/")[0]


def _tests(ground: Ground, code: Sequence[str]) -> Iterator[Link]:
    """The tests that import the code, a few of each."""
    taken = 0
    for path in code[:MOST_CODE_TESTED]:
        tests = [edge for edge in ground.imports.importers([path]) if edge.bond == 0 and is_test(edge.importer)]
        for edge in tests[:MOST_TESTS_OF_ONE]:
            if taken < MOST_TESTS:
                taken += 1
                yield Link(nodes.TEST, edge.importer, edge.line, f"imports {path}", nodes.IMPORT)


def _commits(ground: Ground, row: DecisionRow) -> Iterator[Link]:
    """The commits that began and last changed it."""
    commits = ground.history.commits_of(row.path, 1_000)
    for change in dict.fromkeys((*commits[-1:], *commits[:1])):
        why = "began it" if change == commits[-1] else "changed it last"
        link = ground.commit_link(change.id, why, nodes.CHANGE)
        if link is not None:
            yield link
