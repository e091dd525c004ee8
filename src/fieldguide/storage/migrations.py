"""Numbered steps that bring each toolset's tables up to date: applied once, in one transaction, under a lock."""

from collections.abc import Iterable
from importlib.resources import files
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.errors import Misconfiguration
from fieldguide.storage.port import Schema, Transaction

FILE_NAME = re.compile(r"(\d{4})_(\w+)\.(sqlite|postgres)\.sql")
LEDGER = """
    CREATE TABLE IF NOT EXISTS schema_migration (
        toolset TEXT NOT NULL,
        number INTEGER NOT NULL,
        name TEXT NOT NULL,
        applied_at TEXT NOT NULL,
        PRIMARY KEY (toolset, number)
    )
"""


class Migration(NamedTuple):
    """One step of one toolset."""

    toolset: str
    number: int
    name: str
    script: str


def migrate(transaction: Transaction, schemas: Iterable[Schema], *, dialect: str) -> list[Migration]:
    """Apply what is missing; the caller holds the lock and commits. A database from the future is refused."""
    transaction.execute(LEDGER, {})
    missing = missing_migrations(transaction, schemas, dialect=dialect)
    for migration in missing:
        _apply(transaction, migration)
    return missing


def missing_migrations(transaction: Transaction, schemas: Iterable[Schema], *, dialect: str) -> list[Migration]:
    """The steps that a database lacks, in order; reading is enough to tell."""
    rows = transaction.fetch_all("SELECT toolset, number FROM schema_migration", {})
    applied = {(row["toolset"], row["number"]) for row in rows}
    missing: list[Migration] = []
    for schema in schemas:
        known = read_migrations(schema, dialect=dialect)
        newest = max((number for toolset, number in applied if toolset == schema.toolset), default=0)
        if newest > len(known):
            raise Misconfiguration(
                f"The database holds version {newest} of the {schema.toolset} tables, this server knows {len(known)}: "
                "update fieldguide, or serve another database."
            )
        missing += [each for each in known if (each.toolset, each.number) not in applied]
    return missing


def read_migrations(schema: Schema, *, dialect: str) -> list[Migration]:
    """The steps of a toolset for one kind of database, in order; a gap in the numbers is an error."""
    found: list[Migration] = []
    for entry in files(schema.package).joinpath("migrations").iterdir():
        match = FILE_NAME.fullmatch(entry.name)
        if match and match.group(3) == dialect:
            script = entry.read_text(encoding="utf-8")
            found.append(Migration(schema.toolset, int(match.group(1)), match.group(2), script))
    found.sort(key=lambda migration: migration.number)
    if [migration.number for migration in found] != list(range(1, len(found) + 1)):
        raise Misconfiguration(f"The migrations of {schema.toolset!r} for {dialect} are not numbered 1, 2, 3 ….")
    return found


def _apply(transaction: Transaction, migration: Migration) -> None:
    transaction.run_script(migration.script)
    transaction.execute(
        "INSERT INTO schema_migration (toolset, number, name, applied_at) VALUES (:toolset, :number, :name, now())",
        {"toolset": migration.toolset, "number": migration.number, "name": migration.name},
    )
