"""A language whose names lead in ways that the usual resolver does not follow answers for itself."""

from abc import abstractmethod
from collections.abc import Collection, Sequence

from fieldguide.symbols.facts import Reference
from fieldguide.symbols.resolving.values import At, Value


class OwnWay:
    """How a language finds what names mean; made for one question. What it leaves out is done in the usual way."""

    @abstractmethod
    def meant(self, path: str, each: Reference) -> Sequence[Value]:
        """What a use of a name means: definitions, something of others, or nothing where that can't be told."""

    def likely(self, path: str, each: Reference) -> Sequence[Value]:
        """What a use means where packages do what they usually do; asked for where `meant` has no definition."""
        return ()

    def evaluated(self, path: str, expression: str, within: int, line: int = 0) -> Sequence[Value] | None:
        """What an expression stands for at a place."""
        return None

    def group(self, at: At) -> Collection[At] | None:
        """A definition that is asked for, and all whose uses are its uses too."""
        return None

    def same(self, at: At) -> Collection[At]:
        """A definition that a use means, and all that it stands for: the members that it overrides."""
        return (at,)

    def kin(self, at: At, group: Collection[At]) -> Collection[At]:
        """Other definitions that are told among the uses of one: those that override it or that it overrides."""
        return ()

    def bases(self, at: At) -> list[At | None] | None:
        """The classes that a class inherits from; None in it for each that is of others or can't be told."""
        return None

    def other_names(self, at: At) -> Sequence[str]:
        """Names under which uses of a definition are kept, beside its own."""
        return ()
