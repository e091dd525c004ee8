"""The threads that read what a client sends: one at a time, and it runs a call that came alone by itself.

No other thread has to be woken for such a call, nor the event loop, and most are done in less time than that takes. One
that takes longer than a moment is adopted by the event loop, as a task like any other, while it goes on on its thread;
another thread takes over the reading. So the server is deaf for four milliseconds at most, and every promise about time
limits and cancelling holds.
"""

import asyncio
import os
import select
import threading
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import suppress
from queue import SimpleQueue
from time import sleep
from typing import Any, NamedTuple

from fieldguide.errors import Failure
from fieldguide.server.jsonrpc import Message, RequestId
from fieldguide.server.pipes import Pipes
from fieldguide.spine.workers import Job, Workers

CHUNK_BYTES = 65536
LOOK_SECONDS = 0.002
LOOKS_TO_FLUSH = 10

Work = Coroutine[Any, Any, None]


class LoneCall(NamedTuple):
    """A call that runs on the thread which read it, and what was read with it and waits."""

    id: RequestId
    work: Work
    job: Job[Any]
    rest: deque[Message]


class Reading:
    """Reads bytes until their end, and runs the calls that came alone; nobody wakes while there is nothing to do."""

    def __init__(
        self,
        pipes: Pipes,
        *,
        receive: Callable[[bytes], bool],
        adopt: Callable[[LoneCall], None],
        end: Callable[[], None],
        flush: Callable[[], None],
        workers: Workers,
    ) -> None:
        self._pipes = pipes
        self._descriptor = pipes.input
        self._receive = receive
        self._adopt = adopt
        self._end = end
        self._flush = flush
        self._workers = workers
        self._loop = asyncio.get_running_loop()
        self._turn = object()  # of the one thread that reads
        self._turns: SimpleQueue[object] = SimpleQueue()
        self._spare: list[None] = []
        self._calls: SimpleQueue[None] = SimpleQueue()
        self._begun = 0
        self._has_watch = False
        self._is_watch_asleep = False
        self._running: LoneCall | None = None
        self._is_stopped = False

    def start(self) -> None:
        """Begin to read."""
        self._pass_on_turn()

    def stop(self) -> None:
        """On the event loop: read no further, and adopt the call that runs."""
        self._is_stopped = True
        self._turn = object()
        running = self._running
        if running is not None and running.job.takes_permit():
            self._adopt(running)

    def run(self, id_: RequestId, work: Work, rest: deque[Message]) -> bool:
        """On the thread that reads: answer a call; whether it was done before it was adopted, with all that waits.

        A thread whose call was adopted has lost its turn, also when it comes back before another was given it.
        """
        try:
            job: Job[Any] = work.send(None)
        except StopIteration:
            self._wake_watch()  # it has lines in the journal
            return True
        self._running = call = LoneCall(id_, work, job, rest)
        self._wake_watch()
        job.run()
        if not job.takes_permit():
            self._workers.deliver(job)
            return False
        if self._running is call:
            self._running = None
        try:
            work.send(None)
        except StopIteration:
            return True
        raise Failure("A call that was run asked for more than its thread can give.")

    def _pass_on_turn(self) -> None:
        """Let another thread read: one that has come back from a long call, or a new one."""
        if self._is_stopped:
            return
        self._turn = turn = object()
        try:
            self._spare.pop()
        except IndexError:
            threading.Thread(target=self._stand_by, name="fieldguide-reader", daemon=True).start()
        self._turns.put(turn)

    def _stand_by(self) -> None:
        while True:
            turn = self._turns.get()
            while self._turn is turn:
                self._pipes.wait_for_room()
                data = self._read()
                if not data:
                    self._tell(self._end)
                    return
                if self._turn is not turn or not self._receive(data):
                    break
            self._spare.append(None)

    def _read(self) -> bytes:
        while True:
            try:
                return os.read(self._descriptor, CHUNK_BYTES)
            except BlockingIOError:  # whoever started us made the pipe so
                select.select([self._descriptor], [], [])
            except OSError:
                return b""

    def _wake_watch(self) -> None:
        self._begun += 1
        if self._is_watch_asleep:
            self._is_watch_asleep = False
            self._calls.put(None)
        elif not self._has_watch:
            self._has_watch = True
            threading.Thread(target=self._watch, name="fieldguide-watch", daemon=True).start()

    def _watch(self) -> None:
        """Look now and then whether a call takes long; sleep when no calls come."""
        while True:
            begun = self._begun
            for _ in range(LOOKS_TO_FLUSH):
                self._look()
            self._flush()
            self._is_watch_asleep = True
            if self._begun == begun:  # else one has begun that saw us awake
                self._calls.get()
            self._is_watch_asleep = False

    def _look(self) -> None:
        running = self._running
        sleep(LOOK_SECONDS)
        if running is not None and self._running is running and running.job.takes_permit():
            self._running = None
            self._tell(self._adopt, running)
            self._pass_on_turn()

    def _tell(self, function: Callable[..., None], *given: Any) -> None:
        with suppress(RuntimeError):  # the loop has closed: the process is ending
            self._loop.call_soon_threadsafe(function, *given)
