"""Runs tools on threads, within their time limit.

They are daemon threads, because the standard library's pool waits for its threads when the process ends: one stuck tool
would keep a server alive that its client has left. A thread whose call was given up is counted out at once, so stuck
calls never use up the pool. The threads belong to no event loop: a job reports to the loop that waits for it.

A lone call is not handed over but offered to the thread that drives it (`wire/stdio.py`), which usually has it done
before another thread could have been woken.
"""

import asyncio
import threading
from collections.abc import Callable, Generator
from contextlib import AbstractAsyncContextManager
from queue import SimpleQueue
from types import TracebackType, coroutine
from typing import Any, Generic, TypeVar, cast

from fieldguide.spine.tool import Call
from fieldguide.text.errors import ToolTimeout

DEFAULT_SECONDS = 10.0
MAX_SECONDS = 30.0
T = TypeVar("T")
MAX_THREADS = 32


def allowed_seconds(asked: float | None) -> float:
    """The limit that holds for a tool that asks for so many seconds."""
    return DEFAULT_SECONDS if asked is None else min(asked, MAX_SECONDS)


class time_limit:  # noqa: N801  it reads as a statement: `async with time_limit(...)`
    """End the block with ToolTimeout when the tool's time is over."""

    __slots__ = ("_seconds", "_timeout", "_tool")

    def __init__(self, tool: str, asked: float | None) -> None:
        self._tool = tool
        self._seconds = allowed_seconds(asked)

    async def __aenter__(self) -> None:
        self._timeout = asyncio.timeout(self._seconds)
        await self._timeout.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self._timeout.__aexit__(kind, error, trace)
        except TimeoutError as expired:
            text = f"The tool {self._tool} took longer than {self._seconds:g} seconds."
            raise ToolTimeout(text, seconds=self._seconds) from expired


class Job(Generic[T]):
    """One function to run, and the future that waits for it."""

    __slots__ = (
        "error",
        "function",
        "future",
        "is_abandoned",
        "is_awaited",
        "is_counted",
        "is_finished",
        "is_settled",
        "loop",
        "outcome",
        "permit",
    )

    def __init__(self, function: Callable[[], T]) -> None:
        self.function = function
        self.loop: asyncio.AbstractEventLoop | None = None
        self.future: asyncio.Future[Any] | None = None
        self.permit = [True]  # popped once: by the worker that starts the job, or by whoever takes it from its thread
        self.is_counted = False
        self.is_finished = False
        self.is_awaited = False
        self.is_abandoned = False
        self.is_settled = False
        self.outcome: T | None = None
        self.error: BaseException | None = None

    def takes_permit(self) -> bool:
        """Whether the one permit of this job was still there; it is gone now."""
        try:
            return self.permit.pop()
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
        self.is_finished = True

    def result(self) -> T:
        """What the function gave back, or raise what it raised."""
        if self.error is not None:
            raise self.error
        return cast("T", self.outcome)

    def wait_on(self, loop: asyncio.AbstractEventLoop) -> None:
        """From here on, the thread that finishes this job tells the loop so."""
        self.loop = loop
        self.is_awaited = True


class Workers:
    """Runs plain functions on threads that start when they are needed."""

    def __init__(self, max_threads: int = MAX_THREADS) -> None:
        self._max_threads = max_threads
        self._jobs: SimpleQueue[Job[Any]] = SimpleQueue()
        self._lock = threading.Lock()  # between event loops: no worker takes it, so nobody fights for it
        self._threads = 0
        self._busy = 0
        self._left_behind: set[Job[Any]] = set()

    async def run(self, function: Callable[[], T]) -> T:
        """Await a function's result."""
        job = Job(function)
        self._hand_over(job)
        await self._wait(job)
        return self._finished(job)

    async def run_call(self, function: Callable[[], T], *, call: Call, limit: AbstractAsyncContextManager[None]) -> T:
        """Await what a tool's function gives back for a call, within a time limit.

        When the wait ends early, the tool is told through the call's cancellation and its thread is left behind.
        """
        job = Job(function)
        if call.is_alone:
            await self._offer(job, call)
            if job.is_finished:
                return job.result()
        else:
            self._hand_over(job)
        try:
            async with limit:
                await self._wait(job)
        except BaseException:
            call.cancellation.set()
            raise
        return self._finished(job)

    def deliver(self, job: Job[Any]) -> bool:
        """On the thread that has run a job: tell whoever waits for it; whether the thread was counted out meanwhile."""
        if job.is_abandoned:
            self._left_behind.discard(job)
            return job.is_counted
        if job.is_awaited and job.loop is not None:
            try:
                job.loop.call_soon_threadsafe(self._settle, job)
            except RuntimeError:  # that loop has closed: nobody waits
                return False
        return False

    def counts(self) -> dict[str, int]:
        """How many threads there are, how many calls have or want one, and how many threads were left behind."""
        return {"threads": self._threads, "busy": self._busy, "left_behind": len(self._left_behind)}

    async def leave(self, seconds: float) -> None:
        """Wait a moment for threads that were left behind: a tool that was told to stop may have a child to end."""
        if self._left_behind:
            from fieldguide.files.parser_process import end_children

            end_children()  # whoever waits for a parser comes back
        until = asyncio.get_running_loop().time() + seconds
        while self._left_behind and asyncio.get_running_loop().time() < until:
            await asyncio.sleep(0.005)

    def _hand_over(self, job: Job[Any]) -> None:
        job.is_counted = True
        with self._lock:
            self._busy += 1
            self._start_missing_thread()
        self._jobs.put(job)

    def _start_missing_thread(self) -> None:
        if self._threads < min(self._busy, self._max_threads):
            self._threads += 1
            threading.Thread(target=self._work, name="fieldguide-worker", daemon=True).start()

    async def _offer(self, job: Job[Any], call: Call) -> None:
        """Let whoever drives this call run the job; a task goes on from here when it takes long."""
        try:
            await _offered(job)
        except asyncio.CancelledError:
            call.cancellation.set()
            self._abandon(job)
            raise

    async def _wait(self, job: Job[Any]) -> None:
        loop = asyncio.get_running_loop()
        job.future = loop.create_future()
        job.wait_on(loop)
        if job.is_finished:
            return
        try:
            await job.future
        except asyncio.CancelledError:
            self._abandon(job)
            raise

    def _finished(self, job: Job[T]) -> T:
        if job.is_counted:
            with self._lock:
                self._busy -= 1
        return job.result()

    def _abandon(self, job: Job[Any]) -> None:
        with self._lock:
            self._busy -= job.is_counted
            job.wait_on(asyncio.get_running_loop())  # first: a thread that finishes from here on tells us so
            if job.is_settled or job.is_finished:
                return  # it had finished just before: its worker is free already
            if not job.takes_permit():
                self._threads -= job.is_counted
                self._left_behind.add(job)
            job.is_abandoned = True  # last: from here on its thread may take itself off the set
            self._start_missing_thread()  # somebody may wait for the place of the one left behind

    def _work(self) -> None:
        while True:
            job = self._jobs.get()
            if not job.takes_permit():
                continue
            job.run()
            if self.deliver(job):
                return

    def _settle(self, job: Job[Any]) -> None:
        job.is_settled = True
        if job.is_abandoned:
            with self._lock:
                self._threads += job.is_counted  # its worker had finished before it was counted out, and lives on
            self._left_behind.discard(job)
        elif job.future is not None and not job.future.done():
            job.future.set_result(None)


@coroutine
def _offered(job: Job[Any]) -> Generator[Job[Any], None, None]:
    yield job


def _contained(error: BaseException) -> RuntimeError:
    contained = RuntimeError(f"a tool raised {type(error).__name__}")
    contained.__cause__ = error
    return contained
