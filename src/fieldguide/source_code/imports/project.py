"""The project's files as the resolvers see them: every look goes through the confined folder."""

import posixpath
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Protocol, TypeVar, cast

from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import NotFound, PathEscape, Unreadable

LIMIT_BYTES = 1 << 20
OTHER_PEOPLES_FOLDERS = frozenset(("site-packages", "dist-packages", "__pycache__", "venv", "bower_components"))

Made = TypeVar("Made")


class ProjectFiles(Protocol):
    """What a resolver may ask of a project; every path is relative to its root, with slashes."""

    def exists(self, path: str) -> bool:
        """Whether a regular file is there and may be read."""
        ...

    def read(self, path: str) -> bytes | None:
        """Its bytes; None when it is missing, refused or too large."""
        ...

    def listing(self) -> "Listing":
        """All files of the project at some moment of late; asked only when looking beside a file was not enough."""
        ...


class Listing:
    """The paths of a project at one moment, and what has been made of them."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.paths = paths
        self._made: dict[Any, Any] = {}

    @cached_property
    def by_name(self) -> dict[str, list[str]]:
        """Paths by the last part of the path."""
        found: dict[str, list[str]] = {}
        for path in self.paths:
            found.setdefault(posixpath.basename(path), []).append(path)
        return found

    @cached_property
    def by_folder(self) -> dict[str, list[str]]:
        """The sorted paths right in each folder that has any."""
        found: dict[str, list[str]] = {}
        for path in sorted(self.paths):
            found.setdefault(posixpath.dirname(path), []).append(path)
        return found

    def ending(self, end: str) -> list[str]:
        """The paths that end with these whole components."""
        named = self.by_name.get(posixpath.basename(end), [])
        return [path for path in named if path == end or path.endswith(f"/{end}")]

    def made(self, make: Callable[[ProjectFiles, "Listing"], Made], files: ProjectFiles) -> Made:
        """What a function makes of the project, made once for this listing."""
        if make not in self._made:
            self._made[make] = make(files, self)
        return cast(Made, self._made[make])


class ConfinedFiles:
    """A confined folder as project files.

    `paths` gives all files of the project, the same object as long as nothing changed; keep this adapter then, and what
    was made of the listing is kept with it. Without `paths` the folder is walked once in the adapter's life.
    """

    def __init__(self, folder: ConfinedFolder, paths: Callable[[], Sequence[str]] | None = None) -> None:
        self._folder = folder
        self._paths = paths
        self._listing: Listing | None = None

    def exists(self, path: str) -> bool:
        """Whether a regular file is there and may be read; nothing of it is read for that."""
        try:
            self._folder.read(path, limit_bytes=0)
        except Unreadable as error:
            return "size" in error.details
        except (NotFound, PathEscape):
            return False
        return True

    def read(self, path: str) -> bytes | None:
        """The bytes of a file of at most 1 MiB."""
        try:
            return self._folder.read(path, limit_bytes=LIMIT_BYTES)
        except (NotFound, PathEscape, Unreadable):
            return None

    def listing(self) -> Listing:
        """The newest listing."""
        if self._paths is None:
            self._listing = self._listing or Listing([path for path in self._folder.files() if is_own(path)])
            return self._listing
        paths = self._paths()
        if self._listing is None or self._listing.paths is not paths:
            self._listing = Listing(paths)
        return self._listing


def is_own(path: str) -> bool:
    """Whether a path belongs to the project and not to what was installed or generated in it."""
    return not any(name[0] == "." or name in OTHER_PEOPLES_FOLDERS for name in path.split("/")[:-1])
