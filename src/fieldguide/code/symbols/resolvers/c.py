"""Resolves names of C and C++ by scopes, includes and linkage."""

import posixpath
from collections.abc import Sequence

from fieldguide.code.symbols import facts
from fieldguide.code.symbols.facts import CLASS, ENUM, EXTENSION, MODULE, SymbolDefinition
from fieldguide.code.symbols.resolvers.rules import (
    DefinitionPlace,
    EvaluatingResolver,
    LanguageRules,
    ResolvedValue,
    Site,
    remember,
    split_arguments,
    walk_nearest_first,
)
from fieldguide.code.symbols.resolvers.view import FileShape, covers

MOST_INCLUDED = 400
MOST_INCLUDED_FILES = 200
MOST_BASES = 30
MOST_DEFINING_FILES = 100
HEADERS = (".h", ".hh", ".hpp", ".hxx", ".inl", ".ipp", ".tpp")
UNSEEN = facts.INNER | {EXTENSION}
OWNERS = facts.TYPES | {EXTENSION}


class CNames(EvaluatingResolver):
    """Answers for one question; what it found out is kept that long."""

    def outside(self, path: str, name: str) -> Sequence[DefinitionPlace]:
        """What is included; or what is linked, where that is one thing."""
        everywhere = self._everywhere(name)
        if not everywhere:
            return ()
        seen = self._includes(path)
        here = [at for at in everywhere if at.path in seen]
        if here:
            return here
        linked: list[DefinitionPlace] = []
        meanings: set[tuple[str, str]] = set()
        for at in everywhere:
            definition = self._view.at(at)
            if not _is_static(definition) or is_header(at.path):
                linked.append(at)
                is_type = definition.kind in (CLASS, ENUM)  # types are one by their headers only
                meanings.add((definition.kind, at.path if is_type else ""))
        return linked if len(meanings) == 1 else ()

    @remember(())
    def _everywhere(self, name: str) -> Sequence[DefinitionPlace]:
        """The definitions of a name in any outermost scope, or in a namespace."""
        found: list[DefinitionPlace] = []
        for shape, place in self._view.everywhere(name, MOST_INCLUDED_FILES):
            each = shape.definitions[place]
            above = shape.definitions[each.parent].kind if each.parent >= 0 else MODULE
            if each.kind not in UNSEEN and above == MODULE:
                found.append(DefinitionPlace(shape.path, place))
        return found

    @remember(frozenset())
    def _includes(self, path: str) -> frozenset[str]:
        """A file and all that it includes, and what those include."""
        found = {path}
        pending = [path]
        while pending and len(found) < MOST_INCLUDED:
            here = pending.pop()
            for each in self._view.shape(here).imports:
                fresh = [lead for lead in self._view.leads(here, each, of_module=True) if lead not in found]
                found.update(fresh)
                pending += fresh
        return frozenset(found)

    def twins(self, at: DefinitionPlace) -> Sequence[DefinitionPlace]:
        """The declarations and the definition of what is linked as one."""
        definition = self._view.at(at)
        if definition.kind == facts.METHOD:
            owners = self.owners(at.path, at.place)
            return [found for owner in owners for found in self.members(owner, definition.name)]
        if definition.parent >= 0 or _is_static(definition):
            return ()
        same = [other for other in self._everywhere(definition.name) if self._is_linked(other, definition.kind)]
        seen = self._includes(at.path).intersection(other.path for other in same)
        headers = frozenset(filter(is_header, seen))
        return [other for other in same if not headers.isdisjoint(self._includes(other.path))]

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
        at = self._view.around(path, within, (CLASS, EXTENSION))
        each = self._view.at(at)
        if at is None or each.kind == CLASS:
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
        if kind in (CLASS, ENUM, MODULE) or (kind in facts.CALLABLE and not is_called):
            return [value]
        return self.told(value.at)

    def find(self, at: DefinitionPlace, name: str) -> Sequence[DefinitionPlace]:
        """A name in a namespace, or a member of a class."""
        definition = self._view.at(at)
        if definition.kind == MODULE:
            return self._in_namespace(definition.name, name)
        return self.members(at, name) if definition.kind in (CLASS, ENUM) else ()

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
        places = self._view.defined(self._view.at(at).name, (EXTENSION,), MOST_DEFINING_FILES)
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


RULES = LanguageRules(own_way=CNames)
