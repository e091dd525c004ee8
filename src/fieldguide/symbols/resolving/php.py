"""PHP: names of the same namespace, and names of everybody where a file has no namespace."""

from collections.abc import Sequence

from fieldguide.symbols.facts import UNTOLD, Imported
from fieldguide.symbols.resolving.resolver import Resolver
from fieldguide.symbols.resolving.rules import Rules
from fieldguide.symbols.resolving.values import At, Value

MOST_FILES = 50


def around(resolver: Resolver, path: str, name: str) -> Sequence[Value]:
    """A class of the file's namespace, by the place that its name has; without one, the only thing of its name."""
    namespace = _namespace(resolver, path)
    if namespace and (found := _in_namespace(resolver, path, namespace, name)):
        return found
    everywhere = [at for at in _outermost(resolver, name) if _namespace(resolver, at.path) in ("", namespace)]
    return [Value(at) for at in everywhere] if len(everywhere) == 1 else []


def _in_namespace(resolver: Resolver, path: str, namespace: str, name: str) -> list[Value]:
    each = Imported(f"{namespace}\\{name}", 1, name, keyword="use")
    leads = [lead for lead in resolver.view.leads(path, each) if lead != path]
    return [value for lead in leads for value in resolver.exported(lead, name)]


def _namespace(resolver: Resolver, path: str) -> str:
    shape = resolver.view.shape(path)
    return next((each.text for each in (shape.imports if shape else ()) if each.keyword == "namespace"), "")


def _outermost(resolver: Resolver, name: str) -> list[At]:
    found: list[At] = []
    for file in resolver.view.defining(name, MOST_FILES):
        shape = resolver.view.shape(file.path)
        places = shape.named(-1, name) if shape else ()
        found += [At(file.path, place) for place in places if shape and shape.definitions[place].kind not in UNTOLD]
    return found


RULES = Rules(sees_members=False, body_sees_members=False, around=around)
