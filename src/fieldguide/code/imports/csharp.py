"""Reads and resolves `using` of C# by the namespaces that files declare."""

import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING

from fieldguide.code.imports.project_files import ImportableFiles, ProjectListing
from fieldguide.code.imports.syntax import Grammar, Import, find_line
from fieldguide.text import regex as re

if TYPE_CHECKING:
    from ast_grep_py import SgNode

NAMESPACE = re.compile(r"^\s*namespace\s+([\w.]+)", re.MULTILINE)
LONGEST_NAME = 500
USING = re.compile(r"using\s+(static\s+)?(?:(\w+)\s*=\s*)?(?:global\s*::\s*)?([\w.]+)")


def read_statement(node: "SgNode") -> Iterator[Import]:
    """The namespace or type of a `using` directive."""
    written = USING.search(re.sub(r"\s*\.\s*", ".", node.text()))
    if written:
        keyword = "static" if written.group(1) else "alias" if written.group(2) else "using"
        yield Import(written.group(3), find_line(node), keyword=keyword)


GRAMMAR = Grammar(
    "csharp",
    rules=[{"kind": "using_directive"}],
    read=read_statement,
    opening=re.compile(r"^\s*(global\s+)?using\s+(static\s+)?[\w.]+\s*(;|=\s*[\w.]+\s*;)", re.MULTILINE),
)


class CSharpResolver:
    """Where the usings of one C# file lead."""

    def __init__(self, path: str, files: ImportableFiles) -> None:
        self._files = files
        self._folder = posixpath.dirname(path)

    def find(self, each: Import) -> list[str]:
        """The files that declare the namespace, those nearest to this file first; or the file of one type."""
        declaring = self._files.listing().made(index_namespaces, self._files)
        found = declaring.get(each.text, [])
        if not found and each.keyword != "using":
            outer, _, name = each.text.rpartition(".")
            return [path for path in declaring.get(outer, []) if self._declares(path, name)]
        return sorted(found, key=lambda path: (posixpath.dirname(path) != self._folder, path))

    def _declares(self, path: str, name: str) -> bool:
        if len(name) > LONGEST_NAME:
            return False
        pattern = rf"\b(class|struct|record|interface|enum|delegate)\s+([\w<>\[\]]+\s+)?{re.escape(name)}\b"
        return bool(re.search(pattern.encode(), self._files.read(path) or b""))


def index_namespaces(files: ImportableFiles, listing: ProjectListing) -> dict[str, list[str]]:
    """The C# files of the project by the namespaces that they declare; one inside another carries its name."""
    found: dict[str, list[str]] = {}
    for path in listing.paths:
        if path.endswith(".cs"):
            text = (files.read(path) or b"").decode("utf-8", errors="replace")
            for name in dict.fromkeys(_declared(text)):
                found.setdefault(name, []).append(path)
    return found


def _declared(text: str) -> Iterator[str]:
    outer: list[tuple[int, str]] = []
    for match in NAMESPACE.finditer(text):
        indent = len(match.group().lstrip("\r\n")) - len(match.group().lstrip())
        outer = [each for each in outer if each[0] < indent]
        name = ".".join([*(each[1] for each in outer), match.group(1)])
        outer.append((indent, match.group(1)))
        yield name
