"""The chain of a file and back: the requirements and decisions that it follows, its tests and commits."""

from collections.abc import Iterator, Sequence

from fieldguide.source_code.test_files import is_test
from fieldguide.tracing import nodes
from fieldguide.tracing.chains.decided import naming_folders, naming_path
from fieldguide.tracing.chains.linking import incoming, outgoing
from fieldguide.tracing.ground import Ground
from fieldguide.tracing.marks import CLAIMS, DEFINES
from fieldguide.tracing.mining import is_code
from fieldguide.tracing.nodes import Link, Node, Trace, ordered

MOST_TESTS = 12
MOST_COMMITS = 5
MOST_CLAIMING = 3  # tests that import it and nothing else tells more of: what they prove is proved of it
MOST_PROVED = 10
NOTHING_LEADS = "No requirement or decision leads here."
NO_TEST = "No test imports or names it."


def file_trace(ground: Ground, path: str) -> Trace:
    """The chain of a file."""
    links = [*_said(ground, path), *_mined(ground, path), *_tests(ground, path), *_commits(ground, path)]
    found = ordered(link for link in links if link.path != path)
    kinds = {link.kind for link in found}
    missing = [] if kinds & {nodes.REQUIREMENT, nodes.DECISION} else [NOTHING_LEADS]
    missing += [] if nodes.TEST in kinds or not is_code(path) else [NO_TEST]
    return Trace(Node(ground.kind_of(path), path, path=path, line=1), found, missing)


def _said(ground: Ground, path: str) -> Iterator[Link]:
    yield from outgoing(ground, path, ground.store.marks_of(path))
    yield from incoming(ground, (*naming_path(ground, path), *naming_folders(ground, path)))


def _mined(ground: Ground, path: str) -> Iterator[Link]:
    if not is_code(path):
        return
    for row, link in ground.miner.decisions_of(path, ground.definers.names_in(path)):
        yield link._replace(kind=nodes.DECISION, path=row.path, line=1, name=row.title)


def _tests(ground: Ground, path: str) -> Iterator[Link]:
    """What a test imports; the tests that import code, and what the nearest of them claim."""
    if is_test(path):
        for edge in ground.imports.imported_by(path)[:MOST_TESTS]:
            if is_code(edge.imported):
                yield Link(nodes.CODE, edge.imported, 1, f"imported in line {edge.line}", nodes.IMPORT)
        return
    edges = [edge for edge in ground.imports.importers([path]) if is_test(edge.importer) and edge.bond == 0]
    for edge in edges[:MOST_TESTS]:
        yield Link(nodes.TEST, edge.importer, edge.line, "imports it", nodes.IMPORT)
    yield from _proved(ground, [edge.importer for edge in edges] if len(edges) <= MOST_CLAIMING else [])


def _proved(ground: Ground, tests: Sequence[str]) -> Iterator[Link]:
    for test in tests:
        claims = [mark for mark in ground.store.marks_of(test) if mark.role in (CLAIMS, DEFINES)]
        for link in [*outgoing(ground, test, claims)][:MOST_PROVED]:
            if link.kind == nodes.REQUIREMENT:
                yield link._replace(why=f"claimed by {test}, which imports it", how=nodes.IMPORT)


def _commits(ground: Ground, path: str) -> Iterator[Link]:
    for change in ground.history.commits_of(path, MOST_COMMITS):
        link = ground.commit_link(change.id, "changed it", nodes.CHANGE)
        if link is not None:
            yield link
