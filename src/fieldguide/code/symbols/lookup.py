"""Looks up symbols by name: their definitions, uses, overrides and callers.

Every answer is of one moment of the index, bounded, and the same each time. What is certain was resolved; the rest are
candidates, each with a confidence and its reason.
"""

import posixpath
import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import NamedTuple

from fieldguide.code.symbols.calls import CONSTRUCTORS, IMPLEMENTS, CallEdge, CallGraph, KeptGraph
from fieldguide.code.symbols.facts import CALL, CALLABLE, COMMAND, FUNCTION, ROUTE, TYPES, UNTOLD, SymbolDefinition
from fieldguide.code.symbols.index import APART, SymbolStore, take_last_part
from fieldguide.code.symbols.resolvers.resolver import SymbolResolver, find_ancestors, find_overridden, find_overriding
from fieldguide.code.symbols.resolvers.usage import ResolvedUse, count_reach, find_uses
from fieldguide.code.symbols.resolvers.values import DefinitionPlace
from fieldguide.code.symbols.resolvers.view import FileShape, SymbolCache, SymbolView
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.kinds import is_test
from fieldguide.storage.database import Database
from fieldguide.text.cancellation import Cancellation

OF_FOLDER = frozenset(("__init__", "index", "mod", "lib", "main"))


def fits_name(shape: FileShape, place: int, name: str) -> bool:
    """Whether a definition is meant by a name with what encloses it: types, and then folders and the file."""
    wanted = [part for part in APART.split(name.removesuffix("()")) if part]
    around = [shape.definitions[each].name for each in shape.chain(place)]
    for part in around:
        if wanted and wanted[-1] == part:
            wanted.pop()
        elif not wanted:
            return True
    return not wanted or _ends(shape.path, wanted)


def _ends(path: str, wanted: list[str]) -> bool:
    """Whether a file's path ends with these parts; the last may stand for the folder of a file such as `index`."""
    folder, base = posixpath.split(path)
    stem = base.partition(".")[0]
    parts = [part for part in folder.split("/") if part]
    whole = parts if stem in OF_FOLDER else [*parts, stem]
    return any(each[-len(wanted) :] == wanted for each in (whole, parts, [*parts, stem]))


MOST_SYMBOLS = 200
MOST_NAMES = 50_000
MOST_DEFINING = 500
MOST_CALLEES = 100
MAIN = "main"
ENTRY_SECONDS = 2.0
MOST_MEMBERS = 40  # of a class whose calls are listed
MOST_STEPS_OUT = 20
APART_MARKS = ".:#/\\->"


class Symbol(NamedTuple):
    """A definition that somebody may ask for."""

    path: str
    place: int
    name: str
    qualified: str
    """With the names of what encloses it: `Class.method`."""
    kind: str
    line: int
    column: int
    end_line: int
    signature: str
    doc: str

    @property
    def at(self) -> DefinitionPlace:
        """Its place among the definitions of its file."""
        return DefinitionPlace(self.path, self.place)


class SymbolUse(NamedTuple):
    """A use of a symbol."""

    path: str
    line: int
    column: int
    role: str
    confidence: float
    is_certain: bool
    within: str
    """What encloses it, by its qualified name; empty for the file itself."""
    reason: str = ""


class Symbols:
    """The symbols of one project; what was unpacked is kept between questions."""

    def __init__(self, database: Database, namespace: str, project: ConfinedFolder) -> None:
        self._database = database
        self._namespace = namespace
        self._project = project
        self._known = SymbolCache()
        self._graph = KeptGraph()
        self._entries: tuple[int, list[Symbol]] | None = None
        self._shared = threading.local()

    @contextmanager
    def at_one_moment(self) -> Generator[None]:
        """Answer what this thread asks within the block from one state of the index, with one look at each file."""
        with self._view() as view:
            self._shared.view = view
            try:
                yield
            finally:
                del self._shared.view

    def definitions(self, name: str, path: str | None = None) -> list[Symbol]:
        """What has a name (`Name`, `Class.method`, `package.module.Name`), in a file or below a folder."""
        with self._view() as view:
            found: list[Symbol] = []
            for last in dict.fromkeys((name, take_last_part(name))):
                for shape, place in view.everywhere(last, MOST_DEFINING):
                    is_meant = _lies(shape.path, path) and shape.definitions[place].kind not in UNTOLD
                    if is_meant and (name == last or fits_name(shape, place, name)):
                        found.append(_symbol(shape, place))
        found.sort(key=lambda each: (is_test(each.path), each.path, each.line, each.column))
        return list(dict.fromkeys(found))[:MOST_SYMBOLS] or self._inherited(name, path)

    def _inherited(self, name: str, path: str | None) -> list[Symbol]:
        """Members that a type has from those above it, where it has none of that name itself."""
        last = take_last_part(name)
        owner = name.removesuffix("()").removesuffix(last).rstrip(APART_MARKS)
        owners = [each for each in self.definitions(owner, path) if each.kind in TYPES] if owner else []
        found: dict[DefinitionPlace, None] = {}
        with self._view() as view:
            resolver = SymbolResolver(view)
            for each in owners[:MOST_STEPS_OUT]:
                for at in find_ancestors(resolver, each.at):
                    found.update(dict.fromkeys(view.named(at, last)))
            return list(_symbols(view, found))

    def names(self, like: str) -> list[str]:
        """The names of definitions with the first letter of this one, in either case; so many at most for each."""
        with self._database.reading() as transaction:
            store = SymbolStore(transaction, self._namespace)
            letters = dict.fromkeys((like[:1].lower(), like[:1].upper()))
            return [name for letter in letters if len(letter) == 1 for name in store.names(MOST_NAMES, letter)]

    def at(self, path: str, line: int) -> Symbol | None:
        """The innermost definition around a line of a file."""
        with self._view() as view:
            shape = view.shape(path)
            found = [
                place
                for place, each in enumerate(shape.definitions)
                if each.kind not in UNTOLD and each.line <= line <= each.end_line
            ]
            return _symbol(shape, max(found, key=lambda p: shape.definitions[p].line)) if found else None

    def outline(self, path: str) -> list[Symbol]:
        """Everything in a file that somebody may ask for, in the order of its lines."""
        with self._view() as view:
            shape = view.shape(path)
            told = [place for place, each in enumerate(shape.definitions) if each.kind not in UNTOLD]
            found = [_symbol(shape, place) for place in told]
        return sorted(found, key=lambda each: (each.line, each.column))

    def entries(self) -> list[Symbol]:
        """The routes and commands that the code declares, and functions that are called `main`; no tests.

        They are read once for a state of the files, and within a bounded time: those of files near the top first.
        """
        with self._view() as view:
            hashes = view.store.hashes()
            state = hash(frozenset(hashes.items()))
            if self._entries is None or self._entries[0] != state:
                paths = sorted((path for path in hashes if not is_test(path)), key=lambda path: (path.count("/"), path))
                self._entries = (state, [*_read_entries(view, paths)])
            return self._entries[1]

    def calls(self, symbol: Symbol, cancellation: Cancellation) -> list[tuple[Symbol, CallEdge]]:
        """What a symbol or a member of it calls, each with the step that leads there, in the order of the lines.

        Of a class and its constructor, which one call means, the class is given.
        """
        with self._view() as view:
            graph = CallGraph(view, cancellation, self._graph)
            sources = [symbol.at, *graph.members(symbol.at)[:MOST_MEMBERS]]
            edges = [edge for source in sources for edge in graph.calls(source) if edge.via != IMPLEMENTS]
            ends = {(edge.line, edge.target) for edge in edges}
            found: list[tuple[Symbol, CallEdge]] = []
            for edge in edges:
                owner = graph.owner(edge.target)
                for target in _symbols(view, [edge.target]):
                    is_made = target.name in CONSTRUCTORS and (edge.line, owner) in ends
                    if not is_made and edge.target not in sources:
                        found.append((target, edge))
        return sorted(found, key=lambda each: each[1].line)

    def references(self, symbol: Symbol) -> list[SymbolUse]:
        """Who uses a symbol: what is certain first, then candidates by their confidence."""
        with self._view() as view:
            return [_found(view, each) for each in find_uses(SymbolResolver(view), symbol.at)]

    def reach(self, symbol: Symbol) -> tuple[int, int]:
        """How many files that have its name are looked at for its uses, and of how many."""
        with self._view() as view:
            return count_reach(SymbolResolver(view), symbol.at)

    def callees(self, symbol: Symbol) -> list[Symbol]:
        """What of the project a symbol calls or makes, in the order of its text; certain ones only."""
        with self._view() as view:
            resolver = SymbolResolver(view)
            found: dict[DefinitionPlace, None] = {}
            for each in view.uses_inside(symbol.at):
                if each.role == CALL:
                    found.update((value.at, None) for value in resolver.meant(symbol.path, each) if value.at)
                if len(found) >= MOST_CALLEES:
                    break
            found.pop(symbol.at, None)
            return list(_symbols(view, found))

    @contextmanager
    def call_graph(self, cancellation: Cancellation) -> Generator[CallGraph]:
        """The graph of calls, for one question."""
        with self._view() as view:
            yield CallGraph(view, cancellation, self._graph)

    def overrides(self, symbol: Symbol) -> tuple[list[Symbol], list[Symbol]]:
        """The members of the same name that a member overrides, and those that override it; of a type its family."""
        with self._view() as view:
            resolver = SymbolResolver(view)
            overridden = list(_symbols(view, find_overridden(resolver, symbol.at)))
            return overridden, list(_symbols(view, find_overriding(resolver, symbol.at)))

    def tests(self, symbol: Symbol) -> list[SymbolUse]:
        """The tests that use a symbol, or what calls it: one step out."""
        with self._view() as view:
            found = [*_tests_of(view, symbol)]
            seen = {each.path for each in found}
            for caller in (each for each in _callers(view, symbol) if not is_test(each.path)):
                for each in _tests_of(view, caller):
                    if each.path not in seen:
                        seen.add(each.path)
                        found.append(each._replace(reason=f"through {caller.qualified}"))
            return found

    @contextmanager
    def _view(self) -> Generator[SymbolView]:
        shared: SymbolView | None = getattr(self._shared, "view", None)
        if shared is not None:
            yield shared
            return
        with self._database.reading() as transaction:
            yield SymbolView(transaction, self._namespace, self._project, self._known)


def _read_entries(view: SymbolView, paths: Iterable[str]) -> Iterator[Symbol]:
    until = monotonic() + ENTRY_SECONDS
    for path in paths:
        if monotonic() >= until:
            return
        shape = view.shape(path)
        for place, each in enumerate(shape.definitions):
            is_main = each.kind == FUNCTION and each.name == MAIN and each.parent < 0
            if is_main or each.kind in (ROUTE, COMMAND):
                yield _symbol(shape, place)


def _callers(view: SymbolView, symbol: Symbol) -> list[Symbol]:
    """What certainly calls a symbol."""
    uses = find_uses(SymbolResolver(view), symbol.at)
    found = [_caller(view, each) for each in uses if each.is_certain and each.role == CALL]
    return list(_symbols(view, dict.fromkeys(filter(None, found))))[:MOST_STEPS_OUT]


def _caller(view: SymbolView, use: ResolvedUse) -> DefinitionPlace | None:
    """The innermost definition around a use that somebody may ask for."""
    return view.around(use.path, use.within, CALLABLE | TYPES)


def _tests_of(view: SymbolView, symbol: Symbol) -> Iterator[SymbolUse]:
    """The certain uses of a symbol in tests."""
    for each in find_uses(SymbolResolver(view), symbol.at):
        if each.is_certain and is_test(each.path):
            yield _found(view, each)


def _found(view: SymbolView, use: ResolvedUse) -> SymbolUse:
    caller = _caller(view, use)
    around = view.shape(use.path).qualified(caller.place) if caller else ""
    return SymbolUse(use.path, use.line, use.column, use.role, use.confidence, use.is_certain, around, use.reason)


def _symbols(view: SymbolView, places: Iterable[DefinitionPlace]) -> Generator[Symbol]:
    for at in places:
        shape = view.shape(at.path)
        if 0 <= at.place < len(shape.definitions):
            yield _symbol(shape, at.place)


def _symbol(shape: FileShape, place: int) -> Symbol:
    each: SymbolDefinition = shape.definitions[place]
    return Symbol(
        shape.path, place, each.name, shape.qualified(place), each.kind,
        each.line, each.column, each.end_line, each.signature, each.doc,
    )  # fmt: skip


def _lies(path: str, where: str | None) -> bool:
    return not where or path == where or path.startswith(f"{where.rstrip('/')}/") or path.endswith(f"/{where}")
