"""C#: namespaces around a namespace, classes in several parts, methods that extend a type, and attributes."""

from collections.abc import Iterator, Sequence

from fieldguide.symbols.facts import METHOD, TYPES, Definition, Reference
from fieldguide.symbols.resolving.packaged.names import packages_of
from fieldguide.symbols.resolving.packaged.wanted import Want, fitting
from fieldguide.symbols.resolving.packaged.way import PackagedWay
from fieldguide.symbols.resolving.values import At, Value
from fieldguide.symbols.resolving.view import Shape

PARTIAL, EXTENDING, ATTRIBUTE = "partial ", "(this ", "Attribute"
MOST_FILES = 100


class CSharpWay(PackagedWay):
    """Answers for one question, as C# does."""

    language = "csharp"
    is_loose = True

    def seen(self, shape: Shape) -> Sequence[str]:
        """A file's namespaces, and those that they are in."""
        found: dict[str, None] = {}
        for package in packages_of(shape):
            parts = package.split(".")
            found.update((".".join(parts[:length]), None) for length in range(len(parts), 0, -1))
        return [*found, ""]

    def before(self, path: str) -> Sequence[str]:
        """The namespaces around a file."""
        shape = self.resolver.view.shape(path)
        return ["", *(f"{each}." for each in self.seen(shape) if each)] if shape else [""]

    def named(self, path: str, name: str, within: int, want: Want, line: int = 0) -> Sequence[Value]:
        """What a bare name means; an attribute is named without the end of its class's name."""
        found = super().named(path, name, within, want, line)
        if want.is_type and not any(value.at for value in found) and not name.endswith(ATTRIBUTE):
            longer = super().named(path, name + ATTRIBUTE, within, want, line)
            return longer if any(value.at for value in longer) else found
        return found

    def other_names(self, at: At) -> Sequence[str]:
        """The name that an attribute is used by."""
        definition = self.resolver.view.definition(*at)
        is_attribute = definition is not None and definition.kind in TYPES and definition.name.endswith(ATTRIBUTE)
        return (definition.name.removesuffix(ATTRIBUTE),) if definition is not None and is_attribute else ()

    def parts(self, at: At) -> Sequence[At]:
        """All parts of a class that says it is one of several."""
        definition, shape = self.resolver.view.definition(*at), self.resolver.view.shape(at.path)
        if definition is None or shape is None or definition.kind not in TYPES or PARTIAL not in definition.signature:
            return (at,)
        found = [each for package in packages_of(shape) for each in self.packages.top(package, definition.name)]
        return list(dict.fromkeys((at, *(each for each in found if self._is_part(each)))))

    def _is_part(self, at: At) -> bool:
        definition = self.resolver.view.definition(*at)
        return definition is not None and PARTIAL in definition.signature

    def extended(self, path: str, each: Reference, want: Want) -> Sequence[Value]:
        """A static method that extends a type, in a namespace that the file sees."""
        shape = self.resolver.view.shape(path)
        if shape is None or not want.is_called:
            return []
        found: list[Value] = []
        for other in self._defining(each.name, {*self.seen(shape), *(one.text for one in shape.imports)}):
            places = [place for place in other.places(each.name) if _is_extending(other.definitions[place])]
            found += [Value(At(other.path, place)) for place in fitting(other.definitions, places, want)]
        return found

    def _defining(self, name: str, packages: set[str]) -> Iterator[Shape]:
        """The files that define a name in one of some namespaces."""
        for file in self.resolver.view.defining(name, MOST_FILES):
            shape = self.resolver.view.shape(file.path)
            if shape is not None and self.is_kin(file.path) and not packages.isdisjoint(packages_of(shape)):
                yield shape


def _is_extending(definition: Definition) -> bool:
    return definition.kind == METHOD and EXTENDING in definition.signature
