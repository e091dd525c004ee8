"""The import graph in the database: what files import as written, and where that leads."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from fieldguide.source_code.imports import Import
from fieldguide.storage.port import Transaction

MOST_IMPORTERS = 2_000
IMPORTS, AROUND, NAMES, ALIKE = range(4)
"""How a file is bound to what it imports: it imports it, or a part of the package that it stands for; a test names it
in quotes; or a test imports from elsewhere what has the same name."""


class Edge(NamedTuple):
    """A file that imports, what it imports, the line that says so, and how sure it is that it does."""

    importer: str
    imported: str
    line: int
    bond: int = IMPORTS


class ImportStore:
    """The graph of one project, in one transaction of the index's database."""

    def __init__(self, transaction: Transaction, namespace: str) -> None:
        self._transaction = transaction
        self._namespace = namespace

    def hashes(self, only: Iterable[str] | None = None) -> dict[str, str]:
        """The content, by its hash, that the imports of each file, or only of some, were read from."""
        sql = "SELECT path, hash FROM import_file WHERE namespace = :namespace"
        if only is None:
            rows = list(self._fetch(sql))
        else:
            rows = [row for path in only for row in self._fetch(f"{sql} AND path = :path", path=path)]
        return {str(row["path"]): str(row["hash"]) for row in rows}

    def written(self) -> dict[str, list[Import]]:
        """The imports of every file, as they are written there."""
        rows = self._fetch("SELECT path, imports FROM import_file WHERE namespace = :namespace")
        return {str(row["path"]): _imports(str(row["imports"])) for row in rows}

    def paths(self) -> list[str]:
        """Every code file that is known, by name."""
        rows = self._fetch("SELECT path FROM import_file WHERE namespace = :namespace ORDER BY path")
        return [str(row["path"]) for row in rows]

    def put(self, files: Iterable[tuple[str, str, Sequence[Import]]]) -> None:
        """Keep the imports of some files: path, hash of the content, and what it says."""
        self._transaction.execute_many(
            """
            INSERT INTO import_file (namespace, path, hash, imports) VALUES (:namespace, :path, :hash, :imports)
            ON CONFLICT (namespace, path) DO UPDATE SET hash = excluded.hash, imports = excluded.imports
            """,
            [
                {"namespace": self._namespace, "path": path, "hash": digest, "imports": _text(imports)}
                for path, digest, imports in files
            ],
        )

    def forget(self, paths: Iterable[str]) -> None:
        """Forget files that are gone, and what they imported."""
        rows = [{"namespace": self._namespace, "path": path} for path in paths]
        for table, column in (("import_file", "path"), ("import_edge", "importer")):
            self._transaction.execute_many(
                f"DELETE FROM {table} WHERE namespace = :namespace AND {column} = :path",  # noqa: S608  names of ours
                rows,
            )

    def lead(self, paths: Iterable[str], edges: Iterable[Edge]) -> None:
        """Keep where the imports of these files lead, in place of where they led."""
        self._transaction.execute_many(
            "DELETE FROM import_edge WHERE namespace = :namespace AND importer = :path",
            [{"namespace": self._namespace, "path": path} for path in paths],
        )
        self._transaction.execute_many(
            """
            INSERT INTO import_edge (namespace, imported, importer, line, bond)
            VALUES (:namespace, :imported, :importer, :line, :bond)
            ON CONFLICT (namespace, imported, importer) DO NOTHING
            """,
            [{"namespace": self._namespace, **each._asdict()} for each in edges],
        )

    def importers(self, names: Sequence[str]) -> list[Edge]:
        """Who imports these, by path; at most so many."""
        sql = """
            SELECT importer, imported, line, bond FROM import_edge
            WHERE namespace = :namespace AND imported = :name ORDER BY bond, importer LIMIT :most
        """
        return [_edge(row) for name in names for row in self._fetch(sql, name=name, most=MOST_IMPORTERS)]

    def imported_by(self, path: str) -> list[Edge]:
        """What a file imports, in the order of its lines."""
        sql = """
            SELECT importer, imported, line, bond FROM import_edge
            WHERE namespace = :namespace AND importer = :name ORDER BY line, imported LIMIT :most
        """
        return [_edge(row) for row in self._fetch(sql, name=path, most=MOST_IMPORTERS)]

    def surroundings(self) -> str:
        """What the edges were made in; nothing where they never were."""
        rows = self._fetch("SELECT surroundings FROM import_state WHERE namespace = :namespace")
        return str(rows[0]["surroundings"]) if rows else ""

    def keep_surroundings(self, said: str) -> None:
        """Note what the edges were made in: from now on they are whole."""
        self._transaction.execute(
            """
            INSERT INTO import_state (namespace, surroundings) VALUES (:namespace, :said)
            ON CONFLICT (namespace) DO UPDATE SET surroundings = excluded.surroundings
            """,
            {"namespace": self._namespace, "said": said},
        )

    def _fetch(self, sql: str, **given: Any) -> Sequence[Mapping[str, Any]]:
        return self._transaction.fetch_all(sql, {"namespace": self._namespace, **given})


def _edge(row: Mapping[str, Any]) -> Edge:
    return Edge(str(row["importer"]), str(row["imported"]), int(row["line"]), int(row["bond"]))


def _text(imports: Sequence[Import]) -> str:
    return json.dumps([list(each) for each in imports], ensure_ascii=False, separators=(",", ":"))


def _imports(text: str) -> list[Import]:
    rows = cast("list[list[Any]]", json.loads(text))
    return [Import(row[0], row[1], row[2], row[3], tuple(row[4]), row[5]) for row in rows]
