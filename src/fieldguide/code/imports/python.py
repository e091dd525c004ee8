"""Reads and resolves imports of Python modules and packages.

An absolute name is looked up as Python would with the right folders on its path: the folder above the file's own
package first, then every folder above that, then `src` and the root, then any folder of the project outside of
packages that holds the whole name. A name of the standard library is only looked up in the first of them.
"""

import posixpath
import sys
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from fieldguide.code.imports.project_files import ImportableFiles, climb_folders, find_nearest, path_below
from fieldguide.code.imports.syntax import Grammar, Import, find_line
from fieldguide.text import regex as re

if TYPE_CHECKING:
    from ast_grep_py import SgNode

ENDINGS = (".py", "/__init__.py", ".pyi", "/__init__.pyi")
SOURCE_FOLDERS = ("src", "lib", "python")


def read_statement(node: "SgNode") -> Iterator[Import]:
    """The imports of an `import` or `from … import` statement."""
    line = find_line(node)
    if node.kind() == "import_statement":
        for name in node.field_children("name"):
            yield Import(_plain(name), line)
        return
    module = node.field("module_name")
    if module is None:
        return
    text = "".join(module.text().split())
    names = tuple(_plain(name) for name in node.field_children("name"))
    yield Import(text, line, is_relative=text.startswith("."), keyword="from", names=names)


GRAMMAR = Grammar(
    "python",
    rules=[{"kind": "import_statement"}, {"kind": "import_from_statement"}],
    read=read_statement,
    opening=re.compile(r"^\s*(import\s+[\w.(]|from\s+[\w.]+\s+import\b)", re.MULTILINE),
)


class PythonResolver:
    """Where the imports of one Python file lead."""

    def __init__(self, path: str, files: ImportableFiles) -> None:
        self._files = files
        self._may_lead: Callable[[str], bool] = getattr(files, "may_lead", lambda place: True)
        self._folder = posixpath.dirname(path)

    def find(self, each: Import) -> list[str]:
        """The module's file, and a file for each name taken out of it that is a module itself."""
        if each.is_relative:
            return self._relative(each)
        parts = each.text.split(".")
        is_standard = parts[0] in sys.stdlib_module_names
        for root in (self._root,) if is_standard else (self._root, *self._other_roots):
            found = self._below(root, parts, each.names)
            if found:
                return found
        if is_standard:
            return []
        return self._anywhere(parts, each.names)

    def _relative(self, each: Import) -> list[str]:
        rest = each.text.lstrip(".")
        folder: str = self._folder
        for _ in range(len(each.text) - len(rest) - 1):
            if not folder:
                return []
            folder = posixpath.dirname(folder)
        return self._below(folder, rest.split(".") if rest else [], each.names)

    def _below(self, root: str, parts: list[str], names: tuple[str, ...]) -> list[str]:
        if parts and not self._may_lead(path_below(root, parts[0])):
            return []
        place = "/".join([root, *parts] if root else parts)
        module = self._module(place) if parts else self._package(root)
        if module and not module.endswith(("/__init__.py", "/__init__.pyi")):
            return [module]
        inside = [found for name in names if (found := self._module(path_below(place, name)))]
        return [module, *inside] if module and len(inside) < max(1, len(names)) else inside

    def _module(self, place: str) -> str | None:
        if not self._may_lead(place):
            return None
        return next((place + end for end in ENDINGS if self._files.exists(place + end)), None)

    def _package(self, folder: str) -> str | None:
        names = (path_below(folder, "__init__.py"), path_below(folder, "__init__.pyi"))
        return next((name for name in names if self._files.exists(name)), None)

    @cached_property
    def _root(self) -> str:
        """The folder above the outermost package that the file lies in."""
        return next(folder for folder in climb_folders(self._folder) if not folder or not self._package(folder))

    @cached_property
    def _other_roots(self) -> list[str]:
        above = [folder for folder in climb_folders(self._root) if folder != self._root]
        return [*(folder for folder in above if not self._package(folder)), *SOURCE_FOLDERS]

    def _anywhere(self, parts: list[str], names: tuple[str, ...]) -> list[str]:
        listing = self._files.listing()
        tail = "/".join(parts)
        roots = {path[: -len(tail + end)].rstrip("/") for end in ENDINGS for path in listing.ending(tail + end)}
        roots |= {
            path[: -len(f"{tail}/{name}{end}")].rstrip("/")
            for name in names
            for end in ENDINGS
            for path in listing.ending(f"{tail}/{name}{end}")
        }
        root = find_nearest((each for each in roots if not any(map(self._package, climb_folders(each)))), self._folder)
        return self._below(root, parts, names) if root is not None else []


def _plain(name: "SgNode") -> str:
    dotted = name.field("name") if name.kind() == "aliased_import" else name
    return "".join((dotted or name).text().split())
