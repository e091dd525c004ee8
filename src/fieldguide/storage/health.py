"""Checks a database without changing it: its file, tables, server and row-level security."""

import os
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from urllib.parse import quote

from fieldguide.storage.database import Database, Row, Schema, Transaction
from fieldguide.storage.migrations import read_migrations
from fieldguide.storage.row_security import POLICY, SURROUNDINGS
from fieldguide.text import regex as re
from fieldguide.text.errors import StorageFailed


def find_file_problems(path: str) -> list[str]:
    """What is wrong with a SQLite file; nothing when it is well or not there yet."""
    if not os.path.exists(path):
        return []
    try:
        with closing(_opened(path)) as connection:
            found = [row[0] for row in connection.execute("PRAGMA integrity_check(5)")]
    except sqlite3.Error as error:
        return [str(error)]
    return [] if found == ["ok"] else found


def find_missing_tables(path: str, schemas: Sequence[Schema]) -> list[str]:
    """The tables of these schemas that a SQLite file lacks; all of them when it is no SQLite file."""
    wanted = [table for schema in schemas for table in schema.tables]
    try:
        with closing(_opened(path)) as connection:
            found = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except sqlite3.Error:
        return wanted
    return [table for table in wanted if table not in found]


def count_rows(path: str, tables: Sequence[str]) -> int:
    """How many rows some tables of a SQLite file hold together; none where there is no such file or table."""
    if not os.path.isfile(path):
        return 0
    count = 0
    with closing(_opened(path)) as connection:
        for table in tables:
            with suppress(sqlite3.Error):
                count += connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]  # noqa: S608  a name of ours
    return count


def find_server_problems(database: Database) -> list[str]:
    """What is wrong with a database server; nothing when it answers."""
    try:
        with database.reading() as transaction:
            transaction.fetch_one("SELECT 1 AS one", {})
    except StorageFailed as error:
        cause = error.__cause__
        return [str(cause).strip().splitlines()[0] if cause and str(cause).strip() else error.message]
    return []


def find_missing_walls(database: Database, schemas: Sequence[Schema]) -> list[str]:
    """What is wrong with the walls between the projects of a database server; it must answer."""

    with database.reading() as transaction:
        return find_wall_problems(transaction, schemas)


def _opened(path: str) -> sqlite3.Connection:
    """To look and not to touch; where nobody may write, as the file lies there."""
    can_write = os.access(path, os.W_OK) and os.access(os.path.dirname(path), os.W_OK)
    return sqlite3.connect(f"file:{quote(os.fsencode(path))}?mode=ro{'' if can_write else '&immutable=1'}", uri=True)


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


def find_wall_problems(transaction: Transaction, schemas: Iterable[Schema]) -> list[str]:
    """What is wrong with the walls of these tables; nothing when all stand and the role of tenants is what it was."""
    here = transaction.fetch_one(SURROUNDINGS, {})
    assert here is not None  # noqa: S101  it selects one row
    given = {"schema": here["schema"], "role": here["role"]}
    expected = {*list_expected_walls(schemas)}
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


def list_expected_walls(schemas: Iterable[Schema]) -> list[str]:
    """The tables that the migrations of these schemas put a wall before."""
    return [
        found.group(1)
        for schema in schemas
        for step in read_migrations(schema, dialect="postgres")
        for found in WRITTEN.finditer(step.script)
    ]
