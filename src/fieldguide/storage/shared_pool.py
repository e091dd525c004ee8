"""The connections of one process to one PostgreSQL address: as many as its limit says, whoever works there.

Every project of a service, its tables and its index, works through the same pool. It opens with its first user and
closes with its last. A thread in one transaction may begin a second one: then it must not wait for threads that wait
for the same. So only half as many threads work at once as there are connections.
"""

import logging
import threading
import weakref
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, cast

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import dict_row
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from fieldguide.storage.advisory_locks import AdvisoryLocks
from fieldguide.storage.port import Schema

MAX_CONNECTIONS = 16
WAIT_SECONDS = 5.0
STATEMENT_MILLISECONDS = 30_000
OPTIONS = f"-c statement_timeout={STATEMENT_MILLISECONDS} -c timezone=UTC"

Connection = psycopg.Connection[dict[str, Any]]


class SharedPool:
    """A pool, the locks that this process holds in its database, and the schemas that were brought up to date."""

    def __init__(self, address: str, most_connections: int) -> None:
        self.address = address
        self.users: weakref.WeakSet[object] = weakref.WeakSet()
        self.locks = AdvisoryLocks(self.connect)
        self.preparing = threading.Lock()
        self.prepared: set[tuple[tuple[Schema, ...], bool]] = set()
        self.tenant_role = ""
        self._most = max(2, most_connections)
        self._working = threading.BoundedSemaphore(self._most // 2)
        self._of_thread = threading.local()
        self._pool: ConnectionPool[Connection] | None = None

    def connect(self) -> Connection:
        """A connection beside the pool: when nobody answers, it says why at once; the pool would say only how long."""
        return psycopg.Connection[dict[str, Any]].connect(self.address, **connecting(self.address))

    @contextmanager
    def connection(self) -> Generator[Connection]:
        """A connection for one transaction, which is committed when the block ends."""
        pool = self._pool
        if pool is None:
            raise PoolClosed("the last user of this address has closed it")
        depth: int = getattr(self._of_thread, "depth", 0)
        if not depth and not self._working.acquire(timeout=WAIT_SECONDS):
            raise PoolTimeout(f"every connection is at work, and none came free in {WAIT_SECONDS} s")
        self._of_thread.depth = depth + 1
        try:
            with pool.connection() as connection:
                yield connection
        finally:
            self._of_thread.depth = depth
            if not depth:
                self._working.release()

    def numbers(self) -> dict[str, int]:
        """How many connections there are, how many are free, and how many threads wait for one."""
        told: dict[str, int] = {} if self._pool is None else self._pool.get_stats()
        names = {"open": "pool_size", "free": "pool_available", "waiting": "requests_waiting"}
        return {name: told.get(theirs, 0) for name, theirs in names.items()}

    def open(self) -> None:
        """Begin to connect, unless that is done."""
        if self._pool is None:
            logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)  # our journal tells of it, one JSON line each
            self._pool = ConnectionPool(
                self.address,
                connection_class=psycopg.Connection[dict[str, Any]],
                kwargs=connecting(self.address),
                min_size=1,
                max_size=self._most,
                timeout=WAIT_SECONDS,
                reconnect_timeout=WAIT_SECONDS,  # it waits twice as long after each attempt: in the end for minutes
                check=cast("Any", ConnectionPool.check_connection),
                open=True,
            )

    def close(self) -> None:
        """Give back every connection, and every lock with them."""
        self.locks.close()
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()


class SharedPools:
    """The pools of a process by their address: made for the first user of one, closed by the last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pools: weakref.WeakValueDictionary[str, SharedPool] = weakref.WeakValueDictionary()

    def join(self, address: str, user: object, *, most_connections: int = MAX_CONNECTIONS) -> SharedPool:
        """The pool of an address, for one more user; the first one's limit holds."""
        with self._lock:
            pool = self._pools.get(address) or SharedPool(address, most_connections)
            self._pools[address] = pool
            pool.users.add(user)
            return pool

    def numbers(self) -> dict[str, int]:
        """The numbers of all pools together."""
        with self._lock:
            told = [pool.numbers() for pool in self._pools.values()]
        return {name: sum(each[name] for each in told) for name in ("open", "free", "waiting")}

    def leave(self, pool: SharedPool, user: object) -> None:
        """Done with a pool: the last one closes it."""
        with self._lock:
            pool.users.discard(user)
            if pool.users:
                return
            if self._pools.get(pool.address) is pool:
                del self._pools[pool.address]
        pool.close()


POOLS = SharedPools()
"""Those of this process: a limit on connections that each part of it had for itself would be none."""


def connecting(address: str) -> dict[str, Any]:
    """How a connection is made; options that stand in the address hold beside ours."""
    asked = conninfo_to_dict(address).get("options") or ""
    return {"row_factory": dict_row, "options": f"{asked} {OPTIONS}", "connect_timeout": int(WAIT_SECONDS)}
