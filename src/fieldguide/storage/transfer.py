"""Copies all tables from one database to another, and checks SQLite files, servers and the walls between projects.

A transfer is one transaction on the target: it succeeds as a whole, with equal checksums, or changes nothing.
"""

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from typing import Any, NamedTuple
from urllib.parse import quote

from fieldguide.storage.database import Database, Dialect, Row, Schema, Transaction, read_migrations
from fieldguide.text import regex as re
from fieldguide.text.errors import Refusal, StorageFailed

TRANSFER_BATCH = 1000
MODULUS = 2**256
TRANSFERRED_COLUMNS = {
    "sqlite": "SELECT name, type FROM pragma_table_info(:table)",
    "postgres": "SELECT column_name AS name, data_type AS type"
    " FROM information_schema.columns WHERE table_name = :table AND table_schema = current_schema()",
}
KEYS = {
    "sqlite": "SELECT name FROM pragma_table_info(:table) WHERE pk > 0 ORDER BY pk",
    "postgres": "SELECT part.column_name AS name FROM information_schema.table_constraints AS key"
    " JOIN information_schema.key_column_usage AS part USING (constraint_schema, constraint_name)"
    " WHERE key.constraint_type = 'PRIMARY KEY' AND key.table_name = :table AND key.table_schema = current_schema()"
    " ORDER BY part.ordinal_position",
}


class TableReport(NamedTuple):
    """How many rows of a table were copied, and their checksum."""

    table: str
    rows: int
    checksum: str


def transfer(
    source: Database, target: Database, schemas: Iterable[Schema], *, replace: bool = False
) -> list[TableReport]:
    """Copy every table; a target that already holds rows is refused unless `replace`."""
    carried = list(schemas)
    tables = [table for schema in carried for table in schema.tables]
    with source.reading() as origin, target.writing() as copy:
        _make_room(copy, tables, replace=replace)
        reports: list[TableReport] = []
        for table in tables:
            _carry(origin, source.dialect, copy, table)
            reports.append(_compared(origin, source.dialect, copy, target.dialect, table))
        for schema in carried:
            for table in schema.counters:
                _carry_counter(origin, source.dialect, copy, table)
    return reports


def summarize_table(transaction: Transaction, dialect: Dialect, table: str) -> TableReport:
    """How many rows a table holds, and a checksum that does not depend on their order or on the database."""
    rows = total = 0
    for batch in _read_batches(transaction, dialect, table):
        rows += len(batch)
        for row in batch:
            total += int.from_bytes(hashlib.sha256(json.dumps(row, sort_keys=True).encode()).digest(), "big")
    return TableReport(table, rows, f"{total % MODULUS:064x}")


def _make_room(copy: Transaction, tables: list[str], *, replace: bool) -> None:
    for table in reversed(tables):
        held = copy.fetch_one(f"SELECT COUNT(*) AS held FROM {table}", {})  # noqa: S608  a name of ours
        if held is None or not held["held"]:
            continue
        if not replace:
            raise Refusal(
                f"The target holds {held['held']} rows in {table!r} already; nothing was changed.", way_out="--replace"
            )
        copy.execute(f"DELETE FROM {table}", {})  # noqa: S608  a name of ours


def _carry(origin: Transaction, dialect: Dialect, copy: Transaction, table: str) -> None:
    for batch in _read_batches(origin, dialect, table):
        names = list(batch[0])
        places = ", ".join(f":{name}" for name in names)
        insert = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({places})"  # noqa: S608  names of ours
        copy.execute_many(insert, batch)


def _read_batches(transaction: Transaction, dialect: Dialect, table: str) -> Iterator[list[dict[str, Any]]]:
    """Every row in one form for both databases, a thousand at a time."""
    columns = transaction.fetch_all(TRANSFERRED_COLUMNS[dialect], {"table": table})
    flags = {column["name"] for column in columns if str(column["type"]).upper() == "BOOLEAN"}
    keys = [row["name"] for row in transaction.fetch_all(KEYS[dialect], {"table": table})]
    listed = ", ".join(keys)
    named = ", ".join(f":{key}" for key in keys)
    rest = f"ORDER BY {listed} LIMIT {TRANSFER_BATCH}"
    batch = transaction.fetch_all(f"SELECT * FROM {table} {rest}", {})  # noqa: S608  names of ours
    while batch:
        yield [_to_plain_row(row, flags) for row in batch]
        last = {key: batch[-1][key] for key in keys}
        following = f"SELECT * FROM {table} WHERE ({listed}) > ({named}) {rest}"  # noqa: S608  names of ours
        batch = transaction.fetch_all(following, last)


def _to_plain_row(row: Row, flags: set[str]) -> dict[str, Any]:
    return {name: _plain_value(row[name], is_flag=name in flags) for name in row.keys()}  # noqa: SIM118  sqlite3.Row


def _plain_value(value: Any, *, is_flag: bool) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    return bool(value) if is_flag else value


def _carry_counter(origin: Transaction, source: Dialect, copy: Transaction, table: str) -> None:
    """Continue the ids of the old database, so that no number is given out twice."""
    later = f"""
        INSERT INTO {table} (namespace, user_id, last) VALUES (:namespace, :user_id, :last)
        ON CONFLICT (namespace, user_id) DO UPDATE SET last = EXCLUDED.last WHERE {table}.last < EXCLUDED.last
    """  # noqa: S608  a name of ours
    for batch in _read_batches(origin, source, table):
        copy.execute_many(later, batch)


def _compared(origin: Transaction, source: Dialect, copy: Transaction, target: Dialect, table: str) -> TableReport:
    wanted = summarize_table(origin, source, table)
    found = summarize_table(copy, target, table)
    if wanted != found:
        raise StorageFailed(f"The copy of {table!r} is not equal to its source; nothing was changed.")
    return found


def find_file_problems(path: str) -> list[str]:
    """What is wrong with a SQLite file; empty if it is intact or does not exist yet."""
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
    """A read-only connection; immutable where nobody can write."""
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
    """What is wrong with the walls of these tables and the role of tenants; empty if nothing is."""
    from fieldguide.storage.postgres import POLICY, SURROUNDINGS  # with its driver, which is an extra

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
