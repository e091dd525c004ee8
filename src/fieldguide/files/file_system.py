"""Replaces files in one step, locks them and tells when one has changed; locates the person's folders (XDG).

Where the system has no such flag of `os.open` it is nothing: on Windows no command that opens a project's file is run
at all (`cli/main.py`), for a file cannot be opened there below a folder's handle.
"""

import os
import stat
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from typing import IO


def find_open_flag(name: str) -> int:
    """A flag of `os.open` by its name; nothing where this system does not know it."""
    return int(getattr(os, name, 0))


@contextmanager
def replace_file(path: str, mode: int = 0o600, *, folder: int | None = None) -> Generator[IO[bytes]]:
    """A file that takes the place of the one at a path when the block ends: nobody ever sees a part of it.

    The one that was there hands its permissions on; `mode` is for a new one. After an error all is as it was.
    """
    head, name = os.path.split(path)
    draft = os.path.join(head, f".{name}.{os.urandom(6).hex()}.new")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | find_open_flag("O_NOFOLLOW") | find_open_flag("O_CLOEXEC")
    try:
        with open(os.open(draft, flags, mode, dir_fd=folder), "wb") as file:
            with suppress(FileNotFoundError):
                before = os.stat(path, dir_fd=folder, follow_symlinks=False)
                if stat.S_ISREG(before.st_mode):
                    os.chmod(draft, stat.S_IMODE(before.st_mode), dir_fd=folder)
            yield file
        os.replace(draft, path, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with suppress(OSError):
            os.unlink(draft, dir_fd=folder)
        raise


def read_status_stamp(path: str) -> tuple[int, ...] | None:
    """What changes whenever a file is written or replaced; None where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size, found.st_ino)


def wait_for_file_lock(descriptor: int) -> None:
    """Wait for the lock on an open file; it ends with the descriptor."""
    import fcntl  # not on Windows, where no command that locks a file runs

    fcntl.flock(descriptor, fcntl.LOCK_EX)


def try_file_lock(descriptor: int) -> bool:
    """Take the lock on an open file if nobody else has it, and say whether it is ours."""
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


STATE_VARIABLE = "FIELDGUIDE_STATE"
PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600


def find_config_folder(environment: Mapping[str, str] = os.environ) -> str:
    """The folder of the person's settings (XDG)."""
    return os.path.join(find_xdg_folder("XDG_CONFIG_HOME", ".config", environment), "fieldguide")


def find_state_root(environment: Mapping[str, str] = os.environ) -> str:
    """The folder that holds a folder for each project: `FIELDGUIDE_STATE`, else the user's state folder (XDG)."""
    named = environment.get(STATE_VARIABLE)
    if named:
        return os.path.abspath(os.path.expanduser(named))
    state = find_xdg_folder("XDG_STATE_HOME", os.path.join(".local", "state"), environment)
    return os.path.join(state, "fieldguide")


def find_login_name() -> str | None:
    """The name of whoever is logged in; None where this login has none."""
    for variable in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        name = os.environ.get(variable, "").strip()
        if name:
            return name
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name or None
    except (ImportError, KeyError):
        return None


def find_xdg_folder(variable: str, usual: str, environment: Mapping[str, str] = os.environ) -> str:
    """A folder of the XDG specification; a relative path there counts for nothing, as it says."""
    named = environment.get(variable, "")
    home = environment.get("HOME") or os.path.expanduser("~")
    return named if os.path.isabs(named) else os.path.join(home, usual)
