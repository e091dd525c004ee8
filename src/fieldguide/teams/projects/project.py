"""A project of a service and a grant: what the registry knows."""

from collections.abc import Iterable
from typing import NamedTuple

from fieldguide.spine.callers.access import Access
from fieldguide.teams.projects.addresses import shown_address

EVERYBODY = "*"
"""Stands for every principal with a valid token."""
EVERY_TOOLSET = "*"


class HostedProject(NamedTuple):
    """One project: its name in paths, the id that its data is kept under, and where its files come from.

    It has a `root`, a folder that is there on each replica, or an `address`, of which each replica keeps a copy.
    `times_told` grows when somebody wants the copies fetched at once.
    """

    id: str
    name: str
    created_at: str
    root: str | None = None
    address: str | None = None
    branch: str | None = None
    times_told: int = 0

    @property
    def source(self) -> str:
        """Where its files come from, as it may be shown."""
        return self.root or shown_address(self.address or "")


class Grant(NamedTuple):
    """What a principal may do in a project: read a toolset, or change what it keeps as well."""

    project: str
    principal: str
    toolset: str
    may_write: bool


class Copy(NamedTuple):
    """What a replica has of a project from git: the commit, or what went wrong."""

    project: str
    replica: str
    commit: str
    problem: str
    looked_at: str


def access_of(grants: Iterable[Grant], user: str) -> Access | None:
    """What grants to a user and to everybody add up to; None where there is none, not even to look."""
    held = [each for each in grants if each.principal in (user, EVERYBODY)]
    if not held:
        return None
    readable = frozenset(each.toolset for each in held)
    writable = frozenset(each.toolset for each in held if each.may_write)
    return Access(user, _or_all(readable), _or_all(writable))


def _or_all(toolsets: frozenset[str]) -> frozenset[str] | None:
    return None if EVERY_TOOLSET in toolsets else toolsets
