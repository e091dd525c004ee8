"""Kotlin: functions and properties that extend a type, which are called as if they were its members."""

from collections.abc import Iterator, Sequence

from fieldguide.symbols.facts import TYPES, Reference
from fieldguide.symbols.resolving.packaged.wanted import Want
from fieldguide.symbols.resolving.packaged.way import PackagedWay
from fieldguide.symbols.resolving.values import FOREIGN, At, Value

MOST_CLASSES = 60


class KotlinWay(PackagedWay):
    """Answers for one question, as Kotlin does."""

    language = "kotlin"
    is_loose = True

    def extended(self, path: str, each: Reference, want: Want) -> Sequence[Value]:
        """What extends a type and is seen here by its bare name."""
        found = self.named(path, each.name, each.within, want, each.line)
        owners = self.types.value(path, each.receiver, each.within, each.line)
        ours = [value for value in found if value.at is not None and self._extends(value.at)]
        return self._of(owners, ours) if owners else ours

    def _of(self, owners: Sequence[Value], extending: Sequence[Value]) -> Sequence[Value]:
        """Those that extend the type of one of some objects, or of a class above it."""
        family = {at for owner in owners for at in self._family(owner)}
        return [value for value in extending if value.at is not None and not family.isdisjoint(self._bases(value.at))]

    def _family(self, value: Value) -> Iterator[At | None]:
        """The class of an object and those above it; None where one of them is of others."""
        pending, count = [value], 0
        while pending and count < MOST_CLASSES:
            each, count = pending.pop(), count + 1
            yield each.at
            above = self.members.above(each) if each.at is not None else ()
            pending += [FOREIGN if base is None else base for base in above]

    def _bases(self, at: At) -> set[At | None]:
        """What something extends; a type that it is given may be any."""
        definition = self.resolver.view.definition(*at)
        told = self.types.told(at.path, definition.bases[0], at.place) if definition and definition.bases else ()
        return {value.at for value in told} or {None}

    def named(self, path: str, name: str, within: int, want: Want, line: int = 0) -> Sequence[Value]:
        """What a bare name means; in what extends a type it may be a member of that."""
        found = super().named(path, name, within, want, line)
        if len(found) > 1 and (owner := self.self_around(path, within)):
            found = self._of([owner], found) or found
        if not any(value.at for value in found) and (owner := self._extended_around(path, within)):
            inside = self.members.member(owner, name, want)
            return inside if any(value.at for value in inside) else found
        return found

    def _extends(self, at: At) -> bool:
        definition = self.resolver.view.definition(*at)
        return definition is not None and bool(definition.bases) and definition.kind not in TYPES

    def self_around(self, path: str, within: int) -> Value | None:
        """The object of the class around, or of the type that the function around extends."""
        return self._extended_around(path, within) or super().self_around(path, within)

    def _extended_around(self, path: str, within: int) -> Value | None:
        shape = self.resolver.view.shape(path)
        for place in shape.chain(within) if shape else ():
            if shape and self._extends(At(path, place)):
                definition = shape.definitions[place]
                told = self.types.told(path, definition.bases[0], definition.parent)
                return next((value._replace(is_object=True) for value in told), None)
        return None
