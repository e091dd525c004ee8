"""Decides who may index now: locks between processes, priority of waiting callers, background work.

A turn is a lock on a file, which ends with the process that holds it. While it is held, the file is touched every few
seconds: a process that was stopped in the middle does not, and nobody waits for it for ever.
"""

import os
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from time import monotonic, sleep

from fieldguide.files.confined_folder import try_file_lock
from fieldguide.text.errors import FieldguideError, StorageFailed


class BackgroundWork:
    """A thread for work that nobody waits for; `begin` may be called from any thread."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def begin(self, work: Callable[[], None]) -> None:
        """Have the work done, unless it is under way; when it fails, whoever needs it begins it again."""
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=_done, args=(work,), name=self._name, daemon=True)
                self._thread.start()

    def join(self) -> None:
        """Wait until what was begun has ended."""
        if (thread := self._thread) is not None:
            thread.join()


def _done(work: Callable[[], None]) -> None:
    with suppress(FieldguideError):
        work()


LONGEST_STAND_SECONDS = 2.5
MOST_GIVEN_SECONDS = 30.0  # in all: an agent that asks without a pause must not keep the index from getting whole


class IndexingPriority:
    """One for each engine; those who take it do not wait for each other."""

    def __init__(self) -> None:
        self._free = threading.Condition()
        self._taken = 0
        self._given_seconds = 0.0

    @contextmanager
    def taken(self) -> Generator[None]:
        """Have the background stand aside while the block runs."""
        with self._free:
            self._taken += 1
        try:
            yield
        finally:
            with self._free:
                self._taken -= 1
                self._free.notify_all()

    def give(self) -> None:
        """Stand aside for as long as somebody needs it, within bounds."""
        if not self._taken or self._given_seconds > MOST_GIVEN_SECONDS:
            return
        began = monotonic()
        with self._free:
            self._free.wait_for(lambda: not self._taken, LONGEST_STAND_SECONDS)
        self._given_seconds += monotonic() - began


SILENCE_SECONDS = 30.0  # without a sign of life
BEAT_SECONDS = 5.0
PATIENCE_SECONDS = 2.0  # before it is told that somebody waits
SHORTEST_LOOK_SECONDS = 0.02
LONGEST_LOOK_SECONDS = 0.25
WAITS = "Another process is indexing this project; this one goes on when that one is done."


@contextmanager
def hold_file_turn(path: str, tell: Callable[[str], None]) -> Generator[None]:
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
    beat = 0
    look_seconds = SHORTEST_LOOK_SECONDS
    has_told = False
    while not try_file_lock(lock):
        now = monotonic()
        if (last := os.fstat(lock).st_mtime_ns) != beat:
            beat = last
            alive_at = now
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
