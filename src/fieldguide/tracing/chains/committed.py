"""The chain of a commit, and of words that lie in no file: what they name, and what a commit changed."""

from collections.abc import Iterable

from fieldguide.project_history.change import Change
from fieldguide.tracing import nodes
from fieldguide.tracing.chains.linking import outgoing
from fieldguide.tracing.ground import Ground
from fieldguide.tracing.nodes import Link, Node, Trace, ordered
from fieldguide.tracing.reading.texts import read_words

MOST_FILES = 40
NOTHING_LEADS = "Its message names no requirement or decision, and it changes none."
NOTHING_NAMED = "It names no file, requirement or decision of the project."


def commit_trace(ground: Ground, change: Change) -> Trace:
    """The chain of a commit."""
    links = [*outgoing(ground, "", ground.store.marks_of(f"{nodes.COMMIT}:{change.id}"))]
    for path in ground.history.files_of(change.id)[:MOST_FILES]:
        row = ground.decisions.by_path.get(path)
        links.append(Link(ground.kind_of(path), path, 1, "changed by it", nodes.CHANGE, name=row.title if row else ""))
    found = ordered(links)
    missing = [] if {link.kind for link in found} & {nodes.REQUIREMENT, nodes.DECISION} else [NOTHING_LEADS]
    return Trace(Node(nodes.COMMIT, f"{nodes.COMMIT}:{change.id[:12]}", change.subject), found, missing)


def words_trace(ground: Ground, node: Node, text: str, files: Iterable[str] = (), commit: str = "") -> Trace:
    """The chain of a finding or a task: what its words and its evidence name."""
    links = [*outgoing(ground, "", read_words(text))]
    links += [Link(ground.kind_of(path), path, line, "its evidence") for path, line in _placed(files)]
    links += [link for link in (ground.commit_link(commit, "its evidence"),) if commit and link is not None]
    found = ordered(links)
    return Trace(node, found, [] if found else [NOTHING_NAMED])


def _placed(files: Iterable[str]) -> list[tuple[str, int]]:
    return [(path, int(line) if line.isdecimal() else 1) for path, _, line in (each.partition("#L") for each in files)]
