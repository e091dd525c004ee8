"""Stop signals: Cancellation for a running call, Stop for a thread that waits for the kernel."""

import os
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

from fieldguide.text.errors import Cancelled


class Cancellation:
    """Set once, from any thread; a tool looks at it, or leaves a callback that stops its child process or query."""

    __slots__ = ("_callbacks", "_lock", "is_set")

    def __init__(self) -> None:
        self.is_set = False
        self._callbacks: list[Callable[[], None]] = []
        self._lock = threading.Lock()

    def set(self) -> None:
        """Stop the work: run what was left by `stopping`, in the thread of the caller."""
        with self._lock:
            if self.is_set:
                return
            self.is_set = True
            for callback in self._callbacks:  # under the lock: no `stop` runs after its block has ended
                callback()

    def check(self) -> None:
        """Raise Cancelled if the work is no longer wanted: for the loops of long tools."""
        if self.is_set:
            raise Cancelled("The call was cancelled.")

    @contextmanager
    def stopping(self, stop: Callable[[], None]) -> Generator[None]:
        """Have `stop` called, at most once, if the work is cancelled while the block runs."""
        with self._lock:
            already = self.is_set
            if not already:
                self._callbacks.append(stop)
        if already:
            stop()
            raise Cancelled("The call was cancelled.")
        try:
            yield
        finally:
            with self._lock:
                self._callbacks.remove(stop)


class Stop(threading.Event):
    """An event that also makes a descriptor readable, for good, once it is set."""

    def __init__(self) -> None:
        super().__init__()
        self._reader, self._writer = os.pipe()

    def fileno(self) -> int:
        """What becomes readable."""
        return self._reader

    def set(self) -> None:
        """Tell everybody to stop."""
        if not self.is_set():
            super().set()
            os.write(self._writer, b"\0")

    def close(self) -> None:
        """Give the descriptors back; nobody may wait any more."""
        os.close(self._reader)
        os.close(self._writer)
