"""Whom a token stands for at the pages: the same tokens as at `/mcp`, verified by the same verifier, every time."""

from collections.abc import Callable, Collection
from time import time

from fieldguide.hosting.pages.cookies import MOST_TOKEN_BYTES
from fieldguide.server.web.principals import Verified, Verifier
from fieldguide.spine.callers.principal import READ, Principal


class Signing:
    """Tells who may sign in; `audiences` are those that a token may be meant for, where it says."""

    def __init__(self, verifier: Verifier, audiences: Collection[str], clock: Callable[[], float] = time) -> None:
        self._verifier = verifier
        self._audiences = frozenset(audiences)
        self._clock = clock

    async def principal(self, token: str) -> Principal | None:
        """Who shows this token; None where it is not good, or not for reading, or not for this service."""
        if not token.isascii() or not token.isprintable() or not 0 < len(token) <= MOST_TOKEN_BYTES:
            return None
        found = await self._verifier.verify_token(token)
        if found is None or not found.subject or not self._holds(found):
            return None
        issuer = str((found.claims or {}).get("iss") or "")
        return Principal(found.subject, frozenset(found.scopes), issuer, found.expires_at, found.client_id)

    def _holds(self, found: Verified) -> bool:
        """Whether a token that was verified is for reading, for us, and not over."""
        audiences: list[str] | None = (found.claims or {}).get("aud")
        is_ours = audiences is None or not self._audiences.isdisjoint(audiences)
        is_over = found.expires_at is not None and found.expires_at <= self._clock()
        return READ in found.scopes and is_ours and not is_over
