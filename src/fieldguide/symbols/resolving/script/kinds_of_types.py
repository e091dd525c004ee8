"""What a value of a script can be, as far as resolving names needs it."""

from typing import NamedTuple

from fieldguide.symbols.resolving.values import At

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
