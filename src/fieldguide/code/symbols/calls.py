"""The call graph around a few definitions, resolved edge by edge when somebody follows it."""

import posixpath
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from fieldguide.code.imports.languages import RecentItems
from fieldguide.code.symbols import facts
from fieldguide.code.symbols.facts import SymbolDefinition, SymbolReference
from fieldguide.code.symbols.readers.messages import HANDLED
from fieldguide.code.symbols.resolvers.c_go import is_header
from fieldguide.code.symbols.resolvers.resolver import SymbolResolver, find_ancestors, find_descendants
from fieldguide.code.symbols.resolvers.usage import ResolvedUse, find_certain_uses
from fieldguide.code.symbols.resolvers.values import DefinitionPlace, remember
from fieldguide.code.symbols.resolvers.view import SymbolView
from fieldguide.files.kinds import is_test, language_of
from fieldguide.text import regex as re
from fieldguide.text.cancellation import Cancellation

Family = Callable[[SymbolResolver, DefinitionPlace], list[DefinitionPlace]]

T = TypeVar("T")
CALLS = "call"
CALLERS = "caller"
NAMED = "named"
MOST_KEPT_EDGES = 20_000  # definitions whose calls or callers are kept
MOST_KEPT_FILES = 20_000
PASSED = "passed"
IMPLEMENTS = "implements"
EVENT = "event"
MOST_EDGES = 200  # of one definition
MOST_SENT = 60  # messages of one definition
MOST_FILES_OF_MESSAGE = 40
MOST_RECEIVERS = 12
HANDLER_LINES = 3
QUEUED = "~<-"
MOST_CALLERS = 12
MOST_RESOLVED = 15  # uses of a name that are looked at for callers
MOST_IMPLEMENTATIONS = 40
MOST_NAMESAKES = 2  # a call that can't be resolved leads to what has its name, where so few do
MOST_ALIKE = 40
MOST_COMPARED = 8
SHORTEST_NAME = 4
LINKED_BY_NAME = ("c", "cpp")  # languages in which a call may mean a function of the name in any file
CONSTRUCTORS = ("__init__", "__construct", "constructor", "initialize", "new")
PROPERTY = re.compile(r"(?:\w+\s+)*(?:def|get)\b")
RECEIVER = re.compile(r"[A-Za-z_]\w+")
SEVERAL_WORDS = re.compile(r"[a-z0-9][A-Z]|\w_\w")
TOLD = facts.TYPES | facts.CALLABLE | facts.ENTRIES | {facts.FIELD}  # what may run, and types
CALLS_BY_NAME = ("ruby", "scala")  # languages in which the name of a function alone calls it


def is_run(definition: SymbolDefinition) -> bool:
    """Whether a definition has code that runs when it is used: a function, or a property with a body."""
    if definition.kind in facts.CALLABLE or definition.kind in facts.ENTRIES:
        return True
    return (
        definition.kind == facts.FIELD
        and definition.end_line > definition.line
        and bool(PROPERTY.match(definition.signature))
    )


def is_linked(path: str, other: str) -> bool:
    """Whether code of one file can call that of another without a bridge: C means no function of a script."""
    return (language_of(path) in LINKED_BY_NAME) == (language_of(other) in LINKED_BY_NAME)


class CallEdge(NamedTuple):
    """A step from one definition to another: the line of the first that takes it, how, and whether it is certain."""

    source: DefinitionPlace
    target: DefinitionPlace
    line: int
    via: str = CALLS
    is_certain: bool = True


class KeptGraph:
    """What questions about the calls of one project have found out; each entry is of one state of its files."""

    def __init__(self) -> None:
        self.edges: RecentItems[list[CallEdge]] = RecentItems(MOST_KEPT_EDGES)
        self.families: RecentItems[list[DefinitionPlace]] = RecentItems(MOST_KEPT_EDGES)
        self.alike: RecentItems[list[DefinitionPlace]] = RecentItems(MOST_KEPT_EDGES)
        self.names: RecentItems[Any] = RecentItems(1)
        self.files: RecentItems[Any] = RecentItems(MOST_KEPT_FILES)


class CallGraph:
    """The graph as one question sees it. The edges that were resolved are kept until a file changes."""

    def __init__(self, view: SymbolView, cancellation: Cancellation, kept: KeptGraph) -> None:
        self._view = view
        self._kept = kept
        self._state = hash(frozenset(view.store.hashes().items()))
        self._cancellation = cancellation
        self._resolver = SymbolResolver(view)

    @remember(())
    def calls(self, at: DefinitionPlace) -> list[CallEdge]:
        """The steps that a definition takes, in the order of its text, each target once."""
        return self._keep(CALLS, at, self._resolve_calls)

    @remember(())
    def callers(self, at: DefinitionPlace) -> list[CallEdge]:
        """The steps that lead to a definition: certain ones, and through what it implements."""
        return self._keep(CALLERS, at, self._resolve_callers)

    def _keep(
        self, via: str, at: DefinitionPlace, resolve: Callable[[DefinitionPlace], list[CallEdge]]
    ) -> list[CallEdge]:
        """The edges of a definition; those of a resolver that had to stop lack some, and are this question's alone."""
        key = (self._state, via, at)
        edges = self._kept.edges.get(key, lambda: resolve(at))
        if self._resolver.has_run_out():
            self._kept.edges.forget(key)
        return edges

    def _resolve_calls(self, at: DefinitionPlace) -> list[CallEdge]:
        edges = {edge.target: edge for edge in self._keep(NAMED, at, self._resolve_named)}
        for edge in self._read_sent(at):
            edges.setdefault(edge.target, edge)
        edges.pop(at, None)
        return list(edges.values())

    def _resolve_named(self, at: DefinitionPlace) -> list[CallEdge]:
        """The steps that a definition takes without messages."""
        self._cancellation.check()
        edges: dict[DefinitionPlace, CallEdge] = {}
        for edge in self._read_calls(at):
            known = edges.setdefault(edge.target, edge)
            if edge.is_certain and not known.is_certain:
                edges[edge.target] = edge
            if len(edges) >= MOST_EDGES:
                break
        edges.pop(at, None)
        return list(edges.values())

    def _read_sent(self, at: DefinitionPlace) -> Iterator[CallEdge]:
        """The steps that the messages of a definition take; certain where only one thing receives them."""
        inside = self._uses_inside(at)
        sent = [use for use in inside if use.role == facts.SEND]
        for use in sent[:MOST_SENT]:
            receivers = self._find_receivers(use.name, at.path)
            if len(receivers) <= MOST_RECEIVERS:
                for target in receivers:
                    yield CallEdge(at, target, use.line, EVENT, is_certain=len(receivers) == 1)

    def _find_receivers(self, key: str, path: str) -> list[DefinitionPlace]:
        """What receives a message that a file sends; a queue is known in its folder alone."""
        return self._list_receivers(key, posixpath.dirname(path) if key.startswith(QUEUED) else None)

    @remember(())
    def _list_receivers(self, key: str, folder: str | None) -> list[DefinitionPlace]:
        found: dict[DefinitionPlace, None] = {}
        for file, use in self._list_messages(key, facts.RECEIVE):
            if folder is None or posixpath.dirname(file) == folder:
                found |= dict.fromkeys(self._find_handlers(file, use))
        return list(found)

    def _list_messages(self, key: str, role: str) -> Iterator[tuple[str, SymbolReference]]:
        """The places that send, or receive, a message."""
        for file in self._view.using(key, MOST_FILES_OF_MESSAGE):
            if not is_test(file.path):
                for use in self._view.uses(file.path, key):
                    if use.role == role:
                        yield file.path, use

    def _find_handlers(self, path: str, use: SymbolReference) -> Iterator[DefinitionPlace]:
        """The function that is registered for a message; else the one that handles it in place, and what that calls."""
        handler = self._find_registered(path, use) if use.receiver else None
        around = handler or self.enclosing(path, use)
        if around is None:
            return
        yield around
        if handler is None:
            for edge in self._keep(NAMED, around, self._resolve_named):
                if edge.is_certain and use.line <= edge.line <= use.line + use.arguments:
                    yield edge.target

    def _find_registered(self, path: str, use: SymbolReference) -> DefinitionPlace | None:
        """The function that has the name which a registration gives, right before its end."""
        for each in self._view.uses(path, use.receiver):
            if each.role in (facts.CALL, facts.READ) and use.line - HANDLER_LINES < each.line <= use.line:
                for value in self._resolver.meant(path, each):
                    if value.at and self._view.at(value.at).kind in facts.CALLABLE:
                        return self.body(value.at)
        return None

    def _read_senders(self, at: DefinitionPlace) -> Iterator[CallEdge]:
        """The steps that lead to a definition by a message that it receives, or that it is registered for."""
        inside = self._uses_inside(at)
        keys = {use.name for use in inside if use.role == facts.RECEIVE}
        keys |= {use.receiver for _, use in self._list_messages(f"{HANDLED}{self._view.at(at).name}", facts.RECEIVE)}
        for key in sorted(keys)[:MOST_SENT]:
            for path, use in self._list_messages(key, facts.SEND):
                receivers = self._find_receivers(key, path)
                source = self.enclosing(path, use) if at in receivers else None
                if source is not None:
                    yield CallEdge(source, at, use.line, EVENT, is_certain=len(receivers) == 1)

    def _resolve_callers(self, at: DefinitionPlace) -> list[CallEdge]:
        self._cancellation.check()
        edges: dict[DefinitionPlace, CallEdge] = {}
        for edge in self._read_callers(at):
            edges.setdefault(edge.source, edge)
            if len(edges) >= MOST_CALLERS:
                break
        edges.pop(at, None)
        return list(edges.values())

    @remember(None)
    def body(self, at: DefinitionPlace) -> DefinitionPlace:
        """Where a function is defined that a header only declares; else the place itself."""
        own_way = self._resolver.own_way(at.path)
        twins = own_way.twins(at) if own_way else ()
        return max((at, *twins), key=self._count_lines)

    def _count_lines(self, at: DefinitionPlace) -> int:
        definition = self._view.at(at)
        return definition.end_line - definition.line if definition.kind in facts.CALLABLE else 0

    def is_entry(self, at: DefinitionPlace) -> bool:
        """Whether a definition is a route or a command."""
        return self._view.at(at).kind in facts.ENTRIES

    def definition(self, at: DefinitionPlace) -> SymbolDefinition | None:
        """A definition by its place."""
        found = self._view.at(at)
        return found if found.kind else None

    def qualified(self, at: DefinitionPlace) -> str:
        """The name of a definition with those around it."""
        return self._view.shape(at.path).qualified(at.place)

    @remember(())
    def overlapping(self, path: str, start: int, end: int) -> list[tuple[DefinitionPlace, SymbolDefinition]]:
        """The types, and what runs, that have some of these lines of a file."""
        self._cancellation.check()
        told = self._list_told(path)
        near = [(at, each) for at, each in told if each.line <= end and each.end_line >= start]
        return [(at, each) for at, each in near if self.body(at) == at]

    @remember(())
    def _list_told(self, path: str) -> list[tuple[DefinitionPlace, SymbolDefinition]]:
        definitions = self._view.shape(path).definitions
        likely = [place for place, (_, kind, _) in enumerate(definitions.heads()) if kind in TOLD]
        told = [(DefinitionPlace(path, place), definitions[place]) for place in likely]
        return [(at, each) for at, each in told if each.kind in facts.TYPES or is_run(each)]

    def members(self, at: DefinitionPlace) -> list[DefinitionPlace]:
        """What runs of a type."""
        definition = self._view.at(at)
        if definition.kind not in facts.TYPES:
            return []
        found = self.overlapping(at.path, definition.line, definition.end_line)
        return [each for each, member in found if member.parent == at.place and is_run(member)]

    def owner(self, at: DefinitionPlace) -> DefinitionPlace | None:
        """The type that a definition is a member of."""
        owner = DefinitionPlace(at.path, self._view.at(at).parent)
        return owner if self._view.at(owner).kind in facts.TYPES else None

    def read_names(self, read: Callable[[list[str]], T], most: int) -> T:
        """What `read` makes of the names that the project defines, at most so many; kept until a file changes."""
        made: T = self._kept.names.get((self._state, read, most), lambda: read(self._view.store.names(most)))
        return made

    def read_file(self, path: str, read: Callable[[str], T]) -> T:
        """What `read` finds out about a file; kept until a file changes."""
        made: T = self._kept.files.get((self._state, path), lambda: read(path))
        return made

    def named(self, name: str, most: int) -> list[DefinitionPlace]:
        """The types, and what runs, of a name; of at most so many files."""
        found: dict[DefinitionPlace, None] = {}
        for shape, place in self._view.everywhere(name, most):
            if shape.definitions[place].kind in facts.TYPES or is_run(shape.definitions[place]):
                found[self.body(DefinitionPlace(shape.path, place))] = None
        return list(found)

    def enclosing(self, path: str, use: SymbolReference | ResolvedUse) -> DefinitionPlace | None:
        """The innermost function, route or command around a use, else the innermost type."""
        around = [self._view.around(path, use.within, facts.CALLABLE), *self._list_entries(path)]
        runs = [at for at in around if at and self._view.at(at).line <= use.line <= self._view.at(at).end_line]
        innermost = max(runs, key=lambda at: self._view.at(at).line, default=around[0])
        return innermost or self._view.around(path, use.within, facts.TYPES)

    @remember(())
    def _list_entries(self, path: str) -> list[DefinitionPlace]:
        heads = enumerate(self._view.shape(path).definitions.heads())
        return [DefinitionPlace(path, place) for place, (_, kind, _) in heads if kind in facts.ENTRIES]

    def _read_calls(self, at: DefinitionPlace) -> Iterator[CallEdge]:
        definition = self._view.at(at)
        for target in self._implementations(at, definition):
            yield CallEdge(at, target, definition.line, IMPLEMENTS)
        if definition.kind in facts.TYPES:
            return
        inside = self._uses_inside(at)
        names = {use.name for use in inside}
        for use in inside:
            if use.role in (facts.CALL, facts.READ):
                yield from self._follow(at, use, names)

    @remember(())
    def _uses_inside(self, at: DefinitionPlace) -> list[SymbolReference]:
        return self._view.uses_inside(at)

    def _implementations(self, at: DefinitionPlace, definition: SymbolDefinition) -> list[DefinitionPlace]:
        """The methods that do what a method of an interface only declares, or that override it."""
        if definition.kind != facts.METHOD or definition.name in CONSTRUCTORS:
            return []
        found = [each for each in self._find_relatives(at, find_descendants) if not is_test(each.path)]
        return found[:MOST_IMPLEMENTATIONS]

    def _find_relatives(self, at: DefinitionPlace, family: Family) -> list[DefinitionPlace]:
        """The members of a method's name in the classes above or below its own, which are found once for a class."""
        name = self._view.at(at).name
        owner = self.owner(at)
        if owner is None:
            return []
        key = (self._state, family, owner)
        related = self._kept.families.get(key, lambda: family(self._resolver, owner))
        if self._resolver.has_run_out():
            self._kept.families.forget(key)
        return [found for each in related for found in self._resolver.own_members(each, name)]

    def _follow(self, at: DefinitionPlace, use: SymbolReference, names: Collection[str]) -> Iterator[CallEdge]:
        targets = [value.at for value in self._resolver.meant(at.path, use) if value.at]
        targets = [each for each in targets if is_linked(at.path, each.path)]
        is_called = use.role == facts.CALL or language_of(at.path) in CALLS_BY_NAME
        is_certain = self._is_certain(at, targets)
        for target in targets:
            found = self._view.at(target)
            if use.role == facts.CALL and found.kind in facts.TYPES:
                yield from (CallEdge(at, each, use.line) for each in (*self._constructors(target, found), target))
            elif found.kind in facts.CALLABLE:
                via = CALLS if is_called else PASSED
                yield CallEdge(at, self.body(target), use.line, via, is_certain)
            elif is_run(found):
                yield CallEdge(at, target, use.line)
        if not targets and use.role == facts.CALL and use.receiver and len(use.name) >= SHORTEST_NAME:
            for target in self._namesakes(use, names, language_of(at.path)):
                yield CallEdge(at, target, use.line, CALLS, is_certain=False)

    def _is_certain(self, at: DefinitionPlace, targets: Sequence[DefinitionPlace]) -> bool:
        """Whether a call means all its targets.

        Of C, a function that no header declares may be one of a library, and of several a build has one.
        """
        if language_of(at.path) not in LINKED_BY_NAME:
            return True
        return len(targets) == 1 and (targets[0].path == at.path or is_header(targets[0].path))

    def _constructors(self, at: DefinitionPlace, definition: SymbolDefinition) -> list[DefinitionPlace]:
        names = (*CONSTRUCTORS, definition.name)
        found = [each for name in names for each in self._view.named(at, name)]
        return [each for each in found if is_run(self._view.at(each))]

    def _namesakes(self, use: SymbolReference, names: Collection[str], language: str | None) -> list[DefinitionPlace]:
        """What a call that can't be resolved may mean: the functions of its name, where they are few.

        Of many, those whose type is called like the variable, or is named by the caller; of these what others override.
        """
        found = self._find_alike(use.name, language)
        owners = {at: self._view.at(DefinitionPlace(at.path, self._view.at(at).parent)).name for at in found}
        said = RECEIVER.findall(use.receiver)
        spoken = said[-1].lower().rstrip("s") if said else ""
        is_long = len(spoken) >= SHORTEST_NAME
        likely = [at for at in found if is_long and spoken in owners[at].lower()]
        if not SEVERAL_WORDS.search(use.name):
            found = likely  # a library has such a name, too
        if len(found) <= MOST_NAMESAKES:
            return found
        likely = likely or [at for at in found if owners[at] in names] or found
        declared = [at for at in likely if self._view.at(self.owner(at)).kind == facts.INTERFACE]
        if not declared and len(likely) <= MOST_COMPARED:
            declared = [at for at in likely if not set(self._find_relatives(at, find_ancestors)).intersection(found)]
        return declared if len(declared) <= MOST_NAMESAKES else []

    def _find_alike(self, name: str, language: str | None) -> list[DefinitionPlace]:
        """The functions of a name in one language, but for those of tests."""

        def is_alike(path: str) -> bool:
            return language_of(path) == language and not is_test(path)

        def find() -> list[DefinitionPlace]:
            return self._view.defined(name, facts.CALLABLE, MOST_ALIKE, is_alike)

        return self._kept.alike.get((self._state, name, language), find)

    def _read_callers(self, at: DefinitionPlace) -> Iterator[CallEdge]:
        definition = self._view.at(at)
        if not definition.kind or definition.kind in facts.UNTOLD:
            return
        for use in find_certain_uses(self._resolver, at, lambda path: not is_test(path), MOST_RESOLVED):
            source = self.enclosing(use.path, use) if use.role in (facts.CALL, facts.READ) else None
            if source is not None:
                yield CallEdge(source, at, use.line, CALLS if use.role == facts.CALL else PASSED)
        yield from self._read_senders(at)
        if definition.kind == facts.METHOD:
            for declared in self._find_relatives(at, find_ancestors)[:MOST_CALLERS]:
                yield CallEdge(declared, at, self._view.at(declared).line, IMPLEMENTS)
