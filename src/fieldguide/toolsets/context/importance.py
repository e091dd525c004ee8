"""Which code is indexed first: what other files import most, and of the rest what was changed last.

Told by the lines that import, without parsing anything: one look of ripgrep over the project, within bounds.
"""

import os
import select
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from time import monotonic
from typing import IO, cast

from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import ToolFailed
from fieldguide.search.syncing import Entry, newest_first
from fieldguide.toolsets.context.tree.ripgrep import SEARCH_FLAGS, environment, find_ripgrep, listing_flags

IMPORTING = (
    r"^\s*(?:from|import|use|using|require|require_relative|include|#\s*include|mod|pub use)\s",
    r"(?:from|require\(|import\()\s*['\"]",
    r'^\s*(?:\w+\s+)?"[\w.-]+(?:/[\w.-]+)+"\s*$',  # a line of an import block in Go
)
BETWEEN_NAMES = bytes(
    code if (chr(code).isalnum() and code < 128) or chr(code) in "_-./:" else 32 for code in range(256)
)
FOLDERS_OWN = frozenset(("__init__", "index", "mod", "lib", "main"))  # files that stand for their folder
MOST_BYTES = 4 << 20
MOST_SECONDS = 2.0
READ_BYTES = 1 << 16


def imported_first(project: ConfinedFolder, entries: Sequence[Entry]) -> list[Entry]:
    """The files in the order in which they are best indexed."""
    counts = import_counts(project)
    return sorted(newest_first(entries), key=lambda entry: -_imports_of(entry.name, counts))


def import_counts(project: ConfinedFolder) -> Mapping[str, int]:
    """How many importing lines speak of each module, by the last two names of its path; nothing without ripgrep."""
    counts: Counter[str] = Counter()
    with suppress(ToolFailed, OSError):
        for line in _importing_lines(project):
            counts.update(_modules(line))
    return counts


def _modules(line: bytes) -> set[str]:
    """The modules that a line may import."""
    words = line.translate(BETWEEN_NAMES).decode("ascii").replace("::", "/").replace(".", "/").split()
    found = {_last_two(word) for word in words}
    if "import" in words[2:] and words[0] == "from":  # Python names the module first, and what it takes of it last
        base = words[1].rpartition("/")[2]
        found |= {f"{base}/{word}" for word in words[words.index("import") + 1 :]}
    return found


def _last_two(path: str) -> str:
    return "/".join([part for part in path.split("/") if part and part != ".."][-2:]).lower()


def _imports_of(path: str, counts: Mapping[str, int]) -> int:
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    above = counts.get(_last_two(folder), 0)
    return above if stem in FOLDERS_OWN else counts.get(_last_two(f"{folder}/{stem}"), 0) + above // 4


def _importing_lines(project: ConfinedFolder) -> list[bytes]:
    expressions = [word for each in IMPORTING for word in ("-e", each)]
    flags = ["--no-unicode", "--no-heading", "--no-filename", "--no-line-number", "--max-columns", "300"]
    command = [find_ripgrep(project.root), *flags, *SEARCH_FLAGS, *listing_flags(project.sensitive), *expressions]
    with subprocess.Popen(
        [*command, "./"],
        cwd=project.root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(),
    ) as child:
        try:
            told = _read(cast("IO[bytes]", child.stdout))
        finally:
            child.kill()
    return told.splitlines()


def _read(stream: IO[bytes]) -> bytes:
    """What comes, until it is enough or takes too long."""
    pieces: list[bytes] = []
    size, until = 0, monotonic() + MOST_SECONDS
    while size < MOST_BYTES and select.select([stream], [], [], max(0.0, until - monotonic()))[0]:
        piece = os.read(stream.fileno(), READ_BYTES)
        if not piece:
            break
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces)
