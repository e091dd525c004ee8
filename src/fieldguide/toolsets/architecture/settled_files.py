"""Files as they were when nobody was writing them: what is half written is not seen, what was there before still is.

A file counts when nobody has it open for writing and it has not changed for half a second. At the first look there is
nothing older to show, so a file that was written just now is taken where the system says that nobody writes it.
"""

import os
import threading
from collections.abc import Callable, Iterable, Mapping
from time import monotonic, sleep, time
from typing import NamedTuple

from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import Refusal

SETTLED_SECONDS = 0.5
LOOK_SECONDS = 1.0
UNSETTLED_LOOK_SECONDS = 0.1
LARGEST_BYTES = 1 << 20

Stamp = tuple[int, int, int, int]
Listing = Callable[[], Iterable[tuple[str, os.stat_result]]]


class File(NamedTuple):
    """A file as it was read: its path in the project, its bytes, and its status then."""

    path: str
    content: bytes
    status: os.stat_result


class SettledFiles:
    """Some files of a project, read again when they have changed; safe to ask from any thread.

    `listing` names the files that are wanted now. `generation` grows with every change that was seen.
    """

    def __init__(self, project: ConfinedFolder, listing: Listing) -> None:
        self._project = project
        self._listing = listing
        self._lock = threading.Lock()
        self._files: Mapping[str, File] = {}
        self._waiting: dict[str, tuple[Stamp, float]] = {}
        self._looked_at: float | None = None
        self.generation = 0

    @property
    def is_unsettled(self) -> bool:
        """Whether a file was being written at the last look."""
        return bool(self._waiting)

    def current(self) -> Mapping[str, File]:
        """The files by path; looked at again when the last look is not fresh any more."""
        patience = UNSETTLED_LOOK_SECONDS if self._waiting else LOOK_SECONDS
        if self._looked_at is None or monotonic() - self._looked_at >= patience:
            return self.look()
        return self._files

    def look(self) -> Mapping[str, File]:
        """The files by path as they are now."""
        with self._lock:
            is_first = self._looked_at is None
            found = {path: self._seen(path, status, is_first=is_first) for path, status in self._listing()}
            self._waiting = {path: seen for path, seen in self._waiting.items() if path in found}
            files = {path: file for path, file in sorted(found.items()) if file is not None}
            if is_first or files != self._files:
                self._files = files
                self.generation += 1
            self._looked_at = monotonic()
            return self._files

    def _seen(self, path: str, status: os.stat_result, *, is_first: bool) -> File | None:
        before = self._files.get(path)
        if before is not None and stamp_of(before.status) == stamp_of(status):
            self._waiting.pop(path, None)
            return before
        if not self._is_settled(path, status, is_first=is_first):
            return before
        try:
            content, read = self._project.read_with_status(path, limit_bytes=LARGEST_BYTES)
        except Refusal:
            self._waiting.pop(path, None)
            return None
        if stamp_of(read) != stamp_of(status):  # it has changed since it was listed
            self._waiting[path] = (stamp_of(read), monotonic())
            return before
        self._waiting.pop(path, None)
        return File(path, content, read)

    def _is_settled(self, path: str, status: os.stat_result, *, is_first: bool) -> bool:
        """Whether a file that has changed is whole, as far as can be told."""
        if self._is_being_written(path):
            self._waiting[path] = (stamp_of(status), monotonic())
            return False
        if time() - status.st_mtime >= SETTLED_SECONDS and time() - status.st_ctime >= SETTLED_SECONDS:
            return True
        if is_first:
            return self._is_being_written(path) is False or self._is_still_the_same(path, status)
        stamp, since = self._waiting.setdefault(path, (stamp_of(status), monotonic()))
        if stamp != stamp_of(status):
            self._waiting[path] = (stamp_of(status), monotonic())
            return False
        return monotonic() - since >= SETTLED_SECONDS

    def _is_still_the_same(self, path: str, status: os.stat_result) -> bool:
        """Where the system does not tell of writers, wait once: there is nothing older to show meanwhile."""
        sleep(SETTLED_SECONDS)
        try:
            _, later = self._project.read_with_status(path, limit_bytes=LARGEST_BYTES)
        except Refusal:
            return False
        return stamp_of(later) == stamp_of(status)

    def _is_being_written(self, path: str) -> bool | None:
        try:
            return self._project.is_being_written(path)
        except Refusal:
            return None


def stamp_of(status: os.stat_result) -> Stamp:
    """What tells, without reading it, that a file is still the same."""
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino
