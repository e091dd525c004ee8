"""Resolves names of Python by modules, of PHP by namespaces, and of Ruby by enclosing modules and ancestors.

In Ruby anything may be opened again anywhere, so a class is all definitions of its name. What a receiver is, is rarely
plain; where it is not, nothing is told, and the uses of a name stay candidates.
"""

from collections.abc import Sequence

from fieldguide.code.symbols import facts
from fieldguide.code.symbols.facts import ImportedSymbol
from fieldguide.code.symbols.resolvers.resolver import SymbolResolver
from fieldguide.code.symbols.resolvers.rules import EvaluatingResolver, LanguageRules, Site
from fieldguide.code.symbols.resolvers.values import (
    FOREIGN,
    DefinitionPlace,
    ResolvedValue,
    remember,
    walk_nearest_first,
)
from fieldguide.code.symbols.resolvers.view import FileShape, covers

MOST_NAMESPACE_FILES = 50
INIT = ("/__init__.py", "/__init__.pyi")
MOST_FILES = 100
MOST_ANCESTORS = 40
OWNERS = frozenset((facts.CLASS, facts.MODULE))
CONSTANTS = OWNERS | {facts.CONSTANT}


def resolve_import(resolver: SymbolResolver, path: str, each: ImportedSymbol) -> Sequence[ResolvedValue] | None:
    """`from a import b`: what `a` defines as `b`, and else the module `b` of the package."""
    if not each.name or each.name == facts.EVERYTHING:
        return None
    modules = resolver.view.leads(path, each, of_module=True)
    for module in modules:
        if module != path and (found := resolver.exported(module, each.name)):
            return found
    inside = [ResolvedValue(DefinitionPlace(lead)) for lead in resolver.view.leads(path, each) if lead not in modules]
    return inside if inside or modules else [FOREIGN._replace(name=each.name)]


def find_module_member(resolver: SymbolResolver, path: str, name: str) -> Sequence[ResolvedValue]:
    """A module of a package."""
    if not path.endswith(INIT):
        return []
    leads = resolver.view.leads(path, ImportedSymbol(f".{name}", 1, "", is_relative=True, keyword="from"))
    return [ResolvedValue(DefinitionPlace(lead)) for lead in leads]


PYTHON = LanguageRules(
    sees_members=False,
    constructors=("__init__", "__new__"),
    element_members=("__getitem__", "__iter__", "__next__", "__aiter__", "__anext__"),
    call_members=("__call__",),
    elements=frozenset(("get", "pop", "setdefault", "popitem", "popleft", "__enter__", "__aenter__", "__next__")),
    wholes=frozenset(("values", "items", "copy", "keys", "union", "difference", "__iter__", "most_common")),
    type_variables=frozenset(("Any", "ParamSpec", "TypeVar", "TypeVarTuple", "object")),
    classes=frozenset(("type", "Type")),
    gives_fields=True,
    is_closed=True,
    imported=resolve_import,
    module_member=find_module_member,
)


def find_in_namespace(resolver: SymbolResolver, path: str, name: str) -> Sequence[ResolvedValue]:
    """A class of the file's namespace, by the place that its name has; without one, the only thing of its name."""
    namespace = _namespace(resolver.view.shape(path))
    if namespace:
        each = ImportedSymbol(f"{namespace}\\{name}", 1, name, keyword="use")
        leads = [lead for lead in resolver.view.leads(path, each) if lead != path]
        found = [value for lead in leads for value in resolver.exported(lead, name)]
        if found:
            return found
    everywhere: list[ResolvedValue] = []
    for shape, place in resolver.view.everywhere(name, MOST_NAMESPACE_FILES):
        definition = shape.definitions[place]
        is_told = definition.parent < 0 and definition.kind not in facts.UNTOLD
        if is_told and _namespace(shape) in ("", namespace):
            everywhere.append(ResolvedValue(DefinitionPlace(shape.path, place)))
    return everywhere if len(everywhere) == 1 else []


def _namespace(shape: FileShape) -> str:
    return next((each.text for each in shape.imports if each.keyword == "namespace"), "")


PHP = LanguageRules(sees_members=False, body_sees_members=False, around=find_in_namespace)


class RubyNames(EvaluatingResolver):
    """Answers for one question."""

    deepest = 12

    def alternatives(self, expression: str) -> Sequence[str]:
        """A value that is one of several is not plain."""
        return (expression,)

    def step(self, value: ResolvedValue, step: str, site: Site, *, is_called: bool) -> Sequence[ResolvedValue]:
        """A call, a new object or a member."""
        if step == "()":
            return [value] if value.is_object else []
        if step == "new":
            return [each._replace(is_object=True) for each in self.resolved(value)]
        return [] if step == "[]" else self.member(value, step)

    def outside(self, path: str, name: str) -> Sequence[DefinitionPlace]:
        """A constant of the project."""
        return self._constant(name) if name[:1].isupper() else ()

    def in_scope(self, shape: FileShape, scope: int, name: str, line: int) -> Sequence[DefinitionPlace]:
        """A definition of the scope; in a class or a module its members."""
        if scope >= 0 and shape.definitions[scope].kind in OWNERS:
            return self.members(DefinitionPlace(shape.path, scope), name)
        return [DefinitionPlace(shape.path, p) for p in shape.named(scope, name) if covers(shape.definitions[p], line)]

    @remember(())
    def _constant(self, name: str) -> Sequence[DefinitionPlace]:
        """The one class, module or constant of a name in the project; it may be opened many times."""
        everywhere = self._view.everywhere(name, MOST_FILES)
        found = [(shape, place) for shape, place in everywhere if shape.definitions[place].kind in CONSTANTS]
        is_one = len({shape.qualified(place) for shape, place in found}) == 1
        return [DefinitionPlace(shape.path, place) for shape, place in found] if is_one else ()

    def owners(self, path: str, within: int) -> Sequence[DefinitionPlace]:
        """The innermost class or module around a place."""
        at = self._view.around(path, within, OWNERS)
        return [at] if at else []

    def resolved(self, value: ResolvedValue) -> Sequence[ResolvedValue]:
        """What a value is: of a local or a field what its value says."""
        if value.at is None or value.is_object or self._view.at(value.at).kind in OWNERS:
            return [value]
        return self.told(value.at)

    def find(self, at: DefinitionPlace, name: str) -> Sequence[DefinitionPlace]:
        """A member of a class or a module."""
        return self.members(at, name) if self._view.at(at).kind in OWNERS else ()

    def members(self, at: DefinitionPlace, name: str) -> Sequence[DefinitionPlace]:
        """The members of a name that a class has, in any of its parts, or the nearest of what is above it."""
        for each in walk_nearest_first(at, self._above, MOST_ANCESTORS):
            own = [found for part in self._parts(each) for found in self.written(part, name)]
            if own:
                return own
        return ()

    def _above(self, at: DefinitionPlace) -> list[DefinitionPlace]:
        """What is above a class in any of its parts."""
        return [base for part in self._parts(at) for base in self.bases(part)]

    @remember(())
    def _parts(self, at: DefinitionPlace) -> Sequence[DefinitionPlace]:
        """A class wherever it is opened."""
        known = self._constant(self._view.at(at).name)
        return known if at in known else (at,)

    @remember(())
    def bases(self, at: DefinitionPlace) -> Sequence[DefinitionPlace]:
        """The class above, and the modules that are included."""
        definition = self._view.at(at)
        told = [self.evaluated(at.path, base, definition.parent, definition.line) for base in definition.bases]
        return [value.at for values in told for value in values if value.at is not None and value.at != at]

    def group(self, at: DefinitionPlace) -> Sequence[DefinitionPlace] | None:
        """A class wherever it is opened is one, and so is a method that is defined again."""
        if self._view.at(at).kind not in OWNERS:
            return None
        return [at, *(each for each in self._parts(at) if each != at)]


RUBY = LanguageRules(own_way=RubyNames)
TABLES = {"python": PYTHON, "php": PHP, "ruby": RUBY}
