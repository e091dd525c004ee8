"""A file that a command changes for a person: read within bounds, replaced whole, through the links of a person only.

A person may link their own settings to wherever they keep them. A link in a project is somebody else's: it is followed
only inside the project, and from there the path is walked without links: nothing that is swapped meanwhile leads away.
"""

import errno
import os
import secrets
import stat
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

from fieldguide.errors import Refusal
from fieldguide.places import PRIVATE_FILE
from fieldguide.platform_files import flag

MOST_BYTES = 16 << 20
SHARED_FILE = 0o644
_FOLDER = os.O_RDONLY | flag("O_DIRECTORY") | flag("O_NOFOLLOW") | flag("O_CLOEXEC")
_FILE = os.O_RDONLY | flag("O_NOFOLLOW") | flag("O_NONBLOCK") | flag("O_CLOEXEC")
_DRAFT = os.O_WRONLY | os.O_CREAT | os.O_EXCL | flag("O_NOFOLLOW") | flag("O_CLOEXEC")


class Place(NamedTuple):
    """Where a file is, the project that it must stay in (None: it is the person's own), and the person's home."""

    path: str
    confined_to: str | None
    home: str

    @property
    def shown(self) -> str:
        """The path as a person reads it: below the project, or below their home."""
        if self.confined_to is not None:
            return os.path.relpath(self.path, self.confined_to)
        below = os.path.relpath(self.path, self.home)
        return self.path if below.startswith("..") else os.path.join("~", below)

    def real(self) -> str:
        """The path without links; a project's file that lies elsewhere is refused."""
        real = os.path.realpath(self.path)
        if self.confined_to is not None and not real.startswith(self.confined_to + os.sep):
            raise Refusal("leads out of the project through a link; it is left alone.")
        return real

    def read(self) -> bytes | None:
        """What the file holds; None where there is none."""
        base, *folders, name = self._steps()
        try:
            with _opened(base, folders) as folder:
                return _content(name, folder)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise Refusal(f"can't be read: {_reason(error)}.") from error

    def write(self, before: bytes | None, after: bytes, *, is_lasting: bool = True) -> list[str]:
        """Put `after` in the place of `before`, whole or not at all; gives the folders that were made for it.

        What is not `is_lasting` may be lost when the power goes at once.
        """
        base, *folders, name = self._steps()
        made: list[str] = []
        try:
            with _opened(base, folders, made) as folder:
                self._swap(name, folder, before, after, is_lasting=is_lasting)
        except OSError as error:
            remove_folders(made)
            raise Refusal(f"can't be written: {_reason(error)}.") from error
        except Refusal:
            remove_folders(made)
            raise
        return made

    def remove(self, before: bytes) -> None:
        """Take the file away, if it still holds what it held."""
        base, *folders, name = self._steps()
        try:
            with _opened(base, folders) as folder:
                _refuse_changed(name, folder, before)
                os.unlink(name, dir_fd=folder)
        except OSError as error:
            raise Refusal(f"can't be removed: {_reason(error)}.") from error

    def _steps(self) -> list[str]:
        """The folder to begin at, and the names below it that lead to the file."""
        real = self.real()
        base = self.confined_to or os.path.dirname(real)
        while not os.path.isdir(base) and os.path.dirname(base) != base:
            base = os.path.dirname(base)
        return [base, *(each for each in real.removeprefix(base).split(os.sep) if each)]

    def _swap(self, name: str, folder: int, before: bytes | None, after: bytes, *, is_lasting: bool) -> None:
        draft = f".{name}.{secrets.token_hex(4)}.new"
        usual = PRIVATE_FILE if self.confined_to is None else SHARED_FILE
        try:
            descriptor = os.open(draft, _DRAFT, usual, dir_fd=folder)
            with open(descriptor, "wb") as file:
                _keep_owner(descriptor, name, folder)
                file.write(after)
                file.flush()
                if is_lasting:
                    os.fsync(descriptor)
            _refuse_changed(name, folder, before)
            os.replace(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
        except (OSError, Refusal):
            with suppress(OSError):
                os.unlink(draft, dir_fd=folder)
            raise


def remove_folders(made: Sequence[str]) -> None:
    """Take folders away that were made for a file, where nothing else is in them."""
    for folder in reversed(made):
        with suppress(OSError):
            os.rmdir(folder)


def _content(name: str, folder: int) -> bytes | None:
    try:
        descriptor = os.open(name, _FILE, dir_fd=folder)
    except FileNotFoundError:
        return None
    with open(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise Refusal("is no regular file; it is left alone.")
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise Refusal(f"is larger than {MOST_BYTES >> 20} MiB; it is left alone.")
    return content


def _refuse_changed(name: str, folder: int, before: bytes | None) -> None:
    if _content(name, folder) != before:
        raise Refusal("was changed by somebody else meanwhile; nothing was written. Run the command again.")


def _keep_owner(descriptor: int, name: str, folder: int) -> None:
    """Give the new file the mode and the owner of the one that it replaces."""
    with suppress(FileNotFoundError):
        old = os.stat(name, dir_fd=folder, follow_symlinks=False)
        with suppress(OSError):
            os.fchown(descriptor, old.st_uid, old.st_gid)
        os.fchmod(descriptor, stat.S_IMODE(old.st_mode))


@contextmanager
def _opened(base: str, names: Sequence[str], made: list[str] | None = None) -> Generator[int]:
    """A folder below another, walked to without a link; where `made` is given, what is missing is made and noted."""
    descriptor = os.open(base, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for number, name in enumerate(names, start=1):
            if made is not None:
                with suppress(FileExistsError):
                    os.mkdir(name, dir_fd=descriptor)
                    made.append(os.path.join(base, *names[:number]))
            inner = os.open(name, _FOLDER, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)


def _reason(error: OSError) -> str:
    if error.errno in (errno.ELOOP, errno.EMLINK):
        return "a link stands in its way"
    return (error.strerror or str(error)).lower()
