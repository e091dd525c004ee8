"""Resolves names of PHP by namespaces."""

from collections.abc import Sequence

from fieldguide.code.symbols.facts import UNTOLD, ImportedSymbol
from fieldguide.code.symbols.resolvers.resolver import SymbolResolver
from fieldguide.code.symbols.resolvers.rules import DefinitionPlace, LanguageRules, ResolvedValue

MOST_FILES = 50


def find_in_namespace(resolver: SymbolResolver, path: str, name: str) -> Sequence[ResolvedValue]:
    """A class of the file's namespace, by the place that its name has; without one, the only thing of its name."""
    namespace = _namespace(resolver, path)
    if namespace and (found := _in_namespace(resolver, path, namespace, name)):
        return found
    everywhere = [at for at in _outermost(resolver, name) if _namespace(resolver, at.path) in ("", namespace)]
    return [ResolvedValue(at) for at in everywhere] if len(everywhere) == 1 else []


def _in_namespace(resolver: SymbolResolver, path: str, namespace: str, name: str) -> list[ResolvedValue]:
    each = ImportedSymbol(f"{namespace}\\{name}", 1, name, keyword="use")
    leads = [lead for lead in resolver.view.leads(path, each) if lead != path]
    return [value for lead in leads for value in resolver.exported(lead, name)]


def _namespace(resolver: SymbolResolver, path: str) -> str:
    shape = resolver.view.shape(path)
    return next((each.text for each in (shape.imports if shape else ()) if each.keyword == "namespace"), "")


def _outermost(resolver: SymbolResolver, name: str) -> list[DefinitionPlace]:
    found: list[DefinitionPlace] = []
    for file in resolver.view.defining(name, MOST_FILES):
        shape = resolver.view.shape(file.path)
        places = shape.named(-1, name) if shape else ()
        found += [
            DefinitionPlace(file.path, place)
            for place in places
            if shape and shape.definitions[place].kind not in UNTOLD
        ]
    return found


RULES = LanguageRules(sees_members=False, body_sees_members=False, around=find_in_namespace)
