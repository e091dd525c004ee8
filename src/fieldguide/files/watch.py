"""Watches folders and files for changes.

On Linux the kernel reports changes (`inotify`), since polling drains a battery; elsewhere `watchfiles` does.
"""

import errno
import os
import select
import struct
import sys
from collections.abc import Iterable, Iterator, Sequence
from time import monotonic
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
LOOK_MILLISECONDS = 1000
SETTLE_MILLISECONDS = 300
STEP_MILLISECONDS = 50
State = tuple[int, int, int] | None
QUIET_SECONDS = 0.05  # a change has settled when nothing followed it for so long,
SETTLE_SECONDS = 0.3  # or after this
READ_BYTES = 1 << 18
SHORTAGE = (
    "Only {count} folders can be watched; changes in the others are found by looking. Raise the limit: "
    "`sysctl fs.inotify.max_user_watches=1048576`."
)
HEAD = struct.Struct("iIII")
MODIFY = 0x2
ATTRIB = 0x4
CLOSE_WRITE = 0x8
MOVED_FROM = 0x40
MOVED_TO = 0x80
CREATE = 0x100
DELETE = 0x200
DELETE_SELF = 0x400
MOVE_SELF = 0x800
UNMOUNT = 0x2000
OVERFLOW = 0x4000
IGNORED = 0x8000
ONLY_FOLDERS = 0x1000000
NO_LINKS = 0x2000000
ADDED_TO = 0x20000000
IS_FOLDER = 0x40000000
PRESENCE = MOVED_FROM | MOVED_TO | CREATE | DELETE
CONTENT = PRESENCE | MODIFY | CLOSE_WRITE | ATTRIB
ITSELF = DELETE_SELF | MOVE_SELF


class WatchedPlace(NamedTuple):
    """A watched file, presence of a path, entries of a folder, or whole tree; it need not exist yet.

    A `sign` is a file whose change says that something else has changed. The folders above the place are watched up to
    `top`; without a `top`, only the folder that holds it.
    """

    path: str
    kind: Kind
    top: str = ""


class WatchedChanges(NamedTuple):
    """Changed files, and folders that changed as a whole.

    `is_everything`: more changed than is listed. `is_elsewhere`: a single file changed, or a watched place came, went
    or was replaced, so that the watch must be opened again.
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
    """Watches some places until it is closed; `shortage` says why not all of them are watched, and the remedy."""

    shortage: str

    def wait(self, seconds: float | None) -> WatchedChanges | None:
        """Wait until a change has settled; None after a timeout, or when stopped."""

    def close(self) -> None:
        """Watch no more."""


class NoWatch:
    """Used where nothing can be watched: it only waits."""

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
    if sys.platform != "linux" or os.environ.get(POLLING) or "microsoft-standard" in os.uname().release:
        # in WSL the kernel does not see changes of Windows files
        from importlib.util import find_spec

        if find_spec("watchfiles") is None:
            return NoWatch("the package watchfiles is not installed", stopped)
        return PollingWatch(places, stopped)
    try:
        return InotifyWatch(places, stopped)
    except OSError as error:
        return NoWatch(str(error.strerror), stopped)


class PollingWatch:
    """Places watched by `watchfiles`; at single files, and at what is not there yet, it looks each second."""

    shortage = ""

    def __init__(self, places: Sequence[WatchedPlace], stopped: Stop) -> None:
        self._stopped = stopped
        self._files = _of_kinds(places, "file", "presence")
        self._folders = [each.path for each in _of_kinds(places, "folder", "tree")]
        self._signs = _of_kinds(places, "sign")
        self._sign_states = [_state(each) for each in self._signs]
        self._states = {each.path: _state(each) for each in self._files}
        self._identities = {path: _identity(path) for path in self._folders}
        self._told = self._changes(is_deep=bool(_of_kinds(places, "tree")))
        self._early = next(self._told, None)  # the watch begins with the first look

    def wait(self, seconds: float | None) -> WatchedChanges | None:
        """Wait for a change, and until it has settled."""
        if seconds == 0.0:
            return None
        until = None if seconds is None else monotonic() + seconds
        while True:
            changed = self._early or next(self._told, None)
            self._early = None
            if changed is None or self._stopped.is_set():
                return None
            seen = self._seen(changed)
            if seen != WatchedChanges():
                return seen
            if until is not None and monotonic() >= until:
                return None

    def close(self) -> None:
        """Watch no more."""
        self._told = iter(())

    def _seen(self, changed: set[str]) -> WatchedChanges:
        is_same = {each.path: _state(each) for each in self._files} == self._states
        is_there = {path: _identity(path) for path in self._folders} == self._identities
        before = self._sign_states
        signs = self._sign_states = [_state(each) for each in self._signs]
        folders = frozenset(path for path in changed if not os.path.isfile(path))  # of what is gone nobody knows
        return WatchedChanges(
            frozenset(changed), folders, is_everything=signs != before, is_elsewhere=not (is_same and is_there)
        )

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


def _of_kinds(places: Sequence[WatchedPlace], *kinds: str) -> list[WatchedPlace]:
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


def _state(place: WatchedPlace) -> State:
    try:
        status = os.stat(place.path)
    except OSError:
        return None
    return (status.st_dev, status.st_ino, status.st_mtime_ns if place.kind in ("file", "sign") else 0)


class _Folder:
    """A folder that is watched, and what of it counts: everything, some files, or steps on the way to other places."""

    __slots__ = ("files", "is_deep", "is_whole", "mask", "number", "path", "signs", "steps")

    def __init__(self, path: str) -> None:
        self.path = path
        self.number = -1
        self.mask = 0
        self.is_whole = False
        self.is_deep = False
        self.steps: set[str] = set()
        self.files: set[str] = set()
        self.signs: set[str] = set()


class InotifyWatch:
    """Places watched by the kernel. Links are not followed, and the folders of tools are not entered."""

    def __init__(self, places: Iterable[WatchedPlace], stopped: Stop) -> None:
        import ctypes  # 5 ms

        self.shortage = ""
        self._library = ctypes.CDLL(None, use_errno=True)
        self._descriptor: int = self._library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._descriptor < 0:
            raise OSError(ctypes.get_errno(), "fs.inotify.max_user_instances, or the number of open files, is used up")
        self._stopped = stopped
        self._poll = select.poll()
        self._poll.register(self._descriptor, select.POLLIN)
        self._poll.register(stopped.fileno(), select.POLLIN)
        self._by_path: dict[str, _Folder] = {}
        self._by_number: dict[int, _Folder] = {}
        self._begin()
        for place in places:
            self._add_place(place)

    def wait(self, seconds: float | None) -> WatchedChanges | None:
        """Wait for a change, and until it has settled."""
        until = None if seconds is None else monotonic() + seconds
        left = seconds
        while self._is_ready(left):
            self._take_all()
            if self._files or self._folders or self._is_everything or self._is_elsewhere:
                return self._settled()
            left = None if until is None else until - monotonic()
        return None

    def close(self) -> None:
        """Watch no more."""
        os.close(self._descriptor)

    def _is_ready(self, seconds: float | None) -> bool:
        """Whether something came within this time, and the word to stop has not."""
        if seconds is not None and seconds < 0:
            return False
        ready = self._poll.poll(None if seconds is None else seconds * 1000)
        return bool(ready) and not self._stopped.is_set()

    def _begin(self) -> None:
        self._files: set[str] = set()
        self._folders: set[str] = set()
        self._is_everything = False
        self._is_elsewhere = False

    def _settled(self) -> WatchedChanges:
        """What has changed, with what follows it closely."""
        until = monotonic() + SETTLE_SECONDS
        while monotonic() < until and self._is_ready(QUIET_SECONDS):
            self._take_all()
        seen = WatchedChanges(frozenset(self._files), frozenset(self._folders), self._is_everything, self._is_elsewhere)
        self._begin()
        return seen

    def _take_all(self) -> None:
        try:
            self._take_all_of(os.read(self._descriptor, READ_BYTES))
        except BlockingIOError:
            return

    def _take_all_of(self, events: bytes) -> None:
        for number, mask, name in _events(events):
            if mask & OVERFLOW:
                self._is_everything = self._is_elsewhere = True  # folders may have come unseen
            elif (folder := self._by_number.get(number)) is not None:
                self._take(folder, mask, name)

    def _take(self, folder: _Folder, mask: int, name: str) -> None:
        path = os.path.join(folder.path, name)
        if mask & (ITSELF | UNMOUNT | IGNORED):
            if mask & IGNORED:
                self._by_number.pop(folder.number, None)
                if self._by_path.get(folder.path) is folder:
                    del self._by_path[folder.path]
            elif os.path.dirname(folder.path) not in self._by_path:  # else the watch of the folder above reports it
                self._is_elsewhere = True
        elif name in folder.files or (mask & PRESENCE and name in folder.steps):
            self._is_elsewhere = True
        elif name in folder.signs:
            self._files.add(path)
        elif folder.is_whole and name not in TOOLS:
            if not mask & IS_FOLDER:
                self._files.add(path)
                return
            if mask & MOVED_FROM:
                self._forget_below(path)
            if folder.is_deep and not mask & (MOVED_FROM | DELETE):
                self._add_tree(path)
            self._folders.add(path)

    def _add_place(self, place: WatchedPlace) -> None:
        if place.kind == "sign":
            holder, name = os.path.split(place.path)
            self._folder(holder, CONTENT).signs.add(name)
            return
        self._add_steps(place.path, place.top)
        if place.kind == "tree":
            self._add_tree(place.path)
        elif place.kind == "folder":
            self._folder(place.path, CONTENT).is_whole = True
        elif place.kind == "file":
            holder, name = os.path.split(place.path)
            self._folder(holder, CONTENT).files.add(name)

    def _add_steps(self, path: str, top: str) -> None:
        """Watch the folders above a path, up to the top, each for the next name on the way."""
        while path != top:
            above, name = os.path.split(path)
            if above == path:
                return
            is_there = os.path.isdir(above)
            if is_there:
                self._folder(above, PRESENCE).steps.add(name)
            is_below = bool(top) and above.startswith(f"{top.rstrip(os.sep)}{os.sep}")
            if is_there and above != top and not is_below:
                return
            path = above

    def _add_tree(self, root: str) -> None:
        """Watch a folder and all below it; what it holds is looked at only after that, so that nothing is missed."""
        waiting = [root]
        while waiting:
            path = waiting.pop()
            folder = self._folder(path, CONTENT | NO_LINKS)
            folder.is_whole = folder.is_deep = True
            if folder.number >= 0:
                waiting.extend(_folders_in(path))

    def _folder(self, path: str, mask: int) -> _Folder:
        """The folder at a path, watched for this much and for what it was watched before."""
        from ctypes import get_errno

        folder = self._by_path.get(path) or _Folder(path)
        if folder.mask | mask == folder.mask and folder.number >= 0:
            return folder
        flags = ITSELF | ONLY_FOLDERS | ADDED_TO
        number: int = self._library.inotify_add_watch(self._descriptor, os.fsencode(path), mask | flags)
        if number < 0:
            if get_errno() == errno.ENOSPC:
                self.shortage = SHORTAGE.format(count=len(self._by_path))
            return folder
        before = self._by_number.get(number)
        if before is not None and before.path != path:  # the same folder under the name that it had
            self._by_path.pop(before.path, None)
        folder.number = number
        folder.mask = folder.mask | mask
        self._by_path[path] = self._by_number[number] = folder
        return folder

    def _forget_below(self, path: str) -> None:
        """A folder was moved away: what happens in it is not ours any more."""
        below = f"{path}{os.sep}"
        moved = [each for each in self._by_path if each == path or each.startswith(below)]
        for each in moved:
            folder = self._by_path.pop(each)
            self._by_number.pop(folder.number, None)
            self._library.inotify_rm_watch(self._descriptor, folder.number)


def _events(data: bytes) -> Iterator[tuple[int, int, str]]:
    """Each event: the number of its watch, what happened, and the name of the entry."""
    at = 0
    while at < len(data):
        number, mask, _, length = HEAD.unpack_from(data, at)
        at += HEAD.size
        yield number, mask, os.fsdecode(data[at : at + length].rstrip(b"\0"))
        at += length


def _folders_in(path: str) -> list[str]:
    try:
        with os.scandir(path) as entries:
            return [each.path for each in entries if each.is_dir(follow_symlinks=False) and each.name not in TOOLS]
    except OSError:
        return []
