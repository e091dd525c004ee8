"""TypeScript and JavaScript: names are resolved through modules, types, and the types that places expect."""

import posixpath
from collections.abc import Collection, Sequence

from fieldguide.symbols.facts import EXPORTED, Reference
from fieldguide.symbols.resolving.own_way import OwnWay
from fieldguide.symbols.resolving.rules import Rules
from fieldguide.symbols.resolving.script.files import DEFAULT, MEMBERS, WHOLE, Scripts
from fieldguide.symbols.resolving.script.kinds_of_types import Itself, Object
from fieldguide.symbols.resolving.script.relations import Relations
from fieldguide.symbols.resolving.values import FOREIGN, At, Value
from fieldguide.symbols.resolving.view import View

MOST_KIN = 200


class ScriptWay(OwnWay):
    """What uses in scripts mean, for one question."""

    def __init__(self, view: View) -> None:
        self._view = view
        scripts = Scripts(view)
        self._relations = Relations(scripts)
        self._likely = Relations(scripts, knows_packages=True)
        self._same: dict[At, set[At]] = {}

    def meant(self, path: str, each: Reference) -> Sequence[Value]:
        """What a use means: definitions, something of others, or nothing where that can't be told."""
        places = self._relations.places(path, each)
        if places is None:
            return []
        return [Value(place) for place in places] or [FOREIGN]

    def likely(self, path: str, each: Reference) -> Sequence[Value]:
        """What a use means if functions of packages give back what they are given, as those that are known do."""
        return [Value(place) for place in self._likely.places(path, each) or ()]

    def group(self, at: At) -> set[At]:
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

    def same(self, at: At) -> set[At]:
        """A definition, where it is declared again, and the members of bases that it overrides."""
        if at not in self._same:
            self._same[at] = self._relations.same(at)
        return self._same[at]

    def kin(self, at: At, group: Collection[At]) -> Collection[At]:
        """The members that override a member or that it overrides, or do so with the same one."""
        definition = self._view.definition(*at)
        if definition is None or definition.kind not in MEMBERS:
            return ()
        anchors, everywhere = set(group), self._view.everywhere(definition.name, MOST_KIN)
        members = (At(shape.path, place) for shape, place in everywhere if shape.definitions[place].kind in MEMBERS)
        return [each for each in members if not anchors.isdisjoint(self.same(each))]

    def bases(self, at: At) -> list[At | None]:
        """The classes and interfaces that a class or interface inherits from."""
        types = self._relations.evaluator.members.bases(Itself(at))
        return [each.place if isinstance(each, Object) else None for each in types]

    def other_names(self, at: At) -> Sequence[str]:
        """What is given out by default, or as the whole module, is imported under any name."""
        definition, shape = self._view.definition(*at), self._view.shape(at.path)
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


RULES = Rules(own_way=lambda resolver: ScriptWay(resolver.view))
