"""What a caller of a service may do: principals, their rights in a project, and for whom a thread works now.

A `Principal` is a user of a service as its token shows; `Access` are their rights in one project.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple, TypeVar

READ = "read"
WRITE = "write"
METRICS = "metrics"
SCOPES = (READ, WRITE)
"""What MCP clients ask for; `metrics` is for monitors alone."""
NOTHING: frozenset[str] = frozenset()

T = TypeVar("T")


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


class Acting(NamedTuple):
    """For whom a thread works now. A database with row policies needs the user; a toolset that looks for tools of
    another finds only those that `access` allows."""

    user: str | None = None
    access: Access | None = None


NOBODY = Acting()
ACTING: ContextVar[Acting] = ContextVar("acting", default=NOBODY)


@contextmanager
def acting_as(user: str | None, access: Access | None = None) -> Generator[None]:
    """Work for this user with these rights while the block runs, on this thread."""
    token = ACTING.set(Acting(user, access))
    try:
        yield
    finally:
        ACTING.reset(token)


def bind_caller(user: str | None, function: Callable[[], T]) -> Callable[[], T]:
    """The same function, known to work for this user while it runs, on whichever thread that is."""

    def run() -> T:
        with acting_as(user):
            return function()

    return run


def is_allowed(access: Access | None, toolset: str, *, writes: bool = False) -> bool:
    """The same for a caller that may have no Access, and then may do anything."""
    return access is None or access.allows(toolset, writes=writes)


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
        """What a session or a count belongs to: the user of this issuer, whichever token they show."""
        return (self.issuer, self.user)

    def limited(self, access: Access) -> Access:
        """What is left of some rights with the scopes of this token."""
        readable = access.readable if READ in self.scopes else NOTHING
        return Access(self.user, readable, access.writable if WRITE in self.scopes else NOTHING)


async def grant_whole_project(principal: Principal, project: str) -> Access | None:
    """The lookup of a service with one project: whoever has a token may do what its scopes say."""
    return Access(principal.user)
