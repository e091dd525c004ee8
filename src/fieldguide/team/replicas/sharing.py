"""Puts together what the replicas of one project share: sessions, workflows, keys, limits and notifications.

A key is made when there is none, and another every day. A new one seals nothing before every replica has read it, and
an old one opens what it sealed for as long as that may come back.
"""

import os
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

from fieldguide.settings.limits import Limits
from fieldguide.spine.rate_limit import RateLimiter
from fieldguide.spine.resources import ChangeBus, ChangeNotice
from fieldguide.storage.database import Database, Row
from fieldguide.storage.postgres_listener import HeldLock
from fieldguide.team.database import REPLICAS_SCHEMA
from fieldguide.team.replicas.counters import SharedRateLimiter
from fieldguide.team.replicas.exchange import ReplicaExchange, ReplicaListener, ReplicaMessage
from fieldguide.team.replicas.sessions import SharedSessions
from fieldguide.team.replicas.workflows import SharedWorkflows

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from fieldguide.team.replicas.handshakes import SharedHandshakes
    from fieldguide.wire.http import HttpBridge

FRESH_SECONDS = 60.0  # how long a replica believes what it has read
SETTLED_SECONDS = 120  # so old a key is known to every replica
ROTATED_SECONDS = 86_400
KEPT_SECONDS = ROTATED_SECONDS + 3_600
KEY_BYTES = 32

READ = """
    SELECT number, secret, created_at < now() - make_interval(secs => :settled) AS is_settled,
        created_at < now() - make_interval(secs => :rotated) AS is_old
    FROM replica_key WHERE namespace = :namespace ORDER BY number DESC
"""
MAKE = """
    INSERT INTO replica_key (namespace, number, secret) VALUES (:namespace, :number, :secret)
    ON CONFLICT (namespace, number) DO NOTHING
"""
FORGET = """
    DELETE FROM replica_key
    WHERE namespace = :namespace AND number < :newest - 1 AND created_at < now() - make_interval(secs => :kept)
"""


class SharedKeys:
    """The sealing keys of one project, read from the database now and then."""

    is_remote = True

    def __init__(self, database: Database, namespace: str, clock: Callable[[], float] = monotonic) -> None:
        self._database = database
        self._namespace = namespace
        self._clock = clock
        self._keys: tuple[bytes, ...] = ()
        self._read_at = 0.0

    def prepare(self) -> None:
        """Read the keys, unless that was done a moment ago; on a thread that may wait."""
        if self._keys and self._clock() - self._read_at < FRESH_SECONDS:
            return
        rows = self._read()
        if not rows or rows[0]["is_old"]:
            self._make(rows[0]["number"] + 1 if rows else 1)
            rows = self._read()
        self._keys = _in_order(rows)
        self._read_at = self._clock()

    def all(self) -> Sequence[bytes]:
        """The key that seals, and after it the others that open."""
        return self._keys

    def _read(self) -> Sequence[Row]:
        asked = {"namespace": self._namespace, "settled": SETTLED_SECONDS, "rotated": ROTATED_SECONDS}
        with self._database.reading() as transaction:
            return transaction.fetch_all(READ, asked)

    def _make(self, number: int) -> None:
        """Make a key, unless another replica has; of several at once, the first counts for all."""
        with self._database.writing() as transaction:
            made = {"namespace": self._namespace, "number": number, "secret": os.urandom(KEY_BYTES)}
            transaction.execute(MAKE, made)
            transaction.execute(FORGET, {"namespace": self._namespace, "newest": number, "kept": KEPT_SECONDS})


def _in_order(rows: Sequence[Row]) -> tuple[bytes, ...]:
    """The newest key that every replica knows, then the others; the very first one is used at once."""
    sealing = next((row for row in rows if row["is_settled"]), rows[-1])
    return tuple(bytes(row["secret"]) for row in (sealing, *(each for each in rows if each is not sealing)))


class KeptByOneReplica(Protocol):
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


class ReplicaSharing:
    """One project as this replica shares it with the others."""

    schema = REPLICAS_SCHEMA

    def __init__(
        self, exchange: ReplicaExchange, database: Database, namespace: str, changes: ChangeBus, limits: Limits
    ) -> None:
        self._exchange = exchange
        self._database = database
        self._namespace = namespace
        self._changes = changes
        self._lock = threading.Lock()
        self._hearers: list[Callable[[ReplicaMessage], None]] = []
        self.sessions = SharedSessions(database, exchange, namespace, limits)
        self.workflows = SharedWorkflows(database, namespace)
        self.keys = SharedKeys(database, namespace)
        self.limiter = SharedRateLimiter(database, namespace, RateLimiter(limits=limits))
        changes.beyond = self._announce

    @contextmanager
    def keeping(self, kept: KeptByOneReplica) -> Generator[None]:
        """Be one of the replicas while the block runs: hear the others, and index whenever it is ours to do."""
        ears = ReplicaListener(self._hear, self._miss)
        held = HeldLock(kept.begin, kept.stop)
        try:
            with (
                self._exchange.following(self._namespace, self._database, ears),
                self._exchange.holding(f"keeper {self._namespace}", held),
            ):
                yield
        finally:
            kept.leave()

    def before(self, app: "ASGIApp", bridge: "HttpBridge") -> "SharedHandshakes":
        """An application of the wire with sessions that every replica knows."""
        from fieldguide.team.replicas.handshakes import SharedHandshakes  # starlette, where there are replicas only

        protocol = bridge.protocol
        workers = bridge.executor.workers
        return SharedHandshakes(app, self, protocol=protocol, answer=bridge.answer, workers=workers, user=bridge.user)

    def introduce(self, hearer: Callable[[ReplicaMessage], None]) -> None:
        """Have somebody told what other replicas say about sessions; it must come back at once."""
        with self._lock:
            self._hearers.append(hearer)

    def tell(self, word: ReplicaMessage) -> None:
        """Tell the other replicas something."""
        self._exchange.tell(self._namespace, self._database, word)

    def _announce(self, change: ChangeNotice) -> None:
        self.tell(ReplicaMessage("change", about=change.kind, told=[change.uri, change.toolset, change.user]))

    def _hear(self, word: ReplicaMessage) -> None:
        if word.kind == "change":
            kind: Any = word.about
            self._changes.hear(ChangeNotice(kind, *word.told))
            return
        self._hand_out(word)

    def _miss(self) -> None:
        """Something may have been said that nobody here heard: whoever follows anything is told to look."""
        self._hand_out(ReplicaMessage("missed"))
        self._changes.hear(ChangeNotice("anything"))

    def _hand_out(self, word: ReplicaMessage) -> None:
        with self._lock:
            hearers = list(self._hearers)
        for hear in hearers:
            hear(word)
