"""Watches folders and files for changes.

On Linux the kernel is asked directly (`inotify`): a watcher that looks every now and then costs a battery for ever.
"""

import os
import sys
from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

from fieldguide.text.cancellation import Stop

Kind = Literal["file", "presence", "folder", "tree", "sign"]
POLLING = "WATCHFILES_FORCE_POLLING"
# fmt: off
TOOLS = frozenset((  # folders of tools: what lies in them is nobody's text
    ".fieldguide", ".git", ".hg", ".hypothesis", ".idea", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".svn",
    ".tox", ".venv", "__pycache__", "node_modules", "site-packages",
))
# fmt: on


class WatchedPlace(NamedTuple):
    """What is watched: a file, whether something is there at all, the entries of a folder, or a folder with all below.

    A `sign` is a file that is told like one of a folder: it says that there was a change, and is none itself.

    It may not be there yet. Below `top` nothing on the way to it can come, go or be replaced unseen; without one, the
    folder that holds it is the last that is watched.
    """

    path: str
    kind: Kind
    top: str = ""


class WatchedChanges(NamedTuple):
    """What has changed in the folders: files, and folders as a whole.

    `is_everything` when there was more than could be told; `is_elsewhere` when a single file has changed, or something
    that is watched has come, gone or been replaced: then all may be different, and the watch must be opened anew.
    """

    files: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()
    is_everything: bool = False
    is_elsewhere: bool = False

    def joined(self, more: "WatchedChanges") -> "WatchedChanges":
        """This, and what was seen after it."""
        return WatchedChanges(
            self.files | more.files,
            self.folders | more.folders,
            self.is_everything or more.is_everything,
            self.is_elsewhere or more.is_elsewhere,
        )


class Watch(Protocol):
    """Some places, watched until it is closed. `shortage` says why not all of them are, and the way out."""

    shortage: str

    def wait(self, seconds: float | None) -> WatchedChanges | None:
        """Wait for a change, and until it has settled; None when the time is over, or the word to stop has come."""
        ...

    def close(self) -> None:
        """Watch no more."""
        ...


class NoWatch:
    """What there is where nothing can be watched: the time goes by."""

    def __init__(self, reason: str, stopped: Stop) -> None:
        self.shortage = f"The files can't be watched, so they are looked at: {reason}."
        self._stopped = stopped

    def wait(self, seconds: float | None) -> WatchedChanges | None:
        """Let the time pass."""
        self._stopped.wait(seconds)
        return None

    def close(self) -> None:
        """Nothing is open."""


def open_watch(places: Sequence[WatchedPlace], stopped: Stop) -> Watch:
    """Watch these places from now on, as far as the system can."""
    if sys.platform == "linux" and not _must_poll():
        from fieldguide.files.watch_backends import InotifyWatch

        try:
            return InotifyWatch(places, stopped)
        except OSError as error:
            return NoWatch(str(error.strerror), stopped)
    from fieldguide.files.watch_backends import PollingWatch

    return PollingWatch(places, stopped)


def _must_poll() -> bool:
    """Whether a person says so, or the files may be those of Windows, of which the kernel hears nothing."""
    return bool(os.environ.get(POLLING)) or "microsoft-standard" in os.uname().release
