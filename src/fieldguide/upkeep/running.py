"""The upkeeps of an app at work, each in a thread of its own: begun and ended, as often as need be."""

import threading
from collections.abc import Generator, Iterable
from contextlib import contextmanager

from fieldguide.toolset import Upkeep
from fieldguide.watching.stopping import Stop

LEAVE_SECONDS = 0.5


class RunningUpkeeps:
    """The threads that keep what toolsets index up to date."""

    def __init__(self, upkeeps: Iterable[Upkeep]) -> None:
        self._upkeeps = tuple(upkeeps)
        self._stopped: Stop | None = None
        self._threads: list[threading.Thread] = []

    @contextmanager
    def running(self) -> Generator[None]:
        """Keep everything up to date while the block runs."""
        self.begin()
        try:
            yield
        finally:
            self.leave()

    def begin(self) -> None:
        """Begin; what still ends from before is waited for, on the threads themselves."""
        stopped, before, former = Stop(), self._threads, self._stopped
        self._stopped = stopped
        if former is not None:
            threading.Thread(target=_close, args=(former, before), name="upkeep", daemon=True).start()
        self._threads = [
            threading.Thread(target=_keep, args=(each, stopped, before), name="upkeep", daemon=True)
            for each in self._upkeeps
        ]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Tell them to end, and wait for nothing."""
        if self._stopped is not None:
            self._stopped.set()

    def leave(self) -> None:
        """Tell them to end, and wait a moment."""
        self.stop()
        for thread in self._threads:  # what it is in the middle of is safe to leave: the next start goes on with it
            thread.join(LEAVE_SECONDS)
        if self._stopped is not None and not any(thread.is_alive() for thread in self._threads):
            self._stopped.close()
            self._stopped = None


def _keep(upkeep: Upkeep, stopped: Stop, before: Iterable[threading.Thread]) -> None:
    for thread in before:
        thread.join()
    if not stopped.is_set():
        upkeep.keep(stopped)


def _close(stopped: Stop, threads: Iterable[threading.Thread]) -> None:
    """Give back what told these threads to stop, once they have."""
    for thread in threads:
        thread.join()
    stopped.close()
