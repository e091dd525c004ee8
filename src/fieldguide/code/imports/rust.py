"""Reads and resolves `mod` and `use` of Rust across the crates of the project.

A `use` path names an item, so it leads to the file of the innermost module on the path that has one: the module that
declares the item, or gives it out again. A path that ends in the crate itself leads to the crate's root.
"""

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from fieldguide.code.imports.project_files import (
    ImportableFiles,
    ProjectListing,
    as_sequence,
    as_table,
    climb_folders,
    join_path,
    path_below,
)
from fieldguide.code.imports.syntax import Grammar, Import, find_line, unquote_literal
from fieldguide.text import regex as re
from fieldguide.text.data_formats import MalformedText, read_toml

if TYPE_CHECKING:
    from ast_grep_py import SgNode

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

    def library(self, files: ImportableFiles) -> "Crate | None":
        """The package's library."""
        return read_crate(self.package, files)


def read_crate(folder: str, files: ImportableFiles, *, used_from: str = "") -> Crate | None:
    """The crate of a folder with a Cargo.toml that a file of it belongs to; by default the library."""
    content = files.read(path_below(folder, "Cargo.toml"))
    manifest = _read(content)
    package = as_table(manifest.get("package"))
    library = as_table(manifest.get("lib"))
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
        for alias, value in as_table(manifest.get(section)).items()
        if as_table(value).get("package")
    }
    return Crate(folder, root, frozenset((*roots, root)), called, is_old, renamed)


def find_crate(path: str, files: ImportableFiles) -> Crate | None:
    """The crate that a source file belongs to; one without a Cargo.toml is told by a lib.rs or main.rs above it."""
    for above in climb_folders(posixpath.dirname(path)):
        found = read_crate(above, files, used_from=path)
        if found:
            return found
    for above in climb_folders(posixpath.dirname(path)):
        for name in ("lib.rs", "main.rs"):
            root = path_below(above, name)
            if files.exists(root):
                return Crate(above, root, frozenset((root,)), "", is_rooted_paths=False)
    return None


def index_crates(files: ImportableFiles, listing: ProjectListing) -> dict[str, Crate]:
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
    except MalformedText:
        return {}


def _roots(folder: str, manifest: dict[str, Any], used_from: str, files: ImportableFiles) -> list[str]:
    """The roots of a package, the library first."""
    written: list[Any] = [as_table(manifest.get("lib")).get("path"), "src/lib.rs", "src/main.rs"]
    for section in ("bin", "test", "example", "bench"):
        written += [as_table(each).get("path") for each in as_sequence(manifest.get(section))]
    build = as_table(manifest.get("package")).get("build", "build.rs")
    written.append(build if isinstance(build, str) else "build.rs")
    placed = [join_path(folder, each) for each in written if isinstance(each, str)]
    placed += _single_files(folder, used_from, files)
    return [path for path in dict.fromkeys(placed) if path and files.exists(path)]


def _single_files(folder: str, used_from: str, files: ImportableFiles) -> list[str]:
    """The crates of one file each that a file is or, as a module of several of them, lies beside."""
    for single in SINGLE_FILE_FOLDERS:
        place = path_below(folder, single)
        if posixpath.dirname(used_from) == place:
            return [used_from]
        if used_from.startswith(f"{place}/"):
            return [path for path in files.listing().by_folder.get(place, []) if path.endswith(".rs")]
    return []


def _root_for(path: str, folder: str, roots: list[str], files: ImportableFiles) -> str | None:
    """The root whose module tree a file is in: itself, or one in the nearest folder above, the library first."""
    if path in roots:
        return path
    for above in climb_folders(posixpath.dirname(path)) if path else ():
        here = _root_in(above, roots, files)
        if here:
            return here
        if above == folder:
            break
    return next(iter(roots), None)


def _root_in(folder: str, roots: list[str], files: ImportableFiles) -> str | None:
    """The first of the roots in a folder; a program there is one even where no manifest says so."""
    here = next((root for root in roots if posixpath.dirname(root) == folder), None)
    program = path_below(folder, "main.rs")
    return here or (program if files.exists(program) else None)


MAX_PATHS = 2_000


def read_statement(node: "SgNode") -> Iterator[Import]:
    """The imports of a `use`, an `extern crate`, or a `mod` that stands in a file of its own."""
    line = find_line(node)
    scope = _scope(node)
    kind = node.kind()
    if kind == "use_declaration":
        argument = node.field("argument")
        for path in _paths(argument) if argument else ():
            text = "::".join(path)
            yield Import(text, line, is_relative=path[0] in ("self", "super", "crate"), keyword="use", scope=scope)
        return
    name = node.field("name")
    if name is None:
        return
    if kind == "extern_crate_declaration":
        yield Import(_raw(name.text()), line, keyword="extern")
        return
    elsewhere = _path_attribute(node)
    if elsewhere:
        yield Import(elsewhere, line, is_relative=True, keyword="path", scope=scope)
    else:
        yield Import(_raw(name.text()), line, is_relative=True, keyword="mod", scope=scope)


GRAMMAR = Grammar(
    "rust",
    rules=[
        {"kind": "use_declaration"},
        {"kind": "extern_crate_declaration"},
        {"kind": "mod_item", "not": {"has": {"kind": "declaration_list"}}},
    ],
    read=read_statement,
    opening=re.compile(r"^\s*(pub(\([^)]*\))?\s+)?(use\s+[\w:{]|mod\s+\w+\s*;|extern\s+crate\b)", re.MULTILINE),
)


class RustResolver:
    """Where the imports of one Rust file lead."""

    def __init__(self, path: str, files: ImportableFiles) -> None:
        self._path = path
        self._files = files
        self._crate = find_crate(path, files)

    def find(self, each: Import) -> list[str]:
        """The file of the module that an import names, or that holds what it names."""
        scope = each.scope.split("::") if each.scope else []
        if each.keyword == "path":
            folder = self._home if scope else posixpath.dirname(self._path)
            place = join_path("/".join([folder, *scope]) if folder else "/".join(scope), each.text)
            return [place] if place and self._files.exists(place) else []
        if each.keyword == "mod":
            found = self._module([*scope, each.text], self._home)
            return [found] if found else []
        parts = each.text.split("::")
        return self._other_crate(parts) if each.keyword == "extern" else self._used(parts, scope)

    def _used(self, parts: list[str], scope: list[str]) -> list[str]:
        if parts[0] == "crate":
            return self._in_crate(self._crate, parts[1:]) if self._crate else []
        if parts[0] in ("self", "super"):
            return self._climbing(parts, scope)
        local = self._deepest([*scope, parts[0]], self._home, at_least=len(scope) + 1)
        if local:
            return self._deepest([*scope, *parts], self._home)
        if self._crate and self._crate.is_rooted_paths:
            found = self._deepest(parts, self._crate.folder)
            if found:
                return found
        return self._other_crate([part for part in parts if part])

    def _climbing(self, parts: list[str], scope: list[str]) -> list[str]:
        """`self` and `super`: out of the modules in the file first, then up the folders of the module tree."""
        home: str = self._home
        inside = scope.copy()
        rest = parts[1:] if parts[0] == "self" else parts
        while rest and rest[0] == "super":
            rest = rest[1:]
            if inside:
                inside.pop()
            elif home:
                home = posixpath.dirname(home)
        if home == self._home:
            return self._deepest([*inside, *rest], home) or [self._path]
        return self._deepest(rest, home) or self._owner(home)

    def _owner(self, home: str) -> list[str]:
        """The file of the module whose modules lie in a folder."""
        if self._crate and home == self._crate.folder:
            return [self._crate.root]
        tried = (f"{home}.rs", path_below(home, "mod.rs"), path_below(home, "lib.rs"), path_below(home, "main.rs"))
        return [path for path in tried if self._files.exists(path)][:1]

    def _in_crate(self, crate: Crate, parts: list[str]) -> list[str]:
        return self._deepest(parts, crate.folder) or [crate.root]

    def _other_crate(self, parts: list[str]) -> list[str]:
        if not parts:
            return []
        name = _raw(parts[0])
        if self._crate and name == self._crate.name:
            library = self._crate.library(self._files)
            return self._in_crate(library, parts[1:]) if library else []
        known = self._files.listing().made(index_crates, self._files)
        renamed = self._crate.renamed.get(name, name) if self._crate else name
        crate = known.get(renamed)
        return self._in_crate(crate, parts[1:]) if crate else []

    def _deepest(self, parts: list[str], home: str, *, at_least: int = 1) -> list[str]:
        """The file of the longest beginning of a path that has one."""
        for length in range(len(parts), at_least - 1, -1):
            found = self._module(parts[:length], home)
            if found:
                return [found]
        return []

    def _module(self, parts: list[str], home: str) -> str | None:
        place = "/".join([home, *map(_raw, parts)] if home else map(_raw, parts))
        return next((path for path in (f"{place}.rs", f"{place}/mod.rs") if self._files.exists(path)), None)

    @cached_property
    def _home(self) -> str:
        """The folder in which the modules of this file's module lie."""
        folder, name = posixpath.split(self._path)
        is_root = name == "mod.rs" or (self._crate is not None and self._path in self._crate.roots)
        return folder if is_root else path_below(folder, name.removesuffix(".rs"))


def _raw(name: str) -> str:
    return name.removeprefix("r#")


def _scope(node: "SgNode") -> str:
    names = [each.field("name") for each in node.ancestors() if each.kind() == "mod_item"]
    return "::".join(_raw(name.text()) for name in reversed(names) if name)


def _path_attribute(node: "SgNode") -> str | None:
    for before in node.prev_all():
        if before.kind() not in ("attribute_item", "line_comment", "block_comment"):
            return None
        attribute = before.find(kind="attribute") if before.kind() == "attribute_item" else None
        name = attribute.child(0) if attribute else None
        if attribute and name and name.text() == "path":
            return unquote_literal(attribute.field("value"))
    return None


def _paths(argument: "SgNode") -> list[tuple[str, ...]]:
    """Every path of a use tree; `a::{self, b}` is `a` and `a::b`, and a star is the module before it."""
    found: list[tuple[str, ...]] = []
    waiting: list[tuple[tuple[str, ...], SgNode]] = [((), argument)]
    while waiting and len(found) < MAX_PATHS:
        before, node = waiting.pop(0)
        kind = node.kind()
        if kind in ("use_list", "scoped_use_list"):
            waiting[:0] = _listed(before, node)
        elif "comment" not in kind:
            names = before + _names(node)
            found.append(names[:-1] if len(names) > 1 and names[-1] == "self" else names)
    return list(filter(None, dict.fromkeys(found)))


def _listed(before: tuple[str, ...], node: "SgNode") -> list[tuple[tuple[str, ...], "SgNode"]]:
    """What stands in `{…}` or in `a::{…}`, each with the path before it."""
    inner: SgNode | None = node
    if node.kind() == "scoped_use_list":
        path = node.field("path")
        inner = node.field("list")
        before += _names(path) if path else ()
    return [(before, each) for each in inner.children() if each.is_named()] if inner else []


def _names(node: "SgNode") -> tuple[str, ...]:
    text = (node.field("path") or node).text() if node.kind() == "use_as_clause" else node.text()
    parts = ["".join(part.split()) for part in text.split("::")]
    return tuple(_raw(part) for part in parts if part and part != "*")
