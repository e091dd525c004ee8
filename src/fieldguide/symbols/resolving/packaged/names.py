"""What a file's package and its imports bring, by the names of definitions and the packages that they are in."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from fieldguide.symbols.facts import EVERYTHING, IMPORTED, Imported
from fieldguide.symbols.resolving.packaged.wanted import ANY, Want, fitting
from fieldguide.symbols.resolving.values import FOREIGN, At, Value
from fieldguide.symbols.resolving.view import Shape

if TYPE_CHECKING:
    from fieldguide.symbols.resolving.packaged.way import PackagedWay

PACKAGE = "package"
MOST_FILES = 400
MOST_PARTS = 12


class Packages:
    """The top-level names of a project, by package."""

    def __init__(self, way: "PackagedWay") -> None:
        self._way = way
        self._view = way.resolver.view
        self._found: dict[tuple[str, str], list[At]] = {}

    def top(self, package: str, name: str) -> list[At]:
        """What a package defines as a name."""
        key = (package, name)
        if key not in self._found:
            self._found[key] = [
                At(shape.path, place)
                for shape in self._defining(name, package)
                if package in packages_of(shape)
                for place in self._tops(shape, name, package)
            ]
        return self._found[key]

    def _defining(self, name: str, package: str) -> Iterator[Shape]:
        defining = [file.path for file in self._view.defining(name, MOST_FILES)]
        if len(defining) >= MOST_FILES:  # of a name that is so common, also the files that are called by it
            named = self._view.files().listing().by_name
            defining += [*named.get(f"{name}.java", ()), *named.get(f"{name}.kt", ()), *named.get(f"{name}.cs", ())]
        for path in dict.fromkeys(defining):
            if self._way.is_kin(path) and _may_have(path, name, package):
                shape = self._view.shape(path)
                if shape is not None:
                    yield shape

    def _tops(self, shape: Shape, name: str, package: str) -> Iterator[int]:
        for place in shape.named(-1, name):
            if shape.definitions[place].kind != IMPORTED:
                yield place

    def beside(self, path: str, name: str, want: Want) -> Sequence[Value]:
        """What the package of a file brings, and then what it imports as a whole."""
        shape = self._view.shape(path)
        if shape is None:
            return []
        for package in self._way.seen(shape):
            if found := self.fitted(self.top(package, name), path, want):
                return found
        for each in shape.imports:
            if each.name == EVERYTHING and (found := self._of_all(path, each, name, want)):
                return found
        return []

    def _of_all(self, path: str, each: Imported, name: str, want: Want) -> Sequence[Value]:
        text = each.text.removesuffix(".*")
        found = self.fitted(self.top(text, name), path, want)
        if found:
            return found
        owners = self.qualified(path, text, ANY)
        return [
            value
            for owner in owners
            if owner.at is not None
            for value in self._way.members.member(owner, name, want)
            if value.at is not None
        ]

    def imported(self, path: str, each: Imported, want: Want) -> Sequence[Value]:
        """What an import of one name means."""
        found = self.qualified(path, each.text, want)
        return found or [FOREIGN._replace(name=each.text.rpartition(".")[2])]

    def qualified(self, path: str, text: str, want: Want) -> Sequence[Value]:
        """What a name with its package means, the longest package first; nothing where the project has none such."""
        for before in self._way.before(path):
            if found := self._qualified(path, f"{before}{text}", want):
                return found
        return []

    def _qualified(self, path: str, text: str, want: Want) -> Sequence[Value]:
        parts = text.split(".")[:MOST_PARTS]
        for length in range(len(parts) - 1, -1, -1):
            is_last = length == len(parts) - 1
            tops = self.top(".".join(parts[:length]), parts[length])
            values: Sequence[Value] = self.fitted(tops, path, want if is_last else ANY)
            for number in range(length + 1, len(parts)):
                wanted = want if number == len(parts) - 1 else ANY
                values = [
                    found
                    for value in values
                    for found in self._way.members.member(value, parts[number], wanted)
                    if found.at is not None
                ]
            if values:
                return values
        return []

    def fitted(self, found: list[At], path: str, want: Want) -> Sequence[Value]:
        """Those of several definitions that a use can mean; of the same name in several places the nearest."""
        fit: list[At] = []
        for at in found:
            shape = self._view.shape(at.path)
            if shape is not None and fitting(shape.definitions, [at.place], want):
                fit.append(at)
        if len({at.path for at in fit}) > 1:
            nearest = max(_shared(at.path, path) for at in fit)
            fit = [at for at in fit if _shared(at.path, path) == nearest]
        return [Value(at) for at in fit]


def _may_have(path: str, name: str, package: str) -> bool:
    """Whether a file may have a name of a package: Java's files lie as their packages say, and have only classes."""
    folder, _, file = path.rpartition("/")
    if not file.endswith(".java"):
        return True
    is_class = name[:1].isupper() or file == f"{name}.java"
    return is_class and f"/{folder}".endswith(f"/{package.replace('.', '/')}" if package else "")


def packages_of(shape: Shape) -> list[str]:
    """The package that a file says it is in; with nothing said, the one without a name."""
    return [each.text for each in shape.imports if each.keyword == PACKAGE] or [""]


def _shared(one: str, other: str) -> int:
    """How many folders two paths have in common."""
    count = 0
    for left, right in zip(one.split("/")[:-1], other.split("/")[:-1], strict=False):
        if left != right:
            break
        count += 1
    return count
