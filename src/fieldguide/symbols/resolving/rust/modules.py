"""Rust's module tree: which module a place is in, and what a name means in a module."""

from collections.abc import Callable, Sequence

from fieldguide.symbols.facts import (
    EVERYTHING,
    EXTENSION,
    IMPORTED,
    INNER,
    MACRO,
    MODULE,
    Imported,
)
from fieldguide.symbols.resolving.values import At
from fieldguide.symbols.resolving.view import Shape, View

MOST_MODULES = 60
MOST_MACRO_FILES = 40
NOT_IN_MODULES = INNER | {EXTENSION, IMPORTED}

Paths = Callable[[At, Sequence[str]], Sequence[At]]


class ModuleTree:
    """The modules of the project's crates. A module is a file, or a `mod` inside of one, by its place."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._found: dict[tuple[At, str], Sequence[At]] = {}
        self._roots: dict[str, At | None] = {}
        self._crates: dict[tuple[str, str], At | None] = {}

    def around(self, path: str, within: int) -> At:
        """The module that a place is in."""
        shape = self._view.shape(path)
        for place in shape.chain(within) if shape else ():
            if shape and shape.definitions[place].kind == MODULE:
                return At(path, place)
        return At(path)

    def root(self, path: str) -> At | None:
        """The root of the crate that a file belongs to."""
        if path not in self._roots:
            self._roots[path] = self._led(path, Imported("crate", 1, "", is_relative=True, keyword="use"))
        return self._roots[path]

    def above(self, module: At) -> At | None:
        """The module around a module."""
        shape = self._view.shape(module.path)
        if module.place >= 0 and shape:
            return self.around(module.path, shape.definitions[module.place].parent)
        return self._led(module.path, Imported("super", 1, "", is_relative=True, keyword="use"))

    def crate(self, path: str, name: str) -> At | None:
        """The root of another crate of the project, by the name that a file's crate gives it."""
        root = self.root(path)
        key = (root.path if root else path, name)
        if key not in self._crates:
            self._crates[key] = self._led(key[0], Imported(name, 1, "", keyword="extern"))
        return self._crates[key]

    def opened(self, at: At) -> At:
        """A module by its declaration: the file, where it has one of its own."""
        definition = self._view.definition(*at)
        if definition is None or definition.kind != MODULE or not definition.type.startswith("@"):
            return at
        shape = self._view.shape(at.path)
        number = int(definition.type[1:])
        led = self._led(at.path, shape.imports[number]) if shape and number < len(shape.imports) else None
        return led or at

    def named(self, module: At, name: str) -> Sequence[At]:
        """What a name means in a module: what it defines, imports, or takes from others with a star."""
        key = (module, name)
        if key not in self._found:
            self._found[key] = ()  # a name that leads to itself leads nowhere
            self._found[key] = self._looked_up(module, name)
        return self._found[key]

    def _looked_up(self, module: At, name: str) -> Sequence[At]:
        shape = self._view.shape(module.path)
        if shape is None:
            return ()
        places = [(place, shape.definitions[place]) for place in shape.named(module.place, name)]
        own = [At(module.path, place) for place, each in places if each.kind not in NOT_IN_MODULES]
        self._found[module, name] = own  # `mod a; pub use a::a;`
        found = dict.fromkeys(own)
        for _, each in places:
            if each.kind == IMPORTED:
                found.update(dict.fromkeys(self.imported(module, shape.imports[int(each.type[1:])])))
        if not found:
            found.update(dict.fromkeys(self._by_star(shape, module, name)))
        return tuple(found)

    def _by_star(self, shape: Shape, module: At, name: str) -> Sequence[At]:
        scope = "::".join(_names(shape, module.place))
        for each in shape.imports:
            if each.name != EVERYTHING or each.scope != scope:
                continue
            for whole in self.path(module, each.text.split("::")):
                if whole != module and (found := self.inside(whole, name)):
                    return found
        return ()

    def inside(self, whole: At, name: str) -> Sequence[At]:
        """What a name means in something that a path leads to: a module, or an enum with its variants."""
        definition = self._view.definition(*whole)
        if definition is None or definition.kind == MODULE:
            return self.named(self.opened(whole), name)
        shape = self._view.shape(whole.path)
        places = shape.named(whole.place, name) if shape else ()
        return [At(whole.path, place) for place in places]

    def imported(self, module: At, each: Imported) -> Sequence[At]:
        """What one name of a `use` means."""
        if each.keyword == "extern":
            crate = self.crate(module.path, each.name)
            return (crate,) if crate else ()
        return self.path(module, [*(part for part in each.text.split("::") if part), each.name])

    def path(self, module: At, parts: Sequence[str]) -> Sequence[At]:
        """What the path of a `use` means in a module."""
        here, rest = self._begun(module, parts)
        for part in rest:
            here = list(dict.fromkeys(found for whole in here for found in self.part(whole, part)))[:MOST_MODULES]
        return here

    def _begun(self, module: At, parts: Sequence[str]) -> tuple[Sequence[At], Sequence[str]]:
        if not parts:
            return (), ()
        first, rest = parts[0], parts[1:]
        if first == "crate":
            root = self.root(module.path)
            return (root,) if root else (), rest
        if first in ("self", "super"):
            return self._climbed(module, parts)
        found = self.named(module, first)
        if not found or (len(parts) > 1 and not any(self._is_whole(each) for each in found)):
            crate = self.crate(module.path, first)
            found = (crate,) if crate else found
        return found, rest

    def _is_whole(self, at: At) -> bool:
        return at.place < 0 or at != self.opened(at) or bool(self._parts_of(at))

    def _parts_of(self, at: At) -> bool:
        shape = self._view.shape(at.path)
        return shape is not None and any(each.parent == at.place for each in shape.definitions)

    def _climbed(self, module: At, parts: Sequence[str]) -> tuple[Sequence[At], Sequence[str]]:
        here: At | None = module
        rest = list(parts[1:] if parts[0] == "self" else parts)
        while rest and rest[0] == "super" and here is not None:
            here = self.above(here)
            rest.pop(0)
        return (here,) if here else (), rest

    def part(self, whole: At, name: str) -> Sequence[At]:
        """What a name means in something that a path leads to; a crate has its macros too."""
        return self.inside(whole, name) or (self.macros(name, whole.path) if whole.place < 0 else ())

    def macros(self, name: str, path: str) -> Sequence[At]:
        """The macros of a name: those of a file, or else of its crate, or else of other crates."""
        everywhere = self._view.everywhere(name, MOST_MACRO_FILES)
        found = [At(shape.path, place) for shape, place in everywhere if shape.definitions[place].kind == MACRO]
        here = [each for each in found if each.path == path]
        root = self.root(path)
        return here or [each for each in found if root and self.root(each.path) == root] or found

    def _led(self, path: str, each: Imported) -> At | None:
        leads = self._view.leads(path, each)
        return At(leads[0]) if leads else None


def _names(shape: Shape, place: int) -> list[str]:
    return [shape.definitions[each].name for each in reversed(shape.chain(place))]
