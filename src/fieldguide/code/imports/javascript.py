"""Reads and resolves imports of JavaScript and TypeScript by package.json and tsconfig.json.

A relative name is tried as it is, as the TypeScript source of the JavaScript it names, with every ending, and as a
folder. Any other name goes through the package's own `imports`, the aliases of the nearest tsconfig or jsconfig, and
the packages of the project by their names; what is none of these leads outside.
"""

import posixpath
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from fieldguide.code.imports.project_files import (
    FileImportResolver,
    ImportableFiles,
    ProjectListing,
    as_sequence,
    as_table,
    climb_folders,
    join_path,
    path_below,
    read_object,
)
from fieldguide.code.imports.syntax import Grammar, Import, find_line, unquote_literal
from fieldguide.files.kinds import language_of
from fieldguide.text import regex as re

if TYPE_CHECKING:
    from ast_grep_py import SgNode

ENTRY_FIELDS = ("source", "types", "typings", "module", "main", "browser")
SOURCE_ENTRIES = ("src/index", "index", "src/main", "lib/index")
FIRST_CONDITIONS = ("source", "development", "types", "import", "module", "require", "node", "default")
MAX_TARGETS = 40
TEST_FOLDERS = frozenset(("fixtures", "__fixtures__", "fixture", "__tests__", "testdata", "test-fixtures"))


@dataclass(frozen=True, slots=True)
class JavaScriptPackage:
    """One package.json and the folder it stands in."""

    folder: str
    name: str
    manifest: dict[str, Any]

    @classmethod
    def read(cls, folder: str, files: ImportableFiles) -> "JavaScriptPackage | None":
        """The package of a folder, if it has one."""
        content = files.read(path_below(folder, "package.json"))
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


def find_package(folder: str, files: ImportableFiles) -> JavaScriptPackage | None:
    """The package that a folder belongs to."""
    found = (JavaScriptPackage.read(above, files) for above in climb_folders(folder))
    return next((package for package in found if package), None)


def index_packages(files: ImportableFiles, listing: ProjectListing) -> dict[str, JavaScriptPackage]:
    """The project's packages; of several with one name the one that is no test fixture, then the outermost."""
    found: dict[str, JavaScriptPackage] = {}

    def place(path: str) -> tuple[bool, int, str]:
        names = path.split("/")
        return not TEST_FOLDERS.isdisjoint(names), len(names), path

    for path in sorted(listing.by_name.get("package.json", []), key=place):
        package = JavaScriptPackage.read(posixpath.dirname(path), files)
        if package and package.name:
            found.setdefault(package.name, package)
    return found


def _matched(value: Any, wanted: str) -> Iterator[str]:
    """The targets of an `exports` or `imports` table for a key, which may be a pattern with one star."""
    keys = as_table(value)
    if not any(key[:1] in (".", "#") for key in keys):
        keys = {".": value}
    if wanted in keys:
        yield from _targets(keys[wanted])
        return
    patterns = {f"{each}*" if each.endswith("/") else each: each for each in sorted(keys, key=len, reverse=True)}
    key = next((each for pattern, each in patterns.items() if _matches(pattern, wanted)), None)
    if key is not None:
        before, star, after = key.partition("*")
        middle = wanted[len(before) : len(wanted) - len(after)]
        for target in _targets(keys[key]):
            yield target.replace("*", middle) if star else target + middle


def _matches(pattern: str, written: str) -> bool:
    """Whether a pattern with one star is for a name."""
    before, star, after = pattern.partition("*")
    if not star:
        return pattern == written
    return len(written) >= len(before) + len(after) and written.startswith(before) and written.endswith(after)


def _targets(value: Any) -> list[str]:
    """Every path below conditions, those that name sources or types first."""
    found: list[str] = []
    waiting: list[Any] = [value]
    while waiting and len(found) < MAX_TARGETS:
        current = waiting.pop(0)
        if isinstance(current, str):
            found.append(current)
            continue
        conditions = as_table(current)
        known = [conditions[key] for key in FIRST_CONDITIONS if key in conditions]
        others = [each for key, each in conditions.items() if key not in FIRST_CONDITIONS]
        waiting[:0] = [*as_sequence(current), *known, *others]
    return found


NAMES = ("tsconfig.json", "jsconfig.json")
MAX_CONFIGS = 20


@dataclass(frozen=True, slots=True)
class Aliases:
    """What names mean below one configuration; folders are relative to the project's root."""

    paths: tuple[tuple[str, tuple[str, ...]], ...] = ()
    base: str | None = None

    def places(self, written: str) -> Iterator[str]:
        """Where a name that is not relative may be, the most specific alias first, then below `baseUrl`."""
        fitting = [(pattern, targets) for pattern, targets in self.paths if _matches(pattern, written)]
        for pattern, targets in sorted(fitting, key=lambda alias: ("*" in alias[0], -len(alias[0].partition("*")[0]))):
            before, star, after = pattern.partition("*")
            middle = written[len(before) : len(written) - len(after)] if star else ""
            yield from (target.replace("*", middle, 1) for target in targets)
        if self.base is not None:
            place = join_path(self.base, written)
            if place:
                yield place


def read_aliases(folder: str, files: ImportableFiles) -> Aliases:
    """The aliases that hold in a folder: those of the nearest configuration above it that has any.

    A look at the project that remembers reads each configuration once.
    """
    known: dict[str, Aliases] = getattr(files, "remembered", {})
    for above in climb_folders(folder):
        for name in NAMES:
            path = path_below(above, name)
            if files.exists(path):
                if path not in known:
                    known[path] = _gathered(path, files)
                found = known[path]
                if found.paths or found.base is not None:
                    return found
    return Aliases()


def _gathered(path: str, files: ImportableFiles) -> Aliases:
    """One configuration with what it extends, and with those it references when it has no aliases of its own."""
    waiting = [path]
    seen = list[str]()
    found = Aliases()
    while waiting and len(seen) < MAX_CONFIGS:
        current = waiting.pop(0)
        if current in seen:
            continue
        seen.append(current)
        config = read_object(files.read(current))
        own = _own(config, posixpath.dirname(current), posixpath.dirname(path))
        base = own.base if found.base is None else found.base
        found = Aliases(found.paths or own.paths, base)
        names = as_sequence(config.get("extends")) or [config.get("extends")]
        waiting[:0] = _config_paths(current, names, files)
        if not found.paths and found.base is None:
            named = [as_table(each).get("path") for each in as_sequence(config.get("references"))]
            waiting += _config_paths(current, named, files)
    return found


def _own(config: dict[str, Any], folder: str, asked: str) -> Aliases:
    options = as_table(config.get("compilerOptions"))
    written = options.get("baseUrl")
    base = _placed(folder, asked, written) if isinstance(written, str) else None
    start = folder if base is None else base
    paths = as_table(options.get("paths")).items()
    aliases: list[tuple[str, tuple[str, ...]]] = []
    for pattern, targets in paths:
        places = [_placed(start, asked, each) for each in as_sequence(targets)]
        aliases.append((pattern, tuple(place for place in places if place is not None)))
    return Aliases(tuple(aliases), base)


def _placed(folder: str, asked: str, written: Any) -> str | None:
    if not isinstance(written, str):
        return None
    if written.startswith("${configDir}"):
        return join_path(asked, written.removeprefix("${configDir}").lstrip("/"))
    return join_path(folder, written)


def _config_paths(current: str, names: Iterable[Any], files: ImportableFiles) -> list[str]:
    paths = [_config_path(current, name, files) for name in names]
    return [path for path in paths if path]


def _config_path(current: str, name: Any, files: ImportableFiles) -> str | None:
    """The file that `extends` or a reference means; one in an installed package is none of ours."""
    if not isinstance(name, str) or not name:
        return None
    place = join_path(posixpath.dirname(current), name)
    if place is None or not name.startswith("."):
        return None
    tried = (place, f"{place}.json", path_below(place, NAMES[0]))
    return next((path for path in tried if path and files.exists(path)), None)


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
        names = _names(node) if keyword in ("import", "export") else ()
        yield Import(text, find_line(node), is_relative=text.startswith("."), keyword=keyword, names=names)


def _names(node: "SgNode") -> tuple[str, ...]:
    """What a statement takes by name; an export under the name that it gives out, `*` where it gives out all."""
    if node.kind() == "export_statement":
        clauses = [each for each in node.children() if each.kind() == "export_clause"]
        given = [each.field("alias") or each.field("name") for clause in clauses for each in clause.children()]
        return tuple(each.text() for each in given if each) if clauses else ("*",)
    found = [each for clause in node.children() if clause.kind() == "import_clause" for each in clause.children()]
    names = [each.field("name") for named in found if named.kind() == "named_imports" for each in named.children()]
    return tuple(each.text() for each in names if each)


def _written(node: "SgNode") -> tuple[str, str | None]:
    """The word that imports, and what it names."""
    kind = node.kind()
    if kind == "comment":
        reference = REFERENCE.match(node.text())
        path = reference.group(1) if reference else ""
        return "reference", path if not path or path.startswith(".") else f"./{path}"
    if kind == "call_expression":
        return _called(node)
    return ("export" if kind == "export_statement" else "import"), unquote_literal(node.field("source"))


def _called(node: "SgNode") -> tuple[str, str | None]:
    function = node.field("function")
    arguments = node.field("arguments")
    given = [each for each in arguments.named_children() if each.kind() != "comment"] if arguments else []
    return function.text() if function else "", unquote_literal(given[0]) if given else None


def blank_markup(text: str) -> str:
    """A component of Vue or Svelte with everything but its scripts blanked, lines kept."""
    kept: list[str] = []
    end = 0
    for match in SCRIPT.finditer(text):
        kept += ["\n" * text.count("\n", end, match.start(1)), match.group(1)]
        end = match.end(1)
    return "".join(kept)


def make_grammar(parser: str, *, prepare: Callable[[str], str] | None = None) -> Grammar:
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


class JavaScriptResolver(FileImportResolver):
    """Where the imports of one JavaScript or TypeScript file lead."""

    @cached_property
    def _endings(self) -> tuple[str, ...]:
        return JAVASCRIPT_FIRST if language_of(self._path) == "javascript" else TYPESCRIPT_FIRST

    def find(self, each: Import) -> list[str]:
        """The file, or nothing for a package from outside."""
        written = each.text.split("?")[0].rpartition("!")[2]
        found = next((path for path in self._candidates(written) if path), None)
        return [found] if found else self._for_platforms(written)

    def _for_platforms(self, written: str) -> list[str]:
        """The several files that a bundler chooses from by platform: `x.ios.js`, `x.android.js` …"""
        place = join_path(self._folder, written) if written.startswith(".") else None
        if not place or not self._may_lead(place):
            return []
        tried = (f"{place}{each}{end}" for each in PLATFORMS for end in self._endings[:5])
        return [path for path in tried if self._files.exists(path)]

    def _candidates(self, written: str) -> Iterator[str | None]:
        if written.startswith("."):
            yield self._at(join_path(self._folder, written))
            return
        if written.startswith("/"):
            yield self._at(join_path(self._own.folder if self._own else "", written.lstrip("/")))
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
    def _own(self) -> JavaScriptPackage | None:
        return find_package(self._folder, self._files)

    def _in_packages(self, written: str) -> str | None:
        parts = written.split("/")
        name = "/".join(parts[:2]) if written.startswith("@") else parts[0]
        package = self._own if self._own and self._own.name == name else None
        package = package or self._files.listing().made(index_packages, self._files).get(name)
        if package is None:
            return None
        inside = written[len(name) + 1 :]
        targets = (self._entry(package.folder, target) for target in package.entries(inside))
        return next((path for path in targets if path), None)

    def _entry(self, folder: str, target: str) -> str | None:
        """What a package says it gives out; built files are not in a source tree, so their sources are tried too."""
        found = self._at(join_path(folder, target))
        if found and not found.endswith((".d.ts", ".json")):
            return found
        plain = posixpath.normpath(target)
        for source in (
            BUILT_FOLDERS.sub(r"\1src", plain, count=1),
            BUILT_FOLDERS.sub(r"\1", plain, count=1).lstrip("/"),
        ):
            path = self._at(join_path(folder, source.replace(".d.ts", ".ts"))) if source != plain else None
            if path:
                return path
        return found

    def _at(self, place: str | None) -> str | None:
        if not place:
            return self._index(place) if place == "" else None
        if not self._may_lead(place):
            return None
        tried = (*self._exact(place), *(place + each for each in self._endings))
        return self._first_existing(tried) or self._index(place)

    def _exact(self, place: str) -> list[str]:
        """A file by its whole name, and the sources that it may be built from; from a script itself first."""
        stem, ending = posixpath.splitext(place)
        if ending not in SOURCES_OF:
            return [place] if ending else []
        sources = [stem + source for source in SOURCES_OF[ending]]
        return [place, *sources] if self._endings is JAVASCRIPT_FIRST else [*sources, place]

    def _index(self, folder: str) -> str | None:
        package = JavaScriptPackage.read(folder, self._files) if folder else None
        for target in package.entries("") if package else ():
            path = join_path(folder, target)
            if path and path != folder and (found := self._file(path)):
                return found
        return self._file(path_below(folder, "index"))

    def _file(self, place: str) -> str | None:
        return self._first_existing((place, *(place + each for each in self._endings)))
