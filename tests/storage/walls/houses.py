"""A database with rows of several projects and users in every table, and doors that stay behind the walls of one."""

from pathlib import Path
from typing import Any, NamedTuple

import fieldguide
from fieldguide.settings.access import bind_caller
from fieldguide.storage.database import FINDINGS_SCHEMA as DISCOVERIES
from fieldguide.storage.database import Database, Schema, Transaction
from fieldguide.storage.postgres import PostgresDatabase
from fieldguide.toolsets.tasks.tools import SCHEMA as TASKS

SCHEMAS = (TASKS, DISCOVERIES)
NOT_FOR_TENANTS = {
    "schema_migration": "which steps were applied; only who owns the tables applies them",
    "registry_revision": "the service's own list of projects",
    "hosted_project": "the service's own list of projects",
    "project_grant": "who may do what, which the service asks before it serves anything",
    "access_token": "hashes of tokens",
    "audit_entry": "what everybody did",
    "page_key": "what opens pages",
}
TABLES = """
    SELECT relname AS name FROM pg_class
    WHERE relnamespace = to_regnamespace(current_schema()) AND relkind IN ('r', 'p') ORDER BY relname
"""
COLUMNS = """
    SELECT column_name AS name FROM information_schema.columns
    WHERE table_schema = current_schema() AND table_name = :table AND is_generated = 'NEVER' ORDER BY ordinal_position
"""
WORK = """
    INSERT INTO task (namespace, user_id, title, created_at, updated_at)
    VALUES (:namespace, :user, :mark, now(), now());
    INSERT INTO work_session (id, project, connection, user_id, status, topics, tool_calls, started_at, active_at)
    VALUES (:mark, :namespace, :mark, :user, 'completed', '[]', 1, now(), now());
    INSERT INTO work_session_file VALUES (:mark, :mark, 1, now(), now())
"""
PROJECT = """
    INSERT INTO discovery (id, project, session_id, type, content, evidence, fingerprint, created_at)
    VALUES (:mark, :namespace, :mark, 'rule', :mark, '{}', :mark, now());
    INSERT INTO context_item VALUES (:namespace, 'file', :mark, 1, 1, 1, 1, 1, 'active', now());
    INSERT INTO context_total VALUES (:namespace, 1, 1)
"""


class House(NamedTuple):
    """A user in a project."""

    namespace: str
    user: str

    @property
    def mark(self) -> str:
        """What stands in the rows that are this user's alone."""
        return f"{self.namespace[:-1]}private{self.user}"

    @property
    def shared_mark(self) -> str:
        """What stands in the rows that all users of the project share."""
        return f"{self.namespace[:-1]}shared"

    def may_not_see(self) -> list[str]:
        """What stands in the rows of others."""
        others = [each for each in EVERYBODY if each != self]
        shared = {each.shared_mark for each in others} - {self.shared_mark}
        return [*(each.mark for each in others), *sorted(shared)]

    def door(self, address: str) -> PostgresDatabase:
        """The database behind the walls of this project."""
        return PostgresDatabase(address, SCHEMAS, tenant=self.namespace)


ANN, BOB, BERRY_ANN = House("apple|", "ann"), House("apple|", "bob"), House("berry|", "ann")
EVERYBODY = (ANN, BOB, BERRY_ANN)


def every_schema() -> list[Schema]:
    """All that any part of the product keeps, found by its migrations."""
    root = Path(fieldguide.__file__).parent
    folders = sorted(
        {path.parent.relative_to(root).parts for path in root.rglob("*.postgres.sql") if "migrations" in path.parts}
    )
    found: list[Schema] = []
    for parts in folders:
        at = parts.index("migrations")
        package = ".".join(("fieldguide", *parts[:at]))
        found.append(Schema("/".join(parts), package, folder="/".join(parts[at:])))
    return found


def fill(database: Database) -> None:
    """Put a row of everybody into every table, past the walls."""
    with database.writing() as transaction:
        for house in EVERYBODY:
            run(transaction, WORK, {**house._asdict(), "mark": house.mark})
        for house in (ANN, BERRY_ANN):
            run(transaction, PROJECT, {"namespace": house.namespace, "mark": house.shared_mark})


def run(transaction: Transaction, script: str, given: dict[str, Any]) -> None:
    for statement in script.split(";"):
        transaction.execute(statement, given)


def tables(database: Database) -> list[str]:
    with database.reading() as transaction:
        return [row["name"] for row in transaction.fetch_all(TABLES, {})]


def dump(database: Database, of: House | None = None) -> dict[str, list[str]]:
    """Every row of every table, as text, that its door shows; through the owner's door, all."""
    listed = [name for name in tables(database) if name not in NOT_FOR_TENANTS]

    def read() -> dict[str, list[str]]:
        with database.reading() as transaction:
            return {name: sorted(texts_of(transaction, name)) for name in listed}

    return bind_caller(of.user, read)() if of else read()


def texts_of(transaction: Transaction, table: str) -> list[str]:
    """Every row of a table that this transaction sees."""
    rows = transaction.fetch_all(f"SELECT CAST({table} AS text) AS row FROM {table}", {})  # noqa: S608  names of ours
    return [str(row["row"]) for row in rows]
