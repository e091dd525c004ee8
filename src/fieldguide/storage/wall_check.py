"""Whether the walls of a PostgreSQL database stand as our migrations made them, and who could get past them."""

from collections.abc import Iterable

from fieldguide import linear_regex as re
from fieldguide.storage.migrations import read_migrations
from fieldguide.storage.port import Row, Schema, Transaction
from fieldguide.storage.walls import POLICY, SURROUNDINGS

WRITTEN = re.compile(r"CREATE POLICY wall ON (\w+)")
TABLES = """
    SELECT relname AS name, relrowsecurity AND EXISTS (
            SELECT 1 FROM pg_policy WHERE polrelid = pg_class.oid AND polname = :policy AND polcmd = '*'
        ) AND (SELECT COUNT(*) FROM pg_policy WHERE polrelid = pg_class.oid) = 1 AS stands,
        EXISTS (
            SELECT 1 FROM pg_roles WHERE rolname = :role
                AND has_table_privilege(rolname, pg_class.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE')
        ) AS is_open
    FROM pg_class
    WHERE relnamespace = to_regnamespace(:schema) AND relkind IN ('r', 'p') ORDER BY relname
"""
ROLE = """
    SELECT rolsuper OR rolbypassrls OR rolcreaterole OR rolcanlogin OR EXISTS (
        SELECT 1 FROM pg_auth_members WHERE member = pg_roles.oid
    ) OR EXISTS (
        SELECT 1 FROM pg_class WHERE relowner = pg_roles.oid AND relnamespace = to_regnamespace(:schema)
    ) AS is_powerful
    FROM pg_roles WHERE rolname = :role
"""


def wall_problems(transaction: Transaction, schemas: Iterable[Schema]) -> list[str]:
    """What is wrong with the walls of these tables; nothing when all stand and the role of tenants is what it was."""
    here = transaction.fetch_one(SURROUNDINGS, {})
    assert here is not None  # noqa: S101  it selects one row
    given = {"schema": here["schema"], "role": here["role"]}
    expected = {*expected_walls(schemas)}
    tables = transaction.fetch_all(TABLES, {**given, "policy": POLICY})
    problems = [_problem(row, str(here["role"]), expected) for row in tables]
    role = transaction.fetch_one(ROLE, given)
    if role is not None and role["is_powerful"]:
        problems.append(f"the role {here['role']} may do more than a tenant should")
    return [each for each in problems if each]


def _problem(table: Row, role: str, expected: set[str]) -> str:
    """What is wrong with one table; nothing when it is well."""
    if table["stands"]:
        return ""
    if table["name"] in expected:
        return f"the table {table['name']} has no wall"
    return f"the table {table['name']} is open to {role} without a wall" if table["is_open"] else ""


def expected_walls(schemas: Iterable[Schema]) -> list[str]:
    """The tables that the migrations of these schemas put a wall before."""
    return [
        found.group(1)
        for schema in schemas
        for step in read_migrations(schema, dialect="postgres")
        for found in WRITTEN.finditer(step.script)
    ]
