"""The threads that tools run on: plain functions there, one async border here.

They are daemon threads of our own because the standard library's pool waits for its threads when the process ends:
one stuck tool would keep a server alive that its client has left. A thread whose call was given up is counted out at
once, so that stuck calls never use up the pool.
"""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, TypeVar

from fieldguide.spine.cancellation import Cancellation

T = TypeVar("T")
MAX_THREADS = 32


class Job:
    """One function to run, and the future that waits for it."""

    __slots__ = ("cancellation", "function", "future", "is_abandoned", "is_started", "loop")

    def __init__(self, function: Callable[[], Any], cancellation: Cancellation) -> None:
        self.function = function
        self.cancellation = cancellation
        self.loop = asyncio.get_running_loop()
        self.future: asyncio.Future[Any] = self.loop.create_future()
        self.is_started = False
        self.is_abandoned = False


class Workers:
    """Runs plain functions on threads that start when they are needed."""

    def __init__(self, max_threads: int = MAX_THREADS) -> None:
        self._max_threads = max_threads
        self._jobs: SimpleQueue[Job] = SimpleQueue()
        self._lock = threading.Lock()
        self._threads = 0
        self._idle = 0

    async def run(self, function: Callable[[], T], cancellation: Cancellation | None = None) -> T:
        """Await a function's result; when the wait is cancelled, tell the function and leave its thread behind."""
        job = Job(function, cancellation or Cancellation())
        self._start(job)
        try:
            result: T = await job.future
        except asyncio.CancelledError:
            self._abandon(job)
            raise
        return result

    def _start(self, job: Job) -> None:
        self._jobs.put(job)
        with self._lock:
            if self._idle >= self._jobs.qsize() or self._threads >= self._max_threads:
                return
            self._threads += 1
        threading.Thread(target=self._work, name="fieldguide-worker", daemon=True).start()

    def _abandon(self, job: Job) -> None:
        with self._lock:
            job.is_abandoned = True
            if job.is_started:
                self._threads -= 1
        job.cancellation.set()

    def _work(self) -> None:
        while True:
            with self._lock:
                self._idle += 1
            job = self._jobs.get()
            with self._lock:
                self._idle -= 1
                if job.is_abandoned:
                    continue
                job.is_started = True
            outcome, error = _outcome(job.function)
            with self._lock:
                if job.is_abandoned:
                    return  # counted out already: this thread is one too many now
                job.is_started = False
            with suppress(RuntimeError):  # the loop has closed: nobody waits
                job.loop.call_soon_threadsafe(_settle, job.future, outcome, error)


def _outcome(function: Callable[[], Any]) -> tuple[Any, BaseException | None]:
    try:
        return function(), None
    except BaseException as error:  # noqa: BLE001  it belongs to whoever awaits the future, whatever it is
        return None, error


def _settle(future: "asyncio.Future[Any]", outcome: Any, error: BaseException | None) -> None:
    if future.done():
        return
    if isinstance(error, StopIteration):
        error = RuntimeError("a tool raised StopIteration")
    if error is None:
        future.set_result(outcome)
    else:
        future.set_exception(error)
