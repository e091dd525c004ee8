"""What the replicas of one project share, put together: sessions, workflows, keys, limits, news, and who indexes."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, Protocol

from fieldguide.limits import Limits
from fieldguide.spine.changes import Change, Changes
from fieldguide.spine.rate_limit import RateLimiter
from fieldguide.storage.port import Database
from fieldguide.storage.postgres_line import Held
from fieldguide.teams.replicas import SCHEMA
from fieldguide.teams.replicas.exchange import Ears, Exchange, Word
from fieldguide.teams.replicas.keys import SharedKeys
from fieldguide.teams.replicas.rates import SharedRateLimiter
from fieldguide.teams.replicas.sessions import SharedSessions
from fieldguide.teams.replicas.workflows import SharedWorkflows


class Kept(Protocol):
    """What one replica at a time keeps up to date."""

    def begin(self) -> None:
        """It is ours to keep from now on."""
        ...

    def stop(self) -> None:
        """It may be another's: end, and wait for nothing."""
        ...

    def leave(self) -> None:
        """End, and wait a moment."""
        ...


class Sharing:
    """One project as this replica shares it with the others."""

    schema = SCHEMA

    def __init__(
        self, exchange: Exchange, database: Database, namespace: str, changes: Changes, limits: Limits
    ) -> None:
        self._exchange = exchange
        self._database = database
        self._namespace = namespace
        self._changes = changes
        self._lock = threading.Lock()
        self._hearers: list[Callable[[Word], None]] = []
        self.sessions = SharedSessions(database, exchange, namespace, limits)
        self.workflows = SharedWorkflows(database, namespace)
        self.keys = SharedKeys(database, namespace)
        self.limiter = SharedRateLimiter(database, namespace, RateLimiter(limits=limits))
        changes.beyond = self._announce

    @contextmanager
    def keeping(self, kept: Kept) -> Generator[None]:
        """Be one of the replicas while the block runs: hear the others, and index whenever it is ours to do."""
        ears, held = Ears(self._hear, self._miss), Held(kept.begin, kept.stop)
        try:
            with (
                self._exchange.following(self._namespace, self._database, ears),
                self._exchange.holding(f"keeper {self._namespace}", held),
            ):
                yield
        finally:
            kept.leave()

    def introduce(self, hearer: Callable[[Word], None]) -> None:
        """Have somebody told what other replicas say about sessions; it must come back at once."""
        with self._lock:
            self._hearers.append(hearer)

    def tell(self, word: Word) -> None:
        """Tell the other replicas something."""
        self._exchange.tell(self._namespace, self._database, word)

    def _announce(self, change: Change) -> None:
        self.tell(Word("change", about=change.kind, told=change.uri))

    def _hear(self, word: Word) -> None:
        if word.kind == "change":
            kind: Any = word.about
            self._changes.hear(Change(kind, word.told))
            return
        self._hand_out(word)

    def _miss(self) -> None:
        """Something may have been said that nobody here heard: whoever follows anything is told to look."""
        self._hand_out(Word("missed"))
        self._changes.hear(Change("anything"))

    def _hand_out(self, word: Word) -> None:
        with self._lock:
            hearers = list(self._hearers)
        for hear in hearers:
            hear(word)
