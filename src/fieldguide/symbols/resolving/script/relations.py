"""What a use in a script means, and which members are one and the same for a language server.

A member of a class and the members of its bases that it overrides or implements are one: who asks for one of them is
told the uses of all.
"""

from collections.abc import Sequence

from fieldguide.symbols.facts import CLASS, FIELD, IMPORT, INTERFACE, METHOD, WRITE, Definition, Reference
from fieldguide.symbols.resolving.script.evaluating import Evaluator
from fieldguide.symbols.resolving.script.files import Scripts, is_static
from fieldguide.symbols.resolving.script.foreign import SAME
from fieldguide.symbols.resolving.script.kinds_of_types import Foreign, Object, Type
from fieldguide.symbols.resolving.script.type_text import QUOTES, generic
from fieldguide.symbols.resolving.values import At

MOST_BASES = 40


class Relations:
    """Answers about uses and definitions of scripts."""

    def __init__(self, scripts: Scripts, *, knows_packages: bool = False) -> None:
        self.scripts = scripts
        self.evaluator = Evaluator(scripts, knows_packages=knows_packages)

    def places(self, path: str, each: Reference) -> Sequence[At] | None:
        """The definitions that a use means; none where it is something of others, None where nobody can tell."""
        scope = At(path, each.within)
        if not each.receiver:
            found = self._merged(self.scripts.look_up(path, each.within, each.name, each.line))
            return found or ([] if self.evaluator.is_foreign(scope, each.line, each.name) else None)
        if each.role == IMPORT and each.receiver.startswith("@"):
            return self._merged(self.scripts.imported(path, int(each.receiver[1:])))
        if each.receiver.startswith("="):
            return self._merged(self.scripts.look_up(path, each.within, each.receiver[1:], each.line))
        return self._members(scope, each)

    def _members(self, scope: At, each: Reference) -> Sequence[At] | None:
        """The members that a use behind a value means."""
        types, members = self.evaluator.value(scope, each.line, each.receiver), self.evaluator.members
        places = list(dict.fromkeys(place for one in types for place, _ in members.named(one, each.name)))
        if len(places) > 1 and each.role == WRITE and all(map(self._is_telling, places)):
            return None  # the value tells which of several types is meant, and nobody looks at it here
        is_foreign = bool(types) and all(isinstance(one, Foreign) for one in types)
        return places or ([] if is_foreign else None)

    def _is_telling(self, place: At) -> bool:
        """Whether a member is of one value alone, so that it tells one type of several from the others."""
        each = self.scripts.definition(place)
        told = each.type[1:].strip() if each and each.type.startswith(":") else ""
        return bool(told) and (told[0] in QUOTES or told in ("true", "false") or _is_one_of_enum(told))

    def _merged(self, places: list[At]) -> list[At]:
        return list(dict.fromkeys(found for place in places for found in self.scripts.merged(place)))

    def same(self, place: At) -> set[At]:
        """A definition, where it is declared again, and the members of bases that it overrides."""
        each = self.scripts.definition(place)
        found = set(self.scripts.merged(place))
        if each is None or each.kind not in (FIELD, METHOD) or each.parent < 0:
            return found
        return found | {one for one in self._above(place, each) if self._is_static(one) == is_static(each)}

    def _is_static(self, place: At) -> bool:
        each = self.scripts.definition(place)
        return each is not None and is_static(each)

    def _above(self, place: At, each: Definition) -> set[At]:
        """The members of bases that a member overrides."""
        found: set[At] = set()
        owner = self.scripts.definition(At(place.path, each.parent))
        if owner is None or owner.kind not in (CLASS, INTERFACE):
            return found
        pending: list[Type] = []
        for base, is_whole in self._bases(At(place.path, each.parent)):
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

    def _bases(self, place: At) -> list[tuple[Type, bool]]:
        """What a class inherits from, and whether it does so as it is: not through `Partial<…>`."""
        found: list[tuple[Type, bool]] = []
        for one in self.scripts.merged(place):
            each = self.scripts.definition(one)
            for text in each.bases if each else ():
                is_whole = generic(text)[0] not in SAME
                found += [(base, is_whole) for base in self.evaluator.types.read(one, each.line if each else 0, text)]
        return found


def _is_one_of_enum(told: str) -> bool:
    head, dot, member = told.partition(".")
    return bool(dot) and head.isidentifier() and member.isidentifier()
