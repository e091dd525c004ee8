"""What a trace is made of: what was asked about, and the links that lead from it, each with its reason."""

from collections.abc import Iterable
from typing import NamedTuple

REQUIREMENT, DECISION, CODE, TEST, DOCUMENT = "requirement", "decision", "code", "test", "document"
COMMIT, FINDING, TASK, ISSUE = "commit", "finding", "task", "issue"
STEPS = (REQUIREMENT, DECISION, DOCUMENT, CODE, TEST, COMMIT, FINDING, TASK)
CERTAIN = 1.0
EXPLICIT, IMPORT, CHANGE, MINED = "explicit", "import", "change", "mined"
"""Written down by somebody; told by the import graph; told by git; likely by what both share."""
HOW = (EXPLICIT, IMPORT, CHANGE, MINED)


class Node(NamedTuple):
    """What was asked about: a place in a file, or what lies in none."""

    kind: str
    name: str
    title: str = ""
    path: str = ""
    line: int = 0
    text: str = ""


class Link(NamedTuple):
    """Something that belongs to it, how that is known, and how sure it is.

    `path` is a file, a folder with a slash at its end, or `commit:<id>`; `name` is the test, the id or the title.
    """

    kind: str
    path: str
    line: int
    why: str
    how: str = EXPLICIT
    confidence: float = CERTAIN
    name: str = ""


class Trace(NamedTuple):
    """A chain: what it is, what belongs to it in the order of the steps, and what is missing."""

    node: Node
    links: list[Link]
    missing: list[str]


def ordered(links: Iterable[Link]) -> list[Link]:
    """Links by their steps, what is written down first, each place once with its surest reason."""
    best = _surest(links)
    named = {link.path for link in best if link.kind == TEST and link.name}
    kept = (link for link in best if link.kind != TEST or link.name or link.path not in named)
    return sorted(kept, key=lambda link: (STEPS.index(link.kind), *_surer(link)))


def _surest(links: Iterable[Link]) -> list[Link]:
    """Of the links to one place the surest; a file may have several tests or requirements."""
    best: dict[tuple[str, str, str], Link] = {}
    for link in links:
        key = (link.kind, link.path, link.name if link.kind in (TEST, REQUIREMENT) else "")
        known = best.get(key)
        if known is None or _surer(link) < _surer(known):
            best[key] = link
    return list(best.values())


def _surer(link: Link) -> tuple[int, float]:
    return HOW.index(link.how), -link.confidence
