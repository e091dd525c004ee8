"""Work that goes on beside the calls that asked for it, one of a kind at a time."""

import threading
from collections.abc import Callable
from contextlib import suppress

from fieldguide.errors import FieldguideError


class Aside:
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
