"""News that something changed, from whoever saw it to whoever listens, across threads."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Literal, NamedTuple

Kind = Literal["tools", "prompts", "resources", "resource"]


class Change(NamedTuple):
    """What changed: one of the lists, or the resource at a URI."""

    kind: Kind
    uri: str = ""


class Changes:
    """A bus: changes are announced from any thread, and each listener is told in the thread of the announcer."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[Change], None]] = []
        self._lock = threading.Lock()

    def announce(self, change: Change) -> None:
        """Tell every listener."""
        with self._lock:
            listeners = tuple(self._listeners)
        for listener in listeners:
            listener(change)

    @contextmanager
    def listening(self, listener: Callable[[Change], None]) -> Generator[None]:
        """Have a listener told of every change while the block runs."""
        with self._lock:
            self._listeners.append(listener)
        try:
            yield
        finally:
            with self._lock:
                self._listeners.remove(listener)
