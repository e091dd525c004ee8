"""Marks as links: what a place that names something is to it, and what a text that names things leads to."""

from collections.abc import Iterable, Iterator

from fieldguide.tracing import nodes
from fieldguide.tracing.ground import Ground
from fieldguide.tracing.keys import ISSUE
from fieldguide.tracing.marks import CLAIMS, DEFINES, PATH, RELATES, SYMBOL, Mark
from fieldguide.tracing.nodes import Link
from fieldguide.tracing.store import Placed

COMMITS = f"{nodes.COMMIT}:"


def incoming(ground: Ground, placed: Iterable[Placed]) -> Iterator[Link]:
    """What names something, as links to it."""
    for path, mark in placed:
        if path.startswith(COMMITS):
            link = ground.commit_link(path.removeprefix(COMMITS), f"its message names {mark.said or mark.name}")
            if link is not None:
                yield link
        else:
            kind = ground.kind_of(path)
            row = ground.decisions.by_path.get(path)
            name = row.title if row else mark.said if kind in (nodes.TEST, nodes.CODE) and mark.role != PATH else ""
            yield Link(kind, path, mark.line, _why(mark), name=name)


def _why(mark: Mark) -> str:
    if mark.role == CLAIMS:
        return f"claims {mark.name}"
    if mark.role == RELATES:
        return f"its front matter has it as `{mark.said}`"
    return f"names {mark.said if mark.role == PATH else mark.name}"


def outgoing(ground: Ground, path: str, marks: Iterable[Mark]) -> Iterator[Link]:
    """What a text names, as links from it: files, decisions, requirements."""
    for mark in marks:
        if mark.role == PATH:
            yield from _place(ground, path, mark)
        elif mark.role not in (DEFINES, SYMBOL) and mark.family != ISSUE:
            yield from _id(ground, path, mark)


def _place(ground: Ground, path: str, mark: Mark) -> Iterator[Link]:
    found = ground.places.file(mark, path)
    if found is not None and found != path:
        kind = nodes.CODE if found.endswith("/") else ground.kind_of(found)
        row = ground.decisions.by_path.get(found)
        yield Link(
            kind, found, 1, f"named in line {mark.line}" if path else "named by it", name=row.title if row else ""
        )


def _id(ground: Ground, path: str, mark: Mark) -> Iterator[Link]:
    where = f"line {mark.line}" if path else "it"
    how = f"its front matter has it as `{mark.said}`" if mark.role == RELATES else f"{where} names {mark.name}"
    row = ground.decisions.called(mark.name, path)
    if row is not None:
        if row.path != path:
            yield Link(nodes.DECISION, row.path, 1, how, name=row.title)
        return
    family = ground.family(mark.family)
    home = family.ids.get(mark.name) if family else None
    if home is not None:
        yield Link(nodes.REQUIREMENT, home.path, home.mark.line, how, name=mark.name)
