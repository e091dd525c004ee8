"""Reads and replaces a client's settings file, and records each change with a backup.

A person may link their own settings to wherever they keep them. A link in a project is somebody else's: it is followed
only inside the project, and from there the path is walked without links: nothing that is swapped meanwhile leads away.
"""

import errno
import hashlib
import json
import os
import stat
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple, cast

from fieldguide.files.file_system import PRIVATE_FILE, PRIVATE_FOLDER, find_open_flag, find_state_root, replace_file
from fieldguide.text.errors import Refusal

MARK = "\ufeff"


def decode_text(content: bytes | None) -> str:
    """A file's text; the byte order mark stays in it."""
    try:
        return (content or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        line = (content or b"").count(b"\n", 0, error.start) + 1
        raise Refusal(f"is not UTF-8 text, in line {line}.") from error


def find_newline(text: str) -> str:
    """How lines end in a text: as its first one does."""
    at = text.find("\n")
    return "\r\n" if at > 0 and text[at - 1] == "\r" else "\n"


def append_lines(text: str, lines: list[str]) -> str:
    """The text with the lines below it; it ends with a line end if it did so before, or was empty."""
    newline = find_newline(text)
    block = newline.join(lines)
    if text in ("", MARK):
        return text + block + newline
    if text.endswith("\n"):
        return text + newline + block + newline
    return text + newline + newline + block


def remove_lines(text: str, start: int, end: int) -> str:
    """The text without the whole lines from `start` to `end`, and without the empty line above that came with them."""
    newline = find_newline(text)
    before = text[:start]
    after = text[end:]
    above = before.removesuffix(newline)
    if above != before and (not above or above.endswith("\n")):
        before = above
    is_unended = not after and not text[start:end].endswith("\n")
    return before.removesuffix(newline) if is_unended else before + after


MOST_BYTES = 16 << 20
MOST_OF_A_PROJECT = 1 << 20
SHARED_FILE = 0o644
_FOLDER = os.O_RDONLY | find_open_flag("O_DIRECTORY") | find_open_flag("O_NOFOLLOW") | find_open_flag("O_CLOEXEC")
_FILE = os.O_RDONLY | find_open_flag("O_NOFOLLOW") | find_open_flag("O_NONBLOCK") | find_open_flag("O_CLOEXEC")


class SettingsFile(NamedTuple):
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
                return _content(name, folder, self._most_bytes())
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise Refusal(f"can't be read: {_reason(error)}.") from error

    def write(self, before: bytes | None, after: bytes) -> list[str]:
        """Put `after` in the place of `before`, whole or not at all; gives the folders that were made for it."""
        base, *folders, name = self._steps()
        made: list[str] = []
        try:
            with _opened(base, folders, made) as folder:
                self._swap(name, folder, before, after)
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
                _refuse_changed(name, folder, before, self._most_bytes())
                os.unlink(name, dir_fd=folder)
        except OSError as error:
            raise Refusal(f"can't be removed: {_reason(error)}.") from error

    def _most_bytes(self) -> int:
        """How much is read: a person's own settings may have grown for years, a stranger's file is short."""
        return MOST_BYTES if self.confined_to is None else MOST_OF_A_PROJECT

    def _steps(self) -> list[str]:
        """The folder to begin at, and the names below it that lead to the file."""
        real = self.real()
        base = self.confined_to or os.path.dirname(real)
        while not os.path.isdir(base) and os.path.dirname(base) != base:
            base = os.path.dirname(base)
        return [base, *(each for each in real.removeprefix(base).split(os.sep) if each)]

    def _swap(self, name: str, folder: int, before: bytes | None, after: bytes) -> None:
        usual = PRIVATE_FILE if self.confined_to is None else SHARED_FILE
        with replace_file(name, usual, folder=folder) as file:
            _keep_owner(file.fileno(), name, folder)
            file.write(after)
            file.flush()
            os.fsync(file.fileno())
            _refuse_changed(name, folder, before, self._most_bytes())


def remove_folders(made: Sequence[str]) -> None:
    """Take folders away that were made for a file, where nothing else is in them."""
    for folder in reversed(made):
        with suppress(OSError):
            os.rmdir(folder)


def _content(name: str, folder: int, most_bytes: int) -> bytes | None:
    try:
        descriptor = os.open(name, _FILE, dir_fd=folder)
    except FileNotFoundError:
        return None
    with open(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise Refusal("is no regular file; it is left alone.")
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise Refusal(f"is larger than {most_bytes >> 20} MiB; it is left alone.")
    return content


def _refuse_changed(name: str, folder: int, before: bytes | None, most_bytes: int) -> None:
    if _content(name, folder, most_bytes) != before:
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
        return "a link is in its place"
    return (error.strerror or str(error)).lower()


FOLDER = "connections"
MOST_BACKUPS = 5
ENTRY = "entry"
PERMISSION = "permission"
SECTION = "section"
PARTS = (ENTRY, PERMISSION, SECTION)


class WrittenChange(NamedTuple):
    """One change of one file: what it was about, the hashes of both sides, and what was made for it."""

    file: str
    kind: str
    client: str
    name: str
    value: Any
    before: str | None
    after: str
    backup: str | None
    folders: list[str]
    made: int


class InstallRecord:
    """All changes that still stand, oldest first."""

    def __init__(self) -> None:
        self.folder = os.path.join(find_state_root(), FOLDER)
        self._place = SettingsFile(os.path.join(self.folder, "record.json"), None, self.folder)
        self._read_again()

    def last(self, file: str, kind: str, name: str) -> WrittenChange | None:
        """The last change of this thing in a file."""
        found = [each for each in self.changes if (each.file, each.kind, each.name) == (file, kind, name)]
        return found[-1] if found else None

    def of_file(self, file: str) -> list[WrittenChange]:
        """The changes of a file, oldest first."""
        return [each for each in self.changes if each.file == file]

    def add(self, change: WrittenChange) -> None:
        """Note a change, beside what another command may have noted meanwhile."""
        self._read_again()
        self._keep([*self.changes, change])

    def forget(self, changes: list[WrittenChange]) -> None:
        """Strike changes out that stand no more."""
        self._read_again()
        self._keep([each for each in self.changes if each not in changes])

    def back_up(self, file: str, content: bytes) -> str:
        """Put a copy of a file aside, where only the person can read it; the oldest of many goes."""
        folder = os.path.join(self.folder, "backups")
        os.makedirs(folder, mode=PRIVATE_FOLDER, exist_ok=True)
        beginning = f"{os.path.basename(file)}.{hash_content(file.encode())[:12]}."
        path = os.path.join(folder, beginning + hash_content(content)[:12])
        if not os.path.lexists(path):
            SettingsFile(path, None, folder).write(None, content)
        self._prune(folder, beginning, path)
        return path

    def _read_again(self) -> None:
        self._bytes = self._place.read()
        self.changes = _changes(self._bytes)

    def _prune(self, folder: str, beginning: str, newest: str) -> None:
        needed = {newest, *(each.backup for each in self.changes)}
        paths = [os.path.join(folder, name) for name in os.listdir(folder) if name.startswith(beginning)]
        spare = sorted((path for path in paths if path not in needed), key=os.path.getmtime)
        for path in spare[: max(0, len(paths) - MOST_BACKUPS)]:
            with suppress(OSError):
                os.unlink(path)

    def _keep(self, changes: list[WrittenChange]) -> None:
        text = json.dumps([each._asdict() for each in changes], indent=1)
        os.makedirs(self.folder, mode=PRIVATE_FOLDER, exist_ok=True)
        self._place.write(self._bytes, text.encode())
        self._bytes = text.encode()
        self.changes = changes


def hash_content(content: bytes) -> str:
    """What a content is known by."""
    return hashlib.sha256(content).hexdigest()


def read_backup(change: WrittenChange) -> bytes | None:
    """The copy of what stood there before a change; None where it is gone, or is another."""
    if change.backup is None:
        return None
    with suppress(Refusal):
        content = SettingsFile(change.backup, None, os.path.dirname(change.backup)).read()
        if content is not None and hash_content(content) == change.before:
            return content
    return None


def _changes(content: bytes | None) -> list[WrittenChange]:
    try:
        rows = cast("list[dict[str, Any]]", json.loads(content or b"[]"))
        return [WrittenChange(**row) for row in rows]
    except (ValueError, TypeError) as error:
        raise Refusal("The record of what was installed can't be read. Without it, entries are found too.") from error
