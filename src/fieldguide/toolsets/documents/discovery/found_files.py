"""Whether other files are the project's documents now than when it was last looked: a README, or a folder, may come."""

import os
from collections.abc import Callable, Iterable, Mapping

from fieldguide.confinement import ConfinedFolder
from fieldguide.project_text.finding import known_text
from fieldguide.project_text.names import format_by_name
from fieldguide.toolsets.documents.collections import Collection
from fieldguide.watching import Seen

Collections = Callable[[], Mapping[str, Collection]]
GIT = ".git/"


class FoundFiles:
    """The files of the collections that were found, as they were at the last look."""

    def __init__(self, project: ConfinedFolder) -> None:
        self._project = project
        self._before: dict[str, frozenset[str]] | None = None
        self._paths: set[str] = set()

    def are_others(self, seen: Seen | None, collections: Collections) -> bool:
        """Whether they are others now, after what was seen to change; the first look is no change."""
        if seen is None:
            known_text(self._project.root).look_again()
        else:
            self._follow(self._inside(seen.files), self._inside(seen.folders))
        before = self._before
        found = [each for each in collections().values() if each.names is not None]
        self._before = {each.id: each.names for each in found if each.names is not None}
        if before != self._before:
            self._paths = _paths_of(found)
        return before is not None and before != self._before

    def be_followed(self, *, is_followed: bool) -> None:
        """Whether every change is seen from now on."""
        known_text(self._project.root).is_followed = is_followed

    def _follow(self, files: Iterable[str], folders: list[str]) -> None:
        """Have what may be new, or is gone, judged again."""
        may_be = [path for path in files if format_by_name(path.rpartition("/")[2]) is not None]
        new = [path for path in may_be if path not in self._paths or self._project.status(path) is None]
        if new or folders:
            known_text(self._project.root).follow(self._project, files=frozenset(new), folders=folders)

    def _inside(self, paths: Iterable[str]) -> list[str]:
        """These paths as they are in the project; what lies elsewhere, or is git's, is left out."""
        above = f"{self._project.root}{os.sep}"
        inner = (path[len(above) :].replace(os.sep, "/") for path in sorted(paths) if path.startswith(above))
        return [path for path in inner if not path.startswith(GIT)]


def _paths_of(collections: Iterable[Collection]) -> set[str]:
    return {os.path.normpath(f"{each.source}/{name}") for each in collections for name in each.names or ()}
