"""Projects, grants and copies as they are printed: for people, and as JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from fieldguide.cli.terminal import GAP, columns_of, fitted
from fieldguide.spine.foreign_text.visible_text import shown
from fieldguide.teams.projects.project import EVERY_TOOLSET, EVERYBODY, Copy, Grant, HostedProject

SHORT_COMMIT = 12


def as_json(project: HostedProject, grants: Sequence[Grant] = (), copies: Sequence[Copy] = ()) -> dict[str, Any]:
    """A project with its grants and copies, for scripts; an address shows nobody how to get in."""
    return {
        "name": project.name,
        "path": f"/mcp/{project.name}",
        "kind": "folder" if project.root is not None else "git",
        "source": project.source,
        "branch": project.branch,
        "id": project.id,
        "created": project.created_at,
        "grants": [grant_as_json(each) for each in grants if each.project == project.id],
        "copies": [_copy_as_json(each) for each in copies if each.project == project.id],
    }


def grant_as_json(grant: Grant) -> dict[str, Any]:
    """A grant for scripts: `principal` is null where it is for everybody, `toolset` where it is for all."""
    return {
        "principal": None if grant.principal == EVERYBODY else grant.principal,
        "toolset": None if grant.toolset == EVERY_TOOLSET else grant.toolset,
        "write": grant.may_write,
    }


def in_lines(projects: Sequence[HostedProject], grants: Sequence[Grant], copies: Sequence[Copy]) -> Iterator[str]:
    """A line for each project, and below it who may do what and what the replicas have."""
    rows = [(each.name, _source(each)) for each in projects]
    width = max(columns_of(name) for name, _ in rows)
    for project, (name, source) in zip(projects, rows, strict=True):
        yield f"{fitted(name, width)}{GAP}{source}"
        yield from (f"    {_grant(each)}" for each in grants if each.project == project.id)
        yield from (f"    {_copy(each)}" for each in copies if each.project == project.id)


def whom(principal: str) -> str:
    """A principal as a sentence names it."""
    return "everybody" if principal == EVERYBODY else shown(principal)


def _source(project: HostedProject) -> str:
    branch = f", branch {shown(project.branch)}" if project.branch else ""
    return f"{shown(project.source)}{branch}"


def _grant(grant: Grant) -> str:
    what = "every toolset" if grant.toolset == EVERY_TOOLSET else shown(grant.toolset)
    return f"{whom(grant.principal)} may {'read and write' if grant.may_write else 'read'} {what}"


def _copy(copy: Copy) -> str:
    commit = copy.commit[:SHORT_COMMIT] or "nothing yet"
    problem = f"; {shown(copy.problem)}" if copy.problem else ""
    return f"replica {shown(copy.replica)} has {commit}, looked at {copy.looked_at}{problem}"


def _copy_as_json(copy: Copy) -> dict[str, Any]:
    return {
        "replica": copy.replica,
        "commit": copy.commit or None,
        "problem": copy.problem or None,
        "looked_at": copy.looked_at,
    }
