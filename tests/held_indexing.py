"""A project whose index can't get whole for a while: somebody else has the turn to index it."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from fieldguide.storage.state_folder import make_state_folder


@contextmanager
def held_sqlite_turn(root: Path, name: str = "") -> Iterator[ExitStack]:
    """Hold the turn of a project whose index is a file; the turn of the architecture documents has a name.

    Take it before a server starts, which might be done with its index otherwise; closing the value gives it back.
    """
    path = Path(make_state_folder(str(root))) / f"index.db{name and '-' + name}.indexing"
    with ExitStack() as turn:
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        turn.callback(os.close, lock)
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield turn
