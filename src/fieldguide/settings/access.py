"""The rights of a caller in a project, and the caller for whom a thread works now."""

from collections.abc import Callable
from contextvars import ContextVar
from typing import NamedTuple, TypeVar

T = TypeVar("T")

ACTING_USER: ContextVar[str | None] = ContextVar("acting_user", default=None)
"""For whom this thread works now: a database that guards its rows is told."""
ACTING_ACCESS: ContextVar["Access | None"] = ContextVar("acting_access", default=None)
"""What they may do: a toolset that asks for another's tools finds only those that its caller would."""


class Access(NamedTuple):
    """The rights of one principal in one project: the toolsets that it may read, and those that it may change.

    None stands for all of them. A call without an Access comes from the person's own machine and may do anything.
    """

    user: str
    readable: frozenset[str] | None = None
    writable: frozenset[str] | None = None

    def allows(self, toolset: str, *, writes: bool = False) -> bool:
        """Whether this toolset may be read, and changed where that is asked."""
        may_read = self.readable is None or toolset in self.readable
        return may_read and (not writes or self.writable is None or toolset in self.writable)


def bind_caller(user: str | None, function: Callable[[], T], access: Access | None = None) -> Callable[[], T]:
    """The same function, known to work for this user with these rights while it runs, on whichever thread that is."""

    def run() -> T:
        token = ACTING_USER.set(user)
        rights = ACTING_ACCESS.set(access)
        try:
            return function()
        finally:
            ACTING_USER.reset(token)
            ACTING_ACCESS.reset(rights)

    return run


def is_allowed(access: Access | None, toolset: str, *, writes: bool = False) -> bool:
    """The same for a caller that may have no Access, and then may do anything."""
    return access is None or access.allows(toolset, writes=writes)


READ = "read"
WRITE = "write"
METRICS = "metrics"
SCOPES = (READ, WRITE)
"""What MCP clients ask for; `metrics` is for monitors alone."""
NOTHING: frozenset[str] = frozenset()


class Principal(NamedTuple):
    """One user, as an issuer of tokens vouches for them.

    `expires_at` is when the token ends, in seconds since 1970; None: never. `token` names the token, and is not it.
    """

    user: str
    scopes: frozenset[str]
    issuer: str
    expires_at: float | None = None
    token: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """What a session, a stream or a count belongs to: the user of this issuer, whichever token they show."""
        return (self.issuer, self.user)

    def limited(self, access: Access) -> Access:
        """What is left of some rights with the scopes of this token."""
        readable = access.readable if READ in self.scopes else NOTHING
        return Access(self.user, readable, access.writable if WRITE in self.scopes else NOTHING)


async def grant_whole_project(principal: Principal, project: str) -> Access | None:
    """The lookup of a service with one project: whoever has a token may do what its scopes say."""
    return Access(principal.user)
