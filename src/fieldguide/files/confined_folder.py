"""Opens, lists and reads files below a folder and never outside it.

Checking a path as text and then opening it leaks when a parent is swapped for a link in between. So every
component is opened relative to its already opened parent, without following links; links are read and walked by
this module, one by one, and must stay inside. A named pipe can't hang the open (`O_NONBLOCK`), and what was opened
is judged by its descriptor, not by its name. What is never served (`files/secrets.py`) is neither listed nor read: it
is refused by the names on the path that it really has, by its content, and by its other names.
"""

import errno
import os
import stat
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from fieldguide.files.file_system import find_open_flag
from fieldguide.files.secrets import EVERYBODYS, SensitiveFiles, is_key_name
from fieldguide.text.errors import NotFound, PathEscape, Unreadable

MAX_LINKS = 40
LARGEST_KEY_BYTES = 1 << 20
HEAD_BYTES = 1 << 16
_FLAGS = os.O_RDONLY | find_open_flag("O_NOFOLLOW") | find_open_flag("O_NONBLOCK") | find_open_flag("O_CLOEXEC")


class OpenedFile(NamedTuple):
    """What was opened, and the names on the path below the project that it really has."""

    descriptor: int
    names: tuple[str, ...]


class ConfinedFolder:
    """A folder whose files can be listed and read, and nothing outside it.

    `sensitive` is the list of what is never served. A folder `like` another keeps to that one's list, and knows its
    secrets by their other names.
    """

    def __init__(
        self,
        root: str,
        *,
        inside: "ConfinedFolder | None" = None,
        like: "ConfinedFolder | None" = None,
        sensitive: SensitiveFiles = EVERYBODYS,
    ) -> None:
        self.root = root if inside else os.path.realpath(root)
        self._inside = inside
        model = inside or like
        self.sensitive: SensitiveFiles = model.sensitive if model else sensitive

    def folder(self, path: str) -> "ConfinedFolder":
        """A folder below this one, confined to itself; it may be missing until it is read."""
        return ConfinedFolder(path, inside=self)

    def exists(self) -> bool:
        """Whether the folder is there, inside the one that holds it."""
        try:
            os.close(self._open_root().descriptor)
        except (OSError, NotFound, PathEscape, Unreadable):
            return False
        return True

    def read(self, path: str, *, limit_bytes: int) -> bytes:
        """The bytes of a regular file at a relative path; NotFound, PathEscape or Unreadable otherwise."""
        return self.read_with_status(path, limit_bytes=limit_bytes)[0]

    def read_with_status(self, path: str, *, limit_bytes: int) -> tuple[bytes, os.stat_result]:
        """The bytes of a regular file, and the status of the very file that was read."""
        with self._opened(path) as (descriptor, names):
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise Unreadable(f"Not a regular file: {path}", path=path)
            if found.st_size > limit_bytes:
                raise Unreadable(f"File too large: {path}", path=path, size=found.st_size, limit=limit_bytes)
            content = _read_all(descriptor, limit_bytes + 1)
        if len(content) > limit_bytes:
            raise Unreadable(f"File too large: {path}", path=path, limit=limit_bytes)
        if self.sensitive.refuses_content(names, content):
            raise _denied(path)
        return content, found

    def may_be_told(self, path: str) -> bool:
        """Whether lines that another program read in a file may be told: a quick look, which serves nothing itself."""
        names = tuple(path.split("/"))
        if self.sensitive.refuses(names):
            return False
        try:
            descriptor = os.open(os.path.join(self.root, path), _FLAGS)
        except OSError:  # removed meanwhile
            return True
        try:
            return not self.sensitive.refuses_content(names, os.read(descriptor, HEAD_BYTES))
        except OSError:
            return False
        finally:
            os.close(descriptor)

    def is_being_written(self, path: str) -> bool | None:
        """Whether somebody has a file open for writing just now; None where the system does not say."""
        with self._opened(path) as (descriptor, _):
            return _has_writer(descriptor)

    def files(self) -> Iterator[str]:
        """Every regular file below the folder as a relative POSIX path, hidden ones too, in no particular order."""
        for path, _ in self.entries():
            yield path

    def entries(self, enters: Callable[[str], bool] = lambda path: True) -> Iterator[tuple[str, os.stat_result]]:
        """Every regular file below the folder with its status; of the folders in it, those that one `enters`.

        A link counts when it leads to a regular file inside; linked directories are not entered. What is on the list
        of what is never served is left out.
        """
        pending = [""]
        while pending:
            parent = pending.pop()
            with (
                suppress(OSError, NotFound, PathEscape, Unreadable),
                self._opened(parent or ".", is_folder=True) as (folder, names),
            ):
                with os.scandir(folder) as listing:
                    entries = list(listing)
                for entry in entries:
                    path = f"{parent}{entry.name}"
                    if self.sensitive.refuses_entry(names, entry.name, is_folder=entry.is_dir(follow_symlinks=False)):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        if enters(path):
                            pending.append(f"{path}/")
                    elif status := self._listed_status(path, entry):
                        yield path, status

    def names_in(self, path: str) -> list[str]:
        """The names of all that lies in a folder, served or not; none where there is no such folder inside."""
        try:
            with self._opened(path or ".", is_folder=True) as opened:
                return os.listdir(opened.descriptor)
        except (OSError, NotFound, PathEscape, Unreadable):
            return []

    def entry(self, path: str) -> os.stat_result | None:
        """The status of one file as `entries` gives it; None when it would leave it out."""
        if is_key_name(path.rpartition("/")[2]):
            with suppress(NotFound, PathEscape, Unreadable):
                return self.read_with_status(path, limit_bytes=LARGEST_KEY_BYTES)[1]
            return None
        return self.status(path)

    def status(self, path: str) -> os.stat_result | None:
        """The status of the regular file at a relative path; None when there is none that can be read."""
        with suppress(NotFound, PathEscape, Unreadable), self._opened(path) as opened:
            status = os.fstat(opened.descriptor)
            return status if stat.S_ISREG(status.st_mode) else None
        return None

    def real_path(self) -> str:
        """The folder as a path without links, for those who watch it or tell of it."""
        return os.path.realpath(os.path.join(self._inside.real_path(), self.root)) if self._inside else self.root

    def _listed_status(self, path: str, entry: "os.DirEntry[str]") -> os.stat_result | None:
        """The status of a regular file that may be served; what is named like a key is looked into."""
        if is_key_name(entry.name) or entry.is_symlink():
            return self.entry(path)
        if entry.is_file(follow_symlinks=False):
            with suppress(OSError):  # removed meanwhile
                return entry.stat(follow_symlinks=False)
        return None

    @contextmanager
    def _opened(self, path: str, *, is_folder: bool = False) -> Generator[OpenedFile]:
        opened = self._open(path, is_folder=is_folder)
        try:
            yield opened
        finally:
            os.close(opened.descriptor)

    def _open(self, path: str, *, is_folder: bool = False) -> OpenedFile:
        """What is at a path; some names are refused for files alone, so a folder is opened as one or not at all."""
        if not path or "\0" in path:
            raise NotFound(f"File not found: {path!r}", path=path)
        if path.startswith("/"):
            raise PathEscape("Absolute paths not allowed", path=path)
        parents: list[OpenedFile] = []
        try:
            parents.append(self._open_root())
            opened = self._walk(parents, path, is_folder=is_folder)
            if is_folder and not stat.S_ISDIR(os.fstat(opened.descriptor).st_mode):
                os.close(opened.descriptor)
                raise NotFound(f"Not a folder: {path}", path=path)
            return opened
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG):
                raise NotFound(f"File not found: {path}", path=path) from error
            raise Unreadable(f"File can't be read: {path}", path=path) from error
        finally:
            for parent in parents:
                os.close(parent.descriptor)

    def _open_root(self) -> OpenedFile:
        if self._inside is None:
            return OpenedFile(os.open(self.root, _FLAGS | os.O_DIRECTORY), ())
        with self._inside._opened(self.root, is_folder=True) as (descriptor, names):
            return OpenedFile(os.open(".", _FLAGS | os.O_DIRECTORY, dir_fd=descriptor), names)

    def _walk(self, parents: list[OpenedFile], path: str, *, is_folder: bool) -> OpenedFile:
        waiting = _components(path)
        links = 0
        while waiting:
            name = waiting.pop()
            if name == "..":
                if len(parents) == 1:
                    raise PathEscape("Path traversal not allowed", path=path)
                os.close(parents.pop().descriptor)
                continue
            names = (*parents[-1].names, name)
            if self.sensitive.refuses_step(names, waiting[::-1], is_folder=is_folder or bool(waiting)):
                raise _denied(path)
            try:
                descriptor = os.open(name, _FLAGS, dir_fd=parents[-1].descriptor)
            except OSError as error:
                if error.errno not in (errno.ELOOP, errno.EMLINK):
                    raise
                links += 1
                if links > MAX_LINKS:
                    raise PathEscape("Too many links", path=path) from error
                target = os.readlink(name, dir_fd=parents[-1].descriptor)
                waiting.extend(_components(self._restarted(target, parents, path)))
                continue
            if not waiting:
                return OpenedFile(descriptor, names)
            parents.append(OpenedFile(descriptor, names))
        return OpenedFile(os.dup(parents[-1].descriptor), parents[-1].names)

    def _restarted(self, target: str, parents: list[OpenedFile], path: str) -> str:
        """A link's target as a path to walk on; an absolute one starts again at the root, if it lies inside."""
        if not target.startswith("/"):
            return target
        root = self.real_path()
        if target != root and not target.startswith(root + "/"):
            raise PathEscape("Path traversal not allowed", path=path)
        while len(parents) > 1:
            os.close(parents.pop().descriptor)
        return target[len(root) :]


def _denied(path: str) -> Unreadable:
    return Unreadable(f"Permission denied: {path}", path=path)


def _components(path: str) -> list[str]:
    return [name for name in reversed(path.split("/")) if name not in ("", ".")]


def _read_all(descriptor: int, limit_bytes: int) -> bytes:
    parts: list[bytes] = []
    missing = limit_bytes
    while missing > 0 and (part := os.read(descriptor, min(missing, 1 << 20))):
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


def _has_writer(descriptor: int) -> bool | None:
    """A lease for reading is only given while nobody writes (Linux, on files of our own).

    We hold it for a moment. Should somebody open the file for writing just then, the system tells us by a signal, which
    must be one that ends nobody.
    """
    if sys.platform != "linux":
        return None
    try:
        import fcntl
        from signal import SIGURG

        fcntl.fcntl(descriptor, fcntl.F_SETSIG, SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except (ImportError, AttributeError):
        return None
    except OSError as error:
        return True if error.errno == errno.EAGAIN else None
    return False
