"""What the project's traits add to types: to those of others, and to every type that has another trait."""

from collections.abc import Iterator, Sequence

from fieldguide.symbols.facts import EXTENSION, INNER, INTERFACE, METHOD, Definition
from fieldguide.symbols.resolving.values import At, alternatives_of
from fieldguide.symbols.resolving.view import Shape, View

MOST_FILES = 60


class AddedMembers:
    """Methods that a type has though neither its definition nor an `impl` of its own gives them."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._methods: dict[str, Sequence[tuple[At, Shape]]] = {}

    def to_foreign(self, type_name: str, name: str) -> list[At]:
        """The methods that an `impl` of the project gives to a type of others."""
        return [at for at, shape in self._named(name) if _is_named(_above(shape, at.place), EXTENSION, type_name)]

    def to_all(self, traits: frozenset[str], name: str) -> list[tuple[At, At]]:
        """The methods of traits that whatever has one of some other traits has: `impl<T: Read> ReadExt for T`."""
        found = [(at, shape) for at, shape in self._named(name) if self._is_given_by(shape, at.place, traits)]
        return [(at, At(at.path, shape.definitions[at.place].parent)) for at, shape in found]

    def name_of(self, trait: At) -> str:
        """The name of a trait."""
        definition = self._view.definition(*trait)
        return definition.name if definition else ""

    def _is_given_by(self, shape: Shape, place: int, traits: frozenset[str]) -> bool:
        above = _above(shape, place)
        if above is None or above.kind != INTERFACE:
            return False
        return any(not traits.isdisjoint(wanted) for wanted in _wanted(shape, above.name))

    def _named(self, name: str) -> Sequence[tuple[At, Shape]]:
        if name not in self._methods:
            everywhere = self._view.everywhere(name, MOST_FILES)
            methods = ((shape, place) for shape, place in everywhere if shape.definitions[place].kind == METHOD)
            self._methods[name] = [(At(shape.path, place), shape) for shape, place in methods]
        return self._methods[name]


def _above(shape: Shape, place: int) -> Definition | None:
    parent = shape.definitions[place].parent
    return shape.definitions[parent] if parent >= 0 else None


def _is_named(definition: Definition | None, kind: str, name: str) -> bool:
    return definition is not None and definition.kind == kind and definition.name == name


def _wanted(shape: Shape, trait: str) -> Iterator[set[str]]:
    """What a type must have to be given a trait: for each `impl<T: …> Trait for T` beside the trait."""
    for place, each in enumerate(shape.definitions):
        if each.kind == EXTENSION and any(_last(base) == trait for base in each.bases):
            for other in shape.named(place, each.name):
                if shape.definitions[other].kind in INNER:
                    yield {_last(bound) for bound in alternatives_of(shape.definitions[other].type[1:])}


def _last(expression: str) -> str:
    return expression.partition("<")[0].rpartition(".")[2]
