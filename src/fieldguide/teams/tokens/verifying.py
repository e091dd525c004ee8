"""Which token of ours a request shows: looked up for each request, so that what was revoked is over at once."""

from collections.abc import Callable
from contextlib import suppress
from time import time

from fieldguide.errors import StorageFailed
from fieldguide.storage.port import Database
from fieldguide.teams.tokens.repository import TokenRepository
from fieldguide.teams.tokens.secret import read_token
from fieldguide.teams.tokens.token import StoredToken

NOTED_SECONDS = 60
NOBODYS = "0" * 64


class KnownTokens:
    """The tokens that a database holds."""

    def __init__(self, database: Database, clock: Callable[[], float] = time) -> None:
        self._database = database
        self._clock = clock

    def find(self, text: str) -> StoredToken | None:
        """What is kept of a token that is good now; None for any other."""
        shown = read_token(text)
        if shown is None:
            return None
        with self._database.reading() as transaction:
            stored = TokenRepository(transaction).find(shown.id)
        is_it = shown.fits(NOBODYS if stored is None else stored.digest)
        if stored is None or not is_it or stored.state(self._clock()) != "active":
            return None
        self._note(stored)
        return stored

    def _note(self, token: StoredToken) -> None:
        """Keep when a token was used, to the minute: a write for each request would cost more than the request."""
        now = int(self._clock())
        if token.used_at is None or now - token.used_at >= NOTED_SECONDS:
            with suppress(StorageFailed), self._database.writing() as transaction:
                TokenRepository(transaction).used(token.id, now)
