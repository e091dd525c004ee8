"""The project's files as import resolvers see them: listing, paths and JSON manifests."""

import posixpath
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Protocol, TypeVar, cast

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.text import regex as re
from fieldguide.text.data_formats import MalformedText, read_json
from fieldguide.text.errors import NotFound, PathEscape, Unreadable

_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"?|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_LAST_COMMA = re.compile(r'("(?:[^"\\\n]|\\.)*"?)|,(?=\s*[}\]])')


def read_object(content: bytes | None) -> dict[str, Any]:
    """The object in a file; an empty one when there is no file or no object in it."""
    if not content:
        return {}
    text = content.decode("utf-8-sig", errors="replace")
    try:
        value = read_json(text)
    except MalformedText:
        value = _lenient(text)
    return as_table(value)


def as_table(value: Any) -> dict[str, Any]:
    """A value that should be an object, and is an empty one if it is not."""
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}


def as_sequence(value: Any) -> list[Any]:
    """A value that should be a list, and is an empty one if it is not."""
    return list(cast(Iterable[Any], value)) if isinstance(value, list) else []


def _lenient(text: str) -> Any:
    bare = _TOKEN.sub(lambda match: match.group() if match.group().startswith('"') else " ", text)
    try:
        return read_json(_LAST_COMMA.sub(lambda match: match.group(1) or "", bare))
    except MalformedText:
        return None


def join_path(folder: str, written: str) -> str | None:
    """A written path from a folder on; None when it leads out of the project."""
    path = posixpath.normpath(posixpath.join(folder, written)) if written or folder else ""
    if path == ".":
        return ""
    return None if path == ".." or path.startswith(("../", "/")) else path


def climb_folders(folder: str) -> Iterator[str]:
    """A folder and every one above it, up to the root of the project, which is ''."""
    while folder:
        yield folder
        folder = posixpath.dirname(folder)
    yield ""


def path_below(folder: str, name: str) -> str:
    """A name in a folder, where '' is the root."""
    return f"{folder}/{name}" if folder else name


def find_nearest(paths: Iterable[str], folder: str) -> str | None:
    """The path that shares most of the folder's components; among equals the shortest, then the first by name."""
    here = folder.split("/") if folder else []

    def distance(path: str) -> tuple[int, int, str]:
        shared = 0
        for ours, theirs in zip(here, path.split("/"), strict=False):
            if ours != theirs:
                break
            shared += 1
        return (-shared, path.count("/"), path)

    return min(paths, key=distance, default=None)


LIMIT_BYTES = 1 << 20
FEW_PATHS = 8  # so many paths with one name are compared one by one
OTHER_PEOPLES_FOLDERS = frozenset(("site-packages", "dist-packages", "__pycache__", "venv", "bower_components"))

Made = TypeVar("Made")


class ImportableFiles(Protocol):
    """What a resolver may ask of a project; every path is relative to its root, with slashes."""

    def exists(self, path: str) -> bool:
        """Whether a regular file is there and may be read."""
        ...

    def read(self, path: str) -> bytes | None:
        """Its bytes; None when it is missing, refused or too large."""
        ...

    def listing(self) -> "ProjectListing":
        """All files of the project at some moment of late; asked only when looking beside a file was not enough."""
        ...


class ProjectListing:
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
        named = self.by_name.get(end.rpartition("/")[2], [])
        if len(named) <= FEW_PATHS:
            return [path for path in named if path == end or path.endswith(f"/{end}")]
        below = end[::-1] + "/"
        found = [end] if end in self._known else []
        for place in range(bisect_left(self._backwards, below), len(self._backwards)):
            if not self._backwards[place].startswith(below):
                break
            found.append(self._backwards[place][::-1])
        return found

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.paths)

    @cached_property
    def _backwards(self) -> list[str]:
        """The paths from their last character to their first, sorted, so that those with one end are together."""
        return sorted(path[::-1] for path in self.paths)

    def made(self, make: Callable[[ImportableFiles, "ProjectListing"], Made], files: ImportableFiles) -> Made:
        """What a function makes of the project, made once for this listing."""
        if make not in self._made:
            self._made[make] = make(files, self)
        return cast(Made, self._made[make])


class FileImportResolver:
    """Where the imports of one file lead; `find` is a language's."""

    def __init__(self, path: str, files: ImportableFiles) -> None:
        self._path = path
        self._files = files
        self._folder = posixpath.dirname(path)
        self._may_lead: Callable[[str], bool] = getattr(files, "may_lead", lambda place: True)

    def _first_existing(self, places: Iterable[str | None]) -> str | None:
        """The first of some places at which there is a file."""
        return next((place for place in places if place and self._files.exists(place)), None)


class ConfinedFiles:
    """A confined folder as project files.

    `paths` gives all files of the project, the same object as long as nothing changed; keep this adapter then, and what
    was made of the listing is kept with it. Without `paths` the folder is walked once in the adapter's life.
    """

    lists_folders = True
    """Whether to look into a folder is worth more than to look for each file that it may hold."""

    def __init__(self, folder: ConfinedFolder, paths: Callable[[], Sequence[str]] | None = None) -> None:
        self._folder = folder
        self._paths = paths
        self._listing: ProjectListing | None = None

    def exists(self, path: str) -> bool:
        """Whether a regular file is there and may be read; nothing of it is read for that."""
        try:
            self._folder.read(path, limit_bytes=0)
        except Unreadable as error:
            return "size" in error.details
        except (NotFound, PathEscape):
            return False
        return True

    def names_in(self, folder: str) -> list[str]:
        """The names of all that lies in a folder; '' is the root."""
        return self._folder.names_in(folder)

    def read(self, path: str) -> bytes | None:
        """The bytes of a file of at most 1 MiB."""
        try:
            return self._folder.read(path, limit_bytes=LIMIT_BYTES)
        except (NotFound, PathEscape, Unreadable):
            return None

    def listing(self) -> ProjectListing:
        """The newest listing."""
        if self._paths is None:
            self._listing = self._listing or ProjectListing([path for path in self._folder.files() if is_own(path)])
            return self._listing
        paths = self._paths()
        if self._listing is None or self._listing.paths is not paths:
            self._listing = ProjectListing(paths)
        return self._listing


def is_own(path: str) -> bool:
    """Whether a path belongs to the project and not to what was installed or generated in it."""
    return not any(name[0] == "." or name in OTHER_PEOPLES_FOLDERS for name in path.split("/")[:-1])
