"""Tokens that this service made: looked up for each request, so that a revoked one is over at once."""

import asyncio

from fieldguide.server.web.principals import Verified, vouched
from fieldguide.spine.callers.principal import Principal
from fieldguide.teams.tokens.secret import read_token
from fieldguide.teams.tokens.verifying import KnownTokens

ISSUER = "fieldguide"


class StaticTokens:
    """Verifies tokens by the database that keeps their hashes."""

    def __init__(self, known: KnownTokens) -> None:
        self._known = known

    async def verify_token(self, token: str) -> Verified | None:
        """What is kept of a good token; what can't be one of ours is not even looked up."""
        if read_token(token) is None:
            return None
        found = await asyncio.to_thread(self._known.find, token)
        if found is None:
            return None
        return vouched(Principal(found.principal, frozenset(found.scopes), ISSUER, found.expires_at, found.id))
