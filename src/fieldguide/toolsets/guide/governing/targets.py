"""What somebody wants to edit: a file, some lines of one, a folder, or what a unified diff changes."""

import os
import posixpath
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import InvalidArguments
from fieldguide.spine.answers.citations import read_citation

MOST_TARGETS = 40
MOST_HUNKS = 60
HUNK = re.compile(r"(?m)^(?:\+\+\+ ([^\n\t]+)|@@ -\d{1,9}(?:,\d{1,9})? \+(\d{1,9})(?:,(\d{1,9}))? @@)")
DIFF = re.compile(r"(?m)^(?:\+\+\+|---) ([^\n\t]+)")
RENAMED = re.compile(r"(?m)^rename (?:from|to) ([^\n]+)")
SIDES = ("a/", "b/", "i/", "w/", "c/", "o/")


class Targets(NamedTuple):
    """The files and folders that are meant, as paths in the project, and the lines of files where only some are."""

    files: tuple[str, ...]
    folders: tuple[str, ...] = ()
    left_out: int = 0
    lines: tuple[tuple[str, int, int], ...] = ()


def read_targets(project: ConfinedFolder, given: str) -> Targets:
    """What a caller's words mean; a path that is not there yet is one that is about to be made."""
    if "\n" in given:
        return _diffed(given)
    path = _inside(project, given)
    lines: tuple[tuple[str, int, int], ...] = ()
    if path and project.status(path) is None and (citation := read_citation(path)) is not None:
        path = citation.path
        lines = ((path, citation.start_line, citation.end_line),)
    if not path or os.path.isdir(os.path.join(project.root, path)):
        return Targets((), (path,))
    return Targets((path,), lines=lines)


def _diffed(text: str) -> Targets:
    """The files of a diff, each under the names that it has before and after."""
    found: dict[str, None] = {}
    for match in DIFF.finditer(text):
        path = match.group(1).strip().strip('"')
        if path != "/dev/null":
            found.setdefault(_normal(path[2:] if path.startswith(SIDES) else path))
    for match in RENAMED.finditer(text):
        found.setdefault(_normal(match.group(1).strip().strip('"')))
    paths = [path for path in found if path and path != ".." and not path.startswith("../")]
    if not paths:
        raise InvalidArguments("That is neither a path nor a unified diff.")
    return Targets(tuple(paths[:MOST_TARGETS]), (), max(0, len(paths) - MOST_TARGETS), _hunks(text))


def _hunks(text: str) -> tuple[tuple[str, int, int], ...]:
    """The lines that a diff changes, as they are numbered once it is applied."""
    found: list[tuple[str, int, int]] = []
    path = ""
    for match in HUNK.finditer(text):
        name, start, count = match.groups()
        if name is not None:
            bare = name.strip().strip('"')
            path = "" if bare == "/dev/null" else _normal(bare[2:] if bare.startswith(SIDES) else bare)
        elif path and len(found) < MOST_HUNKS:
            first = int(start)
            found.append((path, first, first + max(int(count or 1), 1) - 1))
    return tuple(found)


def _inside(project: ConfinedFolder, given: str) -> str:
    """A path as the project spells it; one that leads out of it is refused."""
    path = given.strip()
    if os.path.isabs(path):
        below = os.path.relpath(os.path.realpath(path), os.path.realpath(project.root))
        path = below.replace(os.sep, "/")
    plain = _normal(path)
    if plain.startswith("../") or plain == ".." or "\0" in plain:
        raise InvalidArguments(f"{given[:200]!r} is not in the project.")
    return plain


def _normal(path: str) -> str:
    plain = posixpath.normpath(path.replace("\\", "/")).lstrip("/")
    return "" if plain == "." else plain
