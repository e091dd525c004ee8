"""The packages of a project by their package.json: what a name, a path inside a package or a `#name` gives."""

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fieldguide.source_code.imports.json_text import read_object, sequence, table
from fieldguide.source_code.imports.places import below, climbed
from fieldguide.source_code.imports.project import Listing, ProjectFiles

ENTRY_FIELDS = ("source", "types", "typings", "module", "main", "browser")
SOURCE_ENTRIES = ("src/index", "index", "src/main", "lib/index")
FIRST_CONDITIONS = ("source", "development", "types", "import", "module", "require", "node", "default")
MAX_TARGETS = 40
TEST_FOLDERS = frozenset(("fixtures", "__fixtures__", "fixture", "__tests__", "testdata", "test-fixtures"))


@dataclass(frozen=True, slots=True)
class Package:
    """One package.json and the folder it stands in."""

    folder: str
    name: str
    manifest: dict[str, Any]

    @classmethod
    def read(cls, folder: str, files: ProjectFiles) -> "Package | None":
        """The package of a folder, if it has one."""
        content = files.read(below(folder, "package.json"))
        if content is None:
            return None
        manifest = read_object(content)
        name = manifest.get("name")
        return cls(folder, name if isinstance(name, str) else "", manifest)

    def entries(self, inside: str) -> Iterator[str]:
        """What the package gives for a path inside it, '' for the package itself; the likeliest first."""
        exports = self.manifest.get("exports")
        if exports is not None:
            yield from _matched(exports, f"./{inside}" if inside else ".")
        if inside:
            yield from (inside, f"src/{inside}")
            return
        for field in ENTRY_FIELDS:
            if isinstance(self.manifest.get(field), str):
                yield self.manifest[field]
        yield from SOURCE_ENTRIES

    def imports(self, written: str) -> Iterator[str]:
        """What the package's own `imports` gives for a `#name`."""
        yield from _matched(self.manifest.get("imports"), written)


def nearest_package(folder: str, files: ProjectFiles) -> Package | None:
    """The package that a folder belongs to."""
    found = (Package.read(above, files) for above in climbed(folder))
    return next((package for package in found if package), None)


def packages_by_name(files: ProjectFiles, listing: Listing) -> dict[str, Package]:
    """The project's packages; of several with one name the one that is no test fixture, then the outermost."""
    found: dict[str, Package] = {}
    for path in sorted(listing.by_name.get("package.json", []), key=_by_place):
        package = Package.read(posixpath.dirname(path), files)
        if package and package.name:
            found.setdefault(package.name, package)
    return found


def _by_place(path: str) -> tuple[bool, int, str]:
    names = path.split("/")
    return (not TEST_FOLDERS.isdisjoint(names), len(names), path)


def _matched(value: Any, wanted: str) -> Iterator[str]:
    """The targets of an `exports` or `imports` table for a key, which may be a pattern with one star."""
    keys = table(value)
    if not any(key[:1] in (".", "#") for key in keys):
        keys = {".": value}
    if wanted in keys:
        yield from _targets(keys[wanted])
        return
    key = next((each for each in sorted(keys, key=len, reverse=True) if _fits(each, wanted)), None)
    if key is not None:
        before, star, after = key.partition("*")
        middle = wanted[len(before) : len(wanted) - len(after)]
        for target in _targets(keys[key]):
            yield target.replace("*", middle) if star else target + middle


def _fits(key: str, wanted: str) -> bool:
    """Whether a pattern with a star, or a folder that ends in a slash, is for a name."""
    before, star, after = key.partition("*")
    if not (star or key.endswith("/")) or len(wanted) < len(before) + len(after):
        return False
    return wanted.startswith(before) and wanted.endswith(after)


def _targets(value: Any) -> list[str]:
    """Every path below conditions, those that name sources or types first."""
    found: list[str] = []
    waiting: list[Any] = [value]
    while waiting and len(found) < MAX_TARGETS:
        current = waiting.pop(0)
        if isinstance(current, str):
            found.append(current)
            continue
        conditions = table(current)
        known = [conditions[key] for key in FIRST_CONDITIONS if key in conditions]
        others = [each for key, each in conditions.items() if key not in FIRST_CONDITIONS]
        waiting[:0] = [*sequence(current), *known, *others]
    return found
