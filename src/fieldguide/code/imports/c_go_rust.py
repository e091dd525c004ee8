"""Reads and resolves `#include` of C and C++, imports of Go, and `mod` and `use` of Rust.

Includes are lines of the preprocessor, so they are read as it reads them: line by line, outside of comments and
strings. A parser would be wrong here (macros break its trees) and slow (measured: 14 s for 30 KB of nested templates).

A folder of Go is found by the module of the nearest go.mod and its `replace` lines that name a folder, then by every
other go.mod of the project, whether or not a go.work joins them, the longest module path first; then by a `vendor`
folder above the file. A first name without a dot is the standard library's, unless the nearest module begins with it;
with a go.work, any module.

A `use` path of Rust names an item, so it leads to the file of the innermost module on the path that has one: the module
that declares the item, or gives it out again. A path that ends in the crate itself leads to the crate's root.
"""

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from fieldguide.code.imports.project_files import (
    FileImportResolver,
    ImportableFiles,
    ProjectListing,
    as_sequence,
    as_table,
    climb_folders,
    find_nearest,
    join_path,
    path_below,
)
from fieldguide.code.imports.syntax import Grammar, Import, find_line, unquote_literal
from fieldguide.code.parsing import SyntaxProblem
from fieldguide.files.kinds import language_of
from fieldguide.text import regex as re
from fieldguide.text.data_formats import MalformedText, read_toml

if TYPE_CHECKING:
    from ast_grep_py import SgNode

INCLUDE_FOLDERS = ("include", "inc", "src")
# fmt: off
STANDARD_HEADERS = frozenset((
    "assert", "complex", "ctype", "dirent", "dlfcn", "errno", "fcntl", "fenv", "float", "glob", "grp", "inttypes",
    "iso646", "limits", "locale", "math", "memory", "netdb", "poll", "pthread", "pwd", "regex", "sched", "search",
    "semaphore", "setjmp", "signal", "spawn", "stdalign", "stdarg", "stdatomic", "stdbool", "stddef", "stdint", "stdio",
    "stdlib", "stdnoreturn", "string", "strings", "syslog", "termios", "tgmath", "threads", "time", "uchar", "unistd",
    "utime", "wchar", "wctype", "windows",
))
# fmt: on
TOKEN = re.compile(
    r"""
      /\*.*?(?:\*/|\Z) | //[^\n]*
    | R"(?P<mark>[^\s()\\]{0,16})\(
    | ^[ \t]*\#[ \t]*(?:include|include_next|import)\b[ \t]*(?P<path>"[^"\n]*"?|<[^>\n]*>?)?
    | "(?:[^"\\\n]|\\.)*"? | '(?:[^'\\\n]|\\.)*'?
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)


def read_includes(text: str) -> list[Import]:
    """The headers that a source text includes; one that a macro names is left out."""
    found: list[Import] = []
    line = 1
    counted = 0
    for token in _tokens(text):
        path = token.group("path")
        if not path:
            continue
        line += text.count("\n", counted, token.start("path"))
        counted = token.start("path")
        if len(path) < 3 or path[-1] != ('"' if path[0] == '"' else ">"):
            raise SyntaxProblem(line)
        found.append(Import(path[1:-1].strip(), line, is_relative=path[0] == '"', keyword="include"))
    return found


def _tokens(text: str) -> Iterator[re.Match[str]]:
    """Comments, strings and includes; a raw string reaches to its own mark."""
    tokens = TOKEN.finditer(text)
    token = next(tokens, None)
    while token is not None:
        yield token
        mark = token.group("mark")
        closing = f'){mark}"'
        end = -1 if mark is None else text.find(closing, token.end())
        after = len(text) if end < 0 else end + len(closing)
        try:
            token = tokens.send(None if mark is None else after)
        except StopIteration:
            return


class IncludeResolver(FileImportResolver):
    """Where the includes of one C or C++ file lead."""

    def find(self, each: Import) -> list[str]:
        """The header; none for one of the system."""
        if each.is_relative:
            beside = self._first_existing([join_path(self._folder, each.text)])
            if beside:
                return [beside]
        elif _is_standard(each.text):
            return []
        found = self._above(each.text) or self._anywhere(each.text, is_quoted=each.is_relative)
        return [found] if found else []

    def _above(self, text: str) -> str | None:
        names = text.split("/")
        if not {"", ".", ".."}.isdisjoint(names):
            places = (join_path(folder, text) for folder in self._places)
        else:
            begun = (folder for folder in self._folders if self._may_lead(path_below(folder, names[0])))
            places = (path_below(folder, text) for folder in begun)
        return self._first_existing(places)

    @cached_property
    def _places(self) -> list[str]:
        """Where a header may lie: in each folder above the file, and in its folders for headers."""
        places: list[str] = []
        for folder in climb_folders(self._folder):
            places.append(folder)
            places += [path_below(folder, name) for name in INCLUDE_FOLDERS]
        return places

    @cached_property
    def _folders(self) -> list[str]:
        """Those of the places that may be there."""
        return [place for place in self._places if not place or self._may_lead(place)]

    def _anywhere(self, text: str, *, is_quoted: bool) -> str | None:
        plain = posixpath.normpath(text).lstrip("./")
        found = self._files.listing().ending(plain)
        if not is_quoted and "/" not in plain:
            found = [path for path in found if posixpath.basename(posixpath.dirname(path)) in INCLUDE_FOLDERS]
        return find_nearest(found, self._folder)


def _is_standard(text: str) -> bool:
    stem, ending = posixpath.splitext(text)
    return (not ending and "/" not in text) or (ending == ".h" and stem in STANDARD_HEADERS) or text.startswith("sys/")


KEPT_MODULES = 200
MODULE = re.compile(r'^\s*module\s+"?([^\s"]+)"?', re.MULTILINE)
REPLACE = re.compile(r"^\s*(?:replace\s+)?([^\s(]+)(?:\s+v\S+)?\s+=>\s+(\.{1,2}(?:/\S*)?)\s*(?://.*)?$", re.MULTILINE)


def read_go_statement(node: "SgNode") -> Iterator[Import]:
    """The imports of a declaration, one line each."""
    for line in node.find_all(kind="import_spec"):
        text = unquote_literal(line.field("path"))
        if text and text != "C":  # cgo's own name, which is no package
            yield Import(text, find_line(line), is_relative=text.startswith("."))


GO_GRAMMAR = Grammar(
    "go",
    rules=[{"kind": "import_declaration"}],
    read=read_go_statement,
    opening=re.compile(r'^\s*import\s*[("`\w]', re.MULTILINE),
    body=re.compile(r"^(?:func|type|var|const)\b", re.MULTILINE),
)


class GoResolver(FileImportResolver):
    """Where the imports of one Go file lead."""

    def find(self, each: Import) -> list[str]:
        """The files of the package; none for one from outside."""
        if each.is_relative:
            return self._beside(each.text)
        packages = (self._package(folder) for folder in self._folders(each.text))
        return next((paths for paths in packages if paths), list[str]())

    def _beside(self, text: str) -> list[str]:
        """A relative import, which only code without a module has: a folder or a file."""
        place = join_path(self._folder, text)
        if place is None:
            return []
        return self._package(place) or [path for path in (f"{place}.go",) if self._files.exists(path)]

    def _folders(self, text: str) -> Iterator[str]:
        yield from _inside(self._near, text)
        is_standard = "." not in text.split("/")[0] and not self._is_joined
        if not is_standard:
            yield from _inside(self._files.listing().made(list_modules, self._files), text)
            yield from (path_below(above, f"vendor/{text}") for above in climb_folders(self._folder))

    @cached_property
    def _near(self) -> list[tuple[str, str]]:
        """The module of the nearest go.mod and those that it replaces, with their folders; the longest name first."""
        found: list[tuple[str, str]] = []
        for above in climb_folders(self._folder):
            content = self._files.read(path_below(above, "go.mod"))
            if content is not None:
                found = read_module(above, content)
                break
        return sorted(found, key=_longest_first)

    @cached_property
    def _is_joined(self) -> bool:
        return any(self._files.exists(path_below(above, "go.work")) for above in climb_folders(self._folder))

    def _package(self, folder: str) -> list[str]:
        paths = self._files.listing().by_folder.get(folder, [])
        return [path for path in paths if path.endswith(".go") and not path.endswith("_test.go")]


@lru_cache(maxsize=KEPT_MODULES)
def read_module(folder: str, content: bytes) -> list[tuple[str, str]]:
    """The module of a go.mod and the folders that replace others, as pairs of module path and folder."""
    text = content.decode("utf-8", errors="replace")
    named = MODULE.search(text)
    found = [(named.group(1), folder)] if named else []
    for name, target in REPLACE.findall(text):
        place = join_path(folder, target)
        if place is not None:
            found.append((name, place))
    return found


def list_modules(files: ImportableFiles, listing: ProjectListing) -> list[tuple[str, str]]:
    """Every module of the project, whether or not a go.work joins them; the longest name first."""
    found: list[tuple[str, str]] = []
    for path in listing.by_name.get("go.mod", []):
        content = files.read(path)
        if content is not None:
            found += read_module(posixpath.dirname(path), content)[:1]
    return sorted(found, key=_longest_first)


def _longest_first(module: tuple[str, str]) -> tuple[int, str]:
    return (-len(module[0]), module[1])


def _inside(modules: list[tuple[str, str]], text: str) -> Iterator[str]:
    for name, folder in modules:
        if text == name or text.startswith(f"{name}/"):
            yield path_below(folder, text[len(name) + 1 :]) if text != name else folder


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
            return [path for path in files.listing().by_folder.get(place, []) if language_of(path) == "rust"]
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


def read_rust_statement(node: "SgNode") -> Iterator[Import]:
    """The imports of a `use`, an `extern crate`, or a `mod` that stands in a file of its own."""
    line = find_line(node)
    modules = [each.field("name") for each in node.ancestors() if each.kind() == "mod_item"]
    scope = "::".join(_raw(each.text()) for each in reversed(modules) if each)
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


RUST_GRAMMAR = Grammar(
    "rust",
    rules=[
        {"kind": "use_declaration"},
        {"kind": "extern_crate_declaration"},
        {"kind": "mod_item", "not": {"has": {"kind": "declaration_list"}}},
    ],
    read=read_rust_statement,
    opening=re.compile(r"^\s*(pub(\([^)]*\))?\s+)?(use\s+[\w:{]|mod\s+\w+\s*;|extern\s+crate\b)", re.MULTILINE),
)


class RustResolver(FileImportResolver):
    """Where the imports of one Rust file lead."""

    @cached_property
    def _crate(self) -> Crate | None:
        return find_crate(self._path, self._files)

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
        found = self._first_existing(tried)
        return [found] if found else []

    def _in_crate(self, crate: Crate, parts: list[str]) -> list[str]:
        return self._deepest(parts, crate.folder) or [crate.root]

    def _other_crate(self, parts: list[str]) -> list[str]:
        if not parts:
            return []
        name = _raw(parts[0])
        if self._crate and name == self._crate.name:
            library = read_crate(self._crate.package, self._files)
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
        return self._first_existing((f"{place}.rs", f"{place}/mod.rs"))

    @cached_property
    def _home(self) -> str:
        """The folder in which the modules of this file's module lie."""
        folder, name = posixpath.split(self._path)
        is_root = name == "mod.rs" or (self._crate is not None and self._path in self._crate.roots)
        return folder if is_root else path_below(folder, name.removesuffix(".rs"))


def _raw(name: str) -> str:
    return name.removeprefix("r#")


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
    return [(before, each) for each in inner.named_children()] if inner else []


def _names(node: "SgNode") -> tuple[str, ...]:
    text = (node.field("path") or node).text() if node.kind() == "use_as_clause" else node.text()
    parts = ["".join(part.split()) for part in text.split("::")]
    return tuple(_raw(part) for part in parts if part and part != "*")
