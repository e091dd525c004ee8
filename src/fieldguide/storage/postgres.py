"""PostgreSQL for a team: the same SQL through psycopg's pool, which finds a server again after it was away."""

import threading
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from time import monotonic, sleep
from typing import Any, LiteralString

import psycopg
from psycopg import IsolationLevel
from psycopg.conninfo import conninfo_to_dict
from psycopg_pool import PoolTimeout

from fieldguide import linear_regex as re
from fieldguide.errors import Cancelled, StorageFailed
from fieldguide.spine.cancellation import Cancellation
from fieldguide.storage.advisory_locks import AdvisoryLocks
from fieldguide.storage.migrations import migrate, migrate_in_pieces, missing_migrations
from fieldguide.storage.port import Dialect, Parameters, Row, Schema
from fieldguide.storage.shared_pool import MAX_CONNECTIONS, POOLS, WAIT_SECONDS, Connection, SharedPool
from fieldguide.storage.walls import ENTER, Tenant, close_functions, fix_path, raise_wall

PARAMETER = re.compile(r"""(?P<verbatim>--[^\n]*|'[^']*'|"[^"]*")|(?<![:\w]):(?P<name>[a-z_][a-z0-9_]*)""")
STOP_AGAIN_SECONDS = 0.2
SHORT_WAIT: LiteralString = "SET LOCAL lock_timeout = '500ms'"
MIGRATION_SECONDS = 120.0
MIGRATION_PAUSE_SECONDS = 0.2
MIGRATION_LOCK = 0x66_67_75_69_64_65  # "fguide": one process at a time brings the tables up to date
FILLING_LOCK = MIGRATION_LOCK + 1


class PostgresTransaction:
    """A transaction on one connection; one of a tenant enters with its first statement, in one round trip."""

    def __init__(self, connection: Connection, tenant: Tenant | None = None) -> None:
        self._connection = connection
        self._entering = None if tenant is None else tenant.entering()
        self.tenant = "" if tenant is None else tenant.namespace

    def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        """The first row of a statement's result, or None."""
        return self._run(sql, parameters).fetchone()

    def fetch_all(self, sql: str, parameters: Parameters) -> Sequence[Row]:
        """Every row of a statement's result."""
        return self._run(sql, parameters).fetchall()

    def execute(self, sql: str, parameters: Parameters) -> int:
        """Run a statement; the number of rows that it changed."""
        return self._run(sql, parameters).rowcount

    def execute_many(self, sql: str, rows: Sequence[Parameters]) -> None:
        """Run a statement once for each of these rows."""
        self.enter()
        with self._connection.cursor() as cursor:
            cursor.executemany(translated(sql), rows)

    def copy(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Send rows to a `COPY … FROM STDIN`, one after the other without an answer between."""
        self.enter()
        with self._connection.cursor() as cursor, cursor.copy(translated(sql)) as copying:
            for row in rows:
                copying.write_row(row)

    def run_script(self, script: str) -> None:
        """Run the statements of a migration in one go, however long they take."""
        self.enter()
        self._connection.execute("SET LOCAL statement_timeout = 0")
        self._connection.execute(script.encode())

    def enter(self) -> None:
        """Say for whom it is, unless that is said."""
        entering, self._entering = self._entering, None
        if entering is not None:
            self._connection.execute(translated(ENTER), entering)

    def _run(self, sql: str, parameters: Parameters) -> psycopg.Cursor[dict[str, Any]]:
        if self._entering is None or not psycopg.Pipeline.is_supported():
            self.enter()
            return self._connection.execute(translated(sql), parameters)
        with self._connection.pipeline():
            self.enter()
            return self._connection.execute(translated(sql), parameters)


class PostgresDatabase:
    """A database server, met when it is first needed; all who work at one address share its connections.

    With a `tenant`, the namespace of a project of a service, every transaction stays behind the walls of that project
    and of the user whom its thread serves. What `has_tenants` makes sure of these walls, and stays before them.
    """

    def __init__(
        self,
        address: str,
        schemas: Sequence[Schema],
        *,
        most_connections: int = MAX_CONNECTIONS,
        tenant: str | None = None,
        has_tenants: bool = False,
    ) -> None:
        self._address = address
        self._schemas = schemas
        self._most_connections = most_connections
        self._namespace = tenant
        self._is_walled = has_tenants or tenant is not None
        self._lock = threading.Lock()
        self._pool: SharedPool | None = None
        self._tenant: Tenant | None = None

    @contextmanager
    def reading(self, cancellation: Cancellation | None = None) -> Generator[PostgresTransaction]:
        """A transaction that only reads."""
        with self._transaction(cancellation or Cancellation(), IsolationLevel.REPEATABLE_READ) as transaction:
            yield transaction

    @contextmanager
    def writing(self, cancellation: Cancellation | None = None) -> Generator[PostgresTransaction]:
        """A transaction that writes."""
        with self._transaction(cancellation or Cancellation()) as transaction:
            yield transaction

    @contextmanager
    def without_transaction(self) -> Generator[PostgresTransaction]:
        """Statements that are each whole by themselves: for what must be held for long, such as a lock."""
        try:
            with self._ready_pool().connection() as connection:
                connection.autocommit = True
                try:
                    yield PostgresTransaction(connection)
                finally:
                    if not connection.closed:
                        connection.autocommit = False
        except (psycopg.Error, PoolTimeout, OSError) as error:
            raise StorageFailed("The database could not do this.") from error

    @contextmanager
    def for_long(self) -> Generator[PostgresTransaction]:
        """Statements that may take minutes each, on a connection beside those that calls wait for; as the owner."""
        try:
            with self._ready_pool().connect() as connection:
                connection.autocommit = True
                connection.execute("SET statement_timeout = 0")
                yield PostgresTransaction(connection)
        except (psycopg.Error, PoolTimeout, OSError) as error:
            raise StorageFailed("The database could not do this.") from error

    @property
    def dialect(self) -> Dialect:
        """The kind of its SQL."""
        return "postgres"

    def describe(self) -> str:
        """Which database this is, without its password."""
        parts = conninfo_to_dict(self._address)
        return f"PostgreSQL, {parts.get('host', 'localhost')}, database {parts.get('dbname', 'of the user')}"

    @property
    def locks(self) -> AdvisoryLocks:
        """Locks that every process which works at this address respects."""
        return self._ready_pool().locks

    def close(self) -> None:
        """Done with it: the last one at this address gives back every connection."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            POOLS.leave(pool, self)

    @contextmanager
    def _transaction(
        self, cancellation: Cancellation, snapshot: IsolationLevel | None = None
    ) -> Generator[PostgresTransaction]:
        """With a snapshot it only reads."""
        try:
            cancellation.check()
            with self._ready_pool().connection() as connection, _stoppable(connection, cancellation):
                connection.isolation_level = snapshot
                connection.read_only = None if snapshot is None else True
                yield PostgresTransaction(connection, self._tenant)
                cancellation.check()  # its caller was told that it failed: nothing of it may be kept
        except (psycopg.Error, PoolTimeout, OSError) as error:
            if cancellation.is_set:
                raise Cancelled("The call was cancelled.") from error
            raise StorageFailed("The database could not do this.") from error

    def _ready_pool(self) -> SharedPool:
        if self._pool is not None:
            return self._pool
        with self._lock:
            if self._pool is None:
                self._pool = self._joined()
        return self._pool

    def _joined(self) -> SharedPool:
        """The pool of the address, with our tables up to date and, for a tenant, the wall in place."""
        pool = POOLS.join(self._address, self, most_connections=self._most_connections)
        try:
            with pool.preparing:
                prepared = (tuple(self._schemas), self._is_walled)
                if prepared not in pool.prepared:
                    pool.tenant_role = self._prepare(pool) or pool.tenant_role
                    pool.prepared.add(prepared)
                pool.open()
        except BaseException:
            POOLS.leave(pool, self)
            raise
        if self._namespace is not None:
            self._tenant = Tenant(pool.tenant_role, self._namespace)
        return pool

    def _prepare(self, pool: SharedPool) -> str:
        """Bring our tables up to date while others read and write them; the role of tenants, where it is needed.

        Whoever waits for a table holds up all who come later. So a step waits for a moment only, is taken back, and
        tried again; the moment is shorter than the server's own for deadlocks, which could end a reader instead.
        """
        until = monotonic() + MIGRATION_SECONDS
        while True:
            try:
                role = self._prepared(pool)
                break
            except psycopg.errors.LockNotAvailable:
                if monotonic() > until:
                    raise
            sleep(MIGRATION_PAUSE_SECONDS)
        self._fill(pool)
        return role

    def _prepared(self, pool: SharedPool) -> str:
        with pool.connect() as connection:
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (MIGRATION_LOCK,))
            connection.execute(SHORT_WAIT)
            transaction = PostgresTransaction(connection)
            fix_path(transaction)
            if migrate(transaction, self._schemas, dialect="postgres"):
                close_functions(transaction)
            return raise_wall(transaction) if self._is_walled else ""

    def _fill(self, pool: SharedPool) -> None:
        """Go through large tables piece by piece, under a lock of its own: a server of the version before may start."""
        with pool.connect() as connection:
            if not missing_migrations(PostgresTransaction(connection), self._schemas, dialect="postgres"):
                return
            connection.commit()
            connection.autocommit = True
            connection.execute("SET statement_timeout = 0")
            connection.execute("SELECT pg_advisory_lock(%s)", (FILLING_LOCK,))
            migrate_in_pieces(PostgresTransaction(connection), self._schemas, dialect="postgres")


@lru_cache(maxsize=500)
def translated(sql: str) -> bytes:
    """A statement of ours in the driver's spelling: `:name` becomes `%(name)s`."""
    return PARAMETER.sub(lambda found: found["verbatim"] or f"%({found['name']})s", sql.replace("%", "%%")).encode()


@contextmanager
def _stoppable(connection: Connection, cancellation: Cancellation) -> Generator[None]:
    """A query ends on the server when its call is cancelled.

    A thread of its own asks for that, because it may wait for the network; it asks until the block has ended, because
    the server forgets what comes between two statements; and never after, because the connection is another's then.
    """
    ended, asking = threading.Event(), threading.Lock()

    def stop() -> None:
        while not ended.is_set():
            with asking, suppress(psycopg.Error):
                if not ended.is_set():
                    connection.cancel_safe(timeout=WAIT_SECONDS)
            ended.wait(STOP_AGAIN_SECONDS)

    try:
        with cancellation.stopping(lambda: threading.Thread(target=stop, daemon=True).start()):
            yield
    finally:
        with asking:
            ended.set()
