"""The file that a SQLite database lies in: which one it is, whether it can be written, and how it is put aside."""

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import NamedTuple

from fieldguide.places import PRIVATE_FILE
from fieldguide.platform_files import lock as lock_file

BESIDE = ("", "-wal", "-shm", "-journal", ".lock")


class File(NamedTuple):
    """What a path names now: another inode there means that somebody has put the file aside or removed it."""

    path: str
    device: int
    inode: int
    is_read_only: bool


def identify(path: str) -> File | None:
    """What the path names now; None when nothing is there."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return File(path, status.st_dev, status.st_ino, is_read_only(path))


def refuse_links(path: str) -> None:
    """Raise OSError where the database or a file beside it is a link: a project may not lead our writes elsewhere."""
    if any(os.path.islink(path + suffix) for suffix in BESIDE):
        raise OSError("the database is a link, which might lead anywhere")


def make_private(path: str) -> None:
    """Let the file be there for its owner alone before SQLite makes it; the files beside it follow its rights."""
    with suppress(FileExistsError, OSError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, PRIVATE_FILE))


def address_of(path: str) -> str:
    """The file as SQLite's URI; without a log beside it and where none can be made it is read as it lies there."""
    uri = "file:" + path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return f"{uri}?immutable=1" if is_read_only(path) and not os.path.exists(f"{path}-wal") else uri


def is_read_only(path: str) -> bool:
    """Whether the file is there and neither it nor its folder can be written to."""
    folder = os.path.dirname(path)
    return os.path.exists(path) and not (os.access(path, os.W_OK) and os.access(folder, os.W_OK))


def set_aside(path: str) -> str:
    """Rename a damaged database and what belongs to it; its new name says when."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    aside = f"{path}.damaged-{stamp}"
    for suffix in ("-wal", "-shm", ""):
        with suppress(FileNotFoundError):
            os.rename(path + suffix, aside + suffix)
    return aside


@contextmanager
def only_one_process(path: str) -> Generator[None]:
    """Hold the lock beside the file while it is opened, checked or replaced; readable media need none."""
    try:
        lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, PRIVATE_FILE)
    except OSError:
        yield
        return
    try:
        lock_file(lock)
        yield
    finally:
        os.close(lock)
