"""PostgreSQL: the wall between the projects of a service, a shared connection pool, transactions.

Wall: projects of a service work as a role that owns nothing, behind row policies on their namespace and user.

Pool: everything that works at one address shares a pool, which opens with its first user and closes with its last. A
thread in a transaction may begin a second one and must not wait for others that do the same, so only half as many
threads work at once as there are connections.
"""

import logging
import threading
import weakref
from collections.abc import Generator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import lru_cache
from selectors import EVENT_READ, DefaultSelector
from typing import Any, NamedTuple

import psycopg
from psycopg import IsolationLevel
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus
from psycopg.rows import dict_row
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from fieldguide.settings.access import ACTING
from fieldguide.storage.database import (
    Dialect,
    Parameters,
    Row,
    Schema,
    Transaction,
    migrate,
)
from fieldguide.text import regex as re
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.errors import Cancelled, Misconfiguration, StorageFailed

ENTER = """
    SELECT set_config('role', :role, TRUE), set_config('fieldguide.namespace', :namespace, TRUE),
        set_config('fieldguide.user', :user, TRUE)
"""
LEAVE = "SELECT set_config('role', 'none', TRUE)"
POLICY = "wall"
SURROUNDINGS = """
    SELECT quote_ident(current_database()) AS database, quote_ident(current_schema()) AS schema,
        quote_ident(current_user) AS login,
        'fieldguide_tenant_' || left(encode(sha256(convert_to(
            current_database() || '.' || current_schema(), 'UTF8')), 'hex'), 16) AS role,
        current_setting('server_version_num')::INTEGER >= 160000 AS knows_set_option,
        (SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user) AS may_create,
        (SELECT pg_has_role(nspowner, 'USAGE') FROM pg_namespace WHERE nspname = current_schema()) AS owns_schema
"""
STANDING = """
    SELECT rolsuper OR rolbypassrls OR rolcreaterole OR rolcanlogin AS is_powerful,
        EXISTS (SELECT 1 FROM pg_auth_members WHERE member = pg_roles.oid) AS is_member,
        EXISTS (
            SELECT 1 FROM pg_class WHERE relowner = pg_roles.oid AND relnamespace = to_regnamespace(:schema)
        ) AS is_owner,
        pg_has_role(current_user, rolname, CASE WHEN :knows_set_option THEN 'SET' ELSE 'MEMBER' END) AS is_ours,
        has_schema_privilege(rolname, :schema, 'USAGE') AS has_schema
    FROM pg_roles WHERE rolname = :role
"""
CLOSED = """
    SELECT quote_ident(relname) AS name
    FROM pg_class JOIN pg_policy ON polrelid = pg_class.oid AND polname = :policy
    WHERE relnamespace = to_regnamespace(:schema) AND relrowsecurity AND NOT (
        has_table_privilege(:role, pg_class.oid, 'SELECT') AND has_table_privilege(:role, pg_class.oid, 'INSERT')
        AND has_table_privilege(:role, pg_class.oid, 'UPDATE') AND has_table_privilege(:role, pg_class.oid, 'DELETE'))
    ORDER BY relname
"""


class Tenant(NamedTuple):
    """A project of a service: the role that it works as, and its namespace."""

    role: str
    namespace: str

    def entering(self) -> Parameters:
        """The parameters of a transaction's first statement; without a user where the service works by itself."""
        return {"role": self.role, "namespace": self.namespace, "user": ACTING.get().user or ""}


def raise_wall(transaction: Transaction) -> str:
    """Create the role that tenants work as, with its rights, where missing; Misconfiguration if that is not allowed."""
    here = _surroundings(transaction)
    role = str(here["role"])
    if _standing(transaction, here) is None:
        _refuse_unless(bool(here["may_create"]), here)
        transaction.execute(f"CREATE ROLE {role} NOLOGIN NOINHERIT", {})
    standing = _standing(transaction, here)
    if standing is None or not standing["is_ours"]:
        _refuse_unless(bool(here["may_create"]), here)
        transaction.execute(_membership(here), {})
        standing = _standing(transaction, here)
    if standing is None or standing["is_powerful"] or standing["is_member"] or standing["is_owner"]:
        raise Misconfiguration(
            f"The role {role} may do more than a tenant should: it must not log in, pass policies by, make roles, own "
            "a table or belong to another role."
        )
    if not standing["has_schema"]:
        _give(transaction, here, f"USAGE ON SCHEMA {here['schema']}", may=bool(here["owns_schema"]))
    given = {"schema": here["schema"], "role": role, "policy": POLICY}
    for row in transaction.fetch_all(CLOSED, given):  # tables with a policy that tenants have no rights to yet
        table = f"{here['schema']}.{row['name']}"
        transaction.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO {role}", {})
    return role


def _give(transaction: Transaction, here: Row, right: str, *, may: bool) -> None:
    """Grant the role a right, or say what an administrator must grant."""
    statement = f"GRANT {right} TO {here['role']}"
    if not may:
        raise Misconfiguration(
            f"Projects of a service lack a right in database {here['database']}, and {here['login']} may not give it. "
            f"An administrator can: {statement};"
        )
    transaction.execute(statement, {})


def _surroundings(transaction: Transaction) -> Row:
    row = transaction.fetch_one(SURROUNDINGS, {})
    assert row is not None  # noqa: S101  it selects one row
    return row


def _standing(transaction: Transaction, here: Row) -> Row | None:
    """The rights of the role; None if there is no such role."""
    given = {"role": here["role"], "schema": here["schema"], "knows_set_option": here["knows_set_option"]}
    return transaction.fetch_one(STANDING, given)


def _membership(here: Row) -> str:
    options = " WITH INHERIT FALSE, SET TRUE" if here["knows_set_option"] else ""
    return f"GRANT {here['role']} TO {here['login']}{options}"


def _refuse_unless(may_create: bool, here: Row) -> None:
    if not may_create:
        raise Misconfiguration(
            f"A service keeps its projects apart by a role that owns nothing, and {here['login']} may not make it in "
            f"database {here['database']}. An administrator can: CREATE ROLE {here['role']} NOLOGIN NOINHERIT; "
            f"{_membership(here)};"
        )


Connection = psycopg.Connection[dict[str, Any]]


MAX_CONNECTIONS = 16
WAIT_SECONDS = 5.0
STATEMENT_MILLISECONDS = 30_000
OPTIONS = f"-c statement_timeout={STATEMENT_MILLISECONDS} -c timezone=UTC"


class SharedPool:
    """A pool, and the schemas that are up to date."""

    def __init__(self, address: str, most_connections: int) -> None:
        self.address = address
        self.users: weakref.WeakSet[object] = weakref.WeakSet()
        self.preparing = threading.Lock()
        self.prepared: set[tuple[tuple[Schema, ...], bool]] = set()
        self.tenant_role = ""
        self._most = max(2, most_connections)
        self._working = threading.BoundedSemaphore(self._most // 2)
        self._of_thread = threading.local()
        self._pool: ConnectionPool[Connection] | None = None

    def connect(self) -> Connection:
        """A connection outside the pool, which reports at once why it fails; the pool would only report a timeout."""
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
        stats: dict[str, int] = {} if self._pool is None else self._pool.get_stats()
        names = {"open": "pool_size", "free": "pool_available", "waiting": "requests_waiting"}
        return {name: stats.get(theirs, 0) for name, theirs in names.items()}

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
                check=_check,
                open=True,
            )

    def close(self) -> None:
        """Give back every connection."""
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
            pools = [pool.numbers() for pool in self._pools.values()]
        totals = {"open": 0, "free": 0, "waiting": 0}
        for numbers in pools:
            for name, number in numbers.items():
                totals[name] += number
        return totals

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
"""Shared by the whole process, so that the limit on connections holds."""


def _check(connection: psycopg.Connection[Any]) -> None:
    """Raise an error where a connection is of no use any more.

    A server has nothing to say to an idle connection but that it ends; so it is asked only where something has come.
    """
    with DefaultSelector() as selector:
        selector.register(connection.fileno(), EVENT_READ)
        if selector.select(0):
            ConnectionPool.check_connection(connection)


def connecting(address: str) -> dict[str, Any]:
    """The arguments of a connection; options in the address are kept beside ours."""
    asked = conninfo_to_dict(address).get("options") or ""
    return {"row_factory": dict_row, "options": f"{asked} {OPTIONS}", "connect_timeout": int(WAIT_SECONDS)}


PARAMETER = re.compile(r"""(?P<verbatim>--[^\n]*|'[^']*'|"[^"]*")|(?<![:\w]):(?P<name>[a-z_][a-z0-9_]*)""")
STOP_AGAIN_SECONDS = 0.2
MIGRATION_LOCK = 0x66_67_75_69_64_65  # "fguide": one process at a time brings the tables up to date


class PostgresTransaction:
    """A transaction on one connection; a tenant's role is set with its first statement, in one round trip."""

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
            cursor.executemany(translate_parameters(sql), rows)

    def finish_as_owner(self, sql: str, parameters: Parameters) -> None:
        """Run the last statement of the transaction as the owner of the tables, and commit in the same round trip."""
        self._entering = None
        with self._connection.pipeline() if psycopg.Pipeline.is_supported() else nullcontext():
            if self.tenant:
                self._connection.execute(LEAVE)
            self._connection.execute(translate_parameters(sql), parameters)
            self._connection.execute("COMMIT")  # `commit()` would wait for an answer of its own

    def run_script(self, script: str) -> None:
        """Run the statements of a migration in one go, however long they take."""
        self.enter()
        self._connection.execute("SET LOCAL statement_timeout = 0")
        self._connection.execute(script.encode())

    def enter(self) -> None:
        """Set role, namespace and user, unless that is done."""
        entering, self._entering = self._entering, None
        if entering is not None:
            self._connection.execute(translate_parameters(ENTER), entering)

    def _run(self, sql: str, parameters: Parameters) -> psycopg.Cursor[dict[str, Any]]:
        if self._entering is None or not psycopg.Pipeline.is_supported():
            self.enter()
            return self._connection.execute(translate_parameters(sql), parameters)
        with self._connection.pipeline():
            self.enter()
            return self._connection.execute(translate_parameters(sql), parameters)


class PostgresDatabase:
    """A database server, connected on first use; all users of one address share its connections.

    With a `tenant`, the namespace of a project of a service, every transaction is limited to the rows of that project
    and of the user whom its thread serves. With `has_tenants` the walls are made, but not entered.
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

    @property
    def dialect(self) -> Dialect:
        """The kind of its SQL."""
        return "postgres"

    def describe(self) -> str:
        """Which database this is, without its password."""
        parts = conninfo_to_dict(self._address)
        return f"PostgreSQL, {parts.get('host', 'localhost')}, database {parts.get('dbname', 'of the user')}"

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
                if connection.isolation_level is not snapshot:  # to set what is set takes time too
                    connection.isolation_level = snapshot
                    connection.read_only = None if snapshot is None else True
                yield PostgresTransaction(connection, self._tenant)
                if connection.info.transaction_status is not TransactionStatus.IDLE:  # it may be committed already
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
        """Bring our tables up to date, one process at a time; the role of tenants, where it is needed."""
        with pool.connect() as connection:
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (MIGRATION_LOCK,))
            transaction = PostgresTransaction(connection)
            migrate(transaction, self._schemas, dialect="postgres")
            return raise_wall(transaction) if self._is_walled else ""


@lru_cache(maxsize=500)
def translate_parameters(sql: str) -> bytes:
    """A statement of ours in the driver's spelling: `:name` becomes `%(name)s`."""
    return PARAMETER.sub(lambda found: found["verbatim"] or f"%({found['name']})s", sql.replace("%", "%%")).encode()


@contextmanager
def _stoppable(connection: Connection, cancellation: Cancellation) -> Generator[None]:
    """A query ends on the server when its call is cancelled.

    A thread of its own asks for that, because it may wait for the network; it asks until the block has ended, because
    the server forgets what comes between two statements; and never after, because the connection is another's then.
    """
    ended = threading.Event()
    asking = threading.Lock()

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
