"""What a new step for PostgreSQL may do while servers of the version before read and write the same tables."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from fieldguide.storage.database import PIECE_BY_PIECE, Schema, read_migrations

BODY = re.compile(r"\$(\w*)\$.*?\$\1\$", re.DOTALL)
COMMENT = re.compile(r"--[^\n]*")
CREATED = re.compile(r"CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+)", re.IGNORECASE)
INDEXED = re.compile(r"CREATE (?:UNIQUE )?INDEX (CONCURRENTLY )?.*? ON (\w+)", re.IGNORECASE | re.DOTALL)
REASON = "-- Writers wait:"
NOT_NEEDED = "-- Older servers do not need it:"
FORBIDDEN = {
    r"\bDROP\s+(TABLE|COLUMN|SCHEMA|VIEW|SEQUENCE|TYPE|EXTENSION)\b": "drops what an older server may use",
    r"\bRENAME\b": "renames what an older server names",
    r"(^|;)\s*TRUNCATE\b": "empties a table",
    r"\bALTER\s+COLUMN\s+\w+\s+(SET\s+DATA\s+)?TYPE\b": "rewrites a table while nobody can read it",
    r"\bALTER\s+COLUMN\s+\w+\s+SET\s+NOT\s+NULL\b": "refuses rows that an older server writes",
    r"\bFORCE\s+ROW\s+LEVEL\s+SECURITY\b": "hides its own rows from an older server, which owns the tables",
}
DROPPED_CONSTRAINT = re.compile(r"\bDROP\s+CONSTRAINT\b", re.IGNORECASE)
EXPLAINED_CONSTRAINT = re.compile(rf"^{NOT_NEEDED}[^\n]*\n[^;\n]*\bDROP CONSTRAINT\b", re.IGNORECASE | re.MULTILINE)
NEW_COLUMN = re.compile(r"\bADD\s+(?:COLUMN\s+)(?:IF\s+NOT\s+EXISTS\s+)?(\w+)([^,;]*)", re.IGNORECASE)
LARGE = ("search_chunk", "search_text", "search_document", "symbol_name", "symbol_file", "trace_mark", "import_edge")
REWRITTEN = re.compile(rf"^\s*(?:UPDATE|DELETE FROM)\s+({'|'.join(LARGE)})\b", re.IGNORECASE | re.MULTILINE)
FILLED = re.compile(
    rf"^\s*INSERT INTO\s+\w+[^;]*?\bSELECT\b[^;]*?\bFROM\s+({'|'.join(LARGE)})\b",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)


class Step(NamedTuple):
    """A new step of one schema."""

    name: str
    script: str


def new_steps(schema: Schema) -> Iterator[Step]:
    """The steps that the version before does not know."""
    for step in read_migrations(schema, dialect="postgres"):
        if schema.released and step.number > schema.released:
            yield Step(f"{schema.toolset} {step.number:04} {step.name}", step.script)


def problems(script: str) -> Iterator[str]:
    """Each thing in a script that takes something away from servers of the version before, or holds them up."""
    plain = COMMENT.sub("", BODY.sub("''", script))
    yield from (why for pattern, why in FORBIDDEN.items() if re.search(pattern, plain, re.IGNORECASE))
    for column, rest in NEW_COLUMN.findall(plain):
        if re.search(r"\bNOT\s+NULL\b", rest, re.IGNORECASE) and "DEFAULT" not in rest.upper():
            yield f"adds {column}, which an older server does not fill"
    if not script.startswith(PIECE_BY_PIECE):
        for table in (*REWRITTEN.findall(plain), *FILLED.findall(plain)):
            yield f"goes through {table}, whose rows may be a million, in one transaction: see `{PIECE_BY_PIECE}`"
    yield from _problems_of_indexes(script, plain)
    dropped, explained = len(DROPPED_CONSTRAINT.findall(plain)), len(EXPLAINED_CONSTRAINT.findall(script))
    if dropped > explained:
        yield f"drops a constraint that an older server may rely on, and does not say why not (`{NOT_NEEDED} …`)"


def _problems_of_indexes(script: str, plain: str) -> Iterator[str]:
    made = {table.lower() for table in CREATED.findall(plain)}
    for concurrently, table in INDEXED.findall(plain):
        if table.lower() not in made and not concurrently and not _is_explained(script, table):
            yield f"builds an index of {table} while its writers wait, and does not say why (`{REASON} …`)"


def _is_explained(script: str, table: str) -> bool:
    """Whether the lines above the statement give the reason."""
    before: list[str] = []
    for line in script.splitlines():
        if re.search(rf"\bINDEX\b.*\bON {table}\b", line, re.IGNORECASE) or (
            re.search(r"\bCREATE (UNIQUE )?INDEX\b", line, re.IGNORECASE) and table in script
        ):
            return any(each.startswith(REASON) for each in before)
        before = [*before, line.strip()] if line.strip().startswith("--") else []
    return False
