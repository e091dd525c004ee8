"""Finds what is related to a path: files by history and imports, documents by mention, findings and tasks.

The weights were chosen by what changed together later, leaving one repository out at a time (docs/decisions/0040): the
past of the file itself tells most, the past of its folder where it has little of its own. Tests take at most four of
the first ten places (docs/decisions/0040); all others that import the file follow behind the ten.
"""

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from fieldguide.code.imports.graph import ALIKE, AROUND, IMPORTS, NAMES, THROUGH, Edge, ImportStore
from fieldguide.code.names import read_outline
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.kinds import GENERATED, VENDORED, find_format, find_role, is_test, language_of
from fieldguide.files.project_files import FolderPurposes
from fieldguide.git.history import History, load_history
from fieldguide.git.log import HistoryCommit, read_line_history
from fieldguide.knowledge.findings.finding import Finding, FindingRepository
from fieldguide.search.engine import SearchEngine, SearchQuestion
from fieldguide.search.indexes.document_store import StoredSource
from fieldguide.search.types import Scope, SearchHit
from fieldguide.spine.tool import Call
from fieldguide.spine.toolset import Services
from fieldguide.text import regex as re
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.citation import read_citation
from fieldguide.text.errors import FieldguideError
from fieldguide.text.words import has_hump
from fieldguide.toolsets.guide.items import (
    CODE,
    DOCUMENT,
    TEST,
    GuideItem,
    join_task_text,
    list_own_tasks,
    make_finding_item,
    make_task_item,
)

if TYPE_CHECKING:
    from fieldguide.code.symbols.calls import CallEdge
    from fieldguide.code.symbols.lookup import Symbol, Symbols

DATA = frozenset(
    ("csv", "diff", "go-mod", "ignore", "ini", "json", "properties", "text", "toml", "tsv", "xml", "yaml", "svg")
)
LOGS = re.compile(
    r"(?i)(?:changelog|changes|history|news|releases?|release[-_]notes|authors|contributors|upgrading|licen[cs]e|version|requirements"
    r"|cmakelists|copying|notice|robots|manifest)"
    r"(?:[-_.].*)?"
)
LOG_FOLDERS = frozenset(("changelog", "changelogs", "changelog.d", ".changelog", ".changeset", "news", "release-notes"))
STEM = re.compile(r"(?:tests?|specs?)[-_.]|[-_.](?:tests?|specs?|unit|e2e|integration)$")
HUMP = re.compile(r"(?:Tests?|TestCase|Specs?|IT)$")
# fmt: off
NAMELESS = frozenset((
    "", "index", "mod", "main", "init", "__init__", "lib", "utils", "util", "types", "common", "readme", "helper",
    "helpers", "internal", "conftest", "setup",
))
# fmt: on


def classify_file(path: str) -> str:
    """The kind of a file; empty for one that goes along with every change: settings, locks, change logs."""
    name = posixpath.basename(path)
    if LOGS.fullmatch(name) or not LOG_FOLDERS.isdisjoint(path.lower().split("/")[:-1]):
        return ""
    if find_role(path) in (GENERATED, VENDORED):
        return ""
    if find_format(path) is not None:
        return DOCUMENT
    language = language_of(path)
    if language is None or language in DATA:
        return ""
    return TEST if is_test(path) else CODE


@lru_cache(maxsize=20_000)
def find_file_stem(path: str) -> str:
    """What a file is called without what says that it is a test; empty for names that say nothing."""
    name = posixpath.basename(path).lstrip(".").partition(".")[0]
    stem = HUMP.sub("", name) if name != name.lower() else name
    bare = STEM.sub("", stem.lower())
    return "" if bare in NAMELESS or len(bare) < 3 else bare


LOOKED_AT = 40
MOST_SYMBOLS = 6
LEAST_WORD = 5
LONGEST_TEXT = 1 << 18
WORD = re.compile(r"\w+")


class PathMention(NamedTuple):
    """Some lines of a document that speak of a path, and by which name; `source` is where the document is kept."""

    path: str
    start: int
    end: int
    name: str
    source: str
    strength: int


def list_names(path: str, text: str) -> list[str]:
    """How others may speak of a file with this text: by its path, module, name, what it defines; the surest first."""
    dotted = path.rpartition(".")[0].replace("/", ".").removesuffix(".__init__")
    name = path.rpartition("/")[2]
    stem = name.partition(".")[0]
    is_telling = bool(find_file_stem(path)) and ("_" in stem or "-" in stem or has_hump(stem))
    plain = [path, *([dotted] if "." in dotted else []), *([name] if find_file_stem(path) and "." in name else [])]
    found = [*plain, *_symbols(text, language_of(path)), *([stem] if is_telling else [])]
    return [each for each in dict.fromkeys(found) if len(each) >= LEAST_WORD]


def _symbols(text: str, language: str | None) -> list[str]:
    """What a file defines at its top: names that no other text uses by chance."""
    if not text or language is None or len(text) > LONGEST_TEXT:
        return []
    with suppress(FieldguideError):
        tops = [each.signature for each in read_outline(text, language) if not each.signature.startswith(" ")]
        words = (_name_in(each) for each in tops)
        return [each for each in dict.fromkeys(words) if each][:MOST_SYMBOLS]
    return []


def _name_in(signature: str) -> str:
    """The name that a signature gives, if it is written as only code writes names."""
    for word in WORD.findall(signature.partition("(")[0]):
        if len(word) >= LEAST_WORD and (has_hump(word) or "_" in word.strip("_")):
            return str(word)
    return ""


def find_mentions(
    engine: SearchEngine,
    project: ConfinedFolder,
    kind: str,
    names: Sequence[str],
    cancellation: Cancellation | None = None,
) -> list[PathMention]:
    """The places of documents of a kind that hold one of these names, as it is written; best first, one a document."""
    sources = {source.name: source for source in engine.sources(kind)}
    if not names or not sources:
        return []
    scope = Scope(tuple(source.id for source in sources.values()))
    question = SearchQuestion(" ".join(names), scope, LOOKED_AT, most_of_one=2)
    found: dict[str, PathMention] = {}
    for hit in engine.search(question, cancellation):
        for mention in _in(hit, names):
            place = find_project_path(project, sources[hit.source], hit.document)
            if place is not None and (place not in found or mention.strength < found[place].strength):
                found[place] = mention._replace(path=place)
    return sorted(found.values(), key=lambda each: each.strength)


def _in(hit: SearchHit, names: Sequence[str]) -> Iterator[PathMention]:
    text = hit.passage.text
    for strength, name in enumerate(names):
        place = _place_of(text, name)
        if place is not None:
            line = hit.passage.start_line + text.count("\n", 0, place)
            yield PathMention(hit.document, line, min(line + 2, hit.passage.end_line), name, hit.source, strength)
            return


def _place_of(text: str, name: str) -> int | None:
    """Where a name stands by itself in a text."""
    at = text.find(name)
    while at >= 0:
        before = text[at - 1 : at] if at else ""
        after = text[at + len(name) : at + len(name) + 1]
        if not (before.isalnum() or before == "_" or after.isalnum() or after == "_"):
            return at
        at = text.find(name, at + len(name))
    return None


def find_project_path(project: ConfinedFolder, source: StoredSource, document: str) -> str | None:
    """Where a document of the index lies in the project; None for one that lies elsewhere.

    A collection is named after its folder: `dir:docs`, or `pkg:docs/manifest.json` where a manifest lists it.
    """
    folder = source.name.partition(":")[2]
    above = posixpath.dirname(folder) if source.name.startswith("pkg:") else folder
    for path in (posixpath.normpath(posixpath.join(above, document)), document):
        if project.status(path) is not None:
            return path
    return None


LATEST = 2_000
MOST_FINDINGS = 8
MOST_TASKS = 8


def find_findings_about(services: Services, paths: Sequence[str]) -> list[GuideItem]:
    """Findings that name one of these paths, by their evidence, in their words or by their module; newest first."""
    with services.database.reading() as transaction:
        known = FindingRepository(transaction, services.namespace).latest(LATEST)
    items: list[GuideItem] = []
    for finding in known:
        why = _bond(finding, paths)
        if why:
            items.append(make_finding_item(finding, why))
    return items[:MOST_FINDINGS]


def find_tasks_about(services: Services, call: Call, names: Sequence[str]) -> list[GuideItem]:
    """The open tasks of the user whom this server is bound to that use one of these names."""
    items: list[GuideItem] = []
    for task in list_own_tasks(services, call, "pending"):
        text = join_task_text(task)
        name = next((each for each in names if _place_of(text, each) is not None), None)
        if name:
            items.append(make_task_item(task, f"speaks of `{name}`"))
    return items[:MOST_TASKS]


def _bond(discovery: Finding, paths: Sequence[str]) -> str:
    files: Any = discovery.evidence.get("files") or ()
    named = {_plain(str(each)) for each in files} if hasattr(files, "__iter__") else set[str]()
    for path in paths:
        if path in named:
            return f"its evidence is {path}"
        if path and _place_of(discovery.content, path) is not None:
            return f"speaks of {path}"
        if discovery.module and f"/{discovery.module}/" in f"/{path}":
            return f"is about the module {discovery.module}"
    return ""


def _plain(path: str) -> str:
    citation = read_citation(path)
    return path if citation is None else citation.path


FOLDER_SHARE = 0.8
IMPORT_WEIGHT = 0.02
TEST_WEIGHT = 0.01
STEM_WEIGHT = 0.05
ACTIVITY_WEIGHT = 0.02
SIBLING_WEIGHT = 0.01
FIRST = 10
MOST_TESTS = 4  # of the first ten
MOST_OF_PACKAGE = 1  # of those, tests that see a file without importing it, before those that do
MOST_ACTIVE = 60
MOST_RELATED = 60
MOST_IMPORTING_TESTS = 200
LONG_HISTORY = 200  # commits: of a shorter one nobody can say which files change often
OFTEN = 10  # commits of one file
PACKAGE = -1
BONDS = {
    PACKAGE: "is in its package",
    IMPORTS: "imports it",
    AROUND: "imports from its package",
    NAMES: "names it in quotes",
    ALIKE: "imports something of its name",
}
SUREST_FIRST = (PACKAGE, IMPORTS, THROUGH, AROUND, NAMES, ALIKE)
SURE = frozenset(SUREST_FIRST[:3])


class FileImports(NamedTuple):
    """What the import graph says of one file, and which code files there are."""

    importers: Sequence[Edge]
    imported: Sequence[Edge]
    paths: Sequence[str]


class RelatedFile(NamedTuple):
    """A file that goes with another: how strongly, why, and the line of it that says so."""

    path: str
    score: float
    why: tuple[str, ...]
    line: int = 1


def find_related_files(path: str, history: History, graph: FileImports) -> list[RelatedFile]:
    """The files that go with a path, each with its reasons: a few tests first, the rest of the ten by their scores.

    Behind the ten come the other tests that import it, then whatever else has a score.
    """
    near = history.near(path)
    scores = _scores(path, history, graph, near)
    edges = _edges(path, graph)
    by_score = sorted(scores, key=lambda other: (-scores[other], other))
    wanted = [other for other in by_score if classify_file(other)]
    beside = [other for other in by_score[:MOST_RELATED] if not classify_file(other)]
    tests = _tests(edges.values(), scores)
    first = _first([test for test, _ in tests], [*wanted, *beside])
    importing = [test for test, bond in tests if bond in SURE][:MOST_IMPORTING_TESTS]
    order = dict.fromkeys((*first, *importing, *[*wanted, *beside][:MOST_RELATED]))
    imported = {edge.imported: edge for edge in graph.imported}
    reasons = RelationReasons(path, history, edges, imported, near)
    return [reasons.of(other, scores.get(other, 0.0)) for other in order]


def find_importing_tests(path: str, graph: FileImports) -> list[str]:
    """The tests that import a path, or see it as part of their package."""
    return [edge.importer for edge in _edges(path, graph).values() if edge.bond in SURE and is_test(edge.importer)]


def _edges(path: str, graph: FileImports) -> dict[str, Edge]:
    """The surest edge of each file that is bound to a path."""
    edges = [*_of_package(path, graph.paths), *graph.importers]
    surest_last = sorted(edges, key=lambda edge: SUREST_FIRST.index(edge.bond), reverse=True)
    return {edge.importer: edge for edge in surest_last}


def _first(tests: Sequence[str], others: Sequence[str]) -> list[str]:
    """The first ten: a few tests, then other files; more tests only where there are not enough others."""
    first = dict.fromkeys(tests[:MOST_TESTS])
    room = MOST_TESTS - len(first)
    for other in others:
        if other not in first and (room > 0 or not is_test(other)):
            room -= is_test(other)
            first[other] = None
    return list(dict.fromkeys((*first, *tests, *others)))[:FIRST]


def _scores(path: str, history: History, graph: FileImports, near: Mapping[str, float]) -> dict[str, float]:
    scores = dict(history.together([path]))

    def add(other: str, weight: float) -> None:
        if other != path:
            scores[other] = scores.get(other, 0.0) + weight

    for other, weight in near.items():
        add(other, FOLDER_SHARE * weight)
    for edge in graph.imported:
        add(edge.imported, IMPORT_WEIGHT)
    for edge in (*graph.importers, *_of_package(path, graph.paths)):
        if edge.bond in SURE:
            add(edge.importer, IMPORT_WEIGHT + (TEST_WEIGHT if is_test(edge.importer) else 0.0))
    _add_named(path, graph.paths, add)
    if len(history.changes) >= LONG_HISTORY:
        for other in history.most_active(MOST_ACTIVE):
            if history.count_changes(other) >= OFTEN:
                add(other, 0.0)
    for other in scores:
        scores[other] += ACTIVITY_WEIGHT * history.activity(other)
    return scores


def _of_package(path: str, paths: Iterable[str]) -> list[Edge]:
    """The tests of a Go package see all its files, and import none of them."""
    folder = posixpath.dirname(path)
    if not path.endswith(".go"):
        return []
    beside = (other for other in paths if other.endswith("_test.go") and posixpath.dirname(other) == folder)
    return [Edge(other, path, 1, PACKAGE) for other in beside if other != path]


def _add_named(path: str, paths: Iterable[str], add: Callable[[str, float], None]) -> None:
    """What is called alike, and what lies beside it: less the more lies there."""
    folder = posixpath.dirname(path)
    stem = find_file_stem(path)
    beside: list[str] = []
    for other in paths:
        if stem and find_file_stem(other) == stem:
            add(other, STEM_WEIGHT)
        if posixpath.dirname(other) == folder:
            beside.append(other)
    for other in beside:
        add(other, SIBLING_WEIGHT / (1.0 + len(beside) ** 0.5))


def _tests(edges: Iterable[Edge], scores: Mapping[str, float]) -> list[tuple[str, int]]:
    """The tests that are bound to a file, the surest bonds first; of a Go package one, then those that import it."""
    groups: dict[int, list[tuple[str, int]]] = {PACKAGE: [], IMPORTS: [], THROUGH: [], NAMES: [], ALIKE: []}
    for edge in edges:
        if is_test(edge.importer):
            groups[NAMES if edge.bond == AROUND else edge.bond].append((edge.importer, edge.bond))
    for group in groups.values():
        group.sort(key=lambda each: (-scores.get(each[0], 0.0), each[0]))
    package = groups.pop(PACKAGE)
    rest = [each for group in groups.values() for each in group if each[1] in SURE]
    unsure = [each for group in groups.values() for each in group if each[1] not in SURE]
    return [*package[:MOST_OF_PACKAGE], *rest, *package[MOST_OF_PACKAGE:], *unsure]


class RelationReasons(NamedTuple):
    """Why files go with one path."""

    path: str
    history: History
    importers: Mapping[str, Edge]
    imported: Mapping[str, Edge]
    near: Mapping[str, float]

    def of(self, other: str, score: float) -> RelatedFile:
        """A file with everything that binds it to the path, and the line that imports it."""
        why: list[str] = []
        edge = self.importers.get(other)
        if edge:
            why.append(BONDS.get(edge.bond) or f"imports it through {edge.imported}")
        if other in self.imported:
            why.append(f"is imported by it in line {self.imported[other].line}")
        times, of = self.history.support(self.path, other)
        if times:
            why.append(f"changed with it in {times} of its {of} commits")
        return RelatedFile(other, score, tuple(why or [self._at_least(other)]), edge.line if edge else 1)

    def _at_least(self, other: str) -> str:
        if find_file_stem(self.path) and find_file_stem(other) == find_file_stem(self.path):
            return "is called alike"
        if other in self.near:
            return "changes with its folder"
        is_beside = posixpath.dirname(other) == posixpath.dirname(self.path)
        return "is in its folder" if is_beside else "changes often"


MOST_COMMITS = 8
LARGEST_BYTES = 1 << 20
HISTORY_SECONDS = 0.3  # what a page waits for the history of a repository; the next page has it


def find_definitions(symbols: "Callable[[], Symbols]", name: str) -> "list[Symbol]":
    """What has a name, no tests. For the page."""
    return [each for each in symbols().definitions(name) if not is_test(each.path)]


def list_entries(symbols: "Callable[[], Symbols]") -> "list[Symbol]":
    """Where programs begin: routes, commands and main functions, none of examples. For the page."""
    purposes = FolderPurposes(())
    return [each for each in symbols().entries() if purposes.of(each.path.rpartition("/")[0]).kind == "own"]


def list_outline(symbols: "Callable[[], Symbols]", path: str) -> "list[Symbol]":
    """Everything that a file defines. For the page."""
    return symbols().outline(path)


def list_calls(symbols: "Callable[[], Symbols]", symbol: "Symbol") -> "list[tuple[Symbol, CallEdge]]":
    """What a definition calls, with the lines that do. For the page."""
    return symbols().calls(symbol, Cancellation())


def find_imports(services: Services, path: str) -> tuple[list[Edge], list[Edge]]:
    """Who imports a file, and what it imports. For the page."""
    with services.engine().database.reading() as transaction:
        store = ImportStore(transaction, services.namespace)
        return store.importers([path]), store.imported_by(path)


def list_commits(services: Services, path: str, lines: tuple[int, int] | None) -> tuple[list[HistoryCommit], bool]:
    """The latest commits that changed some lines of a file, and whether they are of these lines alone. For the page."""
    with suppress(FieldguideError):
        content = services.project.read(path, limit_bytes=LARGEST_BYTES) if lines else b""
        of_lines = read_line_history(services.project.root, path, lines, content, MOST_COMMITS) if lines else []
        if of_lines:
            return of_lines, True
    history = load_history(
        services.engine().database, services.namespace, services.project.root, wait_seconds=HISTORY_SECONDS
    )
    return history.commits_of(path, MOST_COMMITS), False
