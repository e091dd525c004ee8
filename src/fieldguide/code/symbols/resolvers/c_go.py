"""Resolves names of C and C++ by scopes, includes and linkage, and of Go by packages and methods.

Which types of Go implement an interface is found by their methods.
"""

import posixpath
from collections.abc import Iterator, Sequence
from itertools import islice

from fieldguide.code.symbols import facts
from fieldguide.code.symbols.facts import ImportedSymbol, SymbolDefinition
from fieldguide.code.symbols.resolvers.resolver import MOST_CLASSES, SymbolResolver
from fieldguide.code.symbols.resolvers.rules import EvaluatingResolver, LanguageRules, Site
from fieldguide.code.symbols.resolvers.values import (
    FOREIGN,
    DefinitionPlace,
    ResolvedValue,
    remember,
    split_arguments,
    walk_nearest_first,
)
from fieldguide.code.symbols.resolvers.view import FileShape, covers
from fieldguide.files.kinds import language_of

MOST_INCLUDED_FILES = 200
MOST_BASES = 30
MOST_DEFINING_FILES = 100
HEADERS = (".h", ".hh", ".hpp", ".hxx", ".inl", ".ipp", ".tpp")
UNSEEN = facts.INNER | {facts.EXTENSION}
OWNERS = facts.TYPES | {facts.EXTENSION}


class CNames(EvaluatingResolver):
    """Answers for one question; what it found out is kept that long."""

    def outside(self, path: str, name: str) -> Sequence[DefinitionPlace]:
        """What is included; or what is linked, where that is one thing."""
        everywhere = self._everywhere(name)
        if not everywhere:
            return ()
        seen = self._view.included(path)
        here = [at for at in everywhere if at.path in seen]
        if here:
            return here
        linked: list[DefinitionPlace] = []
        meanings: set[tuple[str, str]] = set()
        for at in everywhere:
            definition = self._view.at(at)
            if not _is_static(definition) or is_header(at.path):
                linked.append(at)
                is_type = definition.kind in (facts.CLASS, facts.ENUM)  # types are one by their headers only
                meanings.add((definition.kind, at.path if is_type else ""))
        return linked if len(meanings) == 1 else ()

    @remember(())
    def _everywhere(self, name: str) -> Sequence[DefinitionPlace]:
        """The definitions of a name in any outermost scope, or in a namespace."""
        found: list[DefinitionPlace] = []
        for shape, place in self._view.everywhere(name, MOST_INCLUDED_FILES):
            each = shape.definitions[place]
            above = shape.definitions[each.parent].kind if each.parent >= 0 else facts.MODULE
            if each.kind not in UNSEEN and above == facts.MODULE:
                found.append(DefinitionPlace(shape.path, place))
        return found

    def twins(self, at: DefinitionPlace) -> Sequence[DefinitionPlace]:
        """The declarations and the definition of what is linked as one."""
        definition = self._view.at(at)
        if definition.kind == facts.METHOD:
            owners = self.owners(at.path, at.place)
            return [found for owner in owners for found in self.members(owner, definition.name)]
        if definition.parent >= 0 or _is_static(definition):
            return ()
        same = [other for other in self._everywhere(definition.name) if self._is_linked(other, definition.kind)]
        seen = self._view.included(at.path).intersection(other.path for other in same)
        headers = frozenset(filter(is_header, seen))
        return [other for other in same if not headers.isdisjoint(self._view.included(other.path))]

    def _is_linked(self, at: DefinitionPlace, kind: str) -> bool:
        definition = self._view.at(at)
        return definition.kind == kind and not _is_static(definition)

    def step(self, value: ResolvedValue, step: str, site: Site, *, is_called: bool) -> Sequence[ResolvedValue]:
        """Types that are given to a type, a call, an element or a member."""
        if step.startswith("<"):
            path, within, line = site
            given = tuple(tuple(self.evaluated(path, each, within, line)) for each in split_arguments(step))
            return [value._replace(arguments=given)]
        if step == "()":
            return self.resolved(value, is_called=True)
        if step == "[]":
            held = [each for inner in value.arguments for each in inner]
            return held or self.resolved(value)
        return self.member(value, step)

    def owners(self, path: str, within: int) -> Sequence[DefinitionPlace]:
        """The class that a place is in, also by a method that stands outside of it."""
        at = self._view.around(path, within, (facts.CLASS, facts.EXTENSION))
        each = self._view.at(at)
        if at is None or each.kind == facts.CLASS:
            return [at] if at else []
        return [value.at for value in self.evaluated(path, each.type[1:], each.parent, each.line) if value.at]

    def in_scope(self, shape: FileShape, scope: int, name: str, line: int) -> Sequence[DefinitionPlace]:
        """A definition of the scope, the last one of a function; in a class a member too."""
        found = [p for p in shape.named(scope, name) if covers(shape.definitions[p], line)]
        if not found and scope >= 0 and shape.definitions[scope].kind in OWNERS:
            return [member for owner in self.owners(shape.path, scope) for member in self.members(owner, name)]
        if found and scope >= 0 and shape.definitions[found[0]].kind in facts.INNER:
            found = [max(found, key=lambda p: shape.definitions[p].line)]
        return [DefinitionPlace(shape.path, place) for place in found]

    def resolved(self, value: ResolvedValue, *, is_called: bool = False) -> Sequence[ResolvedValue]:
        """What a value is: for a variable, a field or an alias what its type says, and for a call what comes back."""
        kind = self._view.at(value.at).kind
        if value.at is None:
            return []
        if kind in (facts.CLASS, facts.ENUM, facts.MODULE) or (kind in facts.CALLABLE and not is_called):
            return [value]
        return self.told(value.at)

    def find(self, at: DefinitionPlace, name: str) -> Sequence[DefinitionPlace]:
        """A name in a namespace, or a member of a class."""
        definition = self._view.at(at)
        if definition.kind == facts.MODULE:
            return self._in_namespace(definition.name, name)
        return self.members(at, name) if definition.kind in (facts.CLASS, facts.ENUM) else ()

    def _in_namespace(self, namespace: str, name: str) -> Sequence[DefinitionPlace]:
        """A name in a namespace, which may be opened in many files."""
        found = [(at, DefinitionPlace(at.path, self._view.at(at).parent)) for at in self._everywhere(name)]
        return [at for at, above in found if self._view.at(above).name == namespace]

    def members(self, at: DefinitionPlace, name: str) -> Sequence[DefinitionPlace]:
        """The members of a name that a class has, or the nearest of those that it inherits from."""
        for each in walk_nearest_first(at, self.bases, MOST_BASES):
            own = [found for owner in (each, *self.extensions(each)) for found in self.written(owner, name)]
            if own:
                return own
        return []

    @remember(())
    def extensions(self, at: DefinitionPlace) -> Sequence[DefinitionPlace]:
        """The methods of a class that stand outside of it."""
        places = self._view.defined(self._view.at(at).name, (facts.EXTENSION,), MOST_DEFINING_FILES)
        return [each for each in places if at in self.owners(*each)]

    def bases(self, at: DefinitionPlace) -> list[DefinitionPlace]:
        """The classes that a class names."""
        each = self._view.at(at)
        told = [base.partition("<")[0] for base in each.bases]
        values = [found for base in told for found in self.evaluated(at.path, base, each.parent, each.line)]
        return [each.at for value in values for each in self.resolved(value) if each.at]


def is_header(path: str) -> bool:
    """Whether a file is there to be included."""
    return posixpath.splitext(path)[1] in HEADERS


def _is_static(definition: SymbolDefinition) -> bool:
    return "static " in definition.signature[:40]


C = LanguageRules(own_way=CNames)


MOST_INTERFACE_FILES = 200
MOST_METHODS = 40
MOST_FOUND = 60
CONCRETE = facts.TYPES - {facts.INTERFACE}


def find_implementing(resolver: SymbolResolver, at: DefinitionPlace) -> Sequence[DefinitionPlace]:
    """The types that have all methods of an interface."""
    wanted = _asked(resolver, at)
    if not wanted:
        return []
    rarest = min(wanted, key=lambda name: len(resolver.view.defining(name, MOST_INTERFACE_FILES)))
    found: dict[DefinitionPlace, None] = {}
    for shape, place in resolver.view.everywhere(rarest, MOST_INTERFACE_FILES):
        each = shape.definitions[place]
        if each.kind == facts.METHOD and each.parent >= 0 and _takes_as(each, wanted[rarest]):
            owner = _owner(resolver, shape, each.parent)
            is_new = owner is not None and owner not in found and resolver.view.at(owner).kind in CONCRETE
            if owner is not None and is_new and _has_all(resolver, owner, wanted):
                found[owner] = None
        if len(found) >= MOST_FOUND:
            break
    return list(found)


def find_implemented(resolver: SymbolResolver, at: DefinitionPlace) -> Sequence[DefinitionPlace]:
    """The interfaces whose methods a type all has; the type may be told by a file that has only methods of it."""
    shape = resolver.view.shape(at.path)
    at = (_owner(resolver, shape, at.place) if at.place >= 0 else None) or at
    if resolver.view.at(at).kind not in CONCRETE:
        return []
    asking = dict.fromkeys(
        each for name in _own_names(resolver, at)[:MOST_METHODS] for each in _interfaces(resolver, name)
    )
    asked = ((each, _asked(resolver, each)) for each in asking)
    return [each for each, wanted in asked if wanted and _has_all(resolver, at, wanted)][:MOST_FOUND]


def _asked(resolver: SymbolResolver, at: DefinitionPlace) -> dict[str, SymbolDefinition]:
    """The methods that an interface asks for, with those of the interfaces in it; none where one is of others."""
    if resolver.view.at(at).kind != facts.INTERFACE:
        return {}
    known: dict[str, SymbolDefinition] | None = resolver.remembered.get((_asked, at))
    if known is None:
        known = resolver.remembered[_asked, at] = _read_asked(resolver, at)
    return known


def _read_asked(resolver: SymbolResolver, at: DefinitionPlace) -> dict[str, SymbolDefinition]:
    found: dict[str, SymbolDefinition] = {}
    for each in walk_nearest_first(at, resolver.known_bases, MOST_METHODS):
        for one in _written(resolver, each):
            found.setdefault(one.name, one)
        if None in resolver.bases(each):
            return {}
    return found


def _written(resolver: SymbolResolver, at: DefinitionPlace) -> list[SymbolDefinition]:
    """The methods that are written right in a type."""
    shape = resolver.view.shape(at.path)
    heads = enumerate(shape.definitions.heads())
    return [shape.definitions[n] for n, (_, kind, parent) in heads if parent == at.place and kind == facts.METHOD]


def _has_all(resolver: SymbolResolver, at: DefinitionPlace, wanted: dict[str, SymbolDefinition]) -> bool:
    names: set[str] | None = resolver.remembered.get((_has_all, at))
    if names is None:  # most types lack one by its name already
        classes = walk_nearest_first(at, resolver.known_bases, MOST_CLASSES)
        names = resolver.remembered[_has_all, at] = {name for each in classes for name in _own_names(resolver, each)}
    if not names.issuperset(islice(wanted, MOST_METHODS)):
        return False
    for name, asked in list(wanted.items())[:MOST_METHODS]:
        found = [value.at for value in resolver.inherited(at, name) if value.at is not None]
        own = resolver.view.at(found[0] if found else None)
        if own.kind != facts.METHOD or not _takes_as(own, asked):
            return False
    return True


def _takes_as(one: SymbolDefinition, other: SymbolDefinition) -> bool:
    """Whether two methods take as many parameters, and say the same of what they return."""
    return _parameters(one) == _parameters(other) and _last(one.type) == _last(other.type)


def _parameters(definition: SymbolDefinition) -> int:
    """How many types a method's parameters have; -1 where its signature is cut off."""
    start = definition.signature.find(f"{definition.name}(") + len(definition.name)
    depth = 0
    count = 0
    has_any = False
    for character in definition.signature[start:]:
        depth += (character in "([{") - (character in ")]}")
        count += character == "," and depth == 1
        has_any = has_any or (depth >= 1 and character not in "( ")
        if not depth:
            return count + has_any
    return -1


def _last(told: str) -> str:
    return told[1:].rpartition(".")[2]


def _own_names(resolver: SymbolResolver, at: DefinitionPlace) -> list[str]:
    """The names of the methods that a type has in its package."""
    definition = resolver.view.at(at)
    names = {each.name: None for each in _written(resolver, at)}
    folder = posixpath.dirname(at.path)
    for path in resolver.view.defining_in(folder, definition.name):
        shape = resolver.view.shape(path)
        parts = [part for part in shape.places(definition.name) if shape.definitions[part].kind == facts.EXTENSION]
        names.update((each, None) for part in parts for each, _, parent in shape.definitions.heads() if parent == part)
    return list(names)


def _interfaces(resolver: SymbolResolver, name: str) -> Iterator[DefinitionPlace]:
    """The interfaces that ask for a method of a name."""
    for shape, place in resolver.view.everywhere(name, MOST_INTERFACE_FILES, facts.ASKS):
        each = shape.definitions[place]
        if each.kind == facts.METHOD and each.parent >= 0:
            yield DefinitionPlace(shape.path, each.parent)


def _owner(resolver: SymbolResolver, shape: FileShape, place: int) -> DefinitionPlace | None:
    owner = shape.definitions[place]
    if owner.kind != facts.EXTENSION:
        return DefinitionPlace(shape.path, place)
    found = resolver.named(shape.path, owner.name, -1)
    return next((value.at for value in found if value.at is not None), None)


def find_in_package(resolver: SymbolResolver, path: str, name: str) -> Sequence[ResolvedValue]:
    """What another file of the package defines; else a package that is called so, whatever its folder is."""
    found = _in_package(resolver, path, name)
    own = resolver.view.shape(path)
    if found:
        return found
    called = [own.definitions[place] for place in own.places(name)]
    named = {each.type for each in called if each.kind == facts.IMPORTED}
    for number, each in enumerate(own.imports):
        if each.keyword != facts.PACKAGE and not each.name and f"@{number}" not in named:
            leads = resolver.view.leads(path, each)
            if leads and read_package(resolver.view.shape(leads[0])) == name:
                return [ResolvedValue(DefinitionPlace(leads[0]))]
    return []


def resolve_import(resolver: SymbolResolver, path: str, each: ImportedSymbol) -> Sequence[ResolvedValue] | None:
    """A package, by one of its files."""
    if each.name == facts.EVERYTHING:
        return None
    leads = resolver.view.leads(path, each)
    return [ResolvedValue(DefinitionPlace(leads[0]))] if leads else [FOREIGN._replace(name=each.text)]


def find_methods(resolver: SymbolResolver, at: DefinitionPlace, name: str) -> Sequence[DefinitionPlace]:
    """The methods of a type that other files of its package have."""
    definition = resolver.view.at(at)
    if definition.parent >= 0:
        return []
    found: list[DefinitionPlace] = []
    for shape in _siblings(resolver, at.path, name):
        for place in shape.places(name):
            parent = shape.definitions[place].parent
            owner = shape.definitions[parent] if parent >= 0 else None
            if owner is not None and owner.kind == facts.EXTENSION and owner.name == definition.name:
                found.append(DefinitionPlace(shape.path, place))
    return found


def _in_package(resolver: SymbolResolver, path: str, name: str) -> Sequence[ResolvedValue]:
    return [
        ResolvedValue(DefinitionPlace(shape.path, place))
        for shape in _siblings(resolver, path, name)
        for place in shape.named(-1, name)
        if shape.definitions[place].kind != facts.IMPORTED
    ]


def _siblings(resolver: SymbolResolver, path: str, name: str) -> Iterator[FileShape]:
    """The other files of a file's package that define a name."""
    own = resolver.view.shape(path)
    for other in resolver.view.defining_in(posixpath.dirname(path), name):
        if other != path and language_of(other) == "go":
            shape = resolver.view.shape(other)
            if read_package(shape) == read_package(own):
                yield shape


def read_package(shape: FileShape) -> str:
    """The package that a file says it is of."""
    return next((each.text for each in shape.imports if each.keyword == facts.PACKAGE), "")


GO = LanguageRules(
    implemented=find_implemented,
    implementing=find_implementing,
    sees_members=False,
    body_sees_members=False,
    element_members=("[]",),
    call_members=("()",),
    self_types=frozenset(),
    is_closed=True,
    around=find_in_package,
    imported=resolve_import,
    members=find_methods,
    module_member=_in_package,
)
TABLES = {"c": C, "cpp": C, "go": GO}
