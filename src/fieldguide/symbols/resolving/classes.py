"""Members of classes and modules: a class's own, then those that it inherits, the nearest first."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fieldguide.symbols.facts import CALLABLE, FIELD, TYPES
from fieldguide.symbols.resolving.nearness import nearest_first
from fieldguide.symbols.resolving.values import FOREIGN, At, Value

if TYPE_CHECKING:
    from fieldguide.symbols.resolving.resolver import Resolver

MOST_CLASSES = 40


class Classes:
    """Answers for one question; what was found out is kept that long."""

    def __init__(self, resolver: "Resolver") -> None:
        self._resolver = resolver
        self._members: dict[tuple[At, str], Sequence[Value]] = {}
        self._bases: dict[At, list[At | None]] = {}

    def member(self, value: Value, name: str) -> Sequence[Value]:
        """What a name means that is taken out of a value."""
        resolver = self._resolver
        if value.at is None:
            return self._held(value, name) or [FOREIGN]
        if value.at.place < 0:
            return self._module_member(value.at.path, name)
        definition = resolver.view.definition(*value.at)
        if definition is None:
            return []
        if definition.kind in TYPES:
            found = self._held(value, name)
            return found or [each._replace(owner=value.at) for each in self.inherited(value.at, name)]
        return [FOREIGN] if definition.kind in CALLABLE else self._member_of_held(value, name)

    def _member_of_held(self, value: Value, name: str) -> Sequence[Value]:
        held = [each for each in self._resolver.resolved(value) if each != value]
        return [found for each in held for found in self.member(each, name)]

    def inherited(self, at: At, name: str) -> Sequence[Value]:
        """A member of a class: its own, or the nearest of those that it inherits from."""
        key = (at, name)
        if key not in self._members and self._resolver.may_go_on():
            self._members[key] = []
            with self._resolver.deeper():
                self._members[key] = self._nearest(at, name)
        return self._members.get(key, [])

    def own(self, at: At, name: str) -> list[At]:
        """The members of a name that a class has itself."""
        resolver = self._resolver
        shape, special = resolver.view.shape(at.path), resolver.rules(at.path).members
        own = [At(at.path, place) for place in shape.named(at.place, name)] if shape else []
        return own + [each for each in (special(resolver, at, name) if special else ()) if each not in own]

    def bases(self, at: At) -> list[At | None]:
        """The classes that a class inherits from; None for each that is of others or can't be told."""
        if at not in self._bases:
            self._bases[at] = []  # a class that inherits from itself inherits nothing
            self._bases[at] = self._found_bases(at)
        return self._bases[at]

    def _found_bases(self, at: At) -> list[At | None]:
        resolver = self._resolver
        definition, own_way = resolver.view.definition(*at), resolver.own_way(at.path)
        if own_way is not None and (own := own_way.bases(at)) is not None:
            return own
        if definition is None:
            return []
        found: list[At | None] = []
        for base in definition.bases:
            values = resolver.evaluated(at.path, base, definition.parent, definition.line)
            found += [value.at for value in values if value.at != at] or [None]
        special = resolver.rules(at.path).bases
        return found + list(special(resolver, at) if special else ())

    def _nearest(self, at: At, name: str) -> Sequence[Value]:
        given: list[At] = []
        is_open = False
        for each in nearest_first(at, self._known_bases, MOST_CLASSES):
            own = self.own(each, name)
            if own and self._is_declared(own[0]):
                return [Value(found) for found in own]
            given = given or own
            is_open = is_open or None in self.bases(each)
        if given:
            return [Value(found) for found in given]
        return [FOREIGN] if is_open else []

    def _known_bases(self, at: At) -> list[At]:
        return [base for base in self.bases(at) if base is not None]

    def _is_declared(self, at: At) -> bool:
        """Whether a member says what it is; a field that is only given a value may be one that is declared above."""
        definition = self._resolver.view.definition(*at)
        is_given = definition is not None and definition.kind == FIELD and not definition.type.startswith(":")
        return not is_given or not self._resolver.rules(at.path).gives_fields or definition is None

    def _held(self, value: Value, name: str) -> Sequence[Value]:
        """What collections give of what they hold."""
        if not value.arguments:
            return []
        rules = self._resolver.rules_here()
        if name in rules.elements:
            return [Value(None, arguments=value.arguments[-1:], name=name)]
        return [value] if name in rules.wholes else []

    def _module_member(self, path: str, name: str) -> Sequence[Value]:
        resolver = self._resolver
        special = resolver.rules(path).module_member
        return resolver.exported(path, name) or (special(resolver, path, name) if special else [])
