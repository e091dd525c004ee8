"""Runs the upkeeps of an app in threads, and tells when every toolset that shares the index is ready."""

import threading
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from fieldguide.spine.tool import Call
from fieldguide.spine.toolset import Toolset, Upkeep
from fieldguide.text.cancellation import Stop
from fieldguide.toolsets.upkeep import LateUpkeep

if TYPE_CHECKING:
    from fieldguide.search.backlog import IndexProgress

READY_SECONDS = 4.0  # for all of them together


class ToolsetReadiness:
    """The upkeeps of an app, once its toolsets are made."""

    def __init__(self) -> None:
        self._kept: list[LateUpkeep[Any]] = []

    def introduce(self, toolsets: Iterable[Toolset]) -> None:
        """Let the upkeeps of these toolsets know of each other."""
        upkeeps: list[Any] = [each.upkeep for each in toolsets]
        self._kept = [each for each in upkeeps if isinstance(each, LateUpkeep)]
        for each in self._kept:
            each.meet(self._kept)

    def is_at_work(self) -> bool:
        """Whether any of them makes a pass, or has one before it."""
        return any(each.is_at_work() for each in self._kept)

    def ready(self, call: Call, question: str) -> "tuple[IndexProgress | None, str]":
        """Have what a question is likely about in the index first; how far all of it is, and what it can't take in."""
        until = monotonic() + READY_SECONDS
        for each in self._kept:
            each.expect()
        standings = [each.ready_for(call, question, until) for each in self._kept]
        found = [standing for standing in standings if standing is not None]
        lacks = "; ".join(sorted({each.lack for each in self._kept if each.lack}))
        if not found:
            return None, lacks
        whole = found[0]._replace(done=sum(each.done for each in found), total=sum(each.total for each in found))
        return whole, lacks


LEAVE_SECONDS = 0.5


@runtime_checkable
class FinishingUpkeep(Protocol):
    """An upkeep with something to finish when its project is not served any more, such as work sessions."""

    def leave(self) -> None:
        """Finish it now, whatever the upkeep is in the middle of."""
        ...


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
        stopped = Stop()
        before = self._threads
        former = self._stopped
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
        for upkeep in self._upkeeps:
            if isinstance(upkeep, FinishingUpkeep):
                upkeep.leave()
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
