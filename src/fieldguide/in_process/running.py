"""Calls from our caller's own process: the same executor as on the wire, on an event loop in a thread of its own."""

import asyncio
import json
import logging
import threading
from collections.abc import Mapping
from typing import Any

from fieldguide.spine.cancellation import Cancellation
from fieldguide.spine.contract import Answer, Call
from fieldguide.spine.executor import Executor
from fieldguide.spine.foreign_text.visible_text import shown
from fieldguide.spine.workers import Workers

CONNECTION = "in-process"

log = logging.getLogger("fieldguide.in_process")


class BlockingExecutor:
    """The executor for callers who wait: from any thread, also one that runs an event loop of its own."""

    def __init__(self, executor: Executor) -> None:
        self.executor = executor
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._workers = executor.workers

    def execute(self, tool: str, arguments: Mapping[str, Any]) -> Answer:
        """The answer of a tool; a Refusal or a Failure when there is none. Its time limit holds here too."""
        cancellation = Cancellation()
        call = Call(tool=tool, arguments=arguments, cancellation=cancellation, connection=CONNECTION)
        with self._lock:
            loop = self._loop = self._loop or self._started()
            executor = self.executor._replace(workers=self._workers)
        waiting = asyncio.run_coroutine_threadsafe(executor.execute(call), loop)
        try:
            return waiting.result()
        except BaseException:
            waiting.cancel()  # our caller may have been interrupted while the tool still runs
            raise

    def close(self) -> None:
        """Write what waits to be written, and end the loop; a later call starts another."""
        with self._lock:
            loop, self._loop = self._loop, None
        self.executor.journal.flush()
        if loop is not None:
            loop.call_soon_threadsafe(loop.stop)

    def _started(self) -> asyncio.AbstractEventLoop:
        loop = asyncio.new_event_loop()
        self._workers = Workers()  # those of a loop that has ended wait for nobody
        threading.Thread(target=_run, args=(loop,), name="fieldguide-in-process", daemon=True).start()
        return loop


def _run(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()


def tell(lines: list[str]) -> None:
    """What a server would write to stderr goes to `logging`: a host process has its own way with such lines."""
    for line in lines:
        notice = json.loads(line).get("notice")
        log.log(logging.INFO if notice is None else logging.WARNING, "%s", shown(notice or line))
