"""Writes files into a project for a command that a person typed, through no symbolic link.

A clone may have a link where a folder is expected; a file made behind it would lie in the user's home.
"""

import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress

from fieldguide.files.confined_folder import find_open_flag
from fieldguide.text.errors import Refusal

_FOLDER = os.O_RDONLY | find_open_flag("O_DIRECTORY") | find_open_flag("O_NOFOLLOW") | find_open_flag("O_CLOEXEC")
_APPENDED = os.O_RDWR | os.O_CREAT | os.O_APPEND | find_open_flag("O_NOFOLLOW") | find_open_flag("O_CLOEXEC")
_DRAFT = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | find_open_flag("O_NOFOLLOW") | find_open_flag("O_CLOEXEC")


def write_into(project: str, path: str, text: str, *, replaces: bool = False) -> bool:
    """Put a file at a relative path, whole or not at all; False when one is there that is not to be replaced."""
    *folders, name = path.split("/")
    with _opened(project, folders) as folder:
        if not replaces and is_there(name, folder):
            return False
        draft = f".{name}.new"
        try:
            with open(os.open(draft, _DRAFT, 0o644, dir_fd=folder), "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
        except OSError as error:
            with suppress(OSError):
                os.unlink(draft, dir_fd=folder)
            raise Refusal(f"{path} can't be written: {error.strerror}.") from error
    return True


def append_into(project: str, path: str, line: str) -> None:
    """Add a line at the end of a file, or begin one with it; what is there stays to the last byte."""
    *folders, name = path.split("/")
    with _opened(project, folders) as folder:
        try:
            with open(os.open(name, _APPENDED, 0o644, dir_fd=folder), "r+b") as file:
                file.seek(max(file.seek(0, os.SEEK_END) - 2, 0))
                last = file.read()
                end = b"\r\n" if last.endswith(b"\r\n") else b"\n"
                file.write((b"" if not last or last.endswith(b"\n") else end) + line.encode() + end)
        except OSError as error:
            raise Refusal(f"{path} can't be written: {error.strerror}.") from error


def is_there(name: str, folder: int) -> bool:
    """Whether a folder has something of this name, a link too."""
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


@contextmanager
def _opened(project: str, names: Sequence[str]) -> Generator[int]:
    """A folder of the project, made if it is not there."""
    descriptor = os.open(project, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for number, name in enumerate(names, start=1):
            try:
                with suppress(FileExistsError):
                    os.mkdir(name, dir_fd=descriptor)
                inner = os.open(name, _FOLDER, dir_fd=descriptor)
            except OSError as error:
                place = "/".join(names[:number])
                raise Refusal(f"{place} can't be written to: it must be a folder of the project.") from error
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)
