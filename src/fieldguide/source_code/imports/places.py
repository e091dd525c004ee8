"""Paths of a project, which never leave it: joined, climbed and compared as text."""

import posixpath
from collections.abc import Iterable, Iterator


def joined(folder: str, written: str) -> str | None:
    """A written path from a folder on; None when it leads out of the project."""
    path = posixpath.normpath(posixpath.join(folder, written)) if written or folder else ""
    if path == ".":
        return ""
    return None if path == ".." or path.startswith(("../", "/")) else path


def climbed(folder: str) -> Iterator[str]:
    """A folder and every one above it, up to the root of the project, which is ''."""
    while folder:
        yield folder
        folder = posixpath.dirname(folder)
    yield ""


def below(folder: str, name: str) -> str:
    """A name in a folder, where '' is the root."""
    return f"{folder}/{name}" if folder else name


def nearest(paths: Iterable[str], folder: str) -> str | None:
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
