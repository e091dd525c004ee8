"""Resolves names of Python by modules, submodules and builtins."""

from collections.abc import Sequence

from fieldguide.code.symbols.facts import EVERYTHING, ImportedSymbol
from fieldguide.code.symbols.resolvers.resolver import SymbolResolver
from fieldguide.code.symbols.resolvers.rules import FOREIGN, DefinitionPlace, LanguageRules, ResolvedValue

INIT = ("/__init__.py", "/__init__.pyi")


def resolve_import(resolver: SymbolResolver, path: str, each: ImportedSymbol) -> Sequence[ResolvedValue] | None:
    """`from a import b`: what `a` defines as `b`, and else the module `b` of the package."""
    if not each.name or each.name == EVERYTHING:
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


RULES = LanguageRules(
    sees_members=False,
    constructors=("__init__", "__new__"),
    element_members=("__getitem__", "__iter__", "__next__", "__aiter__", "__anext__"),
    call_members=("__call__",),
    elements=frozenset(("get", "pop", "setdefault", "popitem", "popleft", "__enter__", "__aenter__", "__next__")),
    wholes=frozenset(("values", "items", "copy", "keys", "union", "difference", "__iter__", "most_common")),
    type_variables=frozenset(("Any", "ParamSpec", "TypeVar", "TypeVarTuple", "object")),
    casts=frozenset(("cast",)),
    classes=frozenset(("type", "Type")),
    gives_fields=True,
    is_closed=True,
    imported=resolve_import,
    module_member=find_module_member,
)
