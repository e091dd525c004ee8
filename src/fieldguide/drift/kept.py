"""What a check keeps from one time to the next: the words of each file, the mentions of each document, what git told.

It can all be made again, so it lies beside the index.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol

from fieldguide.storage.port import Database

WORDS, MENTIONS, REMOVED, FOUND = "words", "mentions", "removed", "found"
BATCH = 500


class KeptPart(NamedTuple):
    """A part with the stamp of what it was made from."""

    stamp: str
    content: bytes


class Kept(Protocol):
    """Where parts are kept: by what they are, and by the file that they are of."""

    def read(self, part: str) -> Mapping[str, KeptPart]:
        """All of one kind, by file."""
        ...

    def put(self, part: str, rows: Mapping[str, KeptPart]) -> None:
        """Keep these in place of what was kept of their files."""
        ...

    def forget(self, part: str, names: Iterable[str]) -> None:
        """Keep nothing of these files."""
        ...


class KeptInMemory:
    """For one check, where there is no database."""

    def __init__(self) -> None:
        self._parts: dict[str, dict[str, KeptPart]] = {}

    def read(self, part: str) -> Mapping[str, KeptPart]:
        """All of one kind, by file."""
        return dict(self._parts.get(part, {}))

    def put(self, part: str, rows: Mapping[str, KeptPart]) -> None:
        """Keep these in place of what was kept of their files."""
        self._parts.setdefault(part, {}).update(rows)

    def forget(self, part: str, names: Iterable[str]) -> None:
        """Keep nothing of these files."""
        for name in names:
            self._parts.get(part, {}).pop(name, None)


class KeptInDatabase:
    """Beside the index of a project."""

    def __init__(self, database: Database, namespace: str) -> None:
        self._database = database
        self._namespace = namespace

    def read(self, part: str) -> Mapping[str, KeptPart]:
        """All of one kind, by file."""
        sql = "SELECT name, stamp, content FROM drift_part WHERE namespace = :namespace AND part = :part"
        with self._database.reading() as transaction:
            rows = transaction.fetch_all(sql, {"namespace": self._namespace, "part": part})
        return {str(row["name"]): KeptPart(str(row["stamp"]), bytes(row["content"])) for row in rows}

    def put(self, part: str, rows: Mapping[str, KeptPart]) -> None:
        """Keep these in place of what was kept of their files."""
        sql = """
            INSERT INTO drift_part (namespace, part, name, stamp, content)
            VALUES (:namespace, :part, :name, :stamp, :content)
            ON CONFLICT (namespace, part, name) DO UPDATE SET stamp = excluded.stamp, content = excluded.content
        """
        given = [
            {"namespace": self._namespace, "part": part, "name": name, "stamp": each.stamp, "content": each.content}
            for name, each in rows.items()
            if _is_text(name)
        ]
        for start in range(0, len(given), BATCH):
            with self._database.writing() as transaction:
                transaction.execute_many(sql, given[start : start + BATCH])

    def forget(self, part: str, names: Iterable[str]) -> None:
        """Keep nothing of these files."""
        sql = "DELETE FROM drift_part WHERE namespace = :namespace AND part = :part AND name = :name"
        rows = [{"namespace": self._namespace, "part": part, "name": name} for name in names]
        if rows:
            with self._database.writing() as transaction:
                transaction.execute_many(sql, rows)


def _is_text(name: str) -> bool:
    """Whether a file's name is text: a database takes no other, and such a file is read again each time."""
    return name.isascii() or not any("\ud800" <= each <= "\udfff" for each in name)
