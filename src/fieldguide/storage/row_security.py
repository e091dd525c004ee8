"""Row-level security in PostgreSQL that keeps projects and users apart.

Every table has a policy (`wall`) that shows the rows of one project, and of one user where they are a person's. It does
not hold back who owns the tables: migrations, a project that is served alone, a server of the version before. So a
project of a service works as a role that owns nothing and inherits nothing, and each of its transactions says in its
first breath for which project and for whom it is.
"""

from typing import NamedTuple

from fieldguide.settings.access import ACTING_USER
from fieldguide.storage.database import Parameters, Row, Transaction
from fieldguide.text.errors import Misconfiguration

ENTER = """
    SELECT set_config('role', :role, TRUE), set_config('fieldguide.namespace', :namespace, TRUE),
        set_config('fieldguide.user', :user, TRUE)
"""
POLICY = "wall"
SURROUNDINGS = """
    SELECT quote_ident(current_database()) AS database, quote_ident(current_schema()) AS schema,
        quote_ident(current_user) AS login,
        'fieldguide_tenant_' || left(encode(sha256(convert_to(
            current_database() || '.' || current_schema(), 'UTF8')), 'hex'), 16) AS role,
        current_setting('server_version_num')::INTEGER >= 160000 AS knows_set_option,
        (SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user) AS may_create,
        (SELECT pg_has_role(datdba, 'USAGE') FROM pg_database WHERE datname = current_database()) AS owns_database,
        (SELECT pg_has_role(nspowner, 'USAGE') FROM pg_namespace WHERE nspname = current_schema()) AS owns_schema
"""
STANDING = """
    SELECT rolsuper OR rolbypassrls OR rolcreaterole OR rolcanlogin AS is_powerful,
        EXISTS (SELECT 1 FROM pg_auth_members WHERE member = pg_roles.oid) AS is_member,
        EXISTS (
            SELECT 1 FROM pg_class WHERE relowner = pg_roles.oid AND relnamespace = to_regnamespace(:schema)
        ) AS is_owner,
        pg_has_role(current_user, rolname, CASE WHEN :knows_set_option THEN 'SET' ELSE 'MEMBER' END) AS is_ours,
        has_schema_privilege(rolname, :schema, 'USAGE') AS has_schema,
        has_database_privilege(rolname, current_database(), 'TEMPORARY') AS has_room
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
FUNCTIONS = """
    SELECT pg_proc.oid::REGPROCEDURE::TEXT AS name
    FROM pg_proc
    WHERE pronamespace = to_regnamespace(:schema) AND starts_with(proname, 'search_')
        AND pg_has_role(current_user, proowner, 'USAGE')
        AND (has_function_privilege('public', pg_proc.oid, 'EXECUTE')
            OR :role <> '' AND NOT has_function_privilege(:role, pg_proc.oid, 'EXECUTE'))
    ORDER BY 1
"""
FIXED_PATH = """
    SELECT set_config('search_path', string_agg(quote_ident(name), ', ' ORDER BY place) || ', pg_temp', TRUE)
    FROM unnest(current_schemas(FALSE)) WITH ORDINALITY AS here (name, place)
    HAVING COUNT(*) > 0
"""


class Tenant(NamedTuple):
    """A project of a service: the role that it works as, and its namespace."""

    role: str
    namespace: str

    def entering(self) -> Parameters:
        """What the first statement of a transaction says; for nobody, where the service works by itself."""
        return {"role": self.role, "namespace": self.namespace, "user": ACTING_USER.get() or ""}


def fix_path(transaction: Transaction) -> None:
    """Until the transaction ends, names mean what lies in our own schemas, and never a table of a session's own first.

    A function that a migration makes with `SET search_path FROM CURRENT` keeps that path for good.
    """
    transaction.fetch_one(FIXED_PATH, {})


def close_functions(transaction: Transaction, role: str = "") -> None:
    """Let nobody call the functions of the tables but who owns them, and the role of tenants where there is one.

    Some read past the policies, and anybody might call a function unless that is taken back.
    """
    given = {"schema": _surroundings(transaction)["schema"], "role": role}
    for row in transaction.fetch_all(FUNCTIONS, given):
        transaction.execute(f"REVOKE ALL ON FUNCTION {row['name']} FROM PUBLIC", {})
        if role:
            transaction.execute(f"GRANT EXECUTE ON FUNCTION {row['name']} TO {role}", {})


def raise_wall(transaction: Transaction) -> str:
    """The role that tenants work as, made and given its rights where that is missing; a Misconfiguration if not."""
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
    _refuse_powerful(role, standing)
    if standing is not None and not standing["has_schema"]:
        _give(transaction, here, f"USAGE ON SCHEMA {here['schema']}", may=bool(here["owns_schema"]))
    if standing is not None and not standing["has_room"]:  # chunks come in through a table of the transaction's own
        _give(transaction, here, f"TEMPORARY ON DATABASE {here['database']}", may=bool(here["owns_database"]))
    _open_tables(transaction, here)
    close_functions(transaction, role)
    return role


def _give(transaction: Transaction, here: Row, right: str, *, may: bool) -> None:
    """Give the role a right that it needs and that was taken from everybody; who may not is told what to ask for."""
    statement = f"GRANT {right} TO {here['role']}"
    if not may:
        raise Misconfiguration(
            f"Projects of a service lack a right in database {here['database']}, and {here['login']} may not give it. "
            f"An administrator can: {statement};"
        )
    transaction.execute(statement, {})


def _open_tables(transaction: Transaction, here: Row) -> None:
    """Every table with a wall is open to tenants, behind its wall; any other stays closed to them."""
    given = {"schema": here["schema"], "role": here["role"], "policy": POLICY}
    for row in transaction.fetch_all(CLOSED, given):
        table = f"{here['schema']}.{row['name']}"
        transaction.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO {here['role']}", {})


def _surroundings(transaction: Transaction) -> Row:
    row = transaction.fetch_one(SURROUNDINGS, {})
    assert row is not None  # noqa: S101  it selects one row
    return row


def _standing(transaction: Transaction, here: Row) -> Row | None:
    """What the role may do, and what is missing; None where there is no such role."""
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


def _refuse_powerful(role: str, standing: Row | None) -> None:
    if standing is None or standing["is_powerful"] or standing["is_member"] or standing["is_owner"]:
        raise Misconfiguration(
            f"The role {role} may do more than a tenant should: it must not log in, pass policies by, make roles, own "
            "a table or belong to another role."
        )
