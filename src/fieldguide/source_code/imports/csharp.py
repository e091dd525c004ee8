"""C#: `using` a namespace leads to every file that declares it, `using static` or an alias to the file of the type."""

import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING

from fieldguide import linear_regex as re
from fieldguide.source_code.imports.project import Listing, ProjectFiles
from fieldguide.source_code.imports.syntax import Grammar, line_of
from fieldguide.source_code.imports.written import Import

if TYPE_CHECKING:
    from ast_grep_py import SgNode

NAMESPACE = re.compile(r"^\s*namespace\s+([\w.]+)", re.MULTILINE)
USING = re.compile(r"using\s+(static\s+)?(?:(\w+)\s*=\s*)?(?:global\s*::\s*)?([\w.]+)")


def read_statement(node: "SgNode") -> Iterator[Import]:
    """The namespace or type of a `using` directive."""
    written = USING.search(re.sub(r"\s*\.\s*", ".", node.text()))
    if written:
        keyword = "static" if written.group(1) else "alias" if written.group(2) else "using"
        yield Import(written.group(3), line_of(node), keyword=keyword)


GRAMMAR = Grammar(
    "csharp",
    rules=[{"kind": "using_directive"}],
    read=read_statement,
    opening=re.compile(r"^\s*(global\s+)?using\s+(static\s+)?[\w.]+\s*(;|=\s*[\w.]+\s*;)", re.MULTILINE),
)


class CSharpResolver:
    """Where the usings of one C# file lead."""

    def __init__(self, path: str, files: ProjectFiles) -> None:
        self._files = files
        self._folder = posixpath.dirname(path)

    def find(self, each: Import) -> list[str]:
        """The files that declare the namespace, those nearest to this file first; or the file of one type."""
        declaring = self._files.listing().made(namespaces, self._files)
        found = declaring.get(each.text, [])
        if not found and each.keyword != "using":
            outer, _, name = each.text.rpartition(".")
            return [path for path in declaring.get(outer, []) if self._declares(path, name)]
        return sorted(found, key=lambda path: (posixpath.dirname(path) != self._folder, path))

    def _declares(self, path: str, name: str) -> bool:
        pattern = rf"\b(class|struct|record|interface|enum|delegate)\s+([\w<>\[\]]+\s+)?{re.escape(name)}\b"
        return bool(re.search(pattern.encode(), self._files.read(path) or b""))


def namespaces(files: ProjectFiles, listing: Listing) -> dict[str, list[str]]:
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
