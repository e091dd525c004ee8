"""Resolves uses of names in TypeScript and JavaScript, and finds related members.

A member of a class and the members of its bases that it overrides or implements are one: who asks for one of them is
told the uses of all.
"""

import posixpath
from collections.abc import Collection, Sequence

from fieldguide.code.symbols import facts
from fieldguide.code.symbols.facts import CLASS, EXPORTED, FIELD, IMPORT, SymbolDefinition, SymbolReference
from fieldguide.code.symbols.resolvers.rules import (
    FOREIGN,
    DefinitionPlace,
    LanguageResolver,
    LanguageRules,
    ResolvedValue,
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
from fieldguide.code.symbols.resolvers.view import SymbolView

MOST_BASES = 40


class ScriptRelations:
    """Answers about uses and definitions of scripts."""

    def __init__(self, scripts: Scripts, *, knows_packages: bool = False) -> None:
        self.scripts = scripts
        self.evaluator = Evaluator(scripts, knows_packages=knows_packages)

    def places(self, path: str, each: SymbolReference) -> Sequence[DefinitionPlace] | None:
        """The definitions that a use means; none where it is something of others, None where nobody can tell."""
        scope = DefinitionPlace(path, each.within)
        if not each.receiver:
            found = self._merged(self.scripts.look_up(path, each.within, each.name, each.line))
            return found or ([] if self.evaluator.is_foreign(scope, each.line, each.name) else None)
        if each.role == IMPORT and each.receiver.startswith("@"):
            return self._merged(self.scripts.imported(path, int(each.receiver[1:])))
        if each.receiver.startswith("="):
            return self._merged(self.scripts.look_up(path, each.within, each.receiver[1:], each.line))
        return self._members(scope, each)

    def _members(self, scope: DefinitionPlace, each: SymbolReference) -> Sequence[DefinitionPlace] | None:
        """The members that a use behind a value means."""
        types = self.evaluator.value(scope, each.line, each.receiver)
        members = self.evaluator.members
        places = list(dict.fromkeys(place for one in types for place, _ in members.named(one, each.name)))
        if len(places) > 1 and each.role == facts.WRITE and all(map(self._is_telling, places)):
            return None  # the value tells which of several types is meant, and nobody looks at it here
        is_foreign = bool(types) and all(isinstance(one, Foreign) for one in types)
        return places or ([] if is_foreign else None)

    def _is_telling(self, place: DefinitionPlace) -> bool:
        """Whether a member is of one value alone, so that it tells one type of several from the others."""
        each = self.scripts.definition(place)
        told = each.type[1:].strip() if each and each.type.startswith(":") else ""
        return bool(told) and (told[0] in QUOTES or told in ("true", "false") or _is_one_of_enum(told))

    def _merged(self, places: list[DefinitionPlace]) -> list[DefinitionPlace]:
        return list(dict.fromkeys(found for place in places for found in self.scripts.merged(place)))

    def same(self, place: DefinitionPlace) -> set[DefinitionPlace]:
        """A definition, where it is declared again, and the members of bases that it overrides."""
        each = self.scripts.definition(place)
        found = set(self.scripts.merged(place))
        if each is None or each.kind not in (FIELD, facts.METHOD) or each.parent < 0:
            return found
        return found | {one for one in self._above(place, each) if self._is_static(one) == is_static(each)}

    def _is_static(self, place: DefinitionPlace) -> bool:
        each = self.scripts.definition(place)
        return each is not None and is_static(each)

    def _above(self, place: DefinitionPlace, each: SymbolDefinition) -> set[DefinitionPlace]:
        """The members of bases that a member overrides."""
        found: set[DefinitionPlace] = set()
        owner = self.scripts.definition(DefinitionPlace(place.path, each.parent))
        if owner is None or owner.kind not in (CLASS, facts.INTERFACE):
            return found
        pending: list[Type] = []
        for base, is_whole in self._bases(DefinitionPlace(place.path, each.parent)):
            if is_whole:
                pending.append(base)
            else:
                found.update(member for member, _ in self.evaluator.members.named(base, each.name))
        seen: set[Type] = set()
        while pending and len(seen) < MOST_BASES:
            base = pending.pop()
            if base in seen or not isinstance(base, Object):
                continue
            seen.add(base)
            found.update(self.evaluator.members.own(base.place, each.name))
            pending += self.evaluator.members.bases(base)
        return found

    def _bases(self, place: DefinitionPlace) -> list[tuple[Type, bool]]:
        """What a class inherits from, and whether it does so as it is: not through `Partial<…>`."""
        found: list[tuple[Type, bool]] = []
        for one in self.scripts.merged(place):
            each = self.scripts.definition(one)
            for text in each.bases if each else ():
                is_whole = parse_generic(text)[0] not in SAME
                found += [(base, is_whole) for base in self.evaluator.types.read(one, each.line if each else 0, text)]
        return found


def _is_one_of_enum(told: str) -> bool:
    head, dot, member = told.partition(".")
    return bool(dot) and head.isidentifier() and member.isidentifier()


MOST_KIN = 200


class ScriptResolver(LanguageResolver):
    """What uses in scripts mean, for one question."""

    def __init__(self, view: SymbolView) -> None:
        self._view = view
        scripts = Scripts(view)
        self._relations = ScriptRelations(scripts)
        self._likely = ScriptRelations(scripts, knows_packages=True)
        self._same: dict[DefinitionPlace, set[DefinitionPlace]] = {}

    def meant(self, path: str, each: SymbolReference) -> Sequence[ResolvedValue]:
        """What a use means: definitions, something of others, or nothing where that can't be told."""
        places = self._relations.places(path, each)
        if places is None:
            return []
        return [ResolvedValue(place) for place in places] or [FOREIGN]

    def likely(self, path: str, each: SymbolReference) -> Sequence[ResolvedValue]:
        """What a use means if functions of packages give back what they are given, as those that are known do."""
        return [ResolvedValue(place) for place in self._likely.places(path, each) or ()]

    def group(self, at: DefinitionPlace) -> set[DefinitionPlace]:
        """A definition and the members that it overrides; of a key of an object, the members that its type expects."""
        found = set(self.same(at))
        definition = self._view.definition(*at)
        if definition is None:
            return found
        for each in self._view.uses(at.path, definition.name):
            if each.receiver and (each.line, each.column) == (definition.line, definition.column):
                for place in self._relations.places(at.path, each) or ():
                    found |= self.same(place)
        return found

    def same(self, at: DefinitionPlace) -> set[DefinitionPlace]:
        """A definition, where it is declared again, and the members of bases that it overrides."""
        if at not in self._same:
            self._same[at] = self._relations.same(at)
        return self._same[at]

    def kin(self, at: DefinitionPlace, group: Collection[DefinitionPlace]) -> Collection[DefinitionPlace]:
        """The members that override a member or that it overrides, or do so with the same one."""
        definition = self._view.definition(*at)
        if definition is None or definition.kind not in MEMBERS:
            return ()
        anchors = set(group)
        everywhere = self._view.everywhere(definition.name, MOST_KIN)
        members = (
            DefinitionPlace(shape.path, place)
            for shape, place in everywhere
            if shape.definitions[place].kind in MEMBERS
        )
        return [each for each in members if not anchors.isdisjoint(self.same(each))]

    def bases(self, at: DefinitionPlace) -> list[DefinitionPlace | None]:
        """The classes and interfaces that a class or interface inherits from."""
        types = self._relations.evaluator.members.bases(Itself(at))
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


RULES = LanguageRules(own_way=lambda resolver: ScriptResolver(resolver.view))
