"""What a value of a script can be, as far as resolving names needs it."""

from typing import NamedTuple

from fieldguide.symbols.resolving.values import At

OWN = "!"
"""In expressions and types: an object whose members are written in the definition itself."""
MOST_TYPES = 8
DEEPEST_GIVEN = 3

Given = tuple[tuple[str, tuple["Type", ...]], ...]
"""What type parameters stand for."""


class Object(NamedTuple):
    """An object of a class, an interface or a type, or one whose members are written in a definition."""

    place: At
    given: Given = ()


class Itself(NamedTuple):
    """What a definition is itself: a class, a function, an enumeration, a namespace; a module by the number -1."""

    place: At
    given: Given = ()


class FunctionType(NamedTuple):
    """A function by its type as written, in the scope where it is written."""

    parameters: str
    returned: str
    place: At
    given: Given = ()


class Foreign(NamedTuple):
    """Something of the language or of a package: nothing of the project, but it may hold something of it."""

    name: str = ""
    arguments: tuple[tuple["Type", ...], ...] = ()
    owner: "tuple[Type, ...]" = ()
    """For a method: the object it was taken out of."""


class Callback(NamedTuple):
    """A function that a method of the language takes: what it is given."""

    parameters: tuple[tuple["Type", ...], ...]


class Narrowed(NamedTuple):
    """Something with some of its members: only those, or all but those."""

    whole: tuple["Type", ...]
    names: frozenset[str]
    is_only: bool

    def has(self, name: str) -> bool:
        """Whether it has a member of a name, if the whole does."""
        return (name in self.names) == self.is_only


Type = Narrowed | Object | Itself | FunctionType | Foreign | Callback
Types = tuple[Type, ...]


def few(types: "list[Type] | Types") -> Types:
    """Each once, and not too many."""
    return tuple(dict.fromkeys(types))[:MOST_TYPES]


def shallow(types: Types, levels: int = DEEPEST_GIVEN) -> Types:
    """Types without what lies too deep in them: a type that is given itself would grow without end."""
    return tuple(_shallow(each, levels - 1) if levels else _empty(each) for each in types)


def _shallow(each: Type, levels: int) -> Type:
    """A type whose parts go so many levels deep."""
    if isinstance(each, Foreign):
        inside = tuple(shallow(some, levels) for some in each.arguments)
        return Foreign(each.name, inside, shallow(each.owner, levels))
    if isinstance(each, Callback):
        return Callback(tuple(shallow(some, levels) for some in each.parameters))
    if isinstance(each, Narrowed):
        return each._replace(whole=shallow(each.whole, levels))
    return each._replace(given=tuple((name, shallow(some, levels)) for name, some in each.given))


def _empty(each: Type) -> Type:
    """A type without its parts."""
    if isinstance(each, Foreign):
        return Foreign(each.name)
    if isinstance(each, Callback):
        return Callback(())
    return each._replace(whole=()) if isinstance(each, Narrowed) else each._replace(given=())
