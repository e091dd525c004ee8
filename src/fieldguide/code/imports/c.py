"""Reads and resolves `#include` of C and C++.

Includes are lines of the preprocessor, so they are read as it reads them: line by line, outside of comments and
strings. A parser would be wrong here (macros break its trees) and slow (measured: 14 s for 30 KB of nested templates).
"""

import posixpath
from collections.abc import Callable, Iterator
from functools import cached_property

from fieldguide.code.imports.project_files import ImportableFiles, climb_folders, find_nearest, join_path, path_below
from fieldguide.code.imports.syntax import Import
from fieldguide.code.parsing import SyntaxProblem
from fieldguide.text import regex as re

INCLUDE_FOLDERS = ("include", "inc", "src")
# fmt: off
STANDARD_HEADERS = frozenset((
    "assert", "complex", "ctype", "dirent", "dlfcn", "errno", "fcntl", "fenv", "float", "glob", "grp", "inttypes",
    "iso646", "limits", "locale", "math", "memory", "netdb", "poll", "pthread", "pwd", "regex", "sched", "search",
    "semaphore", "setjmp", "signal", "spawn", "stdalign", "stdarg", "stdatomic", "stdbool", "stddef", "stdint", "stdio",
    "stdlib", "stdnoreturn", "string", "strings", "syslog", "termios", "tgmath", "threads", "time", "uchar", "unistd",
    "utime", "wchar", "wctype", "windows",
))
# fmt: on
TOKEN = re.compile(
    r"""
      /\*.*?(?:\*/|\Z) | //[^\n]*
    | R"(?P<mark>[^\s()\\]{0,16})\(
    | ^[ \t]*\#[ \t]*(?:include|include_next|import)\b[ \t]*(?P<path>"[^"\n]*"?|<[^>\n]*>?)?
    | "(?:[^"\\\n]|\\.)*"? | '(?:[^'\\\n]|\\.)*'?
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)


def read_includes(text: str) -> list[Import]:
    """The headers that a source text includes; one that a macro names is left out."""
    found: list[Import] = []
    line = 1
    counted = 0
    for token in _tokens(text):
        path = token.group("path")
        if not path:
            continue
        line += text.count("\n", counted, token.start("path"))
        counted = token.start("path")
        if len(path) < 3 or path[-1] != ('"' if path[0] == '"' else ">"):
            raise SyntaxProblem(line)
        found.append(Import(path[1:-1].strip(), line, is_relative=path[0] == '"', keyword="include"))
    return found


def _tokens(text: str) -> Iterator[re.Match[str]]:
    """Comments, strings and includes; a raw string reaches to its own mark."""
    tokens = TOKEN.finditer(text)
    token = next(tokens, None)
    while token is not None:
        yield token
        mark = token.group("mark")
        try:
            token = tokens.send(None if mark is None else _end_of_raw(text, f'){mark}"', token.end()))
        except StopIteration:
            return


def _end_of_raw(text: str, closing: str, start: int) -> int:
    end = text.find(closing, start)
    return len(text) if end < 0 else end + len(closing)


class IncludeResolver:
    """Where the includes of one C or C++ file lead."""

    def __init__(self, path: str, files: ImportableFiles) -> None:
        self._files = files
        self._may_lead: Callable[[str], bool] = getattr(files, "may_lead", lambda place: True)
        self._folder = posixpath.dirname(path)

    def find(self, each: Import) -> list[str]:
        """The header; none for one of the system."""
        if each.is_relative:
            beside = join_path(self._folder, each.text)
            if beside and self._files.exists(beside):
                return [beside]
        elif _is_standard(each.text):
            return []
        found = self._above(each.text) or self._anywhere(each.text, is_quoted=each.is_relative)
        return [found] if found else []

    def _above(self, text: str) -> str | None:
        names = text.split("/")
        if not {"", ".", ".."}.isdisjoint(names):
            places = (join_path(folder, text) for folder in self._places)
        else:
            begun = (folder for folder in self._folders if self._may_lead(path_below(folder, names[0])))
            places = (path_below(folder, text) for folder in begun)
        return next((place for place in places if place and self._files.exists(place)), None)

    @cached_property
    def _places(self) -> list[str]:
        """Where a header may lie: in each folder above the file, and in its folders for headers."""
        places: list[str] = []
        for folder in climb_folders(self._folder):
            places.append(folder)
            places += [path_below(folder, name) for name in INCLUDE_FOLDERS]
        return places

    @cached_property
    def _folders(self) -> list[str]:
        """Those of the places that may be there."""
        return [place for place in self._places if not place or self._may_lead(place)]

    def _anywhere(self, text: str, *, is_quoted: bool) -> str | None:
        plain = posixpath.normpath(text).lstrip("./")
        found = self._files.listing().ending(plain)
        if not is_quoted and "/" not in plain:
            found = [path for path in found if posixpath.basename(posixpath.dirname(path)) in INCLUDE_FOLDERS]
        return find_nearest(found, self._folder)


def _is_standard(text: str) -> bool:
    stem, ending = posixpath.splitext(text)
    return (not ending and "/" not in text) or (ending == ".h" and stem in STANDARD_HEADERS) or text.startswith("sys/")
