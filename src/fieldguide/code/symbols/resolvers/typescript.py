"""Resolves uses of names in TypeScript and JavaScript, and finds related members.

A member of a class and the members of its bases that it overrides or implements are one: who asks for one of them is
told the uses of all.
"""

import posixpath
from collections.abc import Collection, Sequence

from fieldguide.code.symbols import facts
from fieldguide.code.symbols.facts import CLASS, EXPORTED, IMPORT, SymbolDefinition, SymbolReference
from fieldguide.code.symbols.resolvers.resolver import SymbolResolver
from fieldguide.code.symbols.resolvers.rules import (
    FOREIGN,
    DefinitionPlace,
    LanguageResolver,
    LanguageRules,
    ResolvedValue,
    remember,
)
from fieldguide.code.symbols.resolvers.typescript_evaluation import Evaluator
from fieldguide.code.symbols.resolvers.typescript_files import DEFAULT, MEMBERS, WHOLE, Scripts, is_static
from fieldguide.code.symbols.resolvers.typescript_types import (
    QUOTES,
    SAME,
    Foreign,
    Itself,
    Object,
    Type,
    parse_generic,
)

MOST_BASES = 40
MOST_KIN = 200


class ScriptResolver(LanguageResolver):
    """What uses in scripts mean, for one question."""

    def __init__(self, resolver: SymbolResolver) -> None:
        self._view = resolver.view
        self._scripts = Scripts(self._view)
        self._evaluator = Evaluator(self._scripts)
        self._knowing_packages = Evaluator(self._scripts, knows_packages=True)

    def meant(self, path: str, each: SymbolReference) -> Sequence[ResolvedValue]:
        """What a use means: definitions, something of others, or nothing where that can't be told."""
        places = self._places(path, each, self._evaluator)
        if places is None:
            return []
        return [ResolvedValue(place) for place in places] or [FOREIGN]

    def likely(self, path: str, each: SymbolReference) -> Sequence[ResolvedValue]:
        """What a use means if functions of packages give back what they are given, as those that are known do."""
        return [ResolvedValue(place) for place in self._places(path, each, self._knowing_packages) or ()]

    def _places(self, path: str, each: SymbolReference, evaluator: Evaluator) -> Sequence[DefinitionPlace] | None:
        """The definitions that a use means; none where it is something of others, None where nobody can tell."""
        scope = DefinitionPlace(path, each.within)
        if not each.receiver:
            found = self._merged(self._scripts.look_up(path, each.within, each.name, each.line))
            return found or ([] if evaluator.is_foreign(scope, each.line, each.name) else None)
        if each.role == IMPORT and each.receiver.startswith("@"):
            return self._merged(self._scripts.imported(path, int(each.receiver[1:])))
        if each.receiver.startswith("="):
            return self._merged(self._scripts.look_up(path, each.within, each.receiver[1:], each.line))
        types = evaluator.value(scope, each.line, each.receiver)
        places = list(dict.fromkeys(place for one in types for place, _ in evaluator.members.named(one, each.name)))
        if len(places) > 1 and each.role == facts.WRITE and all(map(self._is_telling, places)):
            return None  # the value tells which of several types is meant, and nobody looks at it here
        is_foreign = bool(types) and all(isinstance(one, Foreign) for one in types)
        return places or ([] if is_foreign else None)

    def _is_telling(self, place: DefinitionPlace) -> bool:
        """Whether a member is of one value alone, so that it tells one type of several from the others."""
        each = self._scripts.definition(place)
        told = each.type[1:].strip() if each and each.type.startswith(":") else ""
        enum, _, member = told.partition(".")
        is_one_of_enum = enum.isidentifier() and member.isidentifier()
        return bool(told) and (told[0] in QUOTES or told in ("true", "false") or is_one_of_enum)

    def _merged(self, places: list[DefinitionPlace]) -> list[DefinitionPlace]:
        return list(dict.fromkeys(found for place in places for found in self._scripts.merged(place)))

    def group(self, at: DefinitionPlace) -> set[DefinitionPlace]:
        """A definition and the members that it overrides; of a key of an object, the members that its type expects."""
        found = set(self.same(at))
        definition = self._view.definition(*at)
        if definition is None:
            return found
        for each in self._view.uses(at.path, definition.name):
            if each.receiver and (each.line, each.column) == (definition.line, definition.column):
                for place in self._places(at.path, each, self._evaluator) or ():
                    found |= self.same(place)
        return found

    @remember(frozenset())
    def same(self, at: DefinitionPlace) -> frozenset[DefinitionPlace]:
        """A definition, where it is declared again, and the members of bases that it overrides."""
        each = self._scripts.definition(at)
        found = set(self._scripts.merged(at))
        if each is not None and each.kind in MEMBERS and each.parent >= 0:
            for other in self._above(at, each):
                definition = self._scripts.definition(other)
                if (definition is not None and is_static(definition)) == is_static(each):
                    found.add(other)
        return frozenset(found)

    def _above(self, place: DefinitionPlace, each: SymbolDefinition) -> set[DefinitionPlace]:
        """The members of bases that a member overrides."""
        found: set[DefinitionPlace] = set()
        members = self._evaluator.members
        owner = DefinitionPlace(place.path, each.parent)
        around = self._scripts.definition(owner)
        if around is None or around.kind not in (CLASS, facts.INTERFACE):
            return found
        pending: list[Type] = []
        for one in self._scripts.merged(owner):
            definition = self._scripts.definition(one)
            for text in definition.bases if definition else ():
                bases = self._evaluator.types.read(one, definition.line if definition else 0, text)
                if parse_generic(text)[0] not in SAME:
                    pending += bases
                else:  # not as it is, but through `Partial<…>`
                    found.update(member for base in bases for member, _ in members.named(base, each.name))
        seen: set[Type] = set()
        while pending and len(seen) < MOST_BASES:
            base = pending.pop()
            if base in seen or not isinstance(base, Object):
                continue
            seen.add(base)
            found.update(members.own(base.place, each.name))
            pending += members.bases(base)
        return found

    def kin(self, at: DefinitionPlace, group: Collection[DefinitionPlace]) -> Collection[DefinitionPlace]:
        """The members that override a member or that it overrides, or do so with the same one."""
        definition = self._view.definition(*at)
        if definition is None or definition.kind not in MEMBERS:
            return ()
        members = self._view.defined(definition.name, MEMBERS, MOST_KIN)
        return [each for each in members if not self.same(each).isdisjoint(group)]

    def bases(self, at: DefinitionPlace) -> list[DefinitionPlace | None]:
        """The classes and interfaces that a class or interface inherits from."""
        types = self._evaluator.members.bases(Itself(at))
        return [each.place if isinstance(each, Object) else None for each in types]

    def other_names(self, at: DefinitionPlace) -> Sequence[str]:
        """What is given out by default, or as the whole module, is imported under any name."""
        definition = self._view.definition(*at)
        shape = self._view.shape(at.path)
        if definition is None or shape is None or definition.parent >= 0:
            return ()
        found: list[str] = []
        for name in (DEFAULT, WHOLE):
            told = [shape.definitions[place] for place in shape.named(-1, name)]
            if any(each.kind != EXPORTED or each.type == f"={definition.name}" for each in told):
                found += [f"{name}:{part}" for part in _module_names(at.path)]
        return found


def _module_names(path: str) -> list[str]:
    """The last parts of the names under which a file may be imported."""
    folder, base = posixpath.split(path)
    stem = base.partition(".")[0]
    around = [part for part in folder.split("/") if part and part not in ("src", "lib")][-1:]
    return list(dict.fromkeys((stem, *around)))


RULES = LanguageRules(own_way=ScriptResolver)
