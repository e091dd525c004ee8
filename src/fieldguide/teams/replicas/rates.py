"""How often a user may call a tool in a minute, counted across replicas: one statement for each call."""

import hashlib
from collections.abc import Callable
from time import monotonic

from fieldguide.errors import RateLimited, StorageFailed
from fieldguide.spine.contract import ANONYMOUS, Tool
from fieldguide.spine.rate_limit import WINDOW_SECONDS, RateLimiter
from fieldguide.storage.port import Database, Row

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
