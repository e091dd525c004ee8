"""Python: a module's names, its submodules, and what builtins hold."""

from collections.abc import Sequence

from fieldguide.symbols.facts import EVERYTHING, Imported
from fieldguide.symbols.resolving.resolver import Resolver
from fieldguide.symbols.resolving.rules import Rules
from fieldguide.symbols.resolving.values import FOREIGN, At, Value

INIT = ("/__init__.py", "/__init__.pyi")


def imported(resolver: Resolver, path: str, each: Imported) -> Sequence[Value] | None:
    """`from a import b`: what `a` defines as `b`, and else the module `b` of the package."""
    if not each.name or each.name == EVERYTHING:
        return None
    modules = resolver.view.leads(path, each, of_module=True)
    for module in modules:
        if module != path and (found := resolver.exported(module, each.name)):
            return found
    inside = [Value(At(lead)) for lead in resolver.view.leads(path, each) if lead not in modules]
    return inside if inside or modules else [FOREIGN._replace(name=each.name)]


def module_member(resolver: Resolver, path: str, name: str) -> Sequence[Value]:
    """A module of a package."""
    if not path.endswith(INIT):
        return []
    leads = resolver.view.leads(path, Imported(f".{name}", 1, "", is_relative=True, keyword="from"))
    return [Value(At(lead)) for lead in leads]


RULES = Rules(
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
    imported=imported,
    module_member=module_member,
)
