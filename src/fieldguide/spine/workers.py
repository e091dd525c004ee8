"""The threads that tools run on: plain functions there, one async border here.

They are daemon threads of our own because the standard library's pool waits for its threads when the process ends:
one stuck tool would keep a server alive that its client has left. A thread whose call was given up is counted out at
once, so that stuck calls never use up the pool.

All counting happens on the event loop: a lock shared with the workers would be fought over at every hand-over. A call
that is alone is waited for on the spot, for half a millisecond at most, before the loop goes on: waking the loop again
through its own socket took longer than most calls do (measured: 130 us of 270 us for a call over stdio).
"""

import asyncio
import threading
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from queue import SimpleQueue
from typing import Any, Generic, TypeVar, cast

from fieldguide.spine.contract import Call

T = TypeVar("T")
MAX_THREADS = 32
BRIEF_SECONDS = 0.0005


class Job(Generic[T]):
    """One function to run, and the future that waits for it."""

    __slots__ = (
        "error",
        "finished",
        "function",
        "future",
        "is_abandoned",
        "is_awaited",
        "is_settled",
        "outcome",
        "start_permit",
    )

    def __init__(self, function: Callable[[], T]) -> None:
        self.function = function
        self.future: asyncio.Future[Any] | None = None
        self.finished = threading.Lock()
        self.finished.acquire()
        self.start_permit = [True]  # popped once: by the worker that starts the job, or by the loop that gives it up
        self.is_awaited = False
        self.is_abandoned = False
        self.is_settled = False
        self.outcome: T | None = None
        self.error: BaseException | None = None

    def takes_permit(self) -> bool:
        """Whether the one permit to start or to withdraw this job was still there; it is gone now."""
        try:
            return self.start_permit.pop()
        except IndexError:
            return False

    def run(self) -> None:
        """Run the function and keep what came of it."""
        try:
            self.outcome = self.function()
        except StopIteration as error:
            self.error = _contained(error)
        except Exception as error:  # noqa: BLE001  it belongs to whoever awaits the future
            self.error = error
        except BaseException as error:  # noqa: BLE001  SystemExit or CancelledError would end more than this call
            self.error = _contained(error)
        self.finished.release()

    def result(self) -> T:
        """What the function gave back, or raise what it raised."""
        if self.error is not None:
            raise self.error
        return cast("T", self.outcome)


class Workers:
    """Runs plain functions on threads that start when they are needed."""

    def __init__(self, max_threads: int = MAX_THREADS) -> None:
        self._max_threads = max_threads
        self._jobs: SimpleQueue[Job[Any]] = SimpleQueue()
        self._threads = 0
        self._busy = 0
        self._left_behind: set[Job[Any]] = set()

    async def run(self, function: Callable[[], T]) -> T:
        """Await a function's result."""
        job = self._hand_over(function)
        await self._wait(job)
        return self._finished(job)

    async def run_call(self, function: Callable[[], T], *, call: Call, limit: AbstractAsyncContextManager[None]) -> T:
        """Await what a tool's function gives back for a call, within a time limit.

        When the wait ends early, the tool is told through the call's cancellation and its thread is left behind.
        """
        job = self._hand_over(function)
        if call.is_alone and self._busy == 1 and job.finished.acquire(timeout=BRIEF_SECONDS):
            return self._finished(job)
        try:
            await self._give_a_turn(job)
            async with limit:
                await self._wait(job)
        except BaseException:
            call.cancellation.set()
            raise
        return self._finished(job)

    async def leave(self, seconds: float) -> None:
        """Wait a moment for threads that were left behind: a tool that was told to stop may have a child to end."""
        if self._left_behind:
            from fieldguide.source_code.parser_process import end_children

            end_children()  # whoever waits for a parser comes back
        until = asyncio.get_running_loop().time() + seconds
        while self._left_behind and asyncio.get_running_loop().time() < until:
            await asyncio.sleep(0.005)

    def _hand_over(self, function: Callable[[], T]) -> Job[T]:
        job = Job(function)
        self._busy += 1
        if self._threads < min(self._busy, self._max_threads):
            self._start_thread()
        self._jobs.put(job)
        return job

    def _start_thread(self) -> None:
        self._threads += 1
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._work, args=(loop,), name="fieldguide-worker", daemon=True).start()

    async def _give_a_turn(self, job: Job[Any]) -> None:
        """The plain turn of the loop that lets a server begin a call before it makes a task of it."""
        try:
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            self._abandon(job)
            raise

    async def _wait(self, job: Job[Any]) -> None:
        job.future = asyncio.get_running_loop().create_future()
        job.is_awaited = True
        if job.finished.acquire(blocking=False):
            return
        try:
            await job.future
        except asyncio.CancelledError:
            self._abandon(job)
            raise

    def _finished(self, job: Job[T]) -> T:
        self._busy -= 1
        return job.result()

    def _abandon(self, job: Job[Any]) -> None:
        self._busy -= 1
        job.is_awaited = True  # first: a worker that finishes from here on tells us so
        if job.is_settled or job.finished.acquire(blocking=False):
            return  # it had finished just before: its worker is free already
        if not job.takes_permit():
            self._threads -= 1
            self._left_behind.add(job)
        job.is_abandoned = True  # last: from here on its worker may take itself off the set
        if self._threads < min(self._busy, self._max_threads):
            self._start_thread()  # somebody waits for the place of the one left behind

    def _work(self, loop: asyncio.AbstractEventLoop) -> None:
        while True:
            job = self._jobs.get()
            if not job.takes_permit():
                continue
            job.run()
            if job.is_abandoned:
                self._left_behind.discard(job)
                return
            if not job.is_awaited:
                continue
            try:
                loop.call_soon_threadsafe(self._settle, job)
            except RuntimeError:  # the loop has closed: nobody waits, and nobody will ask again
                return

    def _settle(self, job: Job[Any]) -> None:
        job.is_settled = True
        if job.is_abandoned:
            self._threads += 1  # its worker had finished before it was counted out, and lives on
            self._left_behind.discard(job)
        elif job.future is not None and not job.future.done():
            job.future.set_result(None)


def _contained(error: BaseException) -> RuntimeError:
    contained = RuntimeError(f"a tool raised {type(error).__name__}")
    contained.__cause__ = error
    return contained
