"""Which file a text means when it names one: as it stands, from where the text lies, or by the end of its path."""

import posixpath
from collections.abc import Mapping
from functools import cached_property
from itertools import chain

from fieldguide.source_code.test_files import is_test
from fieldguide.tracing.marks import Mark
from fieldguide.tracing.store import TraceStore


class PlaceNames:
    """Finds the files and folders that are named; asks only for those of that name."""

    def __init__(self, store: TraceStore) -> None:
        self._store = store
        self._based: dict[str, dict[str, list[str]]] = {}

    def file(self, mark: Mark, document: str) -> str | None:
        """The one file that a mark of a document means; None where there is none, or several fit."""
        if mark.said.endswith("/"):
            return self._folder(mark.said.rstrip("/"), document)
        by_tail = self._called(mark.name)
        if not by_tail:
            return _only(self._records(mark.name)) if "/" in mark.said else None
        for path in (_joined(document, mark.said), mark.said):
            if path in by_tail.get(_tail(path), ()):
                return path
        return _only(_ending(mark.said.lstrip("./"), by_tail))

    def _called(self, name: str) -> dict[str, list[str]]:
        """The files of a name, by their last two parts: of some names there are thousands."""
        if name not in self._based:
            found: dict[str, list[str]] = {}
            for path in self._store.based(name):
                found.setdefault(_tail(path), []).append(path)
            self._based[name] = found
        return self._based[name]

    def _records(self, name: str) -> list[str]:
        """The documents whose names begin with a number, as in `docs/decisions/0039`."""
        if not any(character.isdecimal() for character in name) or "." in name:
            return []
        rows = (row.path for row in self._store.decisions())
        return [path for path in rows if posixpath.basename(path).partition(".")[0].startswith(f"{name}-")]

    def _folder(self, said: str, document: str) -> str | None:
        for folder in (_joined(document, said), said.removeprefix("./")):
            if folder and not folder.startswith("..") and self._store.below(folder, 1):
                return f"{folder}/"
        ends = f"/{said}"
        fitting = [folder for folder in self._folders if f"/{folder}".endswith(ends)]
        plain = [folder for folder in fitting if not is_test(f"{folder}/")]  # tests lie in folders of the same name
        only = _only(plain)
        return None if only is None else f"{only}/"

    @cached_property
    def _folders(self) -> list[str]:
        found: set[str] = set()
        for path in self._store.paths():
            folder = posixpath.dirname(path)
            while folder and folder not in found:
                found.add(folder)
                folder = posixpath.dirname(folder)
        return sorted(found)


def _ending(plain: str, by_tail: Mapping[str, list[str]]) -> list[str]:
    """The files whose paths end with what is said, part by part."""
    alike = by_tail.get(_tail(plain), []) if "/" in plain else chain.from_iterable(by_tail.values())
    return [path for path in alike if f"/{path}".endswith(f"/{plain}")]


def _only(paths: list[str]) -> str | None:
    return paths[0] if len(paths) == 1 else None


def _joined(document: str, said: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(document), said))


def _tail(path: str) -> str:
    return "/".join(path.rsplit("/", 2)[-2:])
