"""What the resolver must know of a language: a few words, and functions for what the language has of its own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, cast

from fieldguide.symbols.facts import Imported
from fieldguide.symbols.resolving.values import At, Value

if TYPE_CHECKING:
    from fieldguide.symbols.resolving.own_way import OwnWay
    from fieldguide.symbols.resolving.resolver import Resolver

MODULES = {
    "csharp": "packaged.rules",
    "go": "go",
    "java": "packaged.rules",
    "javascript": "typescript",
    "kotlin": "packaged.rules",
    "python": "python",
    "c": "c.rules",
    "cpp": "c.rules",
    "php": "php",
    "ruby": "ruby",
    "rust": "rust.rules",
    "svelte": "typescript",
    "tsx": "typescript",
    "typescript": "typescript",
    "vue": "typescript",
}
"""The module of this package whose `RULES` (or `TABLES[name]`, for several) belong to a language."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How names lead in one language. Each function gets the resolver, and gives what it adds; nothing by default."""

    sees_members: bool = True
    """Whether a method sees the other members of its class by their bare names."""
    body_sees_members: bool = True
    """Whether what stands right in the body of a class, and in no method, sees its members so."""
    constructors: tuple[str, ...] = ()
    """Members that make an object: a class that has one takes its parameters by name, and not its fields."""
    element_members: tuple[str, ...] = ()
    """Methods whose result is an element: `__getitem__`."""
    call_members: tuple[str, ...] = ()
    """Methods that are meant when an object is called: `__call__`."""
    self_types: frozenset[str] = frozenset(("Self",))
    """Names of the type of the object itself."""
    elements: frozenset[str] = frozenset()
    """Methods of collections of others that give one of what they hold: `get`, `pop`."""
    wholes: frozenset[str] = frozenset()
    """Methods of collections of others that give as many of what they hold: `values`, `copy`."""
    type_variables: frozenset[str] = frozenset()
    """Names of others that make names for any type: `TypeVar`."""
    casts: frozenset[str] = frozenset()
    """Functions of others that give an object of the class that they are given: `cast`."""
    classes: frozenset[str] = frozenset()
    """Types of others whose objects are classes: `type[Foo]`."""
    gives_fields: bool = False
    """Whether a class has a field because a value is given to it; then one that is declared above it goes first."""
    is_closed: bool = False
    """Whether a bare name that nothing here defines or imports is the language's own."""
    around: "Callable[[Resolver, str, str], Sequence[Value]] | None" = None
    """What a bare name means in a file by what it shares a scope with: the folder (Go), the package (Java)."""
    imported: "Callable[[Resolver, str, Imported], Sequence[Value] | None] | None" = None
    """What an import in a file means; None to have it followed in the usual way."""
    members: "Callable[[Resolver, At, str], Sequence[At]] | None" = None
    """Members of a class that are not written inside of it: `impl` blocks (Rust), methods (Go)."""
    module_member: "Callable[[Resolver, str, str], Sequence[Value]] | None" = None
    """What a name means in a file or folder that is imported as a whole, where no definition of the file has it."""
    bases: "Callable[[Resolver, At], Sequence[At]] | None" = None
    """Classes that a class inherits from beside those that it names."""
    implemented: "Callable[[Resolver, At], Sequence[At]] | None" = None
    """Interfaces that a class implements without naming them (Go)."""
    implementing: "Callable[[Resolver, At], Sequence[At]] | None" = None
    """Classes that implement an interface without naming it (Go)."""
    own_way: "Callable[[Resolver], OwnWay] | None" = None
    """Of a language whose names lead in ways of their own: what answers in place of the resolver."""
    twins: "Callable[[Resolver, At], Sequence[At]] | None" = None
    """Other definitions of the same thing: its declaration (C), a type of a trait where that is given (Rust)."""
    is_use_to_override: bool = False
    """Whether a member counts as a use of what it overrides: a trait's method, where a type has it."""

    def shows_members(self, *, in_body: bool) -> bool:
        """Whether members of a class are seen by their bare names, right in its body or further inside."""
        return self.body_sees_members if in_body else self.sees_members


@cache
def rules_of(language: str) -> Rules:
    """The rules of a language; the usual ones where it has none of its own."""
    if language not in MODULES:
        return Rules()
    module = import_module(f"{__package__}.{MODULES[language]}")
    return cast("Rules", module.TABLES[language] if hasattr(module, "TABLES") else module.RULES)
