"""What opening and locking a file needs from the system, so that every module can be imported on any of them.

Where the system has no such flag it is nothing: on Windows no command that opens a project's file is run at all
(`cli/main.py`), for a file cannot be opened there below a folder's handle.
"""

import os


def flag(name: str) -> int:
    """A flag of `os.open` by its name; nothing where this system does not know it."""
    return int(getattr(os, name, 0))


def lock(descriptor: int) -> None:
    """Wait for the lock on an open file; it ends with the descriptor."""
    try:
        import fcntl
    except ImportError:
        _lock_on_windows(descriptor, wait=True)
        return
    fcntl.flock(descriptor, fcntl.LOCK_EX)


def is_locked_now(descriptor: int) -> bool:
    """Take the lock on an open file if nobody else has it, and say whether it is ours."""
    try:
        import fcntl
    except ImportError:
        return _lock_on_windows(descriptor, wait=False)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _lock_on_windows(descriptor: int, *, wait: bool) -> bool:
    """The first byte stands for the file: locks are of bytes there."""
    from importlib import import_module

    msvcrt = import_module("msvcrt")
    os.lseek(descriptor, 0, os.SEEK_SET)
    while True:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        except OSError:
            if wait:
                continue  # it gives up after ten seconds
            return False
        return True
