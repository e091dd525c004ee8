"""Whether a SQLite file holds what our migrations made, and nothing that acts by itself on our tables.

A trigger runs when we write, a view can stand in a table's place: a file that somebody else has had in hand is known by
them.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

OBJECTS = "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"


class SchemaObject(NamedTuple):
    """A table, index, view or trigger as SQLite keeps it."""

    type: str
    name: str
    table: str
    sql: str | None


def schema_objects(connection: sqlite3.Connection) -> dict[str, SchemaObject]:
    """Everything that a file's schema names."""
    return {row[1]: SchemaObject(*row) for row in connection.execute(OBJECTS)}


def foreign_object(found: Mapping[str, SchemaObject], expected: Mapping[str, SchemaObject]) -> str | None:
    """The first thing that is not as our migrations leave it, in words; None when all is ours.

    Tables of toolsets that are not served now are nobody's business here.
    """
    ours = {each.name for each in expected.values() if each.type == "table"}
    for name, wanted in sorted(expected.items()):
        if name not in found:
            return f"{wanted.type} {name} is missing"
        if found[name] != wanted:
            return f"{name} is not the {wanted.type} that it was made as"
    return next(_acting(found.values(), ours=ours, expected=expected), None)


def _acting(found: Iterable[SchemaObject], *, ours: set[str], expected: Mapping[str, SchemaObject]) -> Iterator[str]:
    for each in found:
        if each.type in ("trigger", "index") and each.table in ours and each.name not in expected:
            yield f"{each.type} {each.name} on {each.table} is not ours"
