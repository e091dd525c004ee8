"""Who asks: what a request's token says, once it was found to be good."""

from typing import NamedTuple

from fieldguide.spine.callers.access import Access

READ, WRITE, METRICS = "read", "write", "metrics"
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


async def whole_project(principal: Principal, project: str) -> Access | None:
    """The lookup of a service with one project: whoever has a token may do what its scopes say."""
    return Access(principal.user)
