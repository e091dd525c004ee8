"""The crates of a project by their Cargo.toml: their roots, their names, and what they call other crates."""

import posixpath
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from fieldguide.formats import Malformed
from fieldguide.formats.toml_text import read_toml
from fieldguide.source_code.imports.json_text import sequence, table
from fieldguide.source_code.imports.places import below, climbed, joined
from fieldguide.source_code.imports.project import Listing, ProjectFiles

MANIFESTS_KEPT = 200
SINGLE_FILE_FOLDERS = ("src/bin", "tests", "examples", "benches")


@dataclass(frozen=True, slots=True)
class Crate:
    """One crate as seen from one of its roots, such as `src/lib.rs`."""

    package: str
    """The folder of its Cargo.toml."""
    root: str
    """The file that `crate` means."""
    roots: frozenset[str]
    """Every file that is a root of some crate of the package, as far as it is known."""
    name: str
    """What `use` calls the package's library; '' when there is no Cargo.toml."""
    is_rooted_paths: bool
    """Edition 2015: a path that begins with a plain name is meant from the root."""
    renamed: dict[str, str] = field(default_factory=dict[str, str])
    """Dependencies under another name than their own."""

    @property
    def folder(self) -> str:
        """Where the modules of the root lie."""
        return posixpath.dirname(self.root)

    def library(self, files: ProjectFiles) -> "Crate | None":
        """The package's library."""
        return read_crate(self.package, files)


def read_crate(folder: str, files: ProjectFiles, *, used_from: str = "") -> Crate | None:
    """The crate of a folder with a Cargo.toml that a file of it belongs to; by default the library."""
    content = files.read(below(folder, "Cargo.toml"))
    manifest = _read(content)
    package, library = table(manifest.get("package")), table(manifest.get("lib"))
    if content is None or not package:
        return None
    roots = _roots(folder, manifest, used_from, files)
    root = _root_for(used_from, folder, roots, files)
    if root is None:
        return None
    name = str(package.get("name", ""))
    called = str(library.get("name") or name).replace("-", "_")
    is_old = str(package.get("edition", "2015")) == "2015"
    renamed = {
        alias.replace("-", "_"): str(value["package"]).replace("-", "_")
        for section in ("dependencies", "dev-dependencies", "build-dependencies")
        for alias, value in table(manifest.get(section)).items()
        if table(value).get("package")
    }
    return Crate(folder, root, frozenset((*roots, root)), called, is_old, renamed)


def crate_of(path: str, files: ProjectFiles) -> Crate | None:
    """The crate that a source file belongs to; one without a Cargo.toml is told by a lib.rs or main.rs above it."""
    for above in climbed(posixpath.dirname(path)):
        found = read_crate(above, files, used_from=path)
        if found:
            return found
    for above in climbed(posixpath.dirname(path)):
        for name in ("lib.rs", "main.rs"):
            root = below(above, name)
            if files.exists(root):
                return Crate(above, root, frozenset((root,)), "", is_rooted_paths=False)
    return None


def crates_by_name(files: ProjectFiles, listing: Listing) -> dict[str, Crate]:
    """The libraries of the project, by the names that `use` gives them."""
    found: dict[str, Crate] = {}
    for path in sorted(listing.by_name.get("Cargo.toml", []), key=lambda path: (path.count("/"), path)):
        crate = read_crate(posixpath.dirname(path), files)
        if crate:
            found.setdefault(crate.name, crate)
    return found


@lru_cache(maxsize=MANIFESTS_KEPT)
def _read(content: bytes | None) -> dict[str, Any]:
    """A manifest; every file of a crate asks for the same few, so what was read is kept, and nobody changes it."""
    try:
        return read_toml(content or b"")
    except Malformed:
        return {}


def _roots(folder: str, manifest: dict[str, Any], used_from: str, files: ProjectFiles) -> list[str]:
    """The roots of a package, the library first."""
    written: list[Any] = [table(manifest.get("lib")).get("path"), "src/lib.rs", "src/main.rs"]
    for section in ("bin", "test", "example", "bench"):
        written += [table(each).get("path") for each in sequence(manifest.get(section))]
    build = table(manifest.get("package")).get("build", "build.rs")
    written.append(build if isinstance(build, str) else "build.rs")
    placed = [joined(folder, each) for each in written if isinstance(each, str)]
    placed += _single_files(folder, used_from, files)
    return [path for path in dict.fromkeys(placed) if path and files.exists(path)]


def _single_files(folder: str, used_from: str, files: ProjectFiles) -> list[str]:
    """The crates of one file each that a file is or, as a module of several of them, lies beside."""
    for single in SINGLE_FILE_FOLDERS:
        place = below(folder, single)
        if posixpath.dirname(used_from) == place:
            return [used_from]
        if used_from.startswith(f"{place}/"):
            return [path for path in files.listing().by_folder.get(place, []) if path.endswith(".rs")]
    return []


def _root_for(path: str, folder: str, roots: list[str], files: ProjectFiles) -> str | None:
    """The root whose module tree a file is in: itself, or one in the nearest folder above, the library first."""
    if path in roots:
        return path
    for above in climbed(posixpath.dirname(path)) if path else ():
        here = _root_in(above, roots, files)
        if here:
            return here
        if above == folder:
            break
    return next(iter(roots), None)


def _root_in(folder: str, roots: list[str], files: ProjectFiles) -> str | None:
    """The first of the roots in a folder; a program there is one even where no manifest says so."""
    here = next((root for root in roots if posixpath.dirname(root) == folder), None)
    program = below(folder, "main.rs")
    return here or (program if files.exists(program) else None)
