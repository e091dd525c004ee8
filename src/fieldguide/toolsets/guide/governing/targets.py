"""What somebody wants to edit: a file, some lines of one, a folder, or what a unified diff changes."""

import os
import posixpath
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import InvalidArguments
from fieldguide.spine.answers.citations import read_citation

MOST_TARGETS = 40
DIFF = re.compile(r"(?m)^(?:\+\+\+|---) ([^\n\t]+)")
RENAMED = re.compile(r"(?m)^rename (?:from|to) ([^\n]+)")
SIDES = ("a/", "b/", "i/", "w/", "c/", "o/")


class Targets(NamedTuple):
    """The files and folders that are meant, as paths in the project; `is_whole` where more were than are looked at."""

    files: tuple[str, ...]
    folders: tuple[str, ...] = ()
    left_out: int = 0


def read_targets(project: ConfinedFolder, given: str) -> Targets:
    """What a caller's words mean; a path that is not there yet is one that is about to be made."""
    if "\n" in given:
        return _diffed(given)
    path = _inside(project, given)
    if path and project.status(path) is None and (citation := read_citation(path)) is not None:
        path = citation.path
    if not path or os.path.isdir(os.path.join(project.root, path)):
        return Targets((), (path,))
    return Targets((path,))


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
    return Targets(tuple(paths[:MOST_TARGETS]), (), max(0, len(paths) - MOST_TARGETS))


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
