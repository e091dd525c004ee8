"""Where a server keeps what it knows of a project: `.fieldguide/` in it, or the user's cache where that can't be."""

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress

from fieldguide.errors import StorageFailed

FOLDER = ".fieldguide"
IGNORE_EVERYTHING = "*\n"


def state_folder(project: str, tell: Callable[[str], None]) -> str:
    """A folder that can be written to, made if need be; `tell` hears of it when it is not the project's own."""
    folder = expected_folder(project)
    if folder == os.path.join(project, FOLDER):
        _prepare(folder)
        return folder
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        said = "Neither the project nor your cache folder can be written to; set XDG_CACHE_HOME to one that can."
        raise StorageFailed(said) from error
    tell(f"The project can't be written to, so its state is kept in {folder}.")
    return folder


def expected_folder(project: str) -> str:
    """The folder that a server of this project uses, without making it.

    What is stored in the project stays visible, even where it can only be read. A link is never followed: a project may
    not lead our writes elsewhere.
    """
    own = os.path.join(project, FOLDER)
    is_link = os.path.islink(own)
    if not is_link and (can_write_below(own) or os.path.exists(os.path.join(own, "fieldguide.db"))):
        return own
    name = f"{os.path.basename(project)}-{hashlib.sha256(os.fsencode(project)).hexdigest()[:12]}"
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(cache, "fieldguide", name)


def can_write_below(folder: str) -> bool:
    """Whether a folder is there and can be written to, or can be made."""
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    return os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK)


def _prepare(folder: str) -> None:
    if not can_write_below(folder):
        return
    os.makedirs(folder, exist_ok=True)
    with suppress(FileExistsError):
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        with open(os.open(os.path.join(folder, ".gitignore"), flags, 0o644), "w", encoding="ascii") as file:
            file.write(IGNORE_EVERYTHING)
