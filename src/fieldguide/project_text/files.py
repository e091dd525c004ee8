"""The project's files as far as they may be its own text: what git tracks; without git, what a walk finds."""

from collections.abc import Sequence
from typing import NamedTuple

from fieldguide.confinement import ConfinedFolder
from fieldguide.project_text.git_index import index_place, tracked_paths
from fieldguide.project_text.places import is_never_entered

MOST_FILES = 300_000


class ProjectFiles(NamedTuple):
    """The paths of a project, sorted. `is_whole` is false where there were too many to list."""

    paths: Sequence[str]
    is_tracked: bool
    is_whole: bool = True


def project_files(project: ConfinedFolder) -> ProjectFiles:
    """What git tracks in a project, as far as it may be served; without git, all of it but the folders of tools."""
    place = index_place(project.root)
    tracked = tracked_paths(place) if place else None
    if tracked:  # where git tracks nothing here, it knows nothing of this project
        return ProjectFiles(sorted(tracked), is_tracked=True)
    return _walked(project)


def _walked(project: ConfinedFolder) -> ProjectFiles:
    found: list[str] = []
    for path, _ in project.entries(lambda folder: not is_never_entered(folder)):
        found.append(path)
        if len(found) >= MOST_FILES:
            return ProjectFiles(sorted(found), is_tracked=False, is_whole=False)
    return ProjectFiles(sorted(found), is_tracked=False)
