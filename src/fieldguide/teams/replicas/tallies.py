"""How many calls a day has seen, counted across replicas and projects: what daily quotas are held against.

Few calls are counted one by one. Of many, a replica takes a share ahead, at most half a percent of what was counted: it
may refuse that much too early, never too late.
"""

import hashlib
import threading
from collections.abc import Callable
from time import monotonic

from fieldguide.errors import StorageFailed
from fieldguide.spine.oversight.quotas import OwnTally
from fieldguide.storage.port import Database

AWAY_SECONDS = 5.0
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
FORGET = """
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
                self._day, self._taken = day, {}
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
                transaction.execute(FORGET, {"namespace": WHOLE_SERVICE, "day": day, "kept": KEPT_DAYS})
        return row["calls"] - row["taken"] + 1, row["calls"]
