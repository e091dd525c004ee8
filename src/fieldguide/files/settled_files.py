"""Reads files only when nobody is writing them, and keeps the last settled content.

A file counts when nobody has it open for writing and it has not changed for half a second. At the first look there is
nothing older to show, so a file that was written just now is taken where the system says that nobody writes it.
"""

import os
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from time import monotonic, sleep, time
from typing import NamedTuple

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.text.errors import Refusal

SETTLED_SECONDS = 0.5
LOOK_SECONDS = 1.0
UNSETTLED_LOOK_SECONDS = 0.1
LARGEST_BYTES = 1 << 20

Stamp = tuple[int, int, int, int]
Listing = Callable[[], Iterable[tuple[str, os.stat_result]]]
Find = Callable[[str], os.stat_result | None]


class SettledFile(NamedTuple):
    """A file as it was read: its path in the project, its bytes, and its status then."""

    path: str
    content: bytes
    status: os.stat_result


class SettledFiles:
    """Some files of a project, read again when they have changed; safe to ask from any thread.

    `listing` names the files that are wanted now, `find` gives the status of one, if it is wanted. `generation` grows
    with every change that was seen; `refused` are the files that can't be taken, each with the reason. While they are
    followed (`is_followed`), somebody looks after every change, so that who reads them need not.
    """

    def __init__(self, project: ConfinedFolder, listing: Listing, find: Find = lambda path: None) -> None:
        self._project = project
        self._listing = listing
        self._find = find
        self._lock = threading.Lock()
        self._files: Mapping[str, SettledFile] = {}
        self._waiting: dict[str, tuple[Stamp, float]] = {}
        self._looked_at: float | None = None
        self.is_followed = False
        self.generation = 0
        self.refused: dict[str, str] = {}

    @property
    def is_unsettled(self) -> bool:
        """Whether a file was being written at the last look."""
        return bool(self._waiting)

    def current(self) -> Mapping[str, SettledFile]:
        """The files by path; looked at again when the last look is not fresh any more."""
        if self._is_fresh():
            return self._files
        with self._lock:  # whoever had to wait for another's look takes what that one saw
            return self._files if self._is_fresh() else self._look()

    def look(self, paths: Collection[str] | None = None) -> Mapping[str, SettledFile]:
        """The files by path as they are now; where only these have changed, the others are not looked at."""
        with self._lock:
            return self._look() if paths is None or self._looked_at is None else self._look_at(paths)

    def _is_fresh(self) -> bool:
        if self._looked_at is None:
            return False
        patience = UNSETTLED_LOOK_SECONDS if self._waiting else LOOK_SECONDS
        return self.is_followed or monotonic() - self._looked_at < patience

    def _look(self) -> Mapping[str, SettledFile]:
        is_first = self._looked_at is None
        listing = dict(self._listing())
        rested = self._rested(listing) if is_first else frozenset[str]()
        self.refused = {path: reason for path, reason in self.refused.items() if path in listing}
        files: dict[str, SettledFile] = {}
        for path, status in listing.items():
            file = self._seen(path, status, is_rested=path in rested)
            if file is not None:
                files[path] = file
        self._waiting = {path: seen for path, seen in self._waiting.items() if path in listing}
        self._keep(files)
        self.generation = max(self.generation, 1)
        self._looked_at = monotonic()
        return self._files

    def _look_at(self, paths: Collection[str]) -> Mapping[str, SettledFile]:
        """Look at some files, and at those that were being written, and leave the others as they are."""
        wanted = {*paths, *self._waiting}
        files = {path: file for path, file in self._files.items() if path not in wanted}
        for path in wanted:
            status = self._find(path)
            if status is None:
                self.refused.pop(path, None)
                self._waiting.pop(path, None)
                continue
            file = self._seen(path, status, is_rested=False)
            if file is not None:
                files[path] = file
        self._keep(files)
        return self._files

    def _keep(self, files: Mapping[str, SettledFile]) -> None:
        if files != self._files:
            self._files = dict(sorted(files.items()))
            self.generation += 1

    def _rested(self, listing: Mapping[str, os.stat_result]) -> frozenset[str]:
        """The files that are whole at the first look: nobody writes them, or they rest for as long as we wait, once."""
        young = {path: stamp_file(status) for path, status in listing.items() if not _is_old(status)}
        written = {path: self._is_being_written(path) for path in young}
        if None not in written.values():
            return frozenset(path for path, is_written in written.items() if not is_written)
        sleep(SETTLED_SECONDS)
        later = {path: stamp_file(status) for path, status in self._listing()}
        return frozenset(path for path, stamp in young.items() if later.get(path) == stamp)

    def _seen(self, path: str, status: os.stat_result, *, is_rested: bool) -> SettledFile | None:
        before = self._files.get(path)
        if before is not None and stamp_file(before.status) == stamp_file(status):
            self._waiting.pop(path, None)
            return before
        if not self._is_settled(path, status, is_rested=is_rested):
            return before
        try:
            content, read = self._project.read_with_status(path, limit_bytes=LARGEST_BYTES)
        except Refusal as error:
            self._waiting.pop(path, None)
            self.refused[path] = error.message
            return None
        self.refused.pop(path, None)
        if stamp_file(read) != stamp_file(status):  # it has changed since it was listed
            self._waiting[path] = (stamp_file(read), monotonic())
            return before
        self._waiting.pop(path, None)
        return SettledFile(path, content, read)

    def _is_settled(self, path: str, status: os.stat_result, *, is_rested: bool) -> bool:
        """Whether a file that has changed is whole, as far as can be told."""
        if self._is_being_written(path):
            self._waiting[path] = (stamp_file(status), monotonic())
            return False
        if is_rested or _is_old(status):
            return True
        stamp, since = self._waiting.setdefault(path, (stamp_file(status), monotonic()))
        if stamp != stamp_file(status):
            self._waiting[path] = (stamp_file(status), monotonic())
            return False
        return monotonic() - since >= SETTLED_SECONDS

    def _is_being_written(self, path: str) -> bool | None:
        try:
            return self._project.is_being_written(path)
        except Refusal:
            return None


def _is_old(status: os.stat_result) -> bool:
    """Whether a file was last written a while ago; one that was only moved is as old as it was."""
    return time() - status.st_mtime >= SETTLED_SECONDS


def stamp_file(status: os.stat_result) -> Stamp:
    """What tells, without reading it, that a file is still the same."""
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino
