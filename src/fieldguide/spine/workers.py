"""The threads of a server: workers that run calls, and a timer that ends those whose time is over.

They are daemon threads, because the standard library's pool waits for its threads when the process ends: one stuck tool
would keep a server alive that its client has left. A thread whose call was given up is counted out at once, so stuck
calls never use up the pool.
"""

import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count
from math import inf
from queue import Empty, SimpleQueue
from time import monotonic, sleep
from typing import Any, Generic, NamedTuple, TypeVar, cast

from fieldguide.text.cancellation import Cancellation
from fieldguide.text.errors import ToolTimeout

DEFAULT_SECONDS = 10.0
MAX_SECONDS = 30.0
MAX_THREADS = 32
LOOK_SECONDS = 0.002
SOON_SECONDS = 0.03
T = TypeVar("T")


class Timer:
    """Calls functions later, on one thread of its own; they must be quick.

    While something is due soon the thread looks every two milliseconds, so that nobody has to wake it for each call.
    Otherwise it sleeps, and nothing wakes while nothing happens.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[int, tuple[float, Callable[[], object]]] = {}
        self._numbers = count()
        self._wakes: SimpleQueue[None] = SimpleQueue()
        self._looks_at = inf
        self._has_thread = False

    def after(self, seconds: float, function: Callable[[], object]) -> int:
        """Call a function after so many seconds; returns the number by which that is cancelled."""
        due = monotonic() + seconds
        number = next(self._numbers)
        with self._lock:
            self._waiting[number] = (due, function)
            if due >= self._looks_at:
                return number
            self._looks_at = due
            is_first = not self._has_thread
            self._has_thread = True
        if is_first:
            threading.Thread(target=self._run, name="fieldguide-timer", daemon=True).start()
        else:
            self._wakes.put(None)
        return number

    def cancel(self, number: int) -> bool:
        """Forget a function; False where its time has come already."""
        with self._lock:
            return self._waiting.pop(number, None) is not None

    def _run(self) -> None:
        while True:
            with self._lock:
                now = monotonic()
                due = sorted((when, number) for number, (when, _) in self._waiting.items() if when <= now)
                functions = [self._waiting.pop(number)[1] for _, number in due]
                following = min((when for when, _ in self._waiting.values()), default=inf)
                self._looks_at = now + LOOK_SECONDS if following - now < SOON_SECONDS else following
            for function in functions:
                try:
                    function()
                except Exception:  # noqa: BLE001  without the timer no call would end in time
                    threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))
            seconds = self._looks_at - monotonic()
            with suppress(Empty):
                self._wakes.get(timeout=None if seconds == inf else max(seconds, 0.0))


@contextmanager
def time_limit(timer: Timer, cancellation: Cancellation, tool: str, asked: float | None) -> Generator[None]:
    """Give up the work of the block with ToolTimeout when its time is over, counted from when it was asked for.

    `asked` are the seconds that the tool asks for.
    """
    seconds = DEFAULT_SECONDS if asked is None else min(asked, MAX_SECONDS)
    left = cancellation.since + seconds - monotonic()

    def make_error() -> ToolTimeout:
        return ToolTimeout(f"The tool {tool} took longer than {seconds:g} seconds.", seconds=seconds)

    def expire() -> None:
        """Give the work up on a thread of its own: what is told of it may take a moment."""
        threading.Thread(target=cancellation.set, args=(make_error(),), daemon=True).start()

    if left <= 0:  # it has waited for a thread all the time
        raise make_error()

    number = timer.after(left, expire)
    try:
        yield
    finally:
        timer.cancel(number)


class Job:
    """A function that a worker runs, and what is done when it has ended and was not abandoned."""

    __slots__ = ("function", "is_abandoned", "is_begun", "is_ended", "then")

    def __init__(self, function: "Callable[[Job], Any]", then: Callable[[Any], None] | None) -> None:
        self.function = function
        self.then = then
        self.is_begun = False
        self.is_ended = False
        self.is_abandoned = False


class Outcome(NamedTuple, Generic[T]):
    """What a function gave back or raised."""

    value: T | None = None
    error: BaseException | None = None

    def get(self) -> T:
        """What was given back, or raise what was raised."""
        if self.error is not None:
            raise self.error
        return cast("T", self.value)


class Workers:
    """Runs plain functions on threads that start when they are needed."""

    def __init__(self, max_threads: int = MAX_THREADS) -> None:
        self.max_threads = max_threads
        self._jobs: SimpleQueue[Job] = SimpleQueue()
        self._lock = threading.Lock()
        self._threads = 0
        self._busy = 0
        self._left_behind: set[Job] = set()

    @property
    def is_full(self) -> bool:
        """Whether another job would have to wait for a thread."""
        return self._busy >= self.max_threads

    def start(self, function: Callable[[Job], T], then: Callable[[T], None] | None = None) -> Job:
        """Run a function, which must not raise, on a worker thread; it gets the job itself."""
        job = Job(function, then)
        with self._lock:
            self._busy += 1
            self._start_missing_thread()
        self._jobs.put(job)
        return job

    def abandon(self, job: Job) -> None:
        """Wait for a job no longer: its thread is replaced, and ends when the function comes back."""
        with self._lock:
            if job.is_ended or job.is_abandoned:
                return
            job.is_abandoned = True
            self._busy -= 1
            if job.is_begun:
                self._threads -= 1
                self._left_behind.add(job)
            self._start_missing_thread()  # somebody may wait for the place of the one left behind

    async def run(self, function: Callable[[], T], cancellation: Cancellation | None = None) -> T:
        """Await a function's result; the error of its cancellation if it is given up."""
        import asyncio  # only HTTP needs it: a quarter of a start

        loop = asyncio.get_running_loop()
        is_settled = asyncio.Event()
        outcomes: list[Outcome[T]] = []  # the first one counts
        given_up = cancellation or Cancellation()

        def settle(outcome: Outcome[T]) -> None:
            outcomes.append(outcome)
            with suppress(RuntimeError):  # the loop has closed: nobody waits
                loop.call_soon_threadsafe(is_settled.set)

        def give_up() -> None:
            settle(Outcome(error=given_up.error))

        job = self.start(partial(_run, function), settle)
        try:
            with given_up.stopping(give_up):
                await is_settled.wait()
        except asyncio.CancelledError:
            given_up.set()
            raise
        finally:
            if given_up.is_set:
                self.abandon(job)
        return outcomes[0].get()

    def wait(self, function: Callable[[], T], cancellation: Cancellation) -> T:
        """Wait for a function's result; the error of its cancellation if it is given up."""
        outcomes: SimpleQueue[Outcome[T]] = SimpleQueue()
        job = self.start(partial(_run, function), outcomes.put)
        try:
            with cancellation.stopping(lambda: outcomes.put(Outcome(error=cancellation.error))):
                outcome = outcomes.get()
        except BaseException:  # our caller was interrupted while the tool still runs
            cancellation.set()
            raise
        finally:
            if cancellation.is_set:
                self.abandon(job)
        return outcome.get()

    def counts(self) -> dict[str, int]:
        """How many threads there are, how many calls have or want one, and how many threads were left behind."""
        return {"threads": self._threads, "busy": self._busy, "left_behind": len(self._left_behind)}

    def leave(self, seconds: float) -> None:
        """Wait a moment for threads that were left behind: a tool that was told to stop may have a child to end."""
        if self._left_behind:
            from fieldguide.files.parser_process import end_children

            end_children()  # whoever waits for a parser comes back
        until = monotonic() + seconds
        while self._left_behind and monotonic() < until:
            sleep(0.005)

    def _start_missing_thread(self) -> None:
        if self._threads < min(self._busy, self.max_threads):
            self._threads += 1
            threading.Thread(target=self._work, name="fieldguide-worker", daemon=True).start()

    def _work(self) -> None:
        while True:
            job = self._jobs.get()
            with self._lock:
                if job.is_abandoned:
                    continue
                job.is_begun = True
            outcome = job.function(job)
            with self._lock:
                job.is_ended = True
                if job.is_abandoned:
                    self._left_behind.discard(job)
                    return
                self._busy -= 1
            if job.then is not None:
                job.then(outcome)


def _run(function: Callable[[], T], job: Job) -> Outcome[T]:
    try:
        return Outcome(function())
    except Exception as error:  # noqa: BLE001  it belongs to whoever waits
        return Outcome(error=error)
    except BaseException as error:  # noqa: BLE001  SystemExit or CancelledError would end more than this call
        contained = RuntimeError(f"{type(error).__name__} was raised")
        contained.__cause__ = error
        return Outcome(error=contained)
