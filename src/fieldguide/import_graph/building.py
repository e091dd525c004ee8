"""Brings the import graph up to date with the index: a file's imports are read once for each content.

The texts come from the index, so nothing is read from disk twice. Where an import leads depends on which files there
are and on what manifests say: when those change, everything is resolved again from what is kept, without parsing.
"""

import hashlib
import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import FieldguideError
from fieldguide.import_graph.changes import batches, changes_since
from fieldguide.import_graph.names import QUOTED, Tails, names_in_quotes
from fieldguide.import_graph.store import ALIKE, AROUND, NAMES, Edge, ImportStore
from fieldguide.search.engine import SearchEngine
from fieldguide.source_code.imports import ConfinedFiles, Import, Listing, SyntaxProblem, lead_of, read_imports
from fieldguide.source_code.languages import language_of
from fieldguide.source_code.test_files import is_test
from fieldguide.storage.port import Transaction

VERSION = "1"  # of how imports are read and resolved: what was made by another is made again
BATCH = 200
MOST_LEADS = 40  # files: an import that leads to more names none of them
LONGEST_TEXT = 1 << 19
TYPES = ".d.ts"
MANIFESTS = frozenset(
    ("Cargo.toml", "go.mod", "go.work", "package.json", "composer.json", "tsconfig.json", "jsconfig.json")
)


def bring_up(
    engine: SearchEngine,
    namespace: str,
    project: ConfinedFolder,
    paths: Sequence[str],
    only: Iterable[str] | None = None,
) -> int:
    """Read the imports of what is new in the index, and resolve what that changes; how many files were read.

    `paths` are all files of the project; `only` some of them are looked at where no other has changed.
    """
    with engine.database.reading() as transaction:
        now = {path: f"{VERSION} {digest}" for path, digest in indexed_hashes(transaction, namespace, only).items()}
        store = ImportStore(transaction, namespace)
        before, surroundings = store.hashes(only), store.surroundings()
    changed, gone = changes_since(before, now)
    around = _surroundings(project, paths)
    if not changed and not gone and around == surroundings:
        return 0
    files = ListedFiles(project, paths)
    for some in batches(changed, BATCH):
        _bring(engine, namespace, {path: now[path] for path in some}, files)
    if gone:
        with engine.database.writing() as transaction:
            ImportStore(transaction, namespace).forget(gone)
    if around != surroundings:
        _resolve_all(engine, namespace, files, but=frozenset(changed))
        with engine.database.writing() as transaction:
            ImportStore(transaction, namespace).keep_surroundings(around)
    return len(changed)


def _bring(engine: SearchEngine, namespace: str, wanted: Mapping[str, str], files: "ListedFiles") -> None:
    """Keep what some files import and where it leads, or neither: a kill leaves nothing half done."""
    engine.way.give()
    read = _read(engine, namespace, wanted)
    edges = [edge for path, _, imports in read for edge in edges_of(path, imports, files)]
    with engine.database.writing() as transaction:
        store = ImportStore(transaction, namespace)
        store.put(read)
        store.lead(list(wanted), edges)


def indexed_hashes(transaction: Transaction, namespace: str, only: Iterable[str] | None = None) -> dict[str, str]:
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


def indexed_texts(engine: SearchEngine, namespace: str, paths: Iterable[str]) -> dict[str, str]:
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


def _read(engine: SearchEngine, namespace: str, wanted: Mapping[str, str]) -> list[tuple[str, str, Sequence[Import]]]:
    texts = indexed_texts(engine, namespace, wanted)
    return [(path, digest, imports_in(path, texts[path])) for path, digest in wanted.items()]


def imports_in(path: str, text: str) -> list[Import]:
    """What a file imports as it is written there; of a test also what it names in quotes."""
    language = language_of(path)
    if language is None or len(text) > LONGEST_TEXT:
        return []
    quoted = names_in_quotes(text) if is_test(path) and language != "go" else []  # Go quotes what it imports
    with suppress(SyntaxProblem, FieldguideError):
        return [*read_imports(text, language), *quoted]
    return quoted


def _resolve_all(engine: SearchEngine, namespace: str, files: "ListedFiles", *, but: frozenset[str]) -> None:
    """Resolve what is kept of every other file again."""
    with engine.database.reading() as transaction:
        written = ImportStore(transaction, namespace).written()
    for some in batches((path for path in written if path not in but), BATCH):
        engine.way.give()
        edges = [edge for path in some for edge in edges_of(path, written[path], files)]
        with engine.database.writing() as transaction:
            ImportStore(transaction, namespace).lead(some, edges)


def edges_of(path: str, imports: Sequence[Import], files: "ListedFiles") -> list[Edge]:
    """Where the imports of a file lead, each once, by the surest line that says so."""
    found: list[Edge] = []
    unsure: list[Import] = [each for each in imports if each.keyword == QUOTED]
    written = [each for each in imports if each.keyword != QUOTED]
    for each, leads in lead_of(path, written, language_of(path) or "", files):
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
    if path.endswith(".go") and leads:
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

    def __init__(self, project: ConfinedFolder, paths: Sequence[str]) -> None:
        super().__init__(project, lambda: paths)
        self._there = frozenset(paths)
        self._contents: dict[str, bytes | None] = {}
        self._whole = Listing(paths)
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

    def listing(self) -> Listing:
        """The list itself."""
        return self._whole


def _surroundings(project: ConfinedFolder, paths: Sequence[str]) -> str:
    """What tells whether imports may lead elsewhere than before."""
    digest = hashlib.sha256(VERSION.encode())
    for path in paths:
        digest.update(f"{path}\0".encode("utf-8", "surrogatepass"))
        if posixpath.basename(path) in MANIFESTS:
            status = project.status(path)
            digest.update(f"{status and (status.st_mtime_ns, status.st_size)}\0".encode())
    return digest.hexdigest()
