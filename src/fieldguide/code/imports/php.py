"""Reads and resolves `use`, `require` and `include` of PHP by composer.json autoload tables."""

import posixpath
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from fieldguide.code.imports.project_files import (
    ImportableFiles,
    ProjectListing,
    as_sequence,
    as_table,
    climb_folders,
    find_nearest,
    join_path,
    read_object,
)
from fieldguide.code.imports.syntax import Grammar, Import, find_line
from fieldguide.text import regex as re

if TYPE_CHECKING:
    from ast_grep_py import SgNode

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
        kept += [_blank(text[end : match.start(1)]), match.group(1), _closed(text[match.end(1) : match.end()])]
        end = match.end()
    return "".join(kept) + _blank(text[end:])


def read_statement(node: "SgNode") -> Iterator[Import]:
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


GRAMMAR = Grammar(
    "php",
    rules=[
        {"kind": "namespace_use_declaration"}, {"kind": "require_expression"}, {"kind": "require_once_expression"},
        {"kind": "include_expression"}, {"kind": "include_once_expression"},
    ],
    read=read_statement,
    opening=re.compile(
        r"^\s*(use\s+(function\s+|const\s+)?\\?\w+(\\\w+)*\s*(;|\\\{|as\b)|(require|include)(_once)?\s*[\s(]['\"_])",
        re.MULTILINE,
    ),
    prepare=blank_templates,
)  # fmt: skip


class PhpResolver:
    """Where the imports of one PHP file lead."""

    def __init__(self, path: str, files: ImportableFiles) -> None:
        self._path = path
        self._files = files
        self._folder = posixpath.dirname(path)

    def find(self, each: Import) -> list[str]:
        """The file of the class, or the file required."""
        if each.keyword == "require":
            return self._required_file(each)
        listing = self._files.listing()
        tables = [*listing.made(read_autoload_tables, self._files), self._own_table]
        places = [place for prefix, folder in tables if (place := _place(prefix, folder, each.text))]
        found = next((place for place in places if self._files.exists(place)), None)
        return [found] if found else []

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
        found = next((place for place in places if place and self._files.exists(place)), None)
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


def _blank(text: str) -> str:
    return "\n" * text.count("\n")


def _closed(text: str) -> str:
    return ";" if text else ""
