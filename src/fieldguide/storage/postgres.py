"""PostgreSQL for a team: the same SQL through psycopg's pool, which finds a server again after it was away."""

import logging
import threading
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any, LiteralString, cast

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import dict_row
from psycopg_pool import ConnectionPool, PoolTimeout

from fieldguide import linear_regex as re
from fieldguide.errors import Cancelled, StorageFailed
from fieldguide.spine.cancellation import Cancellation
from fieldguide.storage.migrations import migrate
from fieldguide.storage.port import Dialect, Parameters, Row, Schema

PARAMETER = re.compile(r"""(?P<verbatim>--[^\n]*|'[^']*'|"[^"]*")|(?<![:\w]):(?P<name>[a-z_][a-z0-9_]*)""")
SNAPSHOT: LiteralString = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
MAX_CONNECTIONS = 16
WAIT_SECONDS = 5.0
STOP_AGAIN_SECONDS = 0.2
STATEMENT_MILLISECONDS = 30_000
MIGRATION_LOCK = 0x66_67_75_69_64_65  # "fguide": one process at a time brings the tables up to date
OPTIONS = f"-c statement_timeout={STATEMENT_MILLISECONDS} -c timezone=UTC"

Connection = psycopg.Connection[dict[str, Any]]


class PostgresTransaction:
    """A transaction on one connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        """The first row of a statement's result, or None."""
        return self._connection.execute(translated(sql), parameters).fetchone()

    def fetch_all(self, sql: str, parameters: Parameters) -> Sequence[Row]:
        """Every row of a statement's result."""
        return self._connection.execute(translated(sql), parameters).fetchall()

    def execute(self, sql: str, parameters: Parameters) -> int:
        """Run a statement; the number of rows that it changed."""
        return self._connection.execute(translated(sql), parameters).rowcount

    def execute_many(self, sql: str, rows: Sequence[Parameters]) -> None:
        """Run a statement once for each of these rows."""
        with self._connection.cursor() as cursor:
            cursor.executemany(translated(sql), rows)

    def copy(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Send rows to a `COPY … FROM STDIN`, one after the other without an answer between."""
        with self._connection.cursor() as cursor, cursor.copy(translated(sql)) as copying:
            for row in rows:
                copying.write_row(row)

    def run_script(self, script: str) -> None:
        """Run the statements of a migration in one go, however long they take."""
        self._connection.execute("SET LOCAL statement_timeout = 0")
        self._connection.execute(script.encode())


class PostgresDatabase:
    """A database server, met when it is first needed."""

    def __init__(self, address: str, schemas: Sequence[Schema]) -> None:
        self._address = address
        self._schemas = schemas
        self._lock = threading.Lock()
        self._pool: ConnectionPool[Connection] | None = None

    @contextmanager
    def reading(self, cancellation: Cancellation | None = None) -> Generator[PostgresTransaction]:
        """A transaction that only reads."""
        with self._transaction(cancellation or Cancellation(), SNAPSHOT) as transaction:
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

    @property
    def dialect(self) -> Dialect:
        """The kind of its SQL."""
        return "postgres"

    def describe(self) -> str:
        """Which database this is, without its password."""
        parts = conninfo_to_dict(self._address)
        return f"PostgreSQL, {parts.get('host', 'localhost')}, database {parts.get('dbname', 'of the user')}"

    def close(self) -> None:
        """Give back every connection."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()

    @contextmanager
    def _transaction(
        self, cancellation: Cancellation, first: LiteralString | None = None
    ) -> Generator[PostgresTransaction]:
        try:
            cancellation.check()
            with self._ready_pool().connection() as connection, _stoppable(connection, cancellation):
                if first is not None:
                    connection.execute(first)
                yield PostgresTransaction(connection)
                cancellation.check()  # its caller was told that it failed: nothing of it may be kept
        except (psycopg.Error, PoolTimeout, OSError) as error:
            if cancellation.is_set:
                raise Cancelled("The call was cancelled.") from error
            raise StorageFailed("The database could not do this.") from error

    def _ready_pool(self) -> "ConnectionPool[Connection]":
        if self._pool is not None:
            return self._pool
        with self._lock:
            if self._pool is None:
                self._migrate()
                self._pool = self._open()
        return self._pool

    def _open(self) -> "ConnectionPool[Connection]":
        logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)  # our journal tells of it, one JSON line each
        return ConnectionPool(
            self._address,
            connection_class=psycopg.Connection[dict[str, Any]],
            kwargs=_connecting(self._address),
            min_size=1,
            max_size=MAX_CONNECTIONS,
            timeout=WAIT_SECONDS,
            reconnect_timeout=WAIT_SECONDS,  # it waits twice as long after each attempt: in the end for minutes
            check=cast("Any", ConnectionPool.check_connection),
            open=True,
        )

    def _migrate(self) -> None:
        """On a connection of its own: when nobody answers, it says why at once; the pool would say only how long."""
        with psycopg.Connection[dict[str, Any]].connect(self._address, **_connecting(self._address)) as connection:
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (MIGRATION_LOCK,))
            migrate(PostgresTransaction(connection), self._schemas, dialect="postgres")


@lru_cache(maxsize=500)
def translated(sql: str) -> bytes:
    """A statement of ours in the driver's spelling: `:name` becomes `%(name)s`."""
    return PARAMETER.sub(lambda found: found["verbatim"] or f"%({found['name']})s", sql.replace("%", "%%")).encode()


def _connecting(address: str) -> dict[str, Any]:
    """How a connection is made; options that stand in the address hold beside ours."""
    asked = conninfo_to_dict(address).get("options") or ""
    return {"row_factory": dict_row, "options": f"{asked} {OPTIONS}", "connect_timeout": int(WAIT_SECONDS)}


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
