"""Whether a commit begins to use a library: what it takes away may be there now, and documents still be right."""

import sys
from collections.abc import Container, Iterable, Iterator, Sequence

from fieldguide import linear_regex as re
from fieldguide.drift.taken.diff_reading import Hunk

IMPORTS = re.compile(
    r"""^\s*(?:from\s+([A-Za-z_]\w*)|import\s+([A-Za-z_]\w*)\s*(?:$|[.,;#]|as\b)|use\s+([A-Za-z_]\w*)::"""
    r"""|(?:import|export)\b.{0,200}\bfrom\s+["']([@A-Za-z][\w@/.-]*)["']|.{0,100}\brequire\(\s*["']([@A-Za-z][\w@/.-]*)["'])"""
)
MOST_LINES = 5_000
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
