"""Updates the import graph from the index: reads the imports of changed files, and names in quotes of tests.

A test that starts a program, patches a function or loads a plugin names it as a string. That is less sure than an
import, and told apart from one.

The texts come from the index, so nothing is read from disk twice. Where an import leads depends on which files there
are and on what manifests say: when those change, everything is resolved again from what is kept, without parsing.
"""

import hashlib
import json
import posixpath
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property, lru_cache, partial
from typing import Any, NamedTuple, cast

from fieldguide.code.imports.languages import read_imports, resolve_each
from fieldguide.code.imports.project_files import ConfinedFiles, ProjectListing
from fieldguide.code.imports.syntax import Import, take_import
from fieldguide.code.parsing import SyntaxProblem
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.kinds import is_test, language_of
from fieldguide.search.derived import Derived, DerivedRows, split_path_batches
from fieldguide.search.engine import SearchEngine
from fieldguide.storage.database import Transaction
from fieldguide.text import regex as re
from fieldguide.text.errors import FieldguideError

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


class ImportStore(DerivedRows):
    """The graph of one project, in one transaction of the index's database."""

    def hashes(self, only: Iterable[str] | None = None) -> dict[str, str]:
        """The content, by its hash, that the imports of each file, or only of some, were read from."""
        return self._fetch_stamps("SELECT path, hash AS stamp FROM import_file WHERE namespace = :namespace", only)

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
                {"namespace": self._namespace, "path": path, "hash": digest, "imports": _to_json(imports)}
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

    def importing(self, names: Sequence[str]) -> set[str]:
        """The files of `importers`, without the rest: thousands import what is common."""
        sql = """
            SELECT importer FROM import_edge
            WHERE namespace = :namespace AND imported = :name ORDER BY bond, importer LIMIT :most
        """
        return {row["importer"] for name in names for row in self._fetch(sql, name=name, most=MOST_IMPORTERS)}

    def imported_by(self, path: str) -> list[Edge]:
        """What a file imports, in the order of its lines."""
        sql = """
            SELECT importer, imported, line, bond FROM import_edge
            WHERE namespace = :namespace AND importer = :name ORDER BY line, imported LIMIT :most
        """
        return [_edge(row) for row in self._fetch(sql, name=path, most=MOST_IMPORTERS)]

    def edges(self) -> list[Edge]:
        """Every import of one file by another, up to a bound."""
        sql = """
            SELECT importer, imported, line, bond FROM import_edge WHERE namespace = :namespace LIMIT :most
        """
        return [_edge(row) for row in self._fetch(sql, most=MOST_EDGES_READ)]

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


def _edge(row: Mapping[str, Any]) -> Edge:
    return Edge(str(row["importer"]), str(row["imported"]), int(row["line"]), int(row["bond"]))


_to_json = partial(json.dumps, ensure_ascii=False, separators=(",", ":"))


def _imports(text: str) -> list[Import]:
    rows = cast("list[list[Any]]", json.loads(text))
    return [take_import(row) for row in rows]


FACES = {"__init__": ("python",), "lib": ("rust",), "mod": ("rust",), "index": ("javascript", "tsx", "typescript")}
"""The names of files that stand for a package, and the languages in which they do."""
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
        importers = [edge.importer for edge in store.importers([source]) if edge.bond == IMPORTS]
        for face in [each for each in importers if _is_face(each) and each not in seen][:MOST_FACES]:
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


def _is_face(path: str) -> bool:
    return language_of(path) in FACES.get(posixpath.basename(path).rpartition(".")[0], ())


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
    return posixpath.basename(folder) if _is_face(path) else name.partition(".")[0]


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
    for each in imports:
        if not given.isdisjoint(_taken(each)):
            return each.line
    return 0


QUOTED = "quoted"
ALONE = re.compile(r"""^\s*["']([\w./-]{3,200})["']""", re.MULTILINE)  # a line that begins with it: an argument
DOTTED = re.compile(r"""["'](\w+(?:[./]\w+){1,12})["']""")
MOST_NAMES = 1_000
MOST_ALIKE = 3  # files: a name that more have names none of them
MOST_PARTS = 5
SHORT = 4  # characters: such a name alone may mean anything
OF_FOLDER = frozenset(("__init__", "index", "mod"))


def find_quoted_names(text: str) -> list[Import]:
    """The strings of a text that may name a module, with their lines; a bare word only where a line begins with it."""
    found: dict[str, Import] = {}
    line = 1
    counted = 0
    for match in sorted((*ALONE.finditer(text), *DOTTED.finditer(text)), key=lambda each: each.start(1)):
        line += text.count("\n", counted, match.start(1))
        counted = match.start(1)
        found.setdefault(match.group(1), Import(match.group(1), line, keyword=QUOTED))
        if len(found) >= MOST_NAMES:
            break
    return list(found.values())


class Tails:
    """The code files of a project by the ends of their paths, as others may name them."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._found: dict[str, list[str]] = {}
        self._alike = cache(self._find_alike)
        for path in paths:
            if language_of(path) is not None:
                for name in _names_of(path):
                    held = self._found.setdefault(name, [])
                    if len(held) <= MOST_ALIKE:
                        held.append(path)

    def alike(self, each: Import) -> list[str]:
        """The files whose paths end as a name does, by the longest such end; none where many do."""
        return self._alike(each.text, each.keyword, each.names)

    def _find_alike(self, text: str, keyword: str, names: tuple[str, ...]) -> list[str]:
        for name in _spoken(text, keyword, names):
            for end in _telling_ends(name):
                found = self._found.get(end, [])
                if 0 < len(found) <= MOST_ALIKE:
                    return found
        return []


def _telling_ends(name: str) -> Iterator[str]:
    """The ends of a name, the longest first, each with its last part and without; none that may mean anything."""
    parts = [part for part in name.split("/") if part]
    for start in range(len(parts)):
        for end in (len(parts), len(parts) - 1):
            if start == 0 or end - start > 1 or len(parts[start]) > SHORT:
                yield "/".join(parts[start:end])


def _names_of(path: str) -> Iterator[str]:
    stem, _, _ = path.rpartition(".")
    parts = (stem or path).split("/")
    kept = parts[:-1] if parts[-1] in OF_FOLDER else parts
    for count in range(1, min(len(kept), MOST_PARTS) + 1):
        yield "/".join(kept[-count:])
    if kept is not parts:
        yield parts[-1]
    yield posixpath.basename(path)


def _spoken(written: str, keyword: str, names: tuple[str, ...]) -> Iterator[str]:
    """A name as a path, in the ways in which it may be meant."""
    text = written.replace("::", "/").replace("\\", "/").strip("./")
    if keyword == "include":
        yield text
    elif "/" not in text:
        yield text.replace(".", "/")
    else:
        is_path = language_of(text) is not None
        yield text.rpartition(".")[0] if is_path and keyword == QUOTED else text
        if "." in text and not is_path:
            yield text.replace(".", "/")
    if keyword == "from":  # of Python: what is taken may be a module
        yield from names


VERSION = "2"  # of how imports are read and resolved: what was made by another is made again
BATCH = 200
MOST_LEADS = 40  # files: an import that leads to more names none of them
LONGEST_TEXT = 1 << 19
TYPES = ".d.ts"
ATTRIBUTE = re.compile(r"\b([A-Za-z_]\w*)\.([A-Za-z_]\w*)")
MOST_ATTRIBUTES = 200
MANIFESTS = frozenset(
    ("Cargo.toml", "go.mod", "go.work", "package.json", "composer.json", "tsconfig.json", "jsconfig.json")
)


def update_import_graph(
    engine: SearchEngine,
    namespace: str,
    project: ConfinedFolder,
    paths: Sequence[str],
    only: Iterable[str] | None = None,
    resolved: Iterable[str] = (),
) -> int:
    """Read the imports of what is new in the index, and resolve what that changes; how many files were read.

    `paths` are all files of the project; `only` some of them are looked at where no other has changed. Those that are
    `resolved` among the same paths are not resolved again.
    """
    with engine.database.reading() as transaction:
        now = {
            path: f"{VERSION} {digest}" for path, digest in load_indexed_hashes(transaction, namespace, only).items()
        }
        store = ImportStore(transaction, namespace)
        before = store.hashes(only)
        surroundings = store.surroundings()
    around = _surroundings(project, paths)
    files = cache(lambda: ListedFiles(project, paths))
    graph = Derived(engine, namespace, ImportStore, partial(_bring, engine, namespace, files), BATCH)
    changed = graph.update(before, now)
    if around != surroundings:
        _resolve_all(engine, namespace, files(), but=frozenset((*changed, *resolved)))
        with engine.database.writing() as transaction:
            ImportStore(transaction, namespace).keep_surroundings(around)
    return len(changed)


def _bring(engine: SearchEngine, namespace: str, files: Callable[[], "ListedFiles"], wanted: Mapping[str, str]) -> None:
    """Keep what some files import and where it leads, or neither: a kill leaves nothing half done."""
    texts = load_indexed_texts(engine, namespace, wanted)
    read: list[tuple[str, str, Sequence[Import]]] = []
    edges: list[Edge] = []
    for path, digest in wanted.items():
        imports: Sequence[Import] = ()
        with suppress(Exception):  # such a file is given up by the pass over the code, and told there
            imports = read_file_imports(path, texts[path])
            edges += resolve_edges(path, imports, files())
        read.append((path, digest, imports))
    with engine.database.writing() as transaction:
        _keep(transaction, namespace, read, edges)


def keep_imports(
    transaction: Transaction, namespace: str, read: Iterable[tuple[str, str, Sequence[Import]]], files: "ListedFiles"
) -> None:
    """Keep what files import (path, hash of the content, imports), and where it leads among the project's files."""
    stamped = [(path, f"{VERSION} {digest}", imports) for path, digest, imports in read]
    edges = [edge for path, _, imports in stamped for edge in resolve_edges(path, imports, files)]
    _keep(transaction, namespace, stamped, edges)


def _keep(
    transaction: Transaction,
    namespace: str,
    read: Sequence[tuple[str, str, Sequence[Import]]],
    edges: Iterable[Edge],
) -> None:
    store = ImportStore(transaction, namespace)
    store.put(read)
    store.lead([path for path, _, _ in read], edges)


def load_indexed_hashes(transaction: Transaction, namespace: str, only: Iterable[str] | None = None) -> dict[str, str]:
    """The code in the index, or only some of it, by path, with the hash of its content."""
    sql = """
        SELECT search_document.name AS path, search_document.hash AS hash
        FROM search_document JOIN search_source ON search_source.id = search_document.source_id
        WHERE search_source.kind = :kind
    """
    kind = {"kind": f"{namespace}code"}
    if only is None:
        rows = list(transaction.fetch_all(sql, kind))
    else:
        named = f"{sql} AND search_document.name = :path"
        rows = [row for path in only for row in transaction.fetch_all(named, {**kind, "path": path})]
    return {str(row["path"]): str(row["hash"]) for row in rows}


def load_indexed_texts(engine: SearchEngine, namespace: str, paths: Iterable[str]) -> dict[str, str]:
    """The texts of some files, as the index has them."""
    sql = """
        SELECT search_text.text AS text
        FROM search_text
        JOIN search_document ON search_document.id = search_text.document_id
        JOIN search_source ON search_source.id = search_document.source_id
        WHERE search_source.kind = :kind AND search_document.name = :path
    """
    texts: dict[str, str] = {}
    with engine.database.reading() as transaction:
        for path in paths:
            row = transaction.fetch_one(sql, {"kind": f"{namespace}code", "path": path})
            texts[path] = str(row["text"]) if row else ""
    return texts


def read_file_imports(path: str, text: str, read: Callable[[str, str], list[Import]] = read_imports) -> list[Import]:
    """What a file imports as it is written there; of a test also what it names in quotes."""
    language = language_of(path)
    if language is None or len(text) > LONGEST_TEXT:
        return []
    quoted = find_quoted_names(text) if is_test(path) and language != "go" else []  # Go quotes what it imports
    with suppress(SyntaxProblem, FieldguideError):
        found = read(text, language)
        return [*(_with_attributes(found, text) if language == "python" else found), *quoted]
    return quoted


def _with_attributes(imports: Sequence[Import], text: str) -> list[Import]:
    """The imports of a Python file; one such as `import shop` has the names that are used of it, as in `shop.Cart`."""
    bare = {each.text for each in imports if each.keyword == "import" and "." not in each.text}
    used: dict[str, dict[str, None]] = {name: {} for name in bare}
    for match in ATTRIBUTE.finditer(text) if bare else ():
        names = used.get(match.group(1))
        if names is not None and len(names) < MOST_ATTRIBUTES:
            names[match.group(2)] = None
    return [each._replace(names=tuple(used[each.text])) if each.text in used else each for each in imports]


def _resolve_all(engine: SearchEngine, namespace: str, files: "ListedFiles", *, but: frozenset[str]) -> None:
    """Resolve what is kept of every other file again."""
    with engine.database.reading() as transaction:
        written = ImportStore(transaction, namespace).written()
    for some in split_path_batches((path for path in written if path not in but), BATCH):
        engine.way.give()
        edges: list[Edge] = []
        for path in some:
            with suppress(Exception):  # as in `_bring`
                edges += resolve_edges(path, written[path], files)
        with engine.database.writing() as transaction:
            ImportStore(transaction, namespace).lead(some, edges)


def resolve_edges(path: str, imports: Sequence[Import], files: "ListedFiles") -> list[Edge]:
    """Where the imports of a file lead, each once, by the surest line that says so."""
    found: list[Edge] = []
    unsure: list[Import] = [each for each in imports if each.keyword == QUOTED]
    written = [each for each in imports if each.keyword != QUOTED]
    for each, leads in resolve_each(path, written, language_of(path) or "", files):
        found += [Edge(path, lead, each.line) for lead in _told(path, leads)]
        found += [Edge(path, lead, each.line, AROUND) for lead in _around(leads, files)]
        unsure += _unsure(each, leads)
    if is_test(path):
        found += _alike(path, unsure, files)
    return _surest(path, found)


def _unsure(each: Import, leads: list[str]) -> list[Import]:
    """What an import may mean beside where it leads: it itself where that is nowhere, code of which it has the types.

    What declares types stands for code of the same name, wherever that lies.
    """
    if not leads:
        return [each]
    typed = [posixpath.basename(lead).removesuffix(TYPES) for lead in leads if lead.endswith(TYPES)]
    return [Import(stem, each.line) for stem in typed]


def _alike(path: str, unsure: Iterable[Import], files: "ListedFiles") -> Iterator[Edge]:
    """The files that have the names that a test imports from nowhere, or has in quotes."""
    for each in unsure:
        bond = NAMES if each.keyword == QUOTED else ALIKE
        yield from (Edge(path, lead, each.line, bond) for lead in files.tails.alike(each))


def _surest(path: str, edges: list[Edge]) -> list[Edge]:
    """The first of the surest edges to each file; none to the file itself."""
    surest: dict[str, Edge] = {}
    for edge in sorted(edges, key=lambda edge: edge.bond):
        surest.setdefault(edge.imported, edge)
    surest.pop(path, None)
    return list(surest.values())


def _told(path: str, leads: list[str]) -> list[str]:
    """A package of Go is one folder, however many files it has."""
    if leads and language_of(path) == "go":
        return [f"{folder}/" for folder in dict.fromkeys(map(posixpath.dirname, leads))]
    return leads if len(leads) <= MOST_LEADS else []


def _around(leads: list[str], files: "ListedFiles") -> list[str]:
    """What is imported with a file: the package that it lies in (Python), the code that its types are of."""
    packages = (f"{posixpath.dirname(lead)}/__init__.py" for lead in leads if lead.endswith(".py"))
    typed = (lead.removesuffix(TYPES) for lead in leads if lead.endswith(TYPES))
    beside = (f"{stem}{end}" for stem in typed for end in (".js", ".mjs", ".ts"))
    return [path for path in dict.fromkeys((*packages, *beside)) if path not in leads and files.exists(path)]


class ListedFiles(ConfinedFiles):
    """The project's files by their list alone: looking for one asks no disk, and what was read is kept."""

    lists_folders = False

    def __init__(self, project: ConfinedFolder, paths: Sequence[str]) -> None:
        super().__init__(project, lambda: paths)
        self._there = frozenset(paths)
        self._contents: dict[str, bytes | None] = {}
        self._whole = ProjectListing(paths)
        self.remembered: dict[str, Any] = {}
        """What resolvers made of configurations; this look at the project is of one moment."""

    @cached_property
    def tails(self) -> Tails:
        """The files by the ends of their paths."""
        return Tails(self._whole.paths)

    def exists(self, path: str) -> bool:
        """Whether the list has it."""
        return path in self._there

    def read(self, path: str) -> bytes | None:
        """The bytes of a file of the list; manifests are asked for again and again, and kept."""
        if path not in self._there:
            return None
        if posixpath.basename(path) not in MANIFESTS:
            return super().read(path)
        if path not in self._contents:
            self._contents[path] = super().read(path)
        return self._contents[path]

    def listing(self) -> ProjectListing:
        """The list itself."""
        return self._whole


def _surroundings(project: ConfinedFolder, paths: Sequence[str]) -> str:
    """What tells whether imports may lead elsewhere than before."""
    listed, manifests = _digest_paths(tuple(paths))
    told = [VERSION, listed]
    for path in manifests:
        status = project.status(path)
        told.append(f"{path}\0{status and (status.st_mtime_ns, status.st_size)}")
    return hashlib.sha256("\0".join(told).encode("utf-8", "surrogatepass")).hexdigest()


@lru_cache(maxsize=2)
def _digest_paths(paths: tuple[str, ...]) -> tuple[str, list[str]]:
    """A hash of a list of files, which is the same one after most saves, and the manifests among them."""
    digest = hashlib.sha256("\0".join(paths).encode("utf-8", "surrogatepass")).hexdigest()
    return digest, [path for path in paths if path.rpartition("/")[2] in MANIFESTS]


MOST_PACKAGES = 24
ENOUGH_PACKAGES = 7
MOST_SHARE = 0.5
LARGE_SHARE = 0.3  # a package with more of all files is split into its folders
MOST_EDGES_READ = 200_000


class MapFolder(NamedTuple):
    """A package on the map of a project: its folder, its number of files, its share of all change, and its owners."""

    folder: str
    files: int
    activity: float = 0.0
    owners: tuple[str, ...] = ()


class FolderMap(NamedTuple):
    """The packages below a folder and how often each imports another; what changes most there, and what it holds.

    `hot` has files with how often they changed; `subfolders` the number of files in each, `files` those right there.
    """

    packages: Sequence[MapFolder]
    imports: Mapping[tuple[str, str], int]
    hot: Sequence[tuple[str, int]] = ()
    subfolders: Mapping[str, int] = {}
    files: Sequence[str] = ()
    owners: Sequence[str] = ()


def group_packages(paths: Sequence[str], top: str = "") -> dict[str, list[str]]:
    """Files by package: the folders below `top`, and those of a folder that has many of the files."""
    if not paths:
        return {}
    groups: dict[str, list[str]] = {top: [*paths]}
    settled: set[str] = set()
    while True:
        waiting = [folder for folder in groups if folder not in settled]
        largest = max(waiting, key=lambda folder: len(groups[folder]), default=None)
        if largest is None:
            return groups
        parts = split_folder(groups[largest], largest)
        share = len(groups[largest]) / len(paths)
        is_large = share > LARGE_SHARE or len(groups) < ENOUGH_PACKAGES
        has_room = share > MOST_SHARE or len(groups) + len(parts) - 1 <= MOST_PACKAGES
        settled.add(largest)
        is_chain = len(parts) == 1 and largest not in parts
        if is_chain or (len(parts) > 1 and is_large and has_room):
            del groups[largest]
            groups |= parts


def split_folder(paths: Iterable[str], folder: str) -> dict[str, list[str]]:
    """The files of a folder by the folders in it; those right in it stay under its own name."""
    parts: dict[str, list[str]] = {}
    begin = len(folder) + 1 if folder else 0
    for path in paths:
        inner, slash, _ = path[begin:].partition("/")
        below = f"{folder}/{inner}" if folder else inner
        parts.setdefault(below if slash else folder, []).append(path)
    return parts


def count_package_imports(groups: Mapping[str, Sequence[str]], edges: Iterable[Edge]) -> dict[tuple[str, str], int]:
    """How often the files of each package import files of another."""
    package_of = {path: folder for folder, paths in groups.items() for path in paths}
    for path in [*package_of]:  # Go imports folders
        package_of.setdefault(f"{path.rpartition('/')[0]}/", package_of[path])
    found: Counter[tuple[str, str]] = Counter()
    for edge in edges:
        ends = (package_of.get(edge.importer), package_of.get(edge.imported))
        if edge.bond in (IMPORTS, AROUND) and None not in ends and ends[0] != ends[1]:
            found[cast("tuple[str, str]", ends)] += 1
    return dict(found)
