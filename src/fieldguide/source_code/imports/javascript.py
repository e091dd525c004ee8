"""JavaScript and TypeScript: what is imported, required or exported from elsewhere, and the file that it means.

A relative name is tried as it is, as the TypeScript source of the JavaScript it names, with every ending, and as a
folder. Any other name goes through the package's own `imports`, the aliases of the nearest tsconfig or jsconfig, and
the packages of the project by their names; what is none of these leads outside.
"""

import posixpath
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from fieldguide import linear_regex as re
from fieldguide.source_code.imports.javascript_packages import Package, nearest_package, packages_by_name
from fieldguide.source_code.imports.places import below, joined
from fieldguide.source_code.imports.project import ProjectFiles
from fieldguide.source_code.imports.syntax import Grammar, line_of, unquoted
from fieldguide.source_code.imports.tsconfig import Aliases, read_aliases
from fieldguide.source_code.imports.written import Import

if TYPE_CHECKING:
    from ast_grep_py import SgNode

TYPESCRIPT_FIRST = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs", ".json", ".vue", ".svelte")
JAVASCRIPT_FIRST = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".d.ts", ".mts", ".cts", ".json", ".vue", ".svelte")
SOURCES_OF = {
    ".js": (".ts", ".tsx", ".d.ts", ".jsx"),
    ".jsx": (".tsx", ".d.ts"),
    ".mjs": (".mts", ".d.mts"),
    ".cjs": (".cts", ".d.cts"),
}
PLATFORMS = (".native", ".ios", ".android", ".web", ".windows", ".macos")
BUILT_FOLDERS = re.compile(r"(^|/)(dist|lib|build|out|esm|cjs|es|es6|commonjs|types|typings|umd)(?=/)")
SCRIPT = re.compile(r"<script\b[^>]*>(.*?)</script\s*>", re.DOTALL | re.IGNORECASE)
REFERENCE = re.compile(r"""^///\s*<reference\s+path\s*=\s*["']([^"']+)["']""")


def read_statement(node: "SgNode") -> Iterator[Import]:
    """The import of a statement, an `export … from`, an `import()` or `require()` call, or a reference comment."""
    keyword, text = _written(node)
    if text:
        yield Import(text, line_of(node), is_relative=text.startswith("."), keyword=keyword)


def _written(node: "SgNode") -> tuple[str, str | None]:
    """The word that imports, and what it names."""
    kind = node.kind()
    if kind == "comment":
        return "reference", _referenced(node.text())
    if kind == "call_expression":
        return _called(node)
    return ("export" if kind == "export_statement" else "import"), unquoted(node.field("source"))


def _referenced(comment: str) -> str:
    """The path in a reference comment, which is always relative."""
    reference = REFERENCE.match(comment)
    path = reference.group(1) if reference else ""
    return path if not path or path.startswith(".") else f"./{path}"


def _called(node: "SgNode") -> tuple[str, str | None]:
    function, arguments = node.field("function"), node.field("arguments")
    children = arguments.children() if arguments else []
    given = [child for child in children if child.is_named() and child.kind() != "comment"]
    return function.text() if function else "", unquoted(given[0]) if given else None


def scripts_only(text: str) -> str:
    """A component of Vue or Svelte with everything but its scripts blanked, lines kept."""
    kept: list[str] = []
    end = 0
    for match in SCRIPT.finditer(text):
        kept += ["\n" * text.count("\n", end, match.start(1)), match.group(1)]
        end = match.end(1)
    return "".join(kept)


def grammar(parser: str, *, prepare: Callable[[str], str] | None = None) -> Grammar:
    """The grammar under one of its three names: `javascript`, `typescript` or `tsx`."""
    called = [{"kind": "import"}, {"kind": "identifier", "regex": "^require$"}]
    required = [{"kind": "import_require_clause"}] if parser != "javascript" else []
    return Grammar(
        parser,
        rules=[
            {"kind": "import_statement"},
            {"kind": "export_statement", "has": {"field": "source", "kind": "string"}},
            {"kind": "call_expression", "has": {"field": "function", "any": called}},
            {"kind": "comment", "regex": "^///\\s*<reference"},
            *required,
        ],
        read=read_statement,
        opening=re.compile(r"""^\s*(import\s+[\w*{"']|import\s*[*{"']|export\s+[^\n;]*\bfrom\s*["'])""", re.MULTILINE),
        prepare=prepare,
    )


class JavaScriptResolver:
    """Where the imports of one JavaScript or TypeScript file lead."""

    def __init__(self, path: str, files: ProjectFiles) -> None:
        self._files = files
        self._folder = posixpath.dirname(path)
        is_script = path.endswith((".js", ".jsx", ".mjs", ".cjs"))
        self._endings = JAVASCRIPT_FIRST if is_script else TYPESCRIPT_FIRST

    def find(self, each: Import) -> list[str]:
        """The file, or nothing for a package from outside."""
        written = each.text.split("?")[0].rpartition("!")[2]
        found = next((path for path in self._candidates(written) if path), None)
        return [found] if found else self._for_platforms(written)

    def _for_platforms(self, written: str) -> list[str]:
        """The several files that a bundler chooses from by platform: `x.ios.js`, `x.android.js` …"""
        place = joined(self._folder, written) if written.startswith(".") else None
        tried = (f"{place}{each}{end}" for each in PLATFORMS for end in self._endings[:5]) if place else ()
        return [path for path in tried if self._files.exists(path)]

    def _candidates(self, written: str) -> Iterator[str | None]:
        if written.startswith("."):
            yield self._at(joined(self._folder, written))
            for place in self._aliases.merged(self._folder, written):
                yield self._at(place)
            return
        if written.startswith("/"):
            yield self._at(joined(self._own.folder if self._own else "", written.lstrip("/")))
            return
        if written.startswith("#") and self._own:
            yield from (self._entry(self._own.folder, target) for target in self._own.imports(written))
        for place in self._aliases.places(written):
            yield self._at(place)
        yield self._in_packages(written)

    @cached_property
    def _aliases(self) -> Aliases:
        return read_aliases(self._folder, self._files)

    @cached_property
    def _own(self) -> Package | None:
        return nearest_package(self._folder, self._files)

    def _in_packages(self, written: str) -> str | None:
        parts = written.split("/")
        name = "/".join(parts[:2]) if written.startswith("@") else parts[0]
        package = self._own if self._own and self._own.name == name else None
        package = package or self._files.listing().made(packages_by_name, self._files).get(name)
        if package is None:
            return None
        inside = written[len(name) + 1 :]
        targets = (self._entry(package.folder, target) for target in package.entries(inside))
        return next((path for path in targets if path), None)

    def _entry(self, folder: str, target: str) -> str | None:
        """What a package says it gives out; built files are not in a source tree, so their sources are tried too."""
        found = self._at(joined(folder, target))
        if found and not found.endswith((".d.ts", ".json")):
            return found
        plain = posixpath.normpath(target)
        for source in (
            BUILT_FOLDERS.sub(r"\1src", plain, count=1),
            BUILT_FOLDERS.sub(r"\1", plain, count=1).lstrip("/"),
        ):
            path = self._at(joined(folder, source.replace(".d.ts", ".ts"))) if source != plain else None
            if path:
                return path
        return found

    def _at(self, place: str | None) -> str | None:
        if not place:
            return self._index(place) if place == "" else None
        tried = (*self._exact(place), *(place + each for each in self._endings))
        return next((path for path in tried if self._files.exists(path)), None) or self._index(place)

    def _exact(self, place: str) -> list[str]:
        """A file by its whole name, and the sources that it may be built from; from a script itself first."""
        stem, ending = posixpath.splitext(place)
        if ending not in SOURCES_OF:
            return [place] if ending else []
        sources = [stem + source for source in SOURCES_OF[ending]]
        return [place, *sources] if self._endings is JAVASCRIPT_FIRST else [*sources, place]

    def _index(self, folder: str) -> str | None:
        package = Package.read(folder, self._files) if folder else None
        for target in package.entries("") if package else ():
            path = joined(folder, target)
            if path and path != folder and (found := self._file(path)):
                return found
        return self._file(below(folder, "index"))

    def _file(self, place: str) -> str | None:
        tried = (place, *(place + each for each in self._endings))
        return next((path for path in tried if self._files.exists(path)), None)
