"""Where paths of a document may lead: from its own folder, from the root, or to whatever ends so; now and earlier."""

import posixpath
from collections.abc import Iterable, Iterator
from functools import cached_property

MOST_PARTS = 5
MOST_ALIKE = 10


class KnownPaths:
    """Files and folders of one time, asked for by what a document writes."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.files = frozenset(paths)
        self.folders = frozenset(_folders(self.files))
        self._tails: dict[str, str] = {}
        self._modules: dict[str, list[str]] = {}
        for path in sorted(self.files):
            stem = posixpath.splitext(path)[0]
            for tail in _tails(path):
                self._tails.setdefault(tail, path)
            for tail in _tails(stem.removesuffix("/__init__").removesuffix("/index").removesuffix("/mod")):
                self._add_module(tail, path)
        for folder in sorted(self.folders):
            for tail in _tails(folder):
                self._tails.setdefault(tail, folder)
                self._add_module(tail, folder)

    def _add_module(self, tail: str, path: str) -> None:
        held = self._modules.setdefault(tail, [])
        if len(held) < MOST_ALIKE:
            held.append(path)

    @cached_property
    def words(self) -> frozenset[str]:
        """Every name of a folder, and of a file without its suffix."""
        names = (part for path in self.folders for part in path.split("/"))
        stems = (posixpath.splitext(posixpath.basename(path))[0] for path in self.files)
        return frozenset((*names, *stems))

    def holds(self, path: str) -> bool:
        """Whether there is a file or a folder at a path."""
        return path in self.files or path in self.folders

    def ending(self, path: str) -> str:
        """A file or folder whose path ends so; empty where none does."""
        return self._tails.get(_last(path), "")

    def modules(self, path: str) -> list[str]:
        """Files and folders that end so when their suffix is left out; so many at most."""
        return self._modules.get(_last(path), [])


def written_places(document: str, written: str) -> Iterator[str]:
    """Where a written path may lead from a document: from its folder, from the root, or from a folder above."""
    target = written.rstrip("/")
    folder = posixpath.dirname(document)
    if not target.startswith("/"):
        yield posixpath.normpath(posixpath.join(folder, target))
    yield posixpath.normpath(target.lstrip("/"))


def is_folder(written: str) -> bool:
    """Whether what is written can only be a folder; two words with a slash between them may be a package, or either."""
    return written.endswith("/") or written.startswith((".", "/")) or written.count("/") > 1


def _last(path: str) -> str:
    return "/".join(path.strip("/").split("/")[-MOST_PARTS:])


def _tails(path: str) -> Iterator[str]:
    parts = path.split("/")
    for count in range(1, min(len(parts), MOST_PARTS) + 1):
        yield "/".join(parts[-count:])


def _folders(paths: Iterable[str]) -> Iterator[str]:
    seen: set[str] = set()
    for path in paths:
        folder = posixpath.dirname(path)
        while folder and folder not in seen:
            seen.add(folder)
            yield folder
            folder = posixpath.dirname(folder)
