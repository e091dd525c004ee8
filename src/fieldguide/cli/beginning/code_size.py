"""How much code a project has: its languages with their files and lines, counted within bounds."""

from collections import defaultdict
from collections.abc import Sequence
from time import monotonic
from typing import NamedTuple

from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import Refusal
from fieldguide.source_code.languages import language_of

COUNTING_SECONDS = 2.0
LARGEST_BYTES = 1 << 21


class Language(NamedTuple):
    """A language of the project: how many files it has, and how many lines were counted in them."""

    name: str
    files: int
    lines: int


class CodeSize(NamedTuple):
    """The languages, that of most lines first; not whole where there was no time to count every line."""

    languages: tuple[Language, ...] = ()
    is_whole: bool = True


def code_size(project: ConfinedFolder, paths: Sequence[str], seconds: float = COUNTING_SECONDS) -> CodeSize:
    """The languages of some files of code; every file is counted, its lines as long as there is time."""
    files: defaultdict[str, int] = defaultdict(int)
    lines: defaultdict[str, int] = defaultdict(int)
    until, is_whole = monotonic() + seconds, True
    for path in paths:
        language = language_of(path) or ""
        files[language] += 1
        is_whole = is_whole and monotonic() < until
        lines[language] += _lines(project, path) if is_whole else 0
    found = (Language(name, count, lines[name]) for name, count in files.items())
    return CodeSize(tuple(sorted(found, key=lambda each: (-each.lines, -each.files, each.name))), is_whole)


def _lines(project: ConfinedFolder, path: str) -> int:
    try:
        content = project.read(path, limit_bytes=LARGEST_BYTES)
    except Refusal:
        return 0
    return content.count(b"\n") + (not content.endswith(b"\n") and bool(content))
