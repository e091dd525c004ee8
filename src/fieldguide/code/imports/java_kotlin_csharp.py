"""Reads and resolves imports of Java and Kotlin by qualified names below source roots.

Java names its files after their classes, so `a.b.C.D` is `a/b/C.java` below some folder. Kotlin need not, so a name
that is no file is looked for in the files that declare its package.
"""

import posixpath
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from fieldguide.code.imports.project_files import (
    FileImportResolver,
    ImportableFiles,
    ProjectListing,
    find_nearest,
    path_below,
)
from fieldguide.code.imports.syntax import Grammar, Import, find_line
from fieldguide.files.kinds import language_of
from fieldguide.text import regex as re

if TYPE_CHECKING:
    from ast_grep_py import SgNode


ENDINGS = (".java", ".kt")
LONGEST_NAME = 500
PACKAGE = re.compile(rb"^\s*package\s+([\w.`]+)", re.MULTILINE)
KOTLIN_WORDS = "class|interface|object|fun|val|var|typealias"


def read_jvm_statement(node: "SgNode") -> Iterator[Import]:
    """The import of one declaration; a star is kept, an alias is not."""
    words = re.sub(r"\s*\.\s*", ".", node.text().replace("`", "")).rstrip(";").split()
    if len(words) < 2:
        return
    is_static = words[1] == "static" and len(words) > 2
    yield Import(words[2 if is_static else 1].rstrip(";"), find_line(node), keyword="static" if is_static else "import")


JAVA = Grammar(
    "java",
    rules=[{"kind": "import_declaration"}],
    read=read_jvm_statement,
    opening=re.compile(r"^\s*import\s+[\w.]+", re.MULTILINE),
    body=re.compile(
        r"^\s*(?:(?:public|abstract|final|sealed|non-sealed|strictfp)\s+)*(?:@?interface|class|enum|record)\s+\w",
        re.MULTILINE,
    ),
)
KOTLIN = Grammar(
    "kotlin",
    rules=[{"kind": "import_header"}],
    read=read_jvm_statement,
    opening=re.compile(r"^\s*import\s+[\w.`]+", re.MULTILINE),
    body=re.compile(
        r"^(?:(?:public|internal|private|abstract|open|sealed|data|inline|value|const|suspend|annotation|enum)\s+)*"
        r"(?:class|interface|object|fun|val|var|typealias)\s",
        re.MULTILINE,
    ),
)


class JvmResolver(FileImportResolver):
    """Where the imports of one Java or Kotlin file lead."""

    def find(self, each: Import) -> list[str]:
        """The file that declares a name, or the files of a package for a star."""
        if each.text.endswith(".*"):
            name = each.text.removesuffix(".*")
            return self._declaring(name) or self._whole_package(name)
        return self._declaring(each.text)

    def _declaring(self, name: str) -> list[str]:
        """The longest beginning of a name that is a class with a file, else the Kotlin files that declare it."""
        parts = name.split(".")
        for length in range(len(parts), 1, -1):
            found = self._file("/".join(parts[:length]))
            if found:
                return [found]
        for length in range(len(parts) - 1, 0, -1):
            in_package = self._kotlin.get(".".join(parts[:length]), [])
            if in_package:
                return self._defining(parts[length], in_package)
        return []

    def _file(self, place: str) -> str | None:
        beside = self._first_existing(path_below(self._root, place + end) for end in ENDINGS)
        return beside or find_nearest(
            (path for end in ENDINGS for path in self._listing.ending(place + end)), self._folder
        )

    @cached_property
    def _root(self) -> str:
        """The source root of this file: its folder without its package."""
        declared = PACKAGE.search(self._files.read(self._path) or b"")
        package = declared.group(1).decode("utf-8", errors="replace").replace(".", "/") if declared else ""
        return self._folder.removesuffix(package).rstrip("/") if self._folder.endswith(package) else self._folder

    @cached_property
    def _listing(self) -> ProjectListing:
        return self._files.listing()

    @cached_property
    def _kotlin(self) -> dict[str, list[str]]:
        return self._listing.made(index_kotlin_packages, self._files)

    def _whole_package(self, name: str) -> list[str]:
        place = name.replace(".", "/")
        folders = [each for each in self._listing.by_folder if f"/{each}".endswith(f"/{place}")]
        found = {path for each in folders for path in self._listing.by_folder[each] if path.endswith(ENDINGS)}
        return sorted(found | set(self._kotlin.get(name, [])))

    def _defining(self, name: str, paths: list[str]) -> list[str]:
        if len(name) > LONGEST_NAME:
            return []
        pattern = re.compile(rf"\b({KOTLIN_WORDS})\s+(<[^>]*>\s*)?([\w.<>?, ]+\.)?`?{re.escape(name)}`?\b".encode())
        return [path for path in paths if pattern.search(self._files.read(path) or b"")]


def index_kotlin_packages(files: ImportableFiles, listing: ProjectListing) -> dict[str, list[str]]:
    """The Kotlin files of the project by the package that they declare."""
    found: dict[str, list[str]] = {}
    for path in listing.paths:
        if language_of(path) == "kotlin":
            declared = PACKAGE.search(files.read(path) or b"")
            if declared:
                found.setdefault(declared.group(1).decode("utf-8", errors="replace").replace("`", ""), []).append(path)
    return found


NAMESPACE = re.compile(r"^\s*namespace\s+([\w.]+)", re.MULTILINE)
USING = re.compile(r"using\s+(static\s+)?(?:(\w+)\s*=\s*)?(?:global\s*::\s*)?([\w.]+)")


def read_csharp_statement(node: "SgNode") -> Iterator[Import]:
    """The namespace or type of a `using` directive."""
    written = USING.search(re.sub(r"\s*\.\s*", ".", node.text()))
    if written:
        keyword = "using"
        if written.group(1):
            keyword = "static"
        elif written.group(2):
            keyword = "alias"
        yield Import(written.group(3), find_line(node), keyword=keyword)


CSHARP_GRAMMAR = Grammar(
    "csharp",
    rules=[{"kind": "using_directive"}],
    read=read_csharp_statement,
    opening=re.compile(r"^\s*(global\s+)?using\s+(static\s+)?[\w.]+\s*(;|=\s*[\w.]+\s*;)", re.MULTILINE),
)


class CSharpResolver(FileImportResolver):
    """Where the usings of one C# file lead."""

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
        if language_of(path) == "csharp":
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
