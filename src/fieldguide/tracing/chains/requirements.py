"""The chain of a requirement or an issue: where it is defined, and what names it."""

from collections.abc import Iterator

from fieldguide import linear_regex as re
from fieldguide.tracing import nodes
from fieldguide.tracing.chains.linking import incoming
from fieldguide.tracing.evidence import LARGEST_COMMIT
from fieldguide.tracing.ground import Ground
from fieldguide.tracing.keys import ISSUE, Key
from fieldguide.tracing.mining import is_code
from fieldguide.tracing.nodes import Link, Node, Trace, ordered
from fieldguide.tracing.reading.ids import is_traced_test
from fieldguide.tracing.store import Placed

FEW_FILES = 6  # of a commit that names it: what it changes belongs to it
SAID = 0.8
ALIKE = 0.85
AFFIX = re.compile(r"^test[-_]|[-_]?tests?$|[-_]?spec$")
NO_TEST = "No test names it."
NOTHING = "No decision, code or commit names it."


def requirement_trace(ground: Ground, key: Key) -> Trace | None:
    """The chain of an id; None where no file and no commit has it."""
    placed = ground.store.named(key.name)
    if not placed:
        return None
    family = ground.family(key.family)
    home = family.ids.get(key.name) if family else None
    links = ordered([*incoming(ground, (each for each in placed if each != home)), *_mined(ground, placed)])
    node = Node(nodes.ISSUE if key.family == ISSUE else nodes.REQUIREMENT, key.name)
    if home is not None:
        words = ground.words_at(home.path, home.mark.line)
        node = node._replace(path=home.path, line=home.mark.line, text=words)
    return Trace(node, links, _missing(node, links, is_listed=home is not None))


def _missing(node: Node, links: list[Link], *, is_listed: bool) -> list[str]:
    kinds = {link.kind for link in links}
    missing = [] if is_listed or node.kind == nodes.ISSUE else ["No list of requirements defines it."]
    missing += [] if nodes.TEST in kinds or node.kind == nodes.ISSUE else [NO_TEST]
    return missing + ([] if kinds - {nodes.TEST, nodes.DOCUMENT} else [NOTHING])


def _mined(ground: Ground, placed: list[Placed]) -> Iterator[Link]:
    """Code that small commits changed which name it, and code that the tests that name it are called after."""
    prefix = f"{nodes.COMMIT}:"
    for each in placed:
        if each.path.startswith(prefix):
            yield from _changed_by(ground, each.path.removeprefix(prefix))
    for test in dict.fromkeys(each.path for each in placed if is_traced_test(each.path)):
        yield from _tested_by(ground, test)


def _changed_by(ground: Ground, commit: str) -> Iterator[Link]:
    files = ground.history.files_of(commit)
    code = [path for path in files if is_code(path)]
    if len(files) <= LARGEST_COMMIT and len(code) <= FEW_FILES:
        why = f"changed by commit {commit[:8]}, whose message names it"
        yield from (Link(nodes.CODE, path, 1, why, nodes.MINED, SAID) for path in code)


def _tested_by(ground: Ground, test: str) -> Iterator[Link]:
    for edge in ground.imports.imported_by(test):
        if edge.bond == 0 and is_code(edge.imported) and _is_called_after(test, edge.imported):
            why = f"imported by {test}, which names it and is called after it"
            yield Link(nodes.CODE, edge.imported, 1, why, nodes.MINED, ALIKE)


def _is_called_after(test: str, path: str) -> bool:
    """Whether a test is called as code is, or as its folder and it."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0].lower()
    plain = AFFIX.sub("", test.rpartition("/")[2].partition(".")[0].lower())
    return len(stem) > 3 and plain in (stem, f"{folder.rpartition('/')[2].lower()}_{stem}")
