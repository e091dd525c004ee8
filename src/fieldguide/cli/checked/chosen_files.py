"""The files that a check looks at: those of the project, or the files and folders that somebody named."""

import os
from collections.abc import Sequence
from typing import NamedTuple

from fieldguide.cli.typed.nearest import path_you_mean
from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import Misconfiguration
from fieldguide.toolsets.context.tree.listing import list_files


class Chosen(NamedTuple):
    """The files to look at, by their paths in the project; `named` are those that were named one by one."""

    paths: Sequence[str]
    named: frozenset[str]
    is_everything: bool = False


def chosen_files(project: ConfinedFolder, paths: Sequence[str]) -> Chosen:
    """The files of a project that were asked for; all of them where nothing was."""
    listing = list_files(project).paths
    if not paths:
        return Chosen(listing, frozenset(), is_everything=True)
    named: set[str] = set()
    found: set[str] = set()
    for path in paths:
        inner = path_inside(project.root, path, listing)
        if not os.path.isdir(path):
            named.add(inner)
        elif inner == ".":
            found.update(listing)
        else:
            found.update(each for each in listing if each.startswith(f"{inner}/"))
    return Chosen(sorted(found | named), frozenset(named), is_everything=found.issuperset(listing))


def path_inside(root: str, path: str, listing: Sequence[str] | None = None) -> str:
    """A path as the project writes it; the last name may be a link, which is followed only inside the project.

    With a listing it must be there.
    """
    folder, name = os.path.split(os.path.abspath(path))
    real = os.path.realpath(path) if os.path.isdir(path) else os.path.join(os.path.realpath(folder), name)
    inner = os.path.relpath(real, root)
    if inner == ".." or inner.startswith("../"):
        raise Misconfiguration(f"{path!r} is outside of the project {root}.")
    if listing is not None and not os.path.lexists(path):
        raise Misconfiguration(f"There is no file or folder {path!r}.{path_you_mean(inner, listing)}")
    return inner
