"""Stores the packed symbol facts of files in the database, and which files contain a name."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from fieldguide.code.symbols.facts import PackedFacts, collect_names, unpack_shape, unpack_uses
from fieldguide.search.derived import DerivedRows

MOST_FILES = 2_000


class KeptFile(NamedTuple):
    """A file that is kept, and the hash of the content that was read for it."""

    id: int
    path: str
    hash: str
    part: int = 0
    """Whether it defines (1) or uses (2) the name that was asked for, or does both (3)."""


class SymbolStore(DerivedRows):
    """The symbols of one project, in one transaction of the index's database."""

    def hashes(self, only: Iterable[str] | None = None) -> dict[str, str]:
        """The content, by its hash, that the facts of each file, or only of some, were read from."""
        return self._fetch_stamps("SELECT path, hash AS stamp FROM symbol_file WHERE namespace = :namespace", only)

    def put(self, path: str, digest: str, packed: PackedFacts) -> None:
        """Keep the facts of a file in place of what was kept of it."""
        before = self._names(path)
        row = self._transaction.fetch_one(
            """
            INSERT INTO symbol_file (namespace, path, hash, shape, uses)
            VALUES (:namespace, :path, :hash, :shape, :uses)
            ON CONFLICT (namespace, path)
            DO UPDATE SET hash = excluded.hash, shape = excluded.shape, uses = excluded.uses
            RETURNING id
            """,
            {
                "namespace": self._namespace,
                "path": path,
                "hash": digest,
                "shape": packed.shape,
                "uses": packed.uses,
            },
        )
        if row is not None:
            self._keep_names(int(row["id"]), before, packed.names)

    def forget(self, paths: Iterable[str]) -> None:
        """Forget files that are gone."""
        for path in paths:
            kept = self.file(path)
            if kept is not None:
                self._keep_names(kept.id, self._names(path), {})
                self._transaction.execute("DELETE FROM symbol_file WHERE id = :id", {"id": kept.id})

    def file(self, path: str) -> KeptFile | None:
        """What is kept of a path."""
        rows = self._fetch(
            "SELECT id, path, hash FROM symbol_file WHERE namespace = :namespace AND path = :path", path=path
        )
        return _kept(rows[0]) if rows else None

    def having(self, name: str, part: int, most: int = MOST_FILES) -> list[KeptFile]:
        """The files that define (1) or use (2) a name, by path; at most so many.

        `CROSS JOIN` has SQLite begin with the few files of the name, and not with all of the project's.
        """
        sql = """
            SELECT symbol_file.id AS id, symbol_file.path AS path, symbol_file.hash AS hash, symbol_name.part AS part
            FROM symbol_name CROSS JOIN symbol_file
            WHERE symbol_file.id = symbol_name.file_id AND symbol_file.namespace = :namespace
            AND symbol_name.name = :name AND symbol_name.part IN (:part, 3)
            ORDER BY symbol_file.path LIMIT :most
        """
        return [_kept(row) for row in self._fetch(sql, name=name, part=part, most=most)]

    def names(self, most: int) -> list[str]:
        """What is defined, by name; at most so many."""
        sql = """
            SELECT DISTINCT symbol_name.name AS name
            FROM symbol_name JOIN symbol_file ON symbol_file.id = symbol_name.file_id
            WHERE symbol_file.namespace = :namespace AND symbol_name.part IN (1, 3)
            ORDER BY symbol_name.name LIMIT :most
        """
        return [str(row["name"]) for row in self._fetch(sql, most=most)]

    def most_used(self, most: int) -> list[str]:
        """What is defined in one or two files and used in most, by name; at most so many."""
        sql = """
            SELECT symbol_name.name AS name
            FROM symbol_name JOIN symbol_file ON symbol_file.id = symbol_name.file_id
            WHERE symbol_file.namespace = :namespace
            GROUP BY symbol_name.name
            HAVING SUM(CASE WHEN symbol_name.part = 2 THEN 0 ELSE 1 END) BETWEEN 1 AND 2
            ORDER BY COUNT(*) DESC, symbol_name.name LIMIT :most
        """
        return [str(row["name"]) for row in self._fetch(sql, most=most)]

    def shape(self, file_id: int) -> bytes:
        """What a file defines and imports, packed."""
        row = self._transaction.fetch_one("SELECT shape FROM symbol_file WHERE id = :id", {"id": file_id})
        return bytes(row["shape"]) if row else b""

    def uses(self, file_id: int) -> bytes:
        """The names that a file uses, packed."""
        row = self._transaction.fetch_one("SELECT uses FROM symbol_file WHERE id = :id", {"id": file_id})
        return bytes(row["uses"]) if row else b""

    def state(self) -> tuple[str, str]:
        """What imports are resolved in, and the manifests among it, as JSON."""
        rows = self._fetch("SELECT surroundings, manifests FROM symbol_state WHERE namespace = :namespace")
        return (str(rows[0]["surroundings"]), str(rows[0]["manifests"])) if rows else ("", "[]")

    def keep_state(self, surroundings: str, manifests: str) -> None:
        """Note what imports are resolved in."""
        self._transaction.execute(
            """
            INSERT INTO symbol_state (namespace, surroundings, manifests) VALUES (:namespace, :surroundings, :manifests)
            ON CONFLICT (namespace) DO UPDATE SET surroundings = excluded.surroundings, manifests = excluded.manifests
            """,
            {"namespace": self._namespace, "surroundings": surroundings, "manifests": manifests},
        )

    def _names(self, path: str) -> dict[str, int]:
        """The names of a file as it is kept."""
        kept = self.file(path)
        if kept is None:
            return {}
        defined = ((name, kind) for name, kind, _ in unpack_shape(self.shape(kept.id))[0].heads())
        return collect_names(defined, unpack_uses(self.uses(kept.id)))

    def _keep_names(self, file_id: int, before: Mapping[str, int], now: Mapping[str, int]) -> None:
        gone = [{"name": name, "id": file_id} for name in before if name not in now]
        changed = [
            {"name": name, "id": file_id, "part": part} for name, part in now.items() if before.get(name) != part
        ]
        self._transaction.execute_many("DELETE FROM symbol_name WHERE name = :name AND file_id = :id", gone)
        self._transaction.execute_many(
            """
            INSERT INTO symbol_name (name, file_id, part) VALUES (:name, :id, :part)
            ON CONFLICT (name, file_id) DO UPDATE SET part = excluded.part
            """,
            changed,
        )


def _kept(row: Mapping[str, Any]) -> KeptFile:
    return KeptFile(int(row["id"]), str(row["path"]), str(row["hash"]), int(row.get("part", 0)) if "part" in row else 0)
