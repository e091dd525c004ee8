"""Whether a commit begins to use a library: what it takes away may be there now, and documents still be right."""

import sys
from collections.abc import Container, Iterable, Iterator, Sequence

from fieldguide import linear_regex as re
from fieldguide.drift.taken.diff_reading import Hunk
from fieldguide.drift.words import words_in

IMPORTS = re.compile(
    r"""^\s*(?:from\s+([A-Za-z_]\w*)|import\s+([A-Za-z_]\w*)\s*(?:$|[.,;#]|as\b)|use\s+([A-Za-z_]\w*)::"""
    r"""|(?:import|export)\b.{0,200}\bfrom\s+["']([@A-Za-z][\w@/.-]*)["']|.{0,100}\brequire\(\s*["']([@A-Za-z][\w@/.-]*)["'])"""
)
MOST_LINES = 5_000
OPENS, CLOSES = (b"(", b"\\", b"{"), (b")", b"}", b";")
LONGEST_LINE = 500
NODE = frozenset(("fs", "path", "util", "http", "https", "os", "url", "events", "stream", "crypto", "assert", "zlib"))
RUST = frozenset(("std", "core", "alloc", "crate", "self", "super"))


def begin_to_use(hunks: Sequence[Hunk], own: Container[str]) -> set[str]:
    """The files whose added lines import what is neither the project's nor the language's, nor was there before."""
    before = set(_roots(line for hunk in hunks for line in hunk.removed))
    return {
        hunk.path
        for hunk in hunks
        if any(root not in before and root not in own and not _is_of_language(root) for root in _roots(hunk.added))
    }


def foreign_words(hunks: Sequence[Hunk], own: Container[str]) -> set[bytes]:
    """Words that lines import from what is neither the project's nor the language's, also over several lines."""
    found: set[bytes] = set()
    for hunk in hunks:
        for lines in (hunk.removed, hunk.added):
            for line in _foreign_imports(lines[:MOST_LINES], own):
                found |= words_in(line[:LONGEST_LINE])
    return found


def _foreign_imports(lines: Sequence[bytes], own: Container[str]) -> Iterator[bytes]:
    """The lines that import from others; a bracket that one of them leaves open goes on in the next."""
    is_open = False
    for line in lines:
        root = next(_roots((line,)), "")
        if _is_foreign(root, own) or (is_open and not root):
            yield line
            is_open = (is_open or _has_any(line, OPENS)) and not _has_any(line, CLOSES)
        else:
            is_open = False


def _is_foreign(root: str, own: Container[str]) -> bool:
    return bool(root) and root not in own and not _is_of_language(root)


def _has_any(line: bytes, marks: Iterable[bytes]) -> bool:
    return any(mark in line for mark in marks)


def _roots(lines: Iterable[bytes]) -> Iterator[str]:
    for count, line in enumerate(lines):
        if count > MOST_LINES:
            return
        if b"import" in line or b"from" in line or b"require" in line or b"use " in line:
            match = IMPORTS.match(line[:LONGEST_LINE].decode(errors="replace"))
            if match:
                yield next(group for group in match.groups() if group).split("/")[0]


def _is_of_language(root: str) -> bool:
    return root in sys.stdlib_module_names or root in NODE or root in RUST or root.startswith("__")
