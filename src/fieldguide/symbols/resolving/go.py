"""Go: a package is the files of a folder that say its name; methods are members wherever in it they stand."""

import posixpath
from collections.abc import Iterator, Sequence

from fieldguide.symbols.facts import EVERYTHING, EXTENSION, IMPORTED, Imported
from fieldguide.symbols.reading.go.declarations import PACKAGE
from fieldguide.symbols.resolving.go_interfaces import implemented, implementing
from fieldguide.symbols.resolving.resolver import Resolver
from fieldguide.symbols.resolving.rules import Rules
from fieldguide.symbols.resolving.values import FOREIGN, At, Value
from fieldguide.symbols.resolving.view import Shape

MOST_FILES = 500


def around(resolver: Resolver, path: str, name: str) -> Sequence[Value]:
    """What another file of the package defines; else a package that is called so, whatever its folder is."""
    found = _in_package(resolver, path, name)
    return found or [Value(At(lead)) for lead in _packages_called(resolver, path, name)]


def imported(resolver: Resolver, path: str, each: Imported) -> Sequence[Value] | None:
    """A package, by one of its files."""
    if each.name == EVERYTHING:
        return None
    leads = resolver.view.leads(path, each)
    return [Value(At(leads[0]))] if leads else [FOREIGN._replace(name=each.text)]


def members(resolver: Resolver, at: At, name: str) -> Sequence[At]:
    """The methods of a type that other files of its package have."""
    definition = resolver.view.definition(*at)
    if definition is None or definition.parent >= 0:
        return []
    found: list[At] = []
    for shape in _siblings(resolver, at.path, name):
        for place, each in enumerate(shape.definitions):
            if each.name == name and each.parent >= 0:
                owner = shape.definitions[each.parent]
                if owner.kind == EXTENSION and owner.name == definition.name:
                    found.append(At(shape.path, place))
    return found


def _in_package(resolver: Resolver, path: str, name: str) -> Sequence[Value]:
    return [
        Value(At(shape.path, place))
        for shape in _siblings(resolver, path, name)
        for place in shape.named(-1, name)
        if shape.definitions[place].kind != IMPORTED
    ]


def _siblings(resolver: Resolver, path: str, name: str) -> Iterator[Shape]:
    """The other files of a file's package that define a name."""
    folder, own = posixpath.dirname(path), resolver.view.shape(path)
    defining = [file.path for file in resolver.view.defining(name, MOST_FILES)]
    if len(defining) >= MOST_FILES:  # a name that is so common is looked for in the folder itself
        defining = resolver.view.files().listing().by_folder.get(folder, [])
    for other in defining:
        if other != path and posixpath.dirname(other) == folder and other.endswith(".go"):
            shape = resolver.view.shape(other)
            if own is not None and shape is not None and package_of(shape) == package_of(own):
                yield shape


def _packages_called(resolver: Resolver, path: str, name: str) -> Iterator[str]:
    own = resolver.view.shape(path)
    for each in _unnamed_packages(own, name) if own else ():
        leads = resolver.view.leads(path, each)
        shape = resolver.view.shape(leads[0]) if leads else None
        if shape is not None and package_of(shape) == name:
            yield leads[0]
            return


def _unnamed_packages(own: Shape, but: str) -> Iterator[Imported]:
    """The packages that a file imports without a name, but for those that are imported by one."""
    named = {each.type for each in own.definitions if each.kind == IMPORTED and each.name == but}
    for number, each in enumerate(own.imports):
        if each.keyword != PACKAGE and not each.name and f"@{number}" not in named:
            yield each


def package_of(shape: Shape) -> str:
    """The package that a file says it is of."""
    return next((each.text for each in shape.imports if each.keyword == PACKAGE), "")


RULES = Rules(
    implemented=implemented,
    implementing=implementing,
    sees_members=False,
    body_sees_members=False,
    element_members=("[]",),
    call_members=("()",),
    self_types=frozenset(),
    is_closed=True,
    around=around,
    imported=imported,
    members=members,
    module_member=_in_package,
)
