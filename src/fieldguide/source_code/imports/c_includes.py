"""C and C++: `#include` to a header beside the file, then below any folder of the project that holds such a path.

Includes are lines of the preprocessor, so they are read as it reads them: line by line, outside of comments and
strings. A parser would be wrong here (macros break its trees) and slow (measured: 14 s for 30 KB of nested templates).
"""

import posixpath
from collections.abc import Iterator

from fieldguide import linear_regex as re
from fieldguide.source_code.imports.places import below, climbed, joined, nearest
from fieldguide.source_code.imports.project import ProjectFiles
from fieldguide.source_code.imports.written import Import
from fieldguide.source_code.syntax_problem import SyntaxProblem

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
    line, counted = 1, 0
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

    def __init__(self, path: str, files: ProjectFiles) -> None:
        self._files = files
        self._folder = posixpath.dirname(path)

    def find(self, each: Import) -> list[str]:
        """The header; none for one of the system."""
        if each.is_relative:
            beside = joined(self._folder, each.text)
            if beside and self._files.exists(beside):
                return [beside]
        elif _is_standard(each.text):
            return []
        found = self._above(each.text) or self._anywhere(each.text, is_quoted=each.is_relative)
        return [found] if found else []

    def _above(self, text: str) -> str | None:
        for above in climbed(self._folder):
            for folder in (above, *(below(above, name) for name in INCLUDE_FOLDERS)):
                place = joined(folder, text)
                if place and self._files.exists(place):
                    return place
        return None

    def _anywhere(self, text: str, *, is_quoted: bool) -> str | None:
        plain = posixpath.normpath(text).lstrip("./")
        found = self._files.listing().ending(plain)
        if not is_quoted and "/" not in plain:
            found = [path for path in found if posixpath.basename(posixpath.dirname(path)) in INCLUDE_FOLDERS]
        return nearest(found, self._folder)


def _is_standard(text: str) -> bool:
    stem, ending = posixpath.splitext(text)
    return (not ending and "/" not in text) or (ending == ".h" and stem in STANDARD_HEADERS) or text.startswith("sys/")
