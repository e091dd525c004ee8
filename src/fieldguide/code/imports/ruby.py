"""Reads and resolves `require`, `require_relative`, `load` and `autoload` of Ruby."""

import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING

from fieldguide.code.imports.project_files import ImportableFiles, climb_folders, find_nearest, join_path, path_below
from fieldguide.code.imports.syntax import Grammar, Import, find_line, unquote_literal
from fieldguide.text import regex as re

if TYPE_CHECKING:
    from ast_grep_py import SgNode

MAX_PARSED = 1 << 16  # 5 s for twice as much of the worst nonsense
KEYWORDS = ("require", "require_relative", "load", "autoload")
LOAD_FOLDERS = ("lib", "spec", "test", "app", "")


def read_statement(node: "SgNode") -> Iterator[Import]:
    """The file that a call with a literal name requires."""
    method = node.field("method")
    arguments = node.field("arguments")
    keyword = method.text() if method else ""
    given = [child for child in arguments.children() if child.is_named()] if arguments else []
    text = unquote_literal(given[-1]) if given else None
    if text:
        is_relative = keyword == "require_relative" or text.startswith(".")
        yield Import(text, find_line(node), is_relative=is_relative, keyword=keyword)


GRAMMAR = Grammar(
    "ruby",
    rules=[{"kind": "call", "has": {"field": "method", "regex": f"^({'|'.join(KEYWORDS)})$"}}],
    read=read_statement,
    opening=re.compile(r"""^\s*(require|require_relative|load)[\s(]+["']""", re.MULTILINE),
    limit=MAX_PARSED,
)


class RubyResolver:
    """Where the requires of one Ruby file lead."""

    def __init__(self, path: str, files: ImportableFiles) -> None:
        self._files = files
        self._folder = posixpath.dirname(path)

    def find(self, each: Import) -> list[str]:
        """The file, or nothing for a gem."""
        found = next((path for path in self._candidates(each) if self._files.exists(path)), None)
        if found is None and not each.is_relative:
            found = self._anywhere(each.text)
        return [found] if found else []

    def _candidates(self, each: Import) -> Iterator[str]:
        name = each.text if each.text.endswith(".rb") else f"{each.text}.rb"
        folders = [self._folder] if each.is_relative else self._load_folders()
        for folder in folders:
            place = join_path(folder, name)
            if place:
                yield place

    def _load_folders(self) -> Iterator[str]:
        for above in climb_folders(self._folder):
            yield from (path_below(above, name) if name else above for name in LOAD_FOLDERS)

    def _anywhere(self, text: str) -> str | None:
        """A file below some `lib` of the project, such as that of another gem in the same repository."""
        name = text if text.endswith(".rb") else f"{text}.rb"
        return find_nearest(self._files.listing().ending(f"lib/{name}"), self._folder)
