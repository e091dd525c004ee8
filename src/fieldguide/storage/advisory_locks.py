"""Locks across every process on every machine, held for long: in PostgreSQL, by one connection for all of them.

A connection for each would use up those that a server has. No transaction is open on it: one that idles for as long as
a lock is held would keep PostgreSQL from tidying up.
"""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import psycopg

from fieldguide.errors import StorageFailed

Connection = psycopg.Connection[dict[str, Any]]


class AdvisoryLocks:
    """What this process holds; it ends with the connection, and with the process."""

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._connect = connect
        self._lock = threading.Lock()
        self._connection: Connection | None = None
        self._held: dict[int, Connection] = {}
        self._is_closed = False

    def take(self, key: int) -> Connection | None:
        """Take a lock, if nobody else has it; what it is held by, to be given back with."""
        with self._lock:
            if self._is_closed:
                raise StorageFailed("The database was closed.")
            if (holder := self._held.get(key)) is not None and not holder.closed:
                return None  # PostgreSQL would give it to this connection again
            connection = self._asked(key)
            if connection is not None:
                self._held[key] = connection
            return connection

    def give_back(self, key: int, holder: Connection) -> None:
        """Let the next one have a lock; one that was lost with its connection is another's already."""
        with self._lock:
            if self._held.get(key) is not holder:
                return
            del self._held[key]
            with suppress(psycopg.Error):
                holder.execute("SELECT pg_advisory_unlock(%s)", (key,))

    def close(self) -> None:
        """Give back all of them."""
        with self._lock:
            self._is_closed = True
            connection, self._connection = self._connection, None
            self._held.clear()
        if connection is not None:
            connection.close()

    def _asked(self, key: int) -> Connection | None:
        """The connection, if it has got the lock; one that was found dead is made again, once."""
        try:
            try:
                return self._try(key)
            except psycopg.OperationalError:
                if self._connection is None:
                    raise
                self._connection.close()
                return self._try(key)
        except (psycopg.Error, OSError) as error:
            raise StorageFailed("The database could not do this.") from error

    def _try(self, key: int) -> Connection | None:
        if self._connection is None or self._connection.closed:
            self._connection = None
            connection = self._connect()
            connection.autocommit = True
            self._connection = connection
        row = self._connection.execute("SELECT pg_try_advisory_lock(%s) AS answer", (key,)).fetchone()
        return self._connection if row and row["answer"] else None
