"""The project's symbols as one question sees them: definitions, uses, import targets and visible scopes.

What was unpacked is kept from question to question, by the hash of the content that it was read from.
"""

import json
import posixpath
from bisect import bisect_right
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import cached_property

from fieldguide.code.imports.graph import ImportStore, ListedFiles
from fieldguide.code.imports.languages import RecentItems, resolve_each
from fieldguide.code.imports.syntax import Import
from fieldguide.code.symbols import facts
from fieldguide.code.symbols.facts import FileUses, ImportedSymbol, SymbolDefinition, SymbolReference
from fieldguide.code.symbols.index import KeptFile, SymbolStore
from fieldguide.code.symbols.resolvers.values import DefinitionPlace
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.kinds import language_of
from fieldguide.storage.database import Transaction

MOST_SHAPES = 3_000
MOST_USES = 1_500
MOST_LEADS = 50_000
MOST_INCLUDED = 400
NO_DEFINITION = SymbolDefinition("", "", -1, 1, 0, 1)


class FileShape:
    """What one file defines and imports."""

    def __init__(self, path: str, definitions: facts.Definitions, imports: Sequence[ImportedSymbol]) -> None:
        self.path = path
        self.definitions = definitions
        self.imports = imports
        self._named: dict[str, dict[int, list[int]]] = {}
        self._inner: dict[int, list[int]] | None = None

    @cached_property
    def _places(self) -> Mapping[str, list[int]]:
        found: dict[str, list[int]] = {}
        for place, name in enumerate(self.definitions.names()):
            found.setdefault(name, []).append(place)
        return found

    def named(self, parent: int, name: str) -> Sequence[int]:
        """The places of the definitions of a name right in a parent."""
        known: dict[int, list[int]] | None = self._named.get(name)
        if known is None:
            known = {}
            for place in self._places.get(name, ()):
                _, kind, above = self.definitions.head(place)
                if kind != facts.EXTENSION:
                    known.setdefault(above, []).append(place)
            self._named[name] = known  # in one step: other threads may read it
        return known.get(parent, ())

    def places(self, name: str) -> list[int]:
        """The places of the definitions of a name, whatever they are in."""
        return self._places.get(name, [])

    def chain(self, place: int) -> list[int]:
        """A place and those around it, from the inside."""
        found: list[int] = []
        while place >= 0 and len(found) < 50:
            found.append(place)
            place = self.definitions.head(place)[2]
        return found

    def inner(self, place: int) -> list[int]:
        """A place and those in it, at any depth."""
        if self._inner is None:
            inner: dict[int, list[int]] = {}
            for each, (_, _, parent) in enumerate(self.definitions.heads()):
                inner.setdefault(parent, []).append(each)
            self._inner = inner
        found = [place]
        for each in found:  # grows meanwhile
            found += self._inner.get(each, ())
        return found

    def qualified(self, place: int) -> str:
        """A definition's name with those around it."""
        return ".".join(self.definitions.head(each)[0] for each in reversed(self.chain(place)))


class SymbolCache:
    """What is kept from question to question, for any number of threads."""

    def __init__(self) -> None:
        self.shapes: RecentItems[FileShape] = RecentItems(MOST_SHAPES)
        self.uses: RecentItems[FileUses] = RecentItems(MOST_USES)
        self.surroundings = ""
        self.files: ListedFiles | None = None
        self.leads: RecentItems[list[str]] = RecentItems(MOST_LEADS)
        self.included: RecentItems[Sequence[str]] = RecentItems(MOST_LEADS)


class SymbolView:
    """One question's look at the symbols of a project, in one transaction."""

    def __init__(self, transaction: Transaction, namespace: str, project: ConfinedFolder, known: SymbolCache) -> None:
        self.store = SymbolStore(transaction, namespace)
        self._imports = ImportStore(transaction, namespace)
        self._project = project
        self._known = known
        self._files: dict[str, KeptFile | None] = {}
        self._named: dict[tuple[str, int, int], list[KeptFile]] = {}
        self._defining: dict[tuple[str, str], list[str]] = {}
        self._shapes: dict[str, FileShape] = {}
        self._included: dict[str, Sequence[str]] = {}
        self._all_included: dict[str, frozenset[str]] = {}
        self._listed: ListedFiles | None = None
        self._is_early = False

    def file(self, path: str) -> KeptFile | None:
        """A file that is kept."""
        if path not in self._files:
            self._files[path] = self.store.file(path)
        return self._files[path]

    def using(self, name: str, most: int) -> list[KeptFile]:
        """The files that use a name; at most so many."""
        return self._having(name, facts.USES, most)

    def defining(self, name: str, most: int) -> list[KeptFile]:
        """The files that define a name; at most so many."""
        return self._having(name, facts.DEFINES, most)

    def defining_in(self, folder: str, name: str) -> Sequence[str]:
        """The files right in a folder that define a name."""
        if (folder, name) not in self._defining:
            self._defining[folder, name] = self.store.defining_in(folder, name)
        return self._defining[folder, name]

    def inheriting(self, name: str, most: int) -> list[KeptFile]:
        """The files in which something inherits from a name; at most so many."""
        return self._having(name, facts.INHERITS, most)

    def everywhere(self, name: str, most: int, does: int = facts.DEFINES) -> Iterator[tuple[FileShape, int]]:
        """The definitions of a name in the project, each by its file and place; of at most so many files."""
        for file in self._having(name, does, most):
            shape = self.shape(file.path)
            yield from ((shape, place) for place in shape.places(name))

    def defined(
        self, name: str, kinds: Container[str], most: int, is_wanted: Callable[[str], bool] = bool
    ) -> list[DefinitionPlace]:
        """The definitions of a name that are of some kinds, in files that are wanted; at most so many are looked at."""
        shapes = [self.shape(file.path) for file in self._having(name, facts.DEFINES, most) if is_wanted(file.path)]
        places = ((shape, place) for shape in shapes for place in shape.places(name))
        return [
            DefinitionPlace(shape.path, place) for shape, place in places if shape.definitions.head(place)[1] in kinds
        ]

    def around(self, path: str, within: int, kinds: Container[str]) -> DefinitionPlace | None:
        """The innermost definition of some kinds around a place of a file."""
        shape = self.shape(path)
        for place in shape.chain(within):
            if shape.definitions.head(place)[1] in kinds:
                return DefinitionPlace(path, place)
        return None

    def importers(self, path: str) -> set[str]:
        """The files that import a file, or the folder that it lies in."""
        return self._imports.importing((path, f"{posixpath.dirname(path)}/"))

    def shape(self, path: str) -> FileShape:
        """What a file defines and imports; nothing where it is not kept."""
        if path not in self._shapes:
            kept = self.file(path)
            if kept is None:
                self._shapes[path] = FileShape(path, facts.Definitions(), ())
            else:
                self._shapes[path] = self._known.shapes.get((path, kept.hash), lambda: self._shape(kept))
        return self._shapes[path]

    def uses(self, path: str, name: str) -> list[SymbolReference]:
        """The uses of a name in a file."""
        return self._uses(path).named(name)

    def uses_inside(self, at: DefinitionPlace) -> list[SymbolReference]:
        """The uses in a definition, in the order of the text; a route and a command have those on their lines."""
        definition = self.at(at)
        if definition.kind in facts.ENTRIES:
            return self._uses(at.path).between(definition.line, definition.end_line)
        return self._uses(at.path).within(self.shape(at.path).inner(at.place))

    def at(self, place: DefinitionPlace | None) -> SymbolDefinition:
        """A definition by its place; one without name, kind and type where there is none."""
        if place is None or place.place < 0:
            return NO_DEFINITION
        definitions = self.shape(place.path).definitions
        return definitions[place.place] if place.place < len(definitions) else NO_DEFINITION

    def named(self, owner: DefinitionPlace, name: str) -> list[DefinitionPlace]:
        """The definitions of a name that are written right in a definition, or outermost in a file."""
        return [DefinitionPlace(owner.path, place) for place in self.shape(owner.path).named(owner.place, name)]

    def leads(self, path: str, imported: ImportedSymbol, *, of_module: bool = False) -> list[str]:
        """The files that an import leads to; `of_module` those of the module alone, whatever is taken out of it."""
        names = (imported.name,) if imported.name and imported.name != "*" and not of_module else ()
        each = Import(imported.text, 0, imported.is_relative, imported.keyword, names, imported.scope)
        files = self.files()
        if self._is_early:
            return self._led(path, each, files)
        where = posixpath.dirname(path) if language_of(path) == "go" else path
        kept = self._known.leads
        return kept.get((self._known.surroundings, where, each), lambda: self._led(path, each, files))

    def included(self, path: str) -> frozenset[str]:
        """A file and all that it includes, and what those include; so many at most."""
        if path not in self._all_included:
            found = {path}
            pending = [path]
            while pending and len(found) < MOST_INCLUDED:
                fresh = [lead for lead in self._includes(pending.pop()) if lead not in found]
                found.update(fresh)
                pending += fresh
            self._all_included[path] = frozenset(found)
        return self._all_included[path]

    def _includes(self, path: str) -> Sequence[str]:
        """The files that the imports of a file lead to, each once."""
        if path not in self._included:
            self.files()
            kept = self.file(path)
            asked = (self._known.surroundings, path, kept.hash if kept else "")
            if self._is_early or kept is None:
                self._included[path] = self._led_by_all(path)
            else:
                self._included[path] = self._known.included.get(asked, lambda: self._led_by_all(path))
        return self._included[path]

    def _led_by_all(self, path: str) -> Sequence[str]:
        imports = self.shape(path).imports
        return tuple(dict.fromkeys(lead for each in imports for lead in self.leads(path, each, of_module=True)))

    def files(self) -> ListedFiles:
        """The files of the project, as imports are resolved among them."""
        if self._listed is None:
            surroundings, manifests = self.store.state()
            known = self._known
            self._is_early = not surroundings
            if self._is_early:  # the first pass is not over: imports lead to what was read so far, and nothing is kept
                self._listed = ListedFiles(self._project, sorted({*self._imports.paths(), *self.store.hashes()}))
                return self._listed
            if known.files is None or known.surroundings != surroundings:
                paths = sorted({*self._imports.paths(), *json.loads(manifests)})
                known.files = ListedFiles(self._project, paths)
                known.surroundings = surroundings
            self._listed = known.files
        return self._listed

    def _led(self, path: str, each: Import, files: ListedFiles) -> list[str]:
        return [lead for _, leads in resolve_each(path, [each], language_of(path) or "", files) for lead in leads]

    def _having(self, name: str, does: int, most: int) -> list[KeptFile]:
        asked = (name, does, most)
        if asked not in self._named:
            self._named[asked] = self.store.having(name, does, most)
            self._files.update((each.path, each) for each in self._named[asked])
        return self._named[asked]

    def _shape(self, kept: KeptFile) -> FileShape:
        content = self.store.shape(kept.id)
        return FileShape(kept.path, *(facts.unpack_shape(content) if content else (facts.Definitions(), ())))

    def _uses(self, path: str) -> FileUses:
        kept = self.file(path)
        if kept is None:
            return FileUses({})
        return self._known.uses.get((path, kept.hash), lambda: self._read_uses(kept))

    def _read_uses(self, kept: KeptFile) -> FileUses:
        content = self.store.uses(kept.id)
        return FileUses(facts.unpack_uses(content) if content else {})


MOST_ALIKE = 64


def filter_visible(shape: FileShape, places: Sequence[int], line: int) -> Sequence[int]:
    """Those definitions that are seen on a line: the innermost, and of a name that is given several values the last."""
    if not places or (len(places) == 1 and not shape.definitions[places[0]].visible[0]):
        return places
    seen = [p for p in _near(shape, places, line) if covers(shape.definitions[p], line)]
    latest = max((shape.definitions[p].visible[0] for p in seen), default=0)
    if latest:  # those that only some lines see, where those lines begin last
        return [p for p in seen if shape.definitions[p].visible[0] == latest]
    return _last_given(shape, seen, line) if line else seen


def covers(definition: SymbolDefinition, line: int) -> bool:
    """Whether a line is among those that see a definition; 0 for any line."""
    first, last = definition.visible
    return not first or not line or first <= line <= last


def _near(shape: FileShape, places: Sequence[int], line: int) -> Sequence[int]:
    """Of very many definitions, which are in the order of the text, those right before a line."""
    if not line or len(places) <= MOST_ALIKE:
        return places

    def begins(place: int) -> int:
        return max(shape.definitions[place].line, shape.definitions[place].visible[0])

    end = bisect_right(places, line, key=begins)
    return places[max(0, end - MOST_ALIKE) : end]


def _last_given(shape: FileShape, places: list[int], line: int) -> list[int]:
    """What a local may hold on a line: what was given last in a block around it, and in blocks that ended since."""
    found: list[int] = []
    for place in places:
        each = shape.definitions[place]
        if each.kind not in facts.INNER or each.line > line:
            found += [] if each.kind in facts.INNER and found else [place]
        elif each.line <= line <= each.end_line or each.kind == facts.PARAMETER:
            found = [place]
        else:
            found.append(place)
    return found
