"""The keys that seal what a client carries from one replica to another: the same for all replicas of a project.

A key is made when there is none, and another every day. A new one seals nothing before every replica has read it, and
an old one opens what it sealed for as long as that may come back.
"""

import os
from collections.abc import Callable, Sequence
from time import monotonic

from fieldguide.storage.port import Database, Row

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
