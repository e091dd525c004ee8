"""Where the kernel can't be asked directly, `watchfiles` tells of changes in folders; all else is looked at."""

import os
from collections.abc import Iterator, Sequence
from time import monotonic

from fieldguide.watching import TOOLS, Place, Seen, Stop

LOOK_MILLISECONDS = 1000
SETTLE_MILLISECONDS = 300
STEP_MILLISECONDS = 50

State = tuple[int, int, int] | None


class LookingWatch:
    """Places watched by `watchfiles`; at single files, and at what is not there yet, it looks each second."""

    shortage = ""

    def __init__(self, places: Sequence[Place], stopped: Stop) -> None:
        self._stopped = stopped
        self._files = _of_kinds(places, "file", "presence")
        self._folders = [each.path for each in _of_kinds(places, "folder", "tree")]
        self._signs = _of_kinds(places, "sign")
        self._told_signs = [_state(each) for each in self._signs]
        self._states = {each.path: _state(each) for each in self._files}
        self._identities = {path: _identity(path) for path in self._folders}
        self._told = self._changes(is_deep=bool(_of_kinds(places, "tree")))
        self._early = next(self._told, None)  # the watch begins with the first look

    def wait(self, seconds: float | None) -> Seen | None:
        """Wait for a change, and until it has settled."""
        if seconds == 0.0:
            return None
        until = None if seconds is None else monotonic() + seconds
        while True:
            changed, self._early = self._early or next(self._told, None), None
            if changed is None or self._stopped.is_set():
                return None
            seen = self._seen(changed)
            if seen != Seen():
                return seen
            if until is not None and monotonic() >= until:
                return None

    def close(self) -> None:
        """Watch no more."""
        self._told = iter(())

    def _seen(self, changed: set[str]) -> Seen:
        is_same = {each.path: _state(each) for each in self._files} == self._states
        is_there = {path: _identity(path) for path in self._folders} == self._identities
        folders = frozenset(path for path in changed if not os.path.isfile(path))  # of what is gone nobody knows
        return Seen(frozenset(changed), folders, self._are_other_signs(), is_elsewhere=not (is_same and is_there))

    def _are_other_signs(self) -> bool:
        """Whether a sign has changed since it was last looked at: what it is a sign of may not have been told yet."""
        before, self._told_signs = self._told_signs, [_state(each) for each in self._signs]
        return before != self._told_signs

    def _changes(self, *, is_deep: bool) -> Iterator[set[str]]:
        """Again and again, until stopped: the paths that have changed; after a second also when none have."""
        roots = tuple(path for path in self._folders if os.path.isdir(path))
        while not roots and not self._stopped.wait(LOOK_MILLISECONDS / 1000):
            yield set()
        if not roots:
            return
        from watchfiles import watch

        for changes in watch(
            *roots,
            watch_filter=None,
            recursive=is_deep,
            debounce=SETTLE_MILLISECONDS,
            step=STEP_MILLISECONDS,
            rust_timeout=LOOK_MILLISECONDS,
            yield_on_timeout=True,
            stop_event=self._stopped,
            raise_interrupt=False,
            ignore_permission_denied=True,
        ):
            yield {path for _, path in changes if not _is_of_a_tool(path, roots)}


def _of_kinds(places: Sequence[Place], *kinds: str) -> list[Place]:
    return [each for each in places if each.kind in kinds]


def _is_of_a_tool(path: str, roots: Sequence[str]) -> bool:
    """Whether a path lies in a folder of a tool; where the watched folder itself lies does not matter."""
    root = max((root for root in roots if path.startswith(root)), key=len, default="")
    return not TOOLS.isdisjoint(path[len(root) :].split(os.sep))


def _identity(path: str) -> tuple[int, int]:
    """Which folder a path names: one that was replaced has the same name, and a watch on the old sees nothing more."""
    try:
        status = os.stat(path)
    except OSError:
        return 0, 0
    return status.st_dev, status.st_ino


def _state(place: Place) -> State:
    try:
        status = os.stat(place.path)
    except OSError:
        return None
    return (status.st_dev, status.st_ino, status.st_mtime_ns if place.kind in ("file", "sign") else 0)
