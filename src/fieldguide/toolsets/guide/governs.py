"""Runs `guide_governs`: gathers rules, owners, callers and documents that apply to an edit."""

import os
import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Any, NamedTuple

from fieldguide.code.imports.graph import (
    FolderMap,
    ImportStore,
    MapFolder,
    count_package_imports,
    find_importers_through_faces,
    group_packages,
    split_folder,
)
from fieldguide.code.symbols.lookup import Symbol, Symbols, SymbolUse
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.kinds import is_code, is_test, language_of
from fieldguide.files.project_files import FolderPurposes, list_project_files
from fieldguide.git.history import History, load_history
from fieldguide.search.engine import SearchEngine
from fieldguide.search.types import SearchSource
from fieldguide.spine.tool import Answer, Call
from fieldguide.spine.toolset import Services
from fieldguide.text import regex as re
from fieldguide.text.citation import read_citation
from fieldguide.text.errors import InvalidArguments, Refusal
from fieldguide.text.globs import compile_globs
from fieldguide.text.near_names import find_near_names, format_suggestion
from fieldguide.text.secrets import mask_secret_values
from fieldguide.toolsets.guide.items import (
    CODE,
    DECISION,
    DOCUMENT,
    PATTERN,
    GuideItem,
    ProjectLines,
    count_answer_tokens,
    find_largest,
    render_items,
    to_one_line,
)
from fieldguide.toolsets.guide.relations import (
    FIRST,
    HISTORY_SECONDS,
    FileImports,
    PathMention,
    RelatedFile,
    classify_file,
    find_findings_about,
    find_importing_tests,
    find_mentions,
    find_related_files,
    find_tasks_about,
    list_names,
)
from fieldguide.toolsets.guide.tools import GOVERNS_BUDGET

MOST_SYMBOLS = 12
MOST_LINES = 40  # of a change whose definitions are looked for
MOST_OF_EACH = 8


UNTOLD = frozenset(("import", "define"))
VERBS = {"call": "calls", "inherit": "inherits from", "write": "writes"}


def find_callers(symbols: Symbols, lines: Sequence[tuple[str, int, int]]) -> list[tuple[SymbolUse, str]]:
    """The tests that reach what these lines define, then who calls it, each line once with the reason; certain only."""
    changed: dict[Symbol, None] = {}
    for path, start, end in lines:
        for line in range(start, min(end, start + MOST_LINES - 1) + 1):
            symbol = symbols.at(path, line)
            if symbol is not None:
                changed[symbol] = None
    found: dict[tuple[str, int], tuple[SymbolUse, str]] = {}
    first = list(changed)[:MOST_SYMBOLS]
    for symbol in first:
        for use in symbols.tests(symbol)[:MOST_OF_EACH]:
            found.setdefault((use.path, use.line), (use, f"tests `{symbol.qualified}` {use.reason}".rstrip()))
    for symbol in first:
        certain = [use for use in symbols.references(symbol) if use.is_certain and use.role not in UNTOLD]
        for use in [use for use in certain if not is_test(use.path)][:MOST_OF_EACH]:
            why = f"{VERBS.get(use.role, 'uses')} `{symbol.qualified}` {use.reason}".rstrip()
            found.setdefault((use.path, use.line), (use, why))
    return list(found.values())


PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
LARGEST_OWNERS_BYTES = 3 << 20  # GitHub reads no larger one
MOST_OWNER_LINES = 20_000
MOST_OWNERS = 20
LONGEST_OWNER = 100


class OwnersLine(NamedTuple):
    """The line of a CODEOWNERS file that gives a path its owners."""

    file: str
    line: int
    pattern: str
    owners: tuple[str, ...]


def find_owners(project: ConfinedFolder, path: str) -> OwnersLine | None:
    """The owners of a path; None where no file says so. A line without owners takes them away."""
    for place in PLACES:
        try:
            text = project.read(place, limit_bytes=LARGEST_OWNERS_BYTES).decode("utf-8", "replace")
        except Refusal:
            continue
        return _last(place, text.splitlines()[:MOST_OWNER_LINES], path)
    return None


def _last(place: str, lines: Sequence[str], path: str) -> OwnersLine | None:
    for number in range(len(lines), 0, -1):
        words = lines[number - 1].split(" #")[0].replace("\\ ", "\0").split()
        if not words or words[0].startswith(("#", "[", "^[")):
            continue
        pattern = words[0].replace("\0", " ")
        owners = tuple(each[:LONGEST_OWNER] for each in words[1 : MOST_OWNERS + 1])
        if matches_owner_pattern(pattern, path):
            return OwnersLine(place, number, pattern, owners) if owners else None
    return None


def matches_owner_pattern(pattern: str, path: str) -> bool:
    """Whether a pattern of CODEOWNERS means a path: as in .gitignore, but without `!` and `[…]`."""
    if pattern.startswith(("!", "#")):
        return False
    is_rooted = "/" in pattern.rstrip("/")
    bare = pattern.strip("/")
    if not bare:
        return False
    top = bare if is_rooted else f"**/{bare}"
    wanted = [f"{top}/**"]
    if not pattern.endswith("/"):
        wanted.append(top)
    if pattern.endswith("/*"):  # `docs/*` means the files right there, and none below
        wanted = [top]
    return compile_globs(wanted)(path)


GLOB_KEYS = ("globs", "applyto", "applies_to", "applies-to", "paths", "files", "scope")
FOLDER_RULES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md")
RULE_FOLDERS = (".cursor/rules", ".claude/rules", ".github/instructions", ".windsurf/rules", ".clinerules")
ENDINGS = (".mdc", ".md")
LARGEST_RULE_BYTES = 256 << 10
MOST_FILES = 300
MOST_GLOBS = 100
LONGEST_HEAD = 200  # lines of front matter
LONGEST_GLOB = 100


class PathRule(NamedTuple):
    """A document that holds for a path: where, and by which of its words."""

    path: str
    line: int
    why: str


def find_rules(project: ConfinedFolder, path: str, known: Sequence[str]) -> list[PathRule]:
    """The rules whose globs mean a path, then those of the folders around it, the nearest first.

    `known` are documents that are rules by where they lie, such as patterns and decisions.
    """
    documents = dict.fromkeys((*known[:MOST_FILES], *_placed(project)))
    by_glob = [_by_glob(project, document, path) for document in documents]
    return [*filter(None, by_glob), *_find_folder_rules(project, path)]


def _placed(project: ConfinedFolder) -> Iterator[str]:
    for folder in RULE_FOLDERS:
        try:
            names = sorted(project.folder(folder).files())[:MOST_FILES]
        except Refusal:
            continue
        for name in names:
            if name.endswith(ENDINGS):
                yield f"{folder}/{name}"


def _by_glob(project: ConfinedFolder, document: str, path: str) -> PathRule | None:
    lines = _text(project, document).splitlines()[:LONGEST_HEAD]
    if not lines or lines[0].strip() != "---":
        return None
    end = next((number for number, line in enumerate(lines[1:], start=1) if line.strip() == "---"), 0)
    for line, glob in _globs(lines[:end]):
        if _means(glob, path):
            return PathRule(document, line, f"its glob `{glob[:LONGEST_GLOB]}` means {path}")
    return None


def _globs(head: Sequence[str]) -> list[tuple[int, str]]:
    """The globs of a front matter with their lines, read by hand: many are no YAML (`globs: *.ts`)."""
    found: list[tuple[int, str]] = []
    is_listed = False
    for number, line in enumerate(head, start=1):
        key, colon, value = line.partition(":")
        if line[:1].isspace() or line.startswith("-"):
            said = line.strip().removeprefix("-").strip() if is_listed else ""
        else:
            is_listed = bool(colon) and key.strip().lower() in GLOB_KEYS
            said = value if is_listed else ""
        parts = (part.strip(" \t\"'[]") for part in said.split(","))
        found += [(number, part) for part in parts if part]
    return found[:MOST_GLOBS]


def _means(glob: str, path: str) -> bool:
    """A glob as rule files write it; a folder means everything below it, and one that means all tells nothing."""
    bare = glob.strip().removeprefix("./").lstrip("/")
    if not bare or bare in ("*", "**", "**/*"):
        return False
    wanted = [bare, f"{bare.rstrip('/')}/**"] if "*" not in bare.rpartition("/")[2] else [bare]
    if "/" not in bare:
        wanted.append(f"**/{bare}")
    return compile_globs(wanted)(path)


def _find_folder_rules(project: ConfinedFolder, path: str) -> list[PathRule]:
    """The rules of the folders above a path, but for the project's own: an agent is given that one anyway."""
    found: list[PathRule] = []
    folder = posixpath.dirname(path)
    while folder:
        for name in FOLDER_RULES:
            place = f"{folder}/{name}"
            if place != path and project.status(place) is not None:
                found.append(PathRule(place, 1, f"holds for everything in {folder}/"))
        folder = posixpath.dirname(folder)
    return found


def _text(project: ConfinedFolder, path: str) -> str:
    try:
        return project.read(path, limit_bytes=LARGEST_RULE_BYTES).decode("utf-8", "replace")
    except Refusal:
        return ""


MOST_TARGETS = 40
MOST_HUNKS = 60
HUNK = re.compile(r"(?m)^(?:\+\+\+ ([^\n\t]+)|@@ -\d{1,9}(?:,\d{1,9})? \+(\d{1,9})(?:,(\d{1,9}))? @@)")
DIFF = re.compile(r"(?m)^(?:\+\+\+|---) ([^\n\t]+)")
RENAMED = re.compile(r"(?m)^rename (?:from|to) ([^\n]+)")
SIDES = ("a/", "b/", "i/", "w/", "c/", "o/")


class EditTargets(NamedTuple):
    """The files and folders that are meant, as paths in the project, and the lines of files where only some are."""

    files: tuple[str, ...]
    folders: tuple[str, ...] = ()
    left_out: int = 0
    lines: tuple[tuple[str, int, int], ...] = ()


def read_targets(project: ConfinedFolder, given: str) -> EditTargets:
    """What a caller's words mean; a path that is not there yet is one that is about to be made."""
    if "\n" in given:
        return _diffed(given)
    path = _inside(project, given)
    lines: tuple[tuple[str, int, int], ...] = ()
    if path and project.status(path) is None and (citation := read_citation(path)) is not None:
        path = citation.path
        lines = ((path, citation.start_line, citation.end_line),)
    if not path or os.path.isdir(os.path.join(project.root, path)):
        return EditTargets((), (path,))
    return EditTargets((path,), lines=lines)


def _diffed(text: str) -> EditTargets:
    """The files of a diff, each under the names that it has before and after."""
    found = [_diffed_path(match.group(1)) for match in DIFF.finditer(text)]
    found += [_normal(match.group(1).strip().strip('"')) for match in RENAMED.finditer(text)]
    paths = [path for path in dict.fromkeys(found) if path and path != ".." and not path.startswith("../")]
    if not paths:
        raise InvalidArguments("That is neither a path nor a unified diff.")
    return EditTargets(tuple(paths[:MOST_TARGETS]), (), max(0, len(paths) - MOST_TARGETS), _hunks(text))


def _hunks(text: str) -> tuple[tuple[str, int, int], ...]:
    """The lines that a diff changes, as they are numbered once it is applied."""
    found: list[tuple[str, int, int]] = []
    path = ""
    for match in HUNK.finditer(text):
        name, start, count = match.groups()
        if name is not None:
            path = _diffed_path(name)
        elif path and len(found) < MOST_HUNKS:
            first = int(start)
            found.append((path, first, first + max(int(count or 1), 1) - 1))
    return tuple(found)


def _diffed_path(name: str) -> str:
    """The path in a `+++` or `---` line; empty for `/dev/null`."""
    path = name.strip().strip('"')
    if path == "/dev/null":
        return ""
    return _normal(path[2:] if path.startswith(SIDES) else path)


def _inside(project: ConfinedFolder, given: str) -> str:
    """A path as the project spells it; one that leads out of it is refused."""
    path = given.strip()
    if os.path.isabs(path):
        below = os.path.relpath(os.path.realpath(path), os.path.realpath(project.root))
        path = below.replace(os.sep, "/")
    plain = _normal(path)
    if plain.startswith("../") or plain == ".." or "\0" in plain:
        raise InvalidArguments(f"{given[:200]!r} is not in the project.")
    return plain


def _normal(path: str) -> str:
    plain = posixpath.normpath(path.replace("\\", "/")).lstrip("/")
    return "" if plain == "." else plain


ARCHITECTURE = "architecture"
DOCUMENTS = "documents"
DECISIONS = "adr"
LARGEST_BYTES = 1 << 20
MOST_RELATED = 24
TOKENS_OF_TEST = 30  # an item has more, so that no more tests are read than the budget can hold
MOST_MENTIONS = 6
MOST_ASKED = 5  # targets of a diff whose mentions are looked for
MOST_OF_FOLDER = 25
MOST_AUTHORS = 3
ANY_FILE = "-"  # owners are of files: a folder's are those of a file in it
NOT_INDEXED = "The code is not indexed yet: which tests import it is not known."


class GoverningItems(NamedTuple):
    """What applies, who owns it, and what could not be told; `tests` are the paths of all tests that import it."""

    items: list[GuideItem]
    owners: list[str]
    notes: list[str]
    tests: frozenset[str] = frozenset()


class GovernsGathering:
    """Gathers for one call."""

    def __init__(self, services: Services, call: Call, targets: EditTargets, symbols: Callable[[], Symbols]) -> None:
        self._services = services
        self._call = call
        self._engine: SearchEngine = services.engine()
        self._lines = ProjectLines(services.project)
        self._history: History = load_history(self._engine.database, services.namespace, services.project.root)
        with self._engine.database.reading() as transaction:
            store = ImportStore(transaction, services.namespace)
            self._paths = store.paths()
            self._is_indexed = bool(store.surroundings())
        self._named: dict[str, list[str]] = {}
        self._folders = targets.folders
        self._given = targets.files
        self._changed = targets.lines
        self._symbols = symbols
        self._tests: frozenset[str] = frozenset()
        self._files = [*targets.files, *self._of_folders(targets.folders)]

    def governed(self) -> GoverningItems:
        """Everything: rules that name it, what goes with it, what speaks of it, owners, notes, tasks, and the rest."""
        places = [*self._given, *self._folders] or self._files
        rules = list(self._rules(places))
        owned = [*filter(None, map(self._find_owners, places))]
        said = [*self._spoken()]
        for line in dict.fromkeys(owned):
            why = f"owned by {' '.join(line.owners)}"
            said.append(self._item(line.file, line.line, line.line, DOCUMENT, why))
        related = list(self._related({item.path: item for item in reversed([*rules, *said])}))
        items = [*rules, *self._callers(), *related[:FIRST], *said, *find_findings_about(self._services, places)]
        names = [name for path in places[:MOST_ASKED] for name in self._names_of(path)]
        items += find_tasks_about(self._services, self._call, names)
        items += related[FIRST:]
        first: dict[str, GuideItem] = {}
        for item in items:
            known = first.setdefault(item.citation, item)
            if item.why not in known.why:
                first[item.citation] = known._replace(why=f"{known.why}; {item.why}")
        notes = [self._history.lack] if self._history.lack else []
        if not self._is_indexed:
            notes.append(NOT_INDEXED)
        return GoverningItems(list(first.values()), self._owners(places, owned), notes, self._tests)

    def _of_folders(self, folders: Iterable[str]) -> list[str]:
        """The files of folders that change most, since what goes with those goes with the folder."""
        found = [path for folder in folders for path in self._paths if not folder or path.startswith(f"{folder}/")]
        return sorted(found, key=lambda path: (-self._history.activity(path), path))[:MOST_OF_FOLDER]

    def _related(self, said: Mapping[str, GuideItem]) -> Iterator[GuideItem]:
        """The files that go with any of the targets: the best of each in turn; one that says so is what it says.

        Tests that import a target are listed as far as the budget may reach, whatever else goes with it.
        """
        lists: list[Sequence[RelatedFile]] = []
        importing: set[str] = set()
        for path in dict.fromkeys(self._files):
            graph = self._graph(path)
            lists.append(find_related_files(path, self._history, graph))
            importing.update(find_importing_tests(path, graph))
        self._tests = frozenset(importing.difference(self._files))
        most_tests = self._call.arguments.get("budget", GOVERNS_BUDGET) // TOKENS_OF_TEST
        seen = set(self._files)
        tests = 0
        others = 0
        for each in filter(None, chain.from_iterable(zip_longest(*lists))):  # the first of each list, then the second
            is_test_ = each.path in self._tests
            is_full = tests >= most_tests if is_test_ else others >= MOST_RELATED
            if each.path in seen or is_full:
                continue
            seen.add(each.path)
            item = said[each.path] if each.path in said else self._file_item(each)
            if item is not None:
                tests += is_test_
                others += not is_test_
                yield item

    def _callers(self) -> Iterator[GuideItem]:
        """Who depends on what lies in the lines that are about to change."""
        if not self._changed:
            return
        for use, why in find_callers(self._symbols(), self._changed):
            if use.line <= self._lines.count(use.path):
                item = self._item(use.path, use.line, use.line, classify_file(use.path) or CODE, why)
                yield item._replace(symbol=use.within)

    def _graph(self, path: str) -> FileImports:
        package = [f"{path.rpartition('/')[0]}/"] if path.endswith(".go") else []
        with self._engine.database.reading() as transaction:
            store = ImportStore(transaction, self._services.namespace)
            through = find_importers_through_faces(store, path, self._text(path))
            return FileImports([*store.importers([path, *package]), *through], store.imported_by(path), self._paths)

    def _file_item(self, related: RelatedFile) -> GuideItem | None:
        lines = self._lines.count(related.path)
        if not lines:
            return None
        line = min(related.line, lines)
        return self._item(related.path, line, line, classify_file(related.path) or CODE, "; ".join(related.why))

    def _rules(self, places: Sequence[str]) -> Iterator[GuideItem]:
        known: list[str] = []
        for source in self._engine.sources(ARCHITECTURE):
            with self._engine.database.reading() as transaction:
                known += sorted(self._engine.store(transaction).names(source.id))
        for path in places[:MOST_ASKED]:
            for rule in find_rules(self._services.project, path, known):
                yield self._item(rule.path, rule.line, rule.line, PATTERN, rule.why)

    def _spoken(self) -> Iterator[GuideItem]:
        """Decisions and patterns that speak of a target, then documents."""
        for path in self._given[:MOST_ASKED]:
            names = self._names_of(path)
            said = find_mentions(self._engine, self._services.project, ARCHITECTURE, names, self._call.cancellation)
            told = find_mentions(self._engine, self._services.project, DOCUMENTS, names, self._call.cancellation)
            for each in (*said[:MOST_MENTIONS], *told[:MOST_MENTIONS]):
                if each.path not in self._given:
                    yield self._mentioned(each, is_rule=each in said)

    def _mentioned(self, each: PathMention, *, is_rule: bool) -> GuideItem:
        kind = DOCUMENT
        if is_rule:
            kind = DECISION if each.source == DECISIONS else PATTERN
        end = min(each.end, max(self._lines.count(each.path), each.start))
        return self._item(each.path, each.start, end, kind, f"speaks of `{each.name}`")

    def _find_owners(self, place: str) -> OwnersLine | None:
        return find_owners(self._services.project, f"{place}/{ANY_FILE}" if place in self._folders else place)

    def _owners(self, places: Sequence[str], owned: Sequence[OwnersLine]) -> list[str]:
        """By CODEOWNERS; else who changed it most."""
        if owned:
            return list(dict.fromkeys(owner for each in owned for owner in each.owners))
        authors = [name for each in places for name, _ in self._history.authors_of(each)[:MOST_AUTHORS]]
        return list(dict.fromkeys(authors))[:MOST_AUTHORS]

    def _names_of(self, path: str) -> list[str]:
        if path not in self._named:
            self._named[path] = list_names(path, self._text(path))
        return self._named[path]

    def _text(self, path: str) -> str:
        try:
            return self._services.project.read(path, limit_bytes=LARGEST_BYTES).decode("utf-8", "replace")
        except Refusal:
            return ""

    def _item(self, path: str, start: int, end: int, kind: str, why: str) -> GuideItem:
        return GuideItem(path, start, end, kind, why, hash=self._lines.hash(path, start, end))


CODE_SOURCE = "code"
TEXT_SOURCE = "text"
LONGEST_LOOKED_FOR = 500
LONGEST_LACK = 200
NOTHING = "Nothing is known that applies to it."


def governs(services: Services, symbols: Callable[[], Symbols], call: Call) -> Answer:
    """What applies to a path, a folder or a diff, as much of it as the budget allows."""
    targets = read_targets(services.project, call.arguments["path"])
    standing, lacks = services.ready(call, " ".join((*targets.files, *targets.folders))[:LONGEST_LOOKED_FOR])
    found = GovernsGathering(services, call, targets, symbols).governed()
    notes = [_missing(services, targets.files), *found.notes]
    if targets.left_out:
        notes.append(f"{targets.left_out} more files of the diff were left out.")
    if standing:
        notes.append(standing.sentence())
    notes.append(lacks[:LONGEST_LACK])
    found = found._replace(notes=[*filter(None, notes)])
    return pack_governing_items(found, call.arguments.get("budget", GOVERNS_BUDGET))


def _missing(services: Services, files: Sequence[str]) -> str:
    """That a single file is not there, and what may be meant; of a diff some are new, and that is no news."""
    if len(files) != 1 or services.project.status(files[0]) is not None:
        return ""
    engine = services.engine()
    sources = [SearchSource(kind, each.name) for kind in (CODE_SOURCE, TEXT_SOURCE) for each in engine.sources(kind)]
    names = [name for source in sources for name in engine.known(source)]
    return f"{files[0][:LONGEST_LACK]} is not there yet. {format_suggestion(find_near_names(files[0], names))}".strip()


def pack_governing_items(found: GoverningItems, budget: int) -> Answer:
    """The strongest items that fit: both the text and the value by themselves have at most so many tokens.

    One that would fill half of the answer is left out; where there is no room for owners and notes, so are they.
    """
    sizes = [count_answer_tokens(_answer(GoverningItems([item], [], []), 1)) for item in found.items]
    small = [item for item, size in zip(found.items, sizes, strict=True) if size <= budget // 2]
    found = found._replace(items=small)
    if count_answer_tokens(_answer(found, 0)) > budget:
        found = found._replace(owners=[], notes=[])
    count = find_largest(0, len(small), lambda number: count_answer_tokens(_answer(found, number)) <= budget)
    return _answer(found, count)


def _answer(found: GoverningItems, number: int) -> Answer:
    items = found.items[:number]
    notes = [*_more_tests(found.tests, items), *found.notes]
    value: dict[str, Any] = {"items": [item.told() for item in items]}
    sentences: list[str] = []
    if found.owners:
        value["owners"] = found.owners
        sentences.append(to_one_line(f"Owners: {', '.join(found.owners)}"))
    if notes:
        value["notes"] = notes
        sentences += map(to_one_line, notes)
    if not items:
        sentences.append(NOTHING)
    return Answer(mask_secret_values(render_items(items, *sentences)), value)


def _more_tests(tests: frozenset[str], items: Sequence[GuideItem]) -> list[str]:
    """How many tests that import it are not listed, and how to see them."""
    left_out = len(tests.difference(item.path for item in items))
    if not left_out:
        return []
    some = "1 more test imports it" if left_out == 1 else f"{left_out} more tests import it"
    return [f"{some}: a larger `budget` lists more."]


BUILD_FILES = ("makefile", "dockerfile", "cmake")
MOST_HOT = 12
MOST_FILES_LISTED = 2_000


def map_folder(services: Services, folder: str) -> FolderMap | None:
    """What is below a folder: packages with imports, hot spots and owners; None where no file is. For the page."""
    begin = f"{folder}/" if folder else ""
    refuses = services.project.sensitive.refuses
    paths = [path for path in list_project_files(services.project).paths if path.startswith(begin)]
    served = [path for path in paths if not refuses(tuple(path.split("/")))]
    if not served:
        return None
    history = load_history(
        services.engine().database, services.namespace, services.project.root, wait_seconds=HISTORY_SECONDS
    )
    purposes = FolderPurposes(())
    own = [path for path in served if is_code(path) and purposes.of(path.rpartition("/")[0]).kind == "own"]
    own = [path for path in own if not is_test(path) and language_of(path) not in BUILD_FILES]
    groups = group_packages(own, folder)
    with services.engine().database.reading() as transaction:
        edges = ImportStore(transaction, services.namespace).edges()
    active = {name: sum(map(history.activity, some)) for name, some in groups.items()}
    total = sum(active.values()) or 1.0
    packages = [
        MapFolder(name, len(some), active[name] / total, tuple(_list_owners(services.project, history, name)))
        for name, some in groups.items()
        if some
    ]
    packages.sort(key=lambda each: (-each.files, each.folder))
    hot = sorted(own, key=history.activity, reverse=True)[:MOST_HOT]
    changed = [(path, history.count_changes(path)) for path in hot if history.activity(path)]
    parts = split_folder(served, folder)
    right_here = parts.pop(folder, [])[:MOST_FILES_LISTED]
    subfolders = {name: len(some) for name, some in parts.items()}
    owners = _list_owners(services.project, history, folder)
    return FolderMap(packages, count_package_imports(groups, edges), changed, subfolders, right_here, owners)


def _list_owners(project: ConfinedFolder, history: History, folder: str) -> list[str]:
    """The owners of a folder by CODEOWNERS; else who changed it most."""
    owned = find_owners(project, f"{folder}/{ANY_FILE}" if folder else ANY_FILE)
    if owned is not None:
        return [*owned.owners]
    people = [name for name, _ in history.authors_of(folder) if not name.endswith("[bot]")]
    return people[:MOST_AUTHORS]
