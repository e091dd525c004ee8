"""What a name that no scope has means in C: by what a file includes, and by what is linked with it."""

import posixpath
from collections.abc import Sequence

from fieldguide.symbols.facts import CLASS, ENUM, EXTENSION, INNER, MODULE, Definition
from fieldguide.symbols.resolving.values import At
from fieldguide.symbols.resolving.view import Shape, View

MOST_INCLUDED = 400
MOST_FILES = 200
HEADERS = (".h", ".hh", ".hpp", ".hxx", ".inl", ".ipp", ".tpp")
UNSEEN = INNER | {EXTENSION}
OPEN = frozenset((MODULE,))


class Linkage:
    """The files of a project as C sees them."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._included: dict[str, frozenset[str]] = {}
        self._found: dict[str, Sequence[At]] = {}

    def named(self, path: str, name: str) -> Sequence[At]:
        """What a name of the outermost scope means in a file."""
        everywhere = self.everywhere(name)
        if not everywhere:
            return ()
        seen = self.included(path)
        here = [at for at in everywhere if at.path in seen]
        if here:
            return here
        linked = [at for at in everywhere if not self._is_own(at)]
        return linked if len({self._meaning(at) for at in linked}) == 1 else ()

    def everywhere(self, name: str) -> Sequence[At]:
        """The definitions of a name in any outermost scope, or in a namespace."""
        if name not in self._found:
            everywhere = self._view.everywhere(name, MOST_FILES)
            self._found[name] = [At(shape.path, place) for shape, place in everywhere if _is_outermost(shape, place)]
        return self._found[name]

    def twins(self, at: At) -> Sequence[At]:
        """The declarations and the definition of what is linked as one."""
        definition = self._view.definition(*at)
        if definition is None or definition.parent >= 0 or _is_static(definition):
            return ()
        same = [other for other in self.everywhere(definition.name) if self._is_linked(other, definition.kind)]
        seen = self.included(at.path).intersection(other.path for other in same)
        headers = frozenset(filter(is_header, seen))
        return [other for other in same if not headers.isdisjoint(self.included(other.path))]

    def _is_linked(self, at: At, kind: str) -> bool:
        definition = self._view.definition(*at)
        return definition is not None and definition.kind == kind and not _is_static(definition)

    def included(self, path: str) -> frozenset[str]:
        """A file and all that it includes, and what those include."""
        if path not in self._included:
            found, pending = {path}, [path]
            while pending and len(found) < MOST_INCLUDED:
                here = pending.pop()
                shape = self._view.shape(here)
                for each in shape.imports if shape else ():
                    for lead in self._view.leads(here, each, of_module=True):
                        if lead not in found:
                            found.add(lead)
                            pending.append(lead)
            self._included[path] = frozenset(found)
        return self._included[path]

    def _is_own(self, at: At) -> bool:
        """Whether nothing outside of its file can mean a definition."""
        definition = self._view.definition(*at)
        return definition is None or (_is_static(definition) and not is_header(at.path))

    def _meaning(self, at: At) -> tuple[str, str]:
        """What two definitions have in common that are linked as one; types are one by their headers only."""
        definition = self._view.definition(*at)
        kind = definition.kind if definition else ""
        return (kind, at.path) if kind in (CLASS, ENUM) else (kind, "")


def is_header(path: str) -> bool:
    """Whether a file is there to be included."""
    return posixpath.splitext(path)[1] in HEADERS


def _is_outermost(shape: Shape, place: int) -> bool:
    each = shape.definitions[place]
    above = shape.definitions[each.parent].kind if each.parent >= 0 else MODULE
    return each.kind not in UNSEEN and above in OPEN


def _is_static(definition: Definition) -> bool:
    return "static " in definition.signature[:40]
