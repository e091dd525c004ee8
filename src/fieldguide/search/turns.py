"""Whose turn it is to index: one process at a time, and the others wait for it for as long as it is at work.

A turn is a lock on a file, which ends with the process that holds it. While it is held, the file is touched every few
seconds: a process that was stopped in the middle does not, and nobody waits for it for ever.
"""

import os
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from time import monotonic, sleep

from fieldguide.errors import StorageFailed
from fieldguide.platform_files import is_locked_now

SILENCE_SECONDS = 30.0  # without a sign of life
BEAT_SECONDS = 5.0
PATIENCE_SECONDS = 2.0  # before it is told that somebody waits
SHORTEST_LOOK_SECONDS = 0.02
LONGEST_LOOK_SECONDS = 0.25
WAITS = "Another process is indexing this project; this one goes on when that one is done."


@contextmanager
def file_turn(path: str, tell: Callable[[str], None]) -> Generator[None]:
    """Hold the turn that a file stands for; where no file can be made, nobody else indexes either."""
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    except OSError:
        yield
        return
    ended = threading.Event()
    beating = threading.Thread(target=_beat, args=(lock, ended), name="turn", daemon=True)
    try:
        _wait(lock, tell)
        beating.start()
        yield
    finally:
        ended.set()
        if beating.is_alive():
            beating.join()
        os.close(lock)


def _wait(lock: int, tell: Callable[[str], None]) -> None:
    """Wait for the turn while the one that has it shows signs of life."""
    began = alive_at = monotonic()
    beat, look_seconds, has_told = 0, SHORTEST_LOOK_SECONDS, False
    while not is_locked_now(lock):
        now = monotonic()
        if (last := os.fstat(lock).st_mtime_ns) != beat:
            beat, alive_at = last, now
        if now - alive_at > SILENCE_SECONDS:
            raise StorageFailed("Another process is indexing this project, and does not come to an end.")
        if now - began > PATIENCE_SECONDS and not has_told:
            tell(WAITS)
            has_told = True
        sleep(look_seconds)
        look_seconds = min(look_seconds * 1.5, LONGEST_LOOK_SECONDS)


def _beat(lock: int, ended: threading.Event) -> None:
    """Show that we are at work."""
    is_first = True
    while is_first or not ended.wait(BEAT_SECONDS):
        is_first = False
        with suppress(OSError):
            os.utime(lock)
