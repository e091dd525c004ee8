"""Whether the index is of the tree that is checked out now: git's own files tell that before any watcher does.

A checkout holds git's index locked while it writes files, and ends with another index and another HEAD. A call that
looks at those few files knows that the index is behind, however long the watcher waits for the last of the changes.
"""

import os
import threading
import time
from collections.abc import Callable, Sequence
from time import monotonic
from typing import TYPE_CHECKING

from fieldguide.project_text.git_index import index_place

if TYPE_CHECKING:  # a start lists tools: nothing is watched on the way there
    from fieldguide.upkeep.tended import Tended
    from fieldguide.watching import Place

SIGNS = ("HEAD", os.path.join("logs", "HEAD"), "index")
LOCK = "index.lock"
LONGEST_WRITING_SECONDS = 10.0  # an older lock was left behind, or belongs to a commit whose message is being written

Stamp = tuple[tuple[int, ...] | None, ...]


class ServedTree:
    """The tree of a project, as git tells of it, and as it was when the index was last brought up to date.

    What is kept up (`made`) is told whether every change is seen: while the index is behind, some may not have been.
    """

    def __init__(self, project: str, made: "Callable[[], Tended | None]") -> None:
        self._project = project
        self._made = made
        self._changing = threading.Lock()
        self._signs: Sequence[str] = ()
        self._lock = ""
        self._followed: Stamp | None = None
        self._noticed: tuple[Stamp, float] = ((), 0.0)

    def places(self) -> "list[Place]":
        """Look where git keeps its files now; what is to be watched of them."""
        from fieldguide.watching import Place

        place = index_place(self._project)
        folder = os.path.realpath(place.folder) if place else None
        self._signs = tuple(os.path.join(folder, name) for name in SIGNS) if folder else ()
        self._lock = os.path.join(folder, LOCK) if folder else ""
        return [Place(path, "sign") for path in self._signs]

    def stamp(self) -> Stamp:
        """What is other after each checkout, commit and reset."""
        return tuple(map(_status, self._signs))

    def is_at(self, stamp: Stamp) -> bool:
        """Whether the index is of the tree that has this stamp."""
        return self._followed == stamp

    def follow(self, stamp: Stamp, *, is_watched: bool) -> None:
        """The index is of the tree that had this stamp."""
        with self._changing:
            self._followed = stamp
            if is_watched and not self._differs(self.stamp()):
                self._be_watched(True)

    def forget(self) -> None:
        """Nobody here keeps the index any more: what it is of is another's to know."""
        with self._changing:
            self._followed = None

    def is_behind(self) -> bool:
        """Whether another tree may be checked out than the index is of, or one is being checked out."""
        now = self.stamp()
        if not self._differs(now):
            return False
        with self._changing:
            if self._noticed[0] != now:
                self._noticed = (now, monotonic())
            if self._differs(now):
                self._be_watched(False)
        return True

    def behind_since(self) -> float:
        """When somebody first noticed that."""
        return self._noticed[1]

    def _be_watched(self, is_whole: bool) -> None:
        made = self._made()
        if made is not None:
            made.watching(is_whole=is_whole)

    def _differs(self, now: Stamp) -> bool:
        return self._followed is not None and (now != self._followed or self._is_being_written())

    def _is_being_written(self) -> bool:
        try:
            return time.time() - os.stat(self._lock).st_mtime < LONGEST_WRITING_SECONDS
        except OSError:
            return False


def _status(path: str) -> tuple[int, ...] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size, found.st_ino)
