"""Applies the numbered migrations of each toolset, once, under a lock.

On PostgreSQL servers of two versions work side by side while one after the other is replaced. A step that is newer than
the version before is written down as `toolset+N`: whoever knows N steps or more goes on beside it. A server that knows
fewer, and a step that is written down plainly and unknown, make the start fail.

What goes through a large table is a step of one statement that opens with `-- Piece by piece`: it commits after each
piece, so that nobody waits for long, and may be begun again. It comes after all others.
"""

from collections.abc import Iterable
from importlib.resources import files
from typing import NamedTuple

from fieldguide.storage.database import Schema, Transaction
from fieldguide.text import regex as re
from fieldguide.text.errors import Misconfiguration

FILE_NAME = re.compile(r"(\d{4})_(\w+)\.(sqlite|postgres)\.sql")
BESIDE = "+"
PIECE_BY_PIECE = "-- Piece by piece"
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
    works_with: int = 0

    @property
    def is_in_pieces(self) -> bool:
        """Whether it commits by itself, again and again."""
        return self.script.startswith(PIECE_BY_PIECE)

    @property
    def written_as(self) -> str:
        """Whose step this is, as the ledger has it."""
        return f"{self.toolset}{BESIDE}{self.works_with}" if self.works_with else self.toolset


def migrate(transaction: Transaction, schemas: Iterable[Schema], *, dialect: str) -> list[Migration]:
    """Apply what is missing; the caller holds the lock and commits. A database from the future is refused.

    What goes piece by piece is left: `migrate_in_pieces` applies it afterwards.
    """
    transaction.execute(LEDGER, {})
    missing = [each for each in find_missing_migrations(transaction, schemas, dialect=dialect) if not each.is_in_pieces]
    for migration in missing:
        _apply(transaction, migration)
    return missing


def migrate_in_pieces(connection: Transaction, schemas: Iterable[Schema], *, dialect: str) -> None:
    """Apply what goes through large tables; the caller holds a lock, and no transaction."""
    for migration in find_missing_migrations(connection, schemas, dialect=dialect):
        _apply(connection, migration)


def find_missing_migrations(transaction: Transaction, schemas: Iterable[Schema], *, dialect: str) -> list[Migration]:
    """The steps that a database lacks, in order; reading is enough to tell."""
    rows = transaction.fetch_all("SELECT toolset, number FROM schema_migration", {})
    missing: list[Migration] = []
    for schema in schemas:
        known = read_migrations(schema, dialect=dialect)
        applied = {row["number"]: row["toolset"] for row in rows if _owner(row["toolset"]) == schema.toolset}
        newest = max((number for number, said in applied.items() if not _goes_on(number, said, len(known))), default=0)
        if newest:
            raise Misconfiguration(
                f"The database holds version {newest} of the {schema.toolset} tables, this server knows {len(known)}: "
                "update fieldguide, or serve another database."
            )
        missing += [each for each in known if each.number not in applied]
    return missing


def _owner(written_as: str) -> str:
    return written_as.partition(BESIDE)[0]


def _goes_on(number: int, written_as: str, known: int) -> bool:
    """Whether a server that knows this many steps works on a database in which this one was made."""
    beside = written_as.partition(BESIDE)[2]
    return number <= known or (beside.isdecimal() and int(beside) <= known)


def read_migrations(schema: Schema, *, dialect: str) -> list[Migration]:
    """The steps of a toolset for one kind of database, in order; a gap in the numbers is an error."""
    found: list[Migration] = []
    for entry in files(schema.package).joinpath(schema.folder).iterdir():
        match = FILE_NAME.fullmatch(entry.name)
        if match and match.group(3) == dialect:
            script = entry.read_text(encoding="utf-8")
            number = int(match.group(1))
            is_newer = dialect == "postgres" and 0 < schema.released < number
            beside = schema.released if is_newer else 0
            found.append(Migration(schema.toolset, number, match.group(2), script, beside))
    found.sort(key=lambda migration: migration.number)
    if [migration.number for migration in found] != list(range(1, len(found) + 1)):
        raise Misconfiguration(f"The migrations of {schema.toolset!r} for {dialect} are not numbered 1, 2, 3 ….")
    return found


def _apply(transaction: Transaction, migration: Migration) -> None:
    transaction.run_script(migration.script)
    transaction.execute(
        "INSERT INTO schema_migration (toolset, number, name, applied_at) VALUES (:toolset, :number, :name, now())",
        {"toolset": migration.written_as, "number": migration.number, "name": migration.name},
    )
