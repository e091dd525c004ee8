"""News that something changed, from whoever saw it to whoever listens, across threads."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Literal, NamedTuple

Kind = Literal["tools", "prompts", "resources", "resource", "anything"]


class Change(NamedTuple):
    """What changed: one of the lists, the resource at a URI, or anything, where news may have been missed."""

    kind: Kind
    uri: str = ""


class Changes:
    """A bus: changes are announced from any thread, and each listener is told in the thread of the announcer.

    `beyond` is told too, of what was announced here: it tells other processes that serve the same project.
    """

    def __init__(self) -> None:
        self._listeners: list[Callable[[Change], None]] = []
        self._lock = threading.Lock()
        self.beyond: Callable[[Change], None] | None = None

    def announce(self, change: Change) -> None:
        """Tell every listener, here and beyond."""
        self.hear(change)
        if self.beyond is not None:
            self.beyond(change)

    def hear(self, change: Change) -> None:
        """Tell every listener here of what was announced beyond."""
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
