"""Stop signals: Cancellation for a running call, Stop for a thread that waits for the kernel."""

import os
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from time import monotonic
from typing import TypeVar

from fieldguide.text.errors import Cancelled, FieldguideError

T = TypeVar("T")


class Cancellation:
    """Ends some work early: set once, from any thread, unless the work has finished before.

    A tool looks at it, or leaves a callback that stops its child process or query. `since` is when the work was asked
    for.
    """

    __slots__ = ("_callbacks", "_error", "_lock", "is_finished", "is_set", "since")

    def __init__(self) -> None:
        self.is_set = False
        self.is_finished = False
        self._error: FieldguideError | None = None
        self.since = monotonic()
        self._callbacks: list[Callable[[], None]] = []
        self._lock = threading.Lock()

    @property
    def error(self) -> FieldguideError:
        """Why the work was given up."""
        return self._error or Cancelled("The call was cancelled.")

    def set(self, error: FieldguideError | None = None) -> bool:
        """Stop the work and run the callbacks in this thread, the latest first; whether it had not ended before."""
        with self._lock:
            if self.is_set or self.is_finished:
                return False
            self.is_set = True
            self._error = error
            for callback in reversed(self._callbacks):  # under the lock: no `stop` runs after its block has ended
                callback()
        return True

    def finish(self) -> bool:
        """The work has ended by itself, and can't be cancelled any more; False where it was cancelled before."""
        with self._lock:
            self.is_finished = True
        return not self.is_set

    def check(self) -> None:
        """Raise Cancelled if the work is no longer wanted: for the loops of long tools."""
        if self.is_set:
            raise Cancelled("The call was cancelled.")

    def add(self, callback: Callable[[], None]) -> bool:
        """Have a callback called, at most once, if the work is cancelled; False where that has happened."""
        with self._lock:
            if not self.is_set:
                self._callbacks.append(callback)
        return not self.is_set

    def remove(self, callback: Callable[[], None]) -> None:
        """Forget a callback, which has returned if it was called."""
        with self._lock:
            self._callbacks.remove(callback)

    @contextmanager
    def stopping(self, stop: Callable[[], None]) -> Generator[None]:
        """Have `stop` called, at most once, if the work is cancelled while the block runs."""
        if not self.add(stop):
            stop()
            raise Cancelled("The call was cancelled.")
        try:
            yield
        finally:
            self.remove(stop)


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


def run_within(seconds: float, work: Callable[[], T]) -> T:
    """Runs work in a daemon thread and returns its result or raises its error; TimeoutError after `seconds`.

    A socket's own timeout restarts with every byte, so it does not limit the complete answer.
    """
    outcome: list[T | Exception] = []

    def run() -> None:
        try:
            outcome.append(work())
        except Exception as error:  # noqa: BLE001  raised by who waits
            outcome.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if not outcome:
        raise TimeoutError
    found = outcome.pop()
    if not isinstance(found, Exception):
        return found
    try:
        raise found
    finally:
        del found  # it would hold this frame, which holds it
