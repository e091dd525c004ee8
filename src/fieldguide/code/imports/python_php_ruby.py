"""Reads and resolves imports of Python modules and packages.

An absolute name is looked up as Python would with the right folders on its path: the folder above the file's own
package first, then every folder above that, then `src` and the root, then any folder of the project outside of
packages that holds the whole name. A name of the standard library is only looked up in the first of them.
"""

import posixpath
import sys
from collections.abc import Iterator
from functools import cached_property
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
    read_object,
)
from fieldguide.code.imports.syntax import Grammar, Import, find_line, unquote_literal
from fieldguide.text import regex as re

if TYPE_CHECKING:
    from ast_grep_py import SgNode


ENDINGS = (".py", "/__init__.py", ".pyi", "/__init__.pyi")
SOURCE_FOLDERS = ("src", "lib", "python")


def read_python_statement(node: "SgNode") -> Iterator[Import]:
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


PYTHON_GRAMMAR = Grammar(
    "python",
    rules=[{"kind": "import_statement"}, {"kind": "import_from_statement"}],
    read=read_python_statement,
    opening=re.compile(r"^\s*(import\s+[\w.(]|from\s+[\w.]+\s+import\b)", re.MULTILINE),
)


class PythonResolver(FileImportResolver):
    """Where the imports of one Python file lead."""

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
        submodules = [self._module(path_below(place, name)) for name in names]
        inside = [each for each in submodules if each]
        return [module, *inside] if module and len(inside) < max(1, len(names)) else inside

    def _module(self, place: str) -> str | None:
        if not self._may_lead(place):
            return None
        return self._first_existing(place + end for end in ENDINGS)

    def _package(self, folder: str) -> str | None:
        return self._first_existing(path_below(folder, name) for name in ("__init__.py", "__init__.pyi"))

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


NAMESPACE = re.compile(r"^\s*(?:<\?php\s+)?namespace\s+([\w\\]+)", re.MULTILINE)
CODE = re.compile(r"<\?(?:php\b|=)?(.*?)(?:\?>|\Z)", re.DOTALL | re.IGNORECASE)
LITERAL = re.compile(
    r"""^\(?\s*(?:(__DIR__|dirname\(\s*__FILE__\s*\))\s*\.\s*)?(?:"([^"'$]+)"|'([^"'$]+)')\s*\)?$""", re.IGNORECASE
)


def blank_templates(text: str) -> str:
    """The text with everything outside `<?php … ?>` blanked, lines kept: the grammar knows no templates."""
    kept: list[str] = []
    end = 0
    for match in CODE.finditer(text):
        closing = ";" if match.end() > match.end(1) else ""
        kept += ["\n" * text.count("\n", end, match.start(1)), match.group(1), closing]
        end = match.end()
    return "".join(kept) + "\n" * text.count("\n", end)


def read_php_statement(node: "SgNode") -> Iterator[Import]:
    """The names of a `use`, or the path of a `require` or `include`."""
    if node.kind() != "namespace_use_declaration":
        yield from _required(node)
        return
    body = " ".join(node.text().rstrip(";").split()[1:])
    keyword, _, rest = body.partition(" ")
    is_class = keyword not in ("function", "const")
    before, brace, inside = (body if is_class else rest).partition("{")
    names = inside.rstrip("} ").split(",") if brace else before.split(",")
    for name in names:
        text = ((before.strip() if brace else "") + name.strip().split(" ")[0]).strip("\\")
        if text:
            yield Import(text, find_line(node), keyword="use" if is_class else keyword)


PHP_GRAMMAR = Grammar(
    "php",
    rules=[
        {"kind": "namespace_use_declaration"}, {"kind": "require_expression"}, {"kind": "require_once_expression"},
        {"kind": "include_expression"}, {"kind": "include_once_expression"},
    ],
    read=read_php_statement,
    opening=re.compile(
        r"^\s*(use\s+(function\s+|const\s+)?\\?\w+(\\\w+)*\s*(;|\\\{|as\b)|(require|include)(_once)?\s*[\s(]['\"_])",
        re.MULTILINE,
    ),
    prepare=blank_templates,
)  # fmt: skip


class PhpResolver(FileImportResolver):
    """Where the imports of one PHP file lead."""

    def find(self, each: Import) -> list[str]:
        """The file of the class, or the file required."""
        if each.keyword == "require":
            return self._required_file(each)
        listing = self._files.listing()
        tables = [*listing.made(read_autoload_tables, self._files), self._own_table]
        for prefix, folder in tables:
            place = _place(prefix, folder, each.text)
            if place and self._files.exists(place):
                return [place]
        return []

    @cached_property
    def _own_table(self) -> tuple[str, str]:
        """What this file tells by its own place: its folder is its namespace, from some folder on."""
        declared = NAMESPACE.search((self._files.read(self._path) or b"").decode("utf-8", errors="replace"))
        names = declared.group(1).split("\\") if declared else []
        folders = self._folder.split("/")
        while names and folders and names[-1] == folders[-1]:
            names = names[:-1]
            folders = folders[:-1]
        return ("/".join([*names, ""]), "/".join(folders)) if names else ("\0", "")

    def _required_file(self, each: Import) -> list[str]:
        folders = [self._folder] if each.is_relative else climb_folders(self._folder)
        places = (join_path(folder, each.text.lstrip("/")) for folder in folders)
        found = self._first_existing(places)
        if found is None and not each.is_relative:
            found = find_nearest(self._files.listing().ending(posixpath.normpath(each.text).lstrip("./")), self._folder)
        return [found] if found else []


def read_autoload_tables(files: ImportableFiles, listing: ProjectListing) -> list[tuple[str, str]]:
    """Namespaces and their folders from every composer.json of the project; the longest namespace first."""
    found: list[tuple[str, str]] = []
    for path in listing.by_name.get("composer.json", []):
        manifest = read_object(files.read(path))
        for section in ("autoload", "autoload-dev"):
            for kind in ("psr-4", "psr-0"):
                entries = as_table(as_table(manifest.get(section)).get(kind))
                found += _entries(posixpath.dirname(path), entries, is_whole_name=kind == "psr-0")
    return sorted(found, key=lambda entry: (-len(entry[0]), entry[1]))


def _entries(folder: str, entries: dict[str, Any], *, is_whole_name: bool) -> Iterator[tuple[str, str]]:
    for prefix, targets in entries.items():
        for target in as_sequence(targets) or [targets]:
            place = join_path(folder, target) if isinstance(target, str) else None
            if place is not None:
                namespace = prefix.replace("\\", "/")
                yield namespace, "/".join(filter(None, (place, namespace.strip("/") if is_whole_name else "")))


def _place(prefix: str, folder: str, name: str) -> str | None:
    path = name.replace("\\", "/")
    if not path.startswith(prefix):
        return None
    return join_path(folder, path[len(prefix) :].lstrip("/") + ".php")


def _required(node: "SgNode") -> Iterator[Import]:
    text = " ".join(node.text().split())
    written = LITERAL.match(re.sub(r"^(require|include)(_once)?\s*", "", text, flags=re.IGNORECASE))
    if written:
        path = written.group(2) or written.group(3)
        is_relative = bool(written.group(1)) or path.startswith(".")
        yield Import(path, find_line(node), is_relative=is_relative, keyword="require")


MAX_PARSED = 1 << 16  # 5 s for twice as much of the worst nonsense
KEYWORDS = ("require", "require_relative", "load", "autoload")
LOAD_FOLDERS = ("lib", "spec", "test", "app", "")


def read_ruby_statement(node: "SgNode") -> Iterator[Import]:
    """The file that a call with a literal name requires."""
    method = node.field("method")
    arguments = node.field("arguments")
    keyword = method.text() if method else ""
    given = arguments.named_children() if arguments else []
    text = unquote_literal(given[-1]) if given else None
    if text:
        is_relative = keyword == "require_relative" or text.startswith(".")
        yield Import(text, find_line(node), is_relative=is_relative, keyword=keyword)


RUBY_GRAMMAR = Grammar(
    "ruby",
    rules=[{"kind": "call", "has": {"field": "method", "regex": f"^({'|'.join(KEYWORDS)})$"}}],
    read=read_ruby_statement,
    opening=re.compile(r"""^\s*(require|require_relative|load)[\s(]+["']""", re.MULTILINE),
    limit=MAX_PARSED,
)


class RubyResolver(FileImportResolver):
    """Where the requires of one Ruby file lead."""

    def find(self, each: Import) -> list[str]:
        """The file, or nothing for a gem."""
        name = each.text if each.text.endswith(".rb") else f"{each.text}.rb"
        folders = [self._folder] if each.is_relative else self._load_folders()
        found = self._first_existing(join_path(folder, name) for folder in folders)
        if found is None and not each.is_relative:  # below some `lib`, such as that of another gem of the repository
            found = find_nearest(self._files.listing().ending(f"lib/{name}"), self._folder)
        return [found] if found else []

    def _load_folders(self) -> Iterator[str]:
        for above in climb_folders(self._folder):
            yield from (path_below(above, name) if name else above for name in LOAD_FOLDERS)
