"""What tells, without reading it, that a file or folder is another than before."""

import os


def identity_of(path: str) -> tuple[int, int]:
    """Which folder a path names: one that was replaced has the same name, and a watch on the old sees nothing more."""
    try:
        status = os.stat(path)
    except OSError:
        return 0, 0
    return status.st_dev, status.st_ino


def modified_at(path: str) -> int:
    """When a file was changed last; 0 when there is none."""
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0
