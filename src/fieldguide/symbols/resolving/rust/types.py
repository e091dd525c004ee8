"""What belongs to Rust's types: fields and variants, what `impl` blocks give them, and what traits do."""

from collections.abc import Callable, Iterable, Sequence

from fieldguide.symbols.facts import EXTENSION, INNER
from fieldguide.symbols.resolving.rust.added import AddedMembers
from fieldguide.symbols.resolving.values import At, Value
from fieldguide.symbols.resolving.view import View

MOST_IMPL_FILES = 200
MOST_TRAITS = 40

Evaluate = Callable[[str, str, int, int], Sequence[Value]]


class TypeMembers:
    """The members of types, wherever they are written."""

    def __init__(self, view: View, evaluate: Evaluate) -> None:
        self._view = view
        self._evaluate = evaluate
        self.added = AddedMembers(view)
        self._extensions: dict[At, Sequence[At]] = {}
        self._owners: dict[At, Sequence[At]] = {}
        self._traits: dict[At, Sequence[At]] = {}

    def named(self, at: At, name: str) -> Sequence[At]:
        """The members of a name: the type's own before those that its traits give it."""
        extensions = self.extensions(at)
        own = self._written_in((at, *(each for each in extensions if not self._has_trait(each))), name)
        given = own or self._written_in(filter(self._has_trait, extensions), name)
        return given or self._written_in(self.traits(at), name)

    def _written_in(self, places: Iterable[At], name: str) -> list[At]:
        return [found for each in places for found in self.written(each, name)]

    def trait_names(self, at: At) -> frozenset[str]:
        """The names of the traits that a type has or a trait asks for, whosever they are."""
        places = (at, *self.extensions(at))
        definitions = [definition for each in places if (definition := self._view.definition(*each))]
        return frozenset(base.partition("<")[0].rpartition(".")[2] for each in definitions for base in each.bases)

    def written(self, at: At, name: str) -> list[At]:
        """The members of a name that are written right in a type, a trait or an `impl`."""
        shape = self._view.shape(at.path)
        places = shape.named(at.place, name) if shape else ()
        return [At(at.path, place) for place in places if shape and shape.definitions[place].kind not in INNER]

    def extensions(self, at: At) -> Sequence[At]:
        """The `impl` blocks of a type."""
        if at not in self._extensions:
            self._extensions[at] = ()
            definition = self._view.definition(*at)
            if definition is not None:
                named = self._named(definition.name)
                self._extensions[at] = [each for each in named if at in self.owners(each)]
        return self._extensions[at]

    def _named(self, name: str) -> list[At]:
        everywhere = self._view.everywhere(name, MOST_IMPL_FILES)
        return [At(shape.path, place) for shape, place in everywhere if shape.definitions[place].kind == EXTENSION]

    def owners(self, extension: At) -> Sequence[At]:
        """The types that an `impl` block belongs to."""
        if extension not in self._owners:
            self._owners[extension] = ()
            definition = self._view.definition(*extension)
            if definition is not None:
                told = definition.type[1:].partition("<")[0]
                values = self._evaluate(extension.path, told, definition.parent, definition.line)
                self._owners[extension] = [value.at for value in values if value.at is not None]
        return self._owners[extension]

    def traits(self, at: At) -> Sequence[At]:
        """The traits of a type, or those that a trait asks for, the nearest first."""
        if at not in self._traits:
            self._traits[at] = ()
            found: dict[At, None] = {}
            pending = [at, *self.extensions(at)]
            while pending and len(found) < MOST_TRAITS:
                for base in self.bases(pending.pop(0)):
                    if base not in found:
                        found[base] = None
                        pending.append(base)
            self._traits[at] = tuple(found)
        return self._traits[at]

    def bases(self, at: At) -> list[At]:
        """The traits that an `impl` block or a trait names."""
        definition = self._view.definition(*at)
        if definition is None:
            return []
        told = [each.partition("<")[0] for each in definition.bases]
        values = [value for each in told for value in self._evaluate(at.path, each, definition.parent, definition.line)]
        return [value.at for value in values if value.at is not None and value.at.place >= 0]

    def _has_trait(self, extension: At) -> bool:
        definition = self._view.definition(*extension)
        return definition is not None and bool(definition.bases)
