"""Reads and resolves imports of Go by go.mod modules and package folders.

Which folder: by the module of the nearest go.mod and its `replace` lines that name a folder, then by every other go.mod
of the project, whether or not a go.work joins them, the longest module path first; then by a `src` folder above a file
without a module (GOPATH) or a `vendor` folder above it. A first name without a dot is the standard library's, unless
the nearest module begins with it; with a go.work, any module.
"""

import posixpath
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from fieldguide.code.imports.project_files import ImportableFiles, ProjectListing, climb_folders, join_path, path_below
from fieldguide.code.imports.syntax import Grammar, Import, find_line, unquote_literal
from fieldguide.text import regex as re

if TYPE_CHECKING:
    from ast_grep_py import SgNode

OWN_MODULES = ("std", "cmd")  # of the Go distribution, whose packages are named without them
MODULE = re.compile(r'^\s*module\s+"?([^\s"]+)"?', re.MULTILINE)
REPLACE = re.compile(r"^\s*(?:replace\s+)?([^\s(]+)(?:\s+v\S+)?\s+=>\s+(\.{1,2}(?:/\S*)?)\s*(?://.*)?$", re.MULTILINE)


def read_statement(node: "SgNode") -> Iterator[Import]:
    """The imports of a declaration, one line each."""
    for line in node.find_all(kind="import_spec"):
        text = unquote_literal(line.field("path"))
        if text and text != "C":  # cgo's own name, which is no package
            yield Import(text, find_line(line), is_relative=text.startswith("."))


GRAMMAR = Grammar(
    "go",
    rules=[{"kind": "import_declaration"}],
    read=read_statement,
    opening=re.compile(r'^\s*import\s*[("`\w]', re.MULTILINE),
    body=re.compile(r"^(?:func|type|var|const)\b", re.MULTILINE),
)


class GoResolver:
    """Where the imports of one Go file lead."""

    def __init__(self, path: str, files: ImportableFiles) -> None:
        self._files = files
        self._folder = posixpath.dirname(path)

    def find(self, each: Import) -> list[str]:
        """The files of the package; none for one from outside."""
        packages = (self._package(folder) for folder in self._folders(each.text))
        return (
            self._beside(each.text) if each.is_relative else next((paths for paths in packages if paths), list[str]())
        )

    def _beside(self, text: str) -> list[str]:
        """A relative import, which only code without a module has: a folder or, in the compiler's tests, a file."""
        place = join_path(self._folder, text)
        if place is None:
            return []
        return self._package(place) or [path for path in (f"{place}.go",) if self._files.exists(path)]

    def _folders(self, text: str) -> Iterator[str]:
        yield from _inside(self._near, text)
        is_standard = "." not in text.split("/")[0] and not self._is_joined
        if not is_standard:
            yield from _inside(self._files.listing().made(list_modules, self._files), text)
        for root, is_vendored in self._roots:
            if not (is_vendored and is_standard):
                yield path_below(root, text)

    @cached_property
    def _roots(self) -> list[tuple[str, bool]]:
        """The folders above the file that packages are named from, and whether each holds copies of other people's."""
        found: list[tuple[str, bool]] = []
        for above in climb_folders(self._folder):
            if posixpath.basename(above) == "src" and not self._is_in_module:
                found.append((above, False))
            if self._is_distribution(path_below(above, "src")):
                found.append((path_below(above, "src"), False))
            found.append((path_below(above, "vendor"), True))
        return found

    @property
    def _is_in_module(self) -> bool:
        return bool(self._near) and self._near[0][0] not in OWN_MODULES

    def _is_distribution(self, folder: str) -> bool:
        """Whether the standard library itself lies in a folder."""
        content = self._files.read(path_below(folder, "go.mod"))
        return content is not None and ("std", folder) in read_module(folder, content)

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
