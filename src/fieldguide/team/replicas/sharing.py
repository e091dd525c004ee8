"""Puts together what the replicas of one project share: sessions, workflows, keys, limits and notifications.

A key is made when there is none, and another every day. A new one seals nothing before every replica has read it, and
an old one opens what it sealed for as long as that may come back.
"""

import hashlib
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from fieldguide.settings.limits import Limits
from fieldguide.spine.oversight import OwnTally
from fieldguide.spine.rate_limit import WINDOW_SECONDS, RateLimiter
from fieldguide.spine.tool import ANONYMOUS, Tool
from fieldguide.storage.database import Database, Row
from fieldguide.storage.postgres_listener import HeldLock
from fieldguide.team.registry import REPLICAS_SCHEMA
from fieldguide.team.replicas.exchange import ReplicaExchange, ReplicaListener, ReplicaMessage
from fieldguide.team.replicas.sessions import SharedSessions, SharedWorkflows
from fieldguide.text.errors import RateLimited, StorageFailed

if TYPE_CHECKING:
    from fieldguide.spine.workers import Workers
    from fieldguide.team.replicas.handshakes import ReplicaSessions
    from fieldguide.toolsets.upkeep import RunningUpkeeps


AWAY_SECONDS = 5.0  # how long this replica counts alone after the database did not answer
PRUNED_SECONDS = 30.0

# The statement's own clock counts, not that of a replica. Two calls of one user wait for each other at the row.
ADMIT = """
    INSERT INTO replica_rate AS kept (namespace, caller, tool, calls, is_admitted, latest)
    VALUES (:namespace, :caller, :tool, ARRAY[clock_timestamp()], TRUE, clock_timestamp())
    ON CONFLICT (namespace, caller, tool) DO UPDATE SET (calls, is_admitted, latest) = (
        SELECT CASE WHEN cardinality(live) < :most THEN live || clock_timestamp() ELSE live END,
            cardinality(live) < :most, clock_timestamp()
        FROM (
            SELECT ARRAY(
                SELECT call FROM unnest(kept.calls) AS call
                WHERE call > clock_timestamp() - make_interval(secs => :window) ORDER BY call
            ) AS live
        ) AS window_now
    )
    RETURNING is_admitted, EXTRACT(EPOCH FROM clock_timestamp() - calls[1]) AS oldest_seconds
"""
PRUNE = """
    DELETE FROM replica_rate WHERE (namespace, caller, tool) IN (
        SELECT namespace, caller, tool FROM replica_rate
        WHERE namespace = :namespace AND latest < now() - make_interval(secs => :window)
        LIMIT 1000 FOR UPDATE SKIP LOCKED
    )
"""


class SharedRateLimiter:
    """A sliding minute per user and tool of a project. While the database is away, each replica counts for itself."""

    def __init__(
        self, database: Database, namespace: str, own: RateLimiter, clock: Callable[[], float] = monotonic
    ) -> None:
        self._database = database
        self._namespace = namespace
        self._own = own
        self._clock = clock
        self._away_until = 0.0
        self._prune_at = 0.0

    def admit(self, user: str | None, tool: Tool) -> None:
        """Count a call, or raise RateLimited when the last minute is full; a tool without a limit always passes."""
        most = tool.pace.calls_per_minute
        if most is None:
            return
        if self._clock() < self._away_until:
            self._own.admit(user, tool)
            return
        try:
            counted = self._counted(user, tool.name, most)
        except StorageFailed:
            self._away_until = self._clock() + AWAY_SECONDS
            self._own.admit(user, tool)
            return
        if not counted["is_admitted"]:
            wait = max(0.0, WINDOW_SECONDS - float(counted["oldest_seconds"]))
            raise RateLimited(f"Rate limit exceeded for {tool.name}", retry_after_seconds=round(wait, 1))
        self._own.note(user, tool)

    def _counted(self, user: str | None, tool: str, most: int) -> Row:
        named = hashlib.sha256((user or ANONYMOUS).encode(errors="surrogatepass")).hexdigest()
        asked = {"namespace": self._namespace, "caller": named, "tool": tool, "most": most, "window": WINDOW_SECONDS}
        with self._database.writing() as transaction:
            row = transaction.fetch_one(ADMIT, asked)
            if self._clock() >= self._prune_at:
                self._prune_at = self._clock() + PRUNED_SECONDS
                transaction.execute(PRUNE, {"namespace": self._namespace, "window": WINDOW_SECONDS})
        if row is None:
            raise StorageFailed("The database counted nothing.")
        return row


SHARE = 200
WHOLE_SERVICE = ""
KEPT_DAYS = 2

# The commit is not waited for on disk: a database that crashes may forget the last moment, and no more.
ADD = """
    INSERT INTO replica_quota AS kept (namespace, caller, day, calls)
    SELECT :namespace, :caller, date '1970-01-01' + CAST(:day AS INTEGER), 1
    FROM (SELECT set_config('synchronous_commit', 'off', TRUE)) AS soon
    ON CONFLICT (namespace, caller, day) DO UPDATE SET
        calls = kept.calls + GREATEST(1, kept.calls / :share), taken = GREATEST(1, kept.calls / :share)
    RETURNING calls, taken
"""
FORGET_QUOTAS = """
    DELETE FROM replica_quota
    WHERE namespace = :namespace AND day < date '1970-01-01' + CAST(:day AS INTEGER) - CAST(:kept AS INTEGER)
"""


class SharedTally:
    """Counts that all replicas share; while the database is away each counts for itself."""

    def __init__(self, database: Database, clock: Callable[[], float] = monotonic) -> None:
        self._database = database
        self._clock = clock
        self._own = OwnTally()
        self._lock = threading.Lock()
        self._day = 0
        self._taken: dict[str, tuple[int, int]] = {}
        self._away_until = 0.0

    def add(self, day: int, name: str) -> int:
        """Count one more under this name on this day, and give back how many there are now."""
        counted = self._from_share(day, name)
        if counted is not None:
            return counted
        if self._clock() < self._away_until:
            return self._own.add(day, name)
        try:
            first, last = self._added(day, name)
        except StorageFailed:
            self._away_until = self._clock() + AWAY_SECONDS
            return self._own.add(day, name)
        self._own.add(day, name)
        with self._lock:
            self._taken[name] = (first + 1, last)
        return first

    def _from_share(self, day: int, name: str) -> int | None:
        """The next of those that were taken ahead; None where there are none."""
        with self._lock:
            if day != self._day:
                self._day = day
                self._taken = {}
            following, last = self._taken.get(name, (1, 0))
            if following > last:
                return None
            self._taken[name] = (following + 1, last)
            return following

    def _added(self, day: int, name: str) -> tuple[int, int]:
        """The first and the last of the calls that are ours to count, in the order of all replicas."""
        caller = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()
        asked = {"namespace": WHOLE_SERVICE, "caller": caller, "day": day, "share": SHARE}
        with self._database.writing() as transaction:
            row = transaction.fetch_one(ADD, asked)
            if row is None:
                raise StorageFailed("The database counted nothing.")
            if row["calls"] == 1:  # the first of a day
                transaction.execute(FORGET_QUOTAS, {"namespace": WHOLE_SERVICE, "day": day, "kept": KEPT_DAYS})
        return row["calls"] - row["taken"] + 1, row["calls"]


class ReplicaSharing:
    """One project as this replica shares it with the others."""

    schema = REPLICAS_SCHEMA

    def __init__(self, exchange: ReplicaExchange, database: Database, namespace: str, limits: Limits) -> None:
        self._exchange = exchange
        self._database = database
        self._namespace = namespace
        self._lock = threading.Lock()
        self._hearers: list[Callable[[ReplicaMessage], None]] = []
        self.sessions = SharedSessions(database, exchange, namespace, limits)
        self.workflows = SharedWorkflows(database, namespace)
        self.limiter = SharedRateLimiter(database, namespace, RateLimiter(limits=limits))

    @contextmanager
    def keeping(self, kept: "RunningUpkeeps") -> Generator[None]:
        """Be one of the replicas while the block runs: hear the others, and index whenever it is ours to do."""
        ears = ReplicaListener(self._hand_out, lambda: None)
        held = HeldLock(kept.begin, kept.stop)
        try:
            with (
                self._exchange.following(self._namespace, self._database, ears),
                self._exchange.holding(f"keeper {self._namespace}", held),
            ):
                yield
        finally:
            kept.leave()

    def make_store(self, workers: "Workers") -> "ReplicaSessions":
        """The sessions of this project, as the wire needs them."""
        from fieldguide.team.replicas.handshakes import ReplicaSessions  # starlette, where there are replicas only

        return ReplicaSessions(self, workers)

    def introduce(self, hearer: Callable[[ReplicaMessage], None]) -> None:
        """Have somebody told what other replicas say about sessions; it must come back at once."""
        with self._lock:
            self._hearers.append(hearer)

    def tell(self, word: ReplicaMessage) -> None:
        """Tell the other replicas something."""
        self._exchange.tell(self._namespace, self._database, word)

    def _hand_out(self, word: ReplicaMessage) -> None:
        with self._lock:
            hearers = list(self._hearers)
        for hear in hearers:
            hear(word)
