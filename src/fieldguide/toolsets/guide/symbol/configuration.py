"""Which configuration names a symbol: entry points, settings, workflows. Such files are few and small, and are read."""

import posixpath
import threading
from collections.abc import Iterator, Sequence
from time import monotonic
from typing import NamedTuple

from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import Refusal
from fieldguide.project_text.files import project_files
from fieldguide.project_text.git_index import index_place
from fieldguide.source_code.languages import language_of
from fieldguide.symbols.asking import Symbol

LANGUAGES = frozenset(("dockerfile", "ini", "json", "makefile", "properties", "toml", "xml", "yaml"))
LOCKS = frozenset(("cargo.lock", "composer.lock", "package-lock.json", "pipfile.lock", "poetry.lock", "uv.lock"))
MOST_FILES = 300
MOST_FOUND = 20
MOST_LOOKED_AT = 1_000  # places of a name in one file
LARGEST_BYTES = 64 << 10
LISTED_SECONDS = 60.0  # without git nothing tells that there are other files now
OF_FOLDER = frozenset(("__init__", "index", "mod", "lib"))


class Mentioned(NamedTuple):
    """A line of configuration that names a symbol."""

    path: str
    line: int
    text: str


class Configuration:
    """The configuration of a project; what was read is kept while its file is the same."""

    def __init__(self, project: ConfinedFolder) -> None:
        self._project = project
        self._lock = threading.Lock()
        self._listed: tuple[object, float, Sequence[str]] = (None, 0.0, ())
        self._texts: dict[str, tuple[tuple[int, int], str]] = {}

    def mentions(self, symbol: Symbol, *, is_telling: bool) -> list[Mentioned]:
        """Where it is named: with what it stands in, or by its name alone where that says enough."""
        names = [*_names(symbol, is_telling=is_telling)]
        found: dict[tuple[str, int], Mentioned] = {}
        for path in self._paths():
            text = self._text(path)
            for name in names:
                for at in _places(text, name):
                    mentioned = _mentioned(path, text, at)
                    found.setdefault((path, mentioned.line), mentioned)
                    if len(found) >= MOST_FOUND:
                        return list(found.values())
        return list(found.values())

    def _paths(self) -> Sequence[str]:
        place = index_place(self._project.root)
        stamp = place.stamp() if place else None
        with self._lock:
            known, until, paths = self._listed
            if known == stamp and (stamp is not None or monotonic() < until):
                return paths
        paths = sorted(filter(_is_configuration, project_files(self._project).paths), key=_order)[:MOST_FILES]
        with self._lock:
            self._listed = (stamp, monotonic() + LISTED_SECONDS, paths)
        return paths

    def _text(self, path: str) -> str:
        status = self._project.status(path)
        if status is None or status.st_size > LARGEST_BYTES:
            return ""
        stamp = (status.st_mtime_ns, status.st_size)
        with self._lock:
            known = self._texts.get(path)
        if known is None or known[0] != stamp:
            known = (stamp, self._read(path))
            with self._lock:
                self._texts[path] = known
        return known[1]

    def _read(self, path: str) -> str:
        try:
            return self._project.read(path, limit_bytes=LARGEST_BYTES).decode("utf-8", "replace")
        except Refusal:
            return ""


def _names(symbol: Symbol, *, is_telling: bool) -> Iterator[str]:
    """How configuration may name a symbol: `module:name`, `module.name`, `Class.method`."""
    stem = posixpath.basename(symbol.path).partition(".")[0]
    module = posixpath.basename(posixpath.dirname(symbol.path)) if stem in OF_FOLDER else stem
    yield from (f"{module}{mark}{symbol.qualified}" for mark in (":", ".", "::", "#") if module)
    if "." in symbol.qualified:
        yield symbol.qualified
    if is_telling:
        yield symbol.name


def _is_configuration(path: str) -> bool:
    return language_of(path) in LANGUAGES and posixpath.basename(path).lower() not in LOCKS


def _order(path: str) -> tuple[int, str]:
    return path.count("/"), path


def _places(text: str, name: str) -> Iterator[int]:
    """Where a name stands as a word; the first so many."""
    at = text.find(name)
    for _ in range(MOST_LOOKED_AT):
        if at < 0:
            return
        if _is_word(text, at, at + len(name)):
            yield at
        at = text.find(name, at + len(name))


def _is_word(text: str, start: int, end: int) -> bool:
    before, after = text[max(start - 1, 0) : start], text[end : end + 1]
    return not (before.isalnum() or before == "_") and not (after.isalnum() or after == "_")


def _mentioned(path: str, text: str, at: int) -> Mentioned:
    first = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    return Mentioned(path, text.count("\n", 0, at) + 1, text[first : len(text) if end < 0 else end].strip())
