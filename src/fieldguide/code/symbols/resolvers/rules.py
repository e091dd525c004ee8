"""The table of language rules, and the interface of a language's own resolver."""

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, cast

from fieldguide.code.symbols.facts import ALIAS, INNER, UNKNOWN, ImportedSymbol, SymbolReference
from fieldguide.code.symbols.resolvers.values import (
    BoundedSearch,
    DefinitionPlace,
    ResolvedValue,
    deduplicate,
    remember,
    split_alternatives,
    split_expression_steps,
)

if TYPE_CHECKING:
    from fieldguide.code.symbols.resolvers.resolver import SymbolResolver
    from fieldguide.code.symbols.resolvers.view import FileShape


class LanguageResolver:
    """How a language finds what names mean; made for one question. What it leaves out is done in the usual way."""

    @abstractmethod
    def meant(self, path: str, each: SymbolReference) -> Sequence[ResolvedValue]:
        """What a use of a name means: definitions, something of others, or nothing where that can't be told."""

    def has_run_out(self) -> bool:
        """Whether so many steps were taken that later answers lack something."""
        return False

    def evaluated(self, path: str, expression: str, within: int, line: int = 0) -> Sequence[ResolvedValue] | None:
        """What an expression stands for at a place."""
        return None

    def group(self, at: DefinitionPlace) -> Collection[DefinitionPlace] | None:
        """A definition that is asked for, and all whose uses are its uses too."""
        return None

    def same(self, at: DefinitionPlace) -> Collection[DefinitionPlace]:
        """A definition that a use means, and all that it stands for: the members that it overrides."""
        return (at,)

    def kin(self, at: DefinitionPlace, group: Collection[DefinitionPlace]) -> Collection[DefinitionPlace]:
        """Other definitions that are told among the uses of one: those that override it or that it overrides."""
        return ()

    def bases(self, at: DefinitionPlace) -> Sequence[DefinitionPlace | None] | None:
        """The classes that a class inherits from; None in it for each that is of others or can't be told."""
        return None

    def twins(self, at: DefinitionPlace) -> Sequence[DefinitionPlace]:
        """Other definitions of the same thing: its declaration (C), a type of a trait where that is given (Rust)."""
        return ()

    def other_names(self, at: DefinitionPlace) -> Sequence[str]:
        """Names under which uses of a definition are kept, beside its own."""
        return ()


Site = tuple[str, int, int]
"""Where an expression is written: the file, the definition around it, and the line."""


class EvaluatingResolver(BoundedSearch, LanguageResolver):
    """Evaluates expressions step by step within bounds; what names and members mean is told by the language.

    It is made for one question, and what it found out is kept that long.
    """

    deepest = 16
    most_steps = 400_000
    most_values = 12

    def __init__(self, resolver: "SymbolResolver") -> None:
        self._resolver = resolver
        self._view = resolver.view

    def meant(self, path: str, each: SymbolReference) -> Sequence[ResolvedValue]:
        """What a use of a name means; nothing where that can't be told."""
        if not each.receiver:
            return self.named(path, each.name, each.within, each.line)
        values = self.evaluated(path, each.receiver, each.within, each.line)
        return self.deduplicated(found for value in values for found in self.member(value, each.name))

    def evaluated(self, path: str, expression: str, within: int, line: int = 0) -> Sequence[ResolvedValue]:
        """What an expression stands for at a place."""
        if not self.may_go_on():
            return []
        with self.deeper():
            steps = map(split_expression_steps, self.alternatives(expression))
            return self.deduplicated(found for each in steps for found in self.followed(each, (path, within, line)))

    def alternatives(self, expression: str) -> Sequence[str]:
        """The expressions that one stands for."""
        return split_alternatives(expression)

    def followed(self, steps: Sequence[str], site: Site) -> Sequence[ResolvedValue]:
        """What the steps of an expression lead to."""
        if not steps or steps[0] == UNKNOWN:
            return []
        values, rest = self.first(steps, site)
        for number, step in enumerate(rest):
            is_called = rest[number + 1 : number + 2] == ("()",)
            values = self.deduplicated(
                found for value in values for found in self.step(value, step, site, is_called=is_called)
            )
        return values

    def first(self, steps: Sequence[str], site: Site) -> tuple[Sequence[ResolvedValue], Sequence[str]]:
        """What an expression begins with, and the steps behind it."""
        path, within, line = site
        if steps[0] == "self":
            return [ResolvedValue(at, is_object=True) for at in self.owners(path, within)], steps[1:]
        return self.named(path, steps[0], within, line), steps[1:]

    def deduplicated(self, values: Iterable[ResolvedValue]) -> Sequence[ResolvedValue]:
        """The first few values, each once."""
        return deduplicate(values, self.most_values)

    def named(self, path: str, name: str, within: int, line: int) -> Sequence[ResolvedValue]:
        """What a bare name means at a place: the innermost scope that has it, and else what is seen from outside."""
        shape = self._view.shape(path)
        for scope in (*shape.chain(within), -1):
            if found := self.in_scope(shape, scope, name, line):
                return [ResolvedValue(at) for at in found]
        return [ResolvedValue(at) for at in self.outside(path, name)]

    def in_scope(self, shape: "FileShape", scope: int, name: str, line: int) -> Sequence[DefinitionPlace]:
        """What a name means in one scope of a file."""
        return ()

    def outside(self, path: str, name: str) -> Sequence[DefinitionPlace]:
        """What a name means that no scope of a file has."""
        return ()

    def owners(self, path: str, within: int) -> Sequence[DefinitionPlace]:
        """The class that a place is in."""
        return ()

    def member(self, value: ResolvedValue, name: str) -> Sequence[ResolvedValue]:
        """What a name means that is taken out of a value."""
        found: dict[DefinitionPlace, None] = {}
        for each in self.resolved(value):
            if each.at is not None:
                found.update(dict.fromkeys(self.find(each.at, name)))
        return [ResolvedValue(at) for at in found]

    def find(self, at: DefinitionPlace, name: str) -> Sequence[DefinitionPlace]:
        """What a name means in a class, a module or a namespace."""
        return ()

    def step(self, value: ResolvedValue, step: str, site: Site, *, is_called: bool) -> Sequence[ResolvedValue]:
        """What one step gives of a value; it may be a member that the next step calls."""
        return self.member(value, step)

    def resolved(self, value: ResolvedValue) -> Sequence[ResolvedValue]:
        """A value; for something that holds one, what that is."""
        return [value]

    @remember(())
    def told(self, at: DefinitionPlace) -> Sequence[ResolvedValue]:
        """What the type of a definition says that it holds, or returns when it is called."""
        definition = self._view.at(at)
        if definition.type[:1] not in (":", "="):
            return ()
        values = self.evaluated(at.path, definition.type[1:], definition.scope, definition.line)
        found = [each for value in values if value.at != at for each in self.resolved(value)]
        return [each._replace(is_object=definition.kind != ALIAS) for each in found]

    def written(self, at: DefinitionPlace, name: str) -> list[DefinitionPlace]:
        """The members of a name that are written right in a definition."""
        return [each for each in self._view.named(at, name) if self._view.at(each).kind not in INNER]


MODULES = {
    "csharp": "java_kotlin_csharp",
    "go": "c_go",
    "java": "java_kotlin_csharp",
    "javascript": "typescript",
    "kotlin": "java_kotlin_csharp",
    "python": "python_php_ruby",
    "c": "c_go",
    "cpp": "c_go",
    "php": "python_php_ruby",
    "ruby": "python_php_ruby",
    "rust": "rust",
    "svelte": "typescript",
    "tsx": "typescript",
    "typescript": "typescript",
    "vue": "typescript",
}
"""The module of this package whose `RULES` (or `TABLES[name]`, for several) belong to a language."""


@dataclass(frozen=True, slots=True)
class LanguageRules:
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
    classes: frozenset[str] = frozenset()
    """Types of others whose objects are classes: `type[Foo]`."""
    gives_fields: bool = False
    """Whether a class has a field because a value is given to it; then one that is declared above it goes first."""
    is_closed: bool = False
    """Whether a bare name that nothing here defines or imports is the language's own."""
    around: "Callable[[SymbolResolver, str, str], Sequence[ResolvedValue]] | None" = None
    """What a bare name means in a file by what it shares a scope with: the folder (Go), the package (Java)."""
    imported: "Callable[[SymbolResolver, str, ImportedSymbol], Sequence[ResolvedValue] | None] | None" = None
    """What an import in a file means; None to have it followed in the usual way."""
    members: "Callable[[SymbolResolver, DefinitionPlace, str], Sequence[DefinitionPlace]] | None" = None
    """Members of a class that are not written inside of it: `impl` blocks (Rust), methods (Go)."""
    module_member: "Callable[[SymbolResolver, str, str], Sequence[ResolvedValue]] | None" = None
    """What a name means in a file or folder that is imported as a whole, where no definition of the file has it."""
    implemented: "Callable[[SymbolResolver, DefinitionPlace], Sequence[DefinitionPlace]] | None" = None
    """Interfaces that a class implements without naming them (Go)."""
    implementing: "Callable[[SymbolResolver, DefinitionPlace], Sequence[DefinitionPlace]] | None" = None
    """Classes that implement an interface without naming it (Go)."""
    own_way: "Callable[[SymbolResolver], LanguageResolver] | None" = None
    """Of a language whose names lead in ways of their own: what answers in place of the resolver."""


@cache
def load_rules(language: str) -> LanguageRules:
    """The rules of a language; the usual ones where it has none of its own."""
    if language not in MODULES:
        return LanguageRules()
    module = import_module(f"{__package__}.{MODULES[language]}")
    return cast("LanguageRules", module.TABLES[language] if hasattr(module, "TABLES") else module.RULES)
