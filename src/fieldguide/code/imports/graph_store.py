"""Stores the import graph in the database, and finds importers through re-exporting files.

`from shop import total` leads to `shop/__init__.py`; where that file imports `total` from `shop/prices.py`, the
importer depends on `prices.py`. The same holds for `index.ts` and for `pub use` in `lib.rs` or `mod.rs`. Faces of faces
are followed a few steps up. It is worked out when it is asked for, from what the graph keeps, so that nothing goes
stale when a face changes.
"""

import json
import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from fieldguide.code.imports.syntax import Import
from fieldguide.storage.database import Transaction
from fieldguide.text import regex as re

MOST_IMPORTERS = 2_000
MOST_TAKERS = 400
IMPORTS, AROUND, NAMES, ALIKE, THROUGH = range(5)
"""How a file is bound to what it imports: it imports it, or a part of the package that it stands for; a test names it
in quotes; or a test imports from elsewhere what has the same name. `THROUGH` the face of a package is never kept: it is
worked out (`faces.py`)."""


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

    def imports_of(self, path: str) -> list[Import]:
        """The imports of one file, as they are written there."""
        rows = self._fetch("SELECT imports FROM import_file WHERE namespace = :namespace AND path = :path", path=path)
        return _imports(str(rows[0]["imports"])) if rows else []

    def takers(self, path: str) -> list[tuple[str, list[Import]]]:
        """The files that import a file, with everything that they import; at most so many."""
        sql = """
            SELECT import_file.path AS path, import_file.imports AS imports
            FROM import_edge
            JOIN import_file ON import_file.namespace = import_edge.namespace
                AND import_file.path = import_edge.importer
            WHERE import_edge.namespace = :namespace AND import_edge.imported = :name AND import_edge.bond = :bond
            ORDER BY import_file.path LIMIT :most
        """
        rows = self._fetch(sql, name=path, bond=IMPORTS, most=MOST_TAKERS)
        return [(str(row["path"]), _imports(str(row["imports"]))) for row in rows]

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


SCRIPT_ENDINGS = ("ts", "tsx", "js", "jsx", "mjs", "cjs", "mts", "cts")
FACES = frozenset(("__init__.py", "__init__.pyi", "lib.rs", "mod.rs", *(f"index.{end}" for end in SCRIPT_ENDINGS)))
EVERYTHING = "*"
MOST_STEPS = 3
MOST_FACES = 8
WORD = re.compile(r"\w+")


def find_importers_through_faces(store: ImportStore, path: str, text: str) -> list[Edge]:
    """The files that import, through a face, what a file defines; `text` is the file's, to know what it defines."""
    defined = frozenset(WORD.findall(text))
    found: dict[str, Edge] = {}
    seen = {path}
    waiting = [(path, defined, 0)]
    while waiting and len(seen) <= MOST_FACES:
        source, names, steps = waiting.pop(0)
        for face in _faces_of(store, source, seen):
            given = _given(store.imports_of(face), source, names)
            seen.add(face)
            if not given:
                continue
            for importer, imports in store.takers(face):
                line = _line_taking(imports, given)
                if line and importer not in seen:
                    found.setdefault(importer, Edge(importer, face, line, THROUGH))
            if steps + 1 < MOST_STEPS:
                waiting.append((face, given, steps + 1))
    return list(found.values())


def _faces_of(store: ImportStore, path: str, seen: Iterable[str]) -> list[str]:
    importers = (edge.importer for edge in store.importers([path]) if edge.bond == IMPORTS)
    return [each for each in importers if posixpath.basename(each) in FACES and each not in seen][:MOST_FACES]


def _given(imports: Iterable[Import], source: str, defined: frozenset[str]) -> frozenset[str]:
    """The names that a face takes from a file, and so gives out; all that the file has where it takes everything."""
    module = _module_of(source)
    given: set[str] = set()
    for each in imports:
        if module not in WORD.findall(each.text):
            continue
        for name in _taken(each):
            is_all = name == EVERYTHING or (each.keyword == "use" and name == module)  # `use a::*` is read as `use a`
            given |= defined if is_all else {name} & defined
    return frozenset(given)


def _module_of(path: str) -> str:
    """What imports call a file: its name, or that of its folder where it is a face itself."""
    folder, name = posixpath.split(path)
    return posixpath.basename(folder) if name in FACES else name.partition(".")[0]


def _taken(each: Import) -> Iterator[str]:
    """The names that an import takes; of Rust the last part of the path."""
    if each.keyword == "use":
        yield each.text.rpartition("::")[2]
    elif each.keyword == "from" and not each.names:  # `from x import *` has no names
        yield EVERYTHING
    else:
        yield from each.names


def _line_taking(imports: Iterable[Import], given: frozenset[str]) -> int:
    """The first line that takes one of these names; 0 for none."""
    return next((each.line for each in imports if any(name in given for name in _taken(each))), 0)
