"""Everything that applies to what somebody wants to edit, as items, strongest first."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from fieldguide.errors import Refusal
from fieldguide.import_graph.store import ImportStore
from fieldguide.project_history.history import History
from fieldguide.project_history.keeping import history_of
from fieldguide.search.engine import SearchEngine
from fieldguide.spine.contract import Call
from fieldguide.symbols.asking import Symbols
from fieldguide.toolset import Services
from fieldguide.toolsets.guide.governing.callers import callers_of
from fieldguide.toolsets.guide.governing.drifted import drifted_from
from fieldguide.toolsets.guide.governing.kinds import kind_of
from fieldguide.toolsets.guide.governing.mentions import Mention, mentions, names_for
from fieldguide.toolsets.guide.governing.notes import findings_about, tasks_about
from fieldguide.toolsets.guide.governing.owners import Owned, owners_of
from fieldguide.toolsets.guide.governing.relations import FIRST, Graph, Related, related_files
from fieldguide.toolsets.guide.governing.rules import rules_for
from fieldguide.toolsets.guide.governing.targets import Targets
from fieldguide.toolsets.guide.items import CODE, DECISION, DOCUMENT, PATTERN, Item
from fieldguide.toolsets.guide.project_lines import ProjectLines

ARCHITECTURE, DOCUMENTS, DECISIONS = "architecture", "documents", "adr"
LARGEST_BYTES = 1 << 20
MOST_RELATED = 24
MOST_MENTIONS = 6
MOST_ASKED = 5  # targets of a diff whose mentions are looked for
MOST_OF_FOLDER = 25
MOST_AUTHORS = 3
ANY_FILE = "-"  # owners are of files: a folder's are those of a file in it
NOT_INDEXED = "The code is not indexed yet: which tests import it is not known."


class Governed(NamedTuple):
    """What applies, who owns it, and what could not be told."""

    items: list[Item]
    owners: list[str]
    notes: list[str]


class Gathering:
    """Gathers for one call."""

    def __init__(self, services: Services, call: Call, targets: Targets, symbols: Callable[[], Symbols]) -> None:
        self._services = services
        self._call = call
        self._engine: SearchEngine = services.engine()
        self._lines = ProjectLines(services.project)
        self._history: History = history_of(self._engine.database, services.namespace, services.project.root)
        self._paths, self._is_indexed = self._graph_paths()
        self._named: dict[str, list[str]] = {}
        self._folders = targets.folders
        self._given = targets.files
        self._changed = targets.lines
        self._symbols = symbols
        self._files = [*targets.files, *self._of_folders(targets.folders)]

    def governed(self) -> Governed:
        """Everything: rules that name it, what goes with it, what speaks of it, owners, notes, tasks, and the rest."""
        places = [*self._given, *self._folders] or self._files
        rules = list(self._rules(places))
        said = [*self._spoken(), *self._owned(places)]
        related = list(self._related({item.path: item for item in reversed([*rules, *said])}))
        gone = [
            self._item(each.document, each.line, each.line, DOCUMENT, why)
            for each, why in drifted_from(self._services, self._engine, places)
        ]
        items = [*rules, *gone, *self._callers(), *related[:FIRST], *said, *findings_about(self._services, places)]
        items += tasks_about(self._services, self._call, self._names(places))
        items += related[FIRST:]
        first: dict[str, Item] = {}
        for item in items:
            known = first.setdefault(item.citation, item)
            if item.why not in known.why:
                first[item.citation] = known._replace(why=f"{known.why}; {item.why}")
        return Governed(list(first.values()), self._owners(places), self._notes())

    def _notes(self) -> list[str]:
        lacks = [] if self._is_indexed else [NOT_INDEXED]
        return [*([self._history.lack] if self._history.lack else []), *lacks]

    def _graph_paths(self) -> tuple[list[str], bool]:
        with self._engine.database.reading() as transaction:
            store = ImportStore(transaction, self._services.namespace)
            return store.paths(), bool(store.surroundings())

    def _of_folders(self, folders: Iterable[str]) -> list[str]:
        """The files of folders that change most, since what goes with those goes with the folder."""
        found = [path for folder in folders for path in self._paths if not folder or path.startswith(f"{folder}/")]
        return sorted(found, key=lambda path: (-self._history.activity(path), path))[:MOST_OF_FOLDER]

    def _related(self, said: Mapping[str, Item]) -> Iterator[Item]:
        """The files that go with any of the targets: the best of each in turn; one that says so is what it says."""
        lists = [related_files(path, self._history, self._graph(path)) for path in self._files]
        seen = set(self._files)
        taken = 0
        for place in range(max(map(len, lists), default=0)):
            for each in (found[place] for found in lists if place < len(found)):
                if taken >= MOST_RELATED:
                    return
                if each.path not in seen:
                    seen.add(each.path)
                    item = said[each.path] if each.path in said else self._file_item(each)
                    if item is not None:
                        taken += 1
                        yield item

    def _callers(self) -> Iterator[Item]:
        """Who depends on what lies in the lines that are about to change."""
        for each in callers_of(self._symbols(), self._changed) if self._changed else ():
            if each.line <= self._lines.count(each.path):
                item = self._item(each.path, each.line, each.line, kind_of(each.path) or CODE, each.why)
                yield item._replace(symbol=each.within)

    def _graph(self, path: str) -> Graph:
        package = [f"{path.rpartition('/')[0]}/"] if path.endswith(".go") else []
        with self._engine.database.reading() as transaction:
            store = ImportStore(transaction, self._services.namespace)
            return Graph(store.importers([path, *package]), store.imported_by(path), self._paths)

    def _file_item(self, related: Related) -> Item | None:
        lines = self._lines.count(related.path)
        if not lines:
            return None
        line = min(related.line, lines)
        return self._item(related.path, line, line, kind_of(related.path) or CODE, "; ".join(related.why))

    def _rules(self, places: Sequence[str]) -> Iterator[Item]:
        known = [path for source in self._engine.sources(ARCHITECTURE) for path in self._documents(source.id)]
        for path in places[:MOST_ASKED]:
            for rule in rules_for(self._services.project, path, known):
                yield self._item(rule.path, rule.start, rule.end, PATTERN, rule.why)

    def _documents(self, source: int) -> list[str]:
        with self._engine.database.reading() as transaction:
            return sorted(self._engine.store(transaction).names(source))

    def _spoken(self) -> Iterator[Item]:
        """Decisions and patterns that speak of a target, then documents."""
        for path in self._given[:MOST_ASKED]:
            names = self._names_of(path)
            said = mentions(self._engine, self._services.project, ARCHITECTURE, names, self._call.cancellation)
            told = mentions(self._engine, self._services.project, DOCUMENTS, names, self._call.cancellation)
            for each in (*said[:MOST_MENTIONS], *told[:MOST_MENTIONS]):
                if each.path not in self._given:
                    yield self._mentioned(each, is_rule=each in said)

    def _mentioned(self, each: Mention, *, is_rule: bool) -> Item:
        kind = (DECISION if each.source == DECISIONS else PATTERN) if is_rule else DOCUMENT
        end = min(each.end, max(self._lines.count(each.path), each.start))
        return self._item(each.path, each.start, end, kind, f"speaks of `{each.name}`")

    def _owned(self, places: Sequence[str]) -> Iterator[Item]:
        for owned in dict.fromkeys(self._said_owners(places)):
            yield self._item(owned.file, owned.line, owned.line, DOCUMENT, f"owned by {' '.join(owned.owners)}")

    def _said_owners(self, places: Sequence[str]) -> list[Owned]:
        files = (f"{each}/{ANY_FILE}" if each in self._folders else each for each in places)
        return [*filter(None, (owners_of(self._services.project, each) for each in files))]

    def _owners(self, places: Sequence[str]) -> list[str]:
        """By CODEOWNERS; else who changed it most."""
        if said := self._said_owners(places):
            return list(dict.fromkeys(owner for each in said for owner in each.owners))
        authors = [name for each in places for name, _ in self._history.authors_of(each)[:MOST_AUTHORS]]
        return list(dict.fromkeys(authors))[:MOST_AUTHORS]

    def _names(self, places: Sequence[str]) -> list[str]:
        return [name for path in places[:MOST_ASKED] for name in self._names_of(path)]

    def _names_of(self, path: str) -> list[str]:
        if path not in self._named:
            self._named[path] = names_for(path, self._text(path))
        return self._named[path]

    def _text(self, path: str) -> str:
        try:
            return self._services.project.read(path, limit_bytes=LARGEST_BYTES).decode("utf-8", "replace")
        except Refusal:
            return ""

    def _item(self, path: str, start: int, end: int, kind: str, why: str) -> Item:
        return Item(path, start, end, kind, why, hash=self._lines.hash(path, start, end))
