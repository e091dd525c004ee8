"""Serves MCP over stdio, with one JSON-RPC message per line.

The thread that reads a line also answers it and writes the reply: most calls are done before another thread could have
been woken. If a call takes longer than a few milliseconds, the timer passes the reading on to another worker thread, so
a cancellation, the next call or the end of input is never kept waiting.
"""

import gc
import os
import select
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from time import monotonic, sleep
from typing import Any

from fieldguide.settings.limits import Limits
from fieldguide.spine.executor import Executor
from fieldguide.spine.resources import ChangeBus, ChangedList
from fieldguide.spine.tool import INTERNAL_ERROR
from fieldguide.spine.workers import Job
from fieldguide.text.errors import Cancelled
from fieldguide.wire.jsonrpc import (
    HEAD_BYTES,
    INVALID_REQUEST,
    RequestId,
    RpcError,
    RpcMessage,
    encode_message,
    parse_message,
    read_id,
)
from fieldguide.wire.protocol import Connection, Protocol, Request

SAFE_WRITE_BYTES = 4096  # a pipe that is ready takes this much without blocking (PIPE_BUF)
CHECK_MILLISECONDS = 1000
CHUNK_BYTES = 65536
PASS_ON_SECONDS = 0.003
HANDSHAKE = "initialize"
DRAIN_SECONDS = 0.8
REST_SECONDS = 0.005
FLUSH_SECONDS = 0.4
MEGABYTE = 1_000_000


class LineSplitter:
    """Splits incoming bytes into lines; in place of one that is too long it gives the error that answers it."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> Sequence[bytes | RpcError]:
        """The lines that these bytes complete, most often just one."""
        if not self._size and data.find(b"\n") == len(data) - 1 <= self._max_bytes and not data.isspace():
            return (data,)
        lines: list[bytes | RpcError] = []
        *whole, rest = data.split(b"\n")
        for part in whole:
            self._keep(part)
            lines += self.finish()
        self._keep(rest)
        return lines

    def finish(self) -> Iterator[bytes | RpcError]:
        """The line that has begun, as if it had ended here."""
        line = b"".join(self._parts)
        size = self._size
        self._parts = []
        self._size = 0
        if size > self._max_bytes:
            text = f"Invalid request: a message has at most {self._max_bytes} bytes (message_bytes)."
            yield RpcError(INVALID_REQUEST, text, id=read_id(line[:HEAD_BYTES]))
        elif line and not line.isspace():
            yield line

    def _keep(self, part: bytes) -> None:
        if not part:
            return
        self._size += len(part)
        if self._size <= self._max_bytes:
            self._parts.append(part)
        else:
            self._parts = [b"".join(self._parts)[:HEAD_BYTES] or part[:HEAD_BYTES]]


class StandardPipes:
    """The two pipes of a stdio server; any thread may write, and none is blocked by it."""

    def __init__(self, on_end: Callable[[], None], *, most_waiting: int) -> None:
        self._on_end = on_end
        self._input = os.dup(0)
        self._output = os.dup(1)
        nowhere = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nowhere, 0)
        os.dup2(2, 1)
        os.close(nowhere)
        self._lock = threading.Lock()
        self._waiting = bytearray()
        self._most_waiting = most_waiting
        self._has_room = threading.Event()
        self._has_room.set()
        self._poll = select.poll()
        self._poll.register(self._output, select.POLLOUT)

    @property
    def is_full(self) -> bool:
        """Whether too much unsent output waits, because the client asks and reads no answers."""
        return len(self._waiting) > self._most_waiting

    def read(self) -> bytes:
        """The next bytes, empty at the end; waits first while too much output is unsent."""
        self._has_room.wait()
        while True:
            try:
                return os.read(self._input, CHUNK_BYTES)
            except BlockingIOError:  # whoever started us made the pipe so
                select.select([self._input], [], [])
            except OSError:
                return b""

    def write(self, data: bytes) -> None:
        """Send as many bytes as the pipe takes now, and the rest later."""
        with self._lock:
            if self._waiting:
                self._waiting += data
            else:
                rest = data[self._sent(data) :]
                if not rest:
                    return
                self._waiting += rest
                threading.Thread(target=self._send_rest, name="fieldguide-writer", daemon=True).start()
            if self.is_full:
                self._has_room.clear()

    def drain(self, seconds: float) -> None:
        """Wait at most this long until everything is sent."""
        until = monotonic() + seconds
        while self._waiting and monotonic() < until:
            sleep(REST_SECONDS)

    def _sent(self, data: bytes | bytearray) -> int:
        """How many bytes the pipe took; all of them if the client is gone."""
        sent = 0
        try:
            while sent < len(data) and self._poll.poll(0):
                sent += os.write(self._output, data[sent : sent + SAFE_WRITE_BYTES])
        except BlockingIOError:
            pass
        except OSError:  # the client is gone
            self._on_end()
            return len(data)
        return sent

    def _send_rest(self) -> None:
        """Send what waits as fast as the client reads."""
        poll = select.poll()
        poll.register(self._output, select.POLLOUT)
        while self._waiting:
            poll.poll()
            with self._lock:
                del self._waiting[: self._sent(self._waiting)]
                if not self.is_full:
                    self._has_room.set()


class PendingRequest:
    """A request that is not answered yet, and the worker's job that answers it."""

    __slots__ = ("job", "request")

    def __init__(self, request: Request, job: Job | None = None) -> None:
        self.request = request
        self.job = job


class StdioServer:
    """Serves one client on the standard pipes until it leaves, a signal comes or the parent dies."""

    def __init__(
        self,
        protocol: Protocol,
        executor: Executor,
        changes: ChangeBus,
        *,
        user: str | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._protocol = protocol
        self._changes = changes
        self._executor = executor
        self._workers = executor.workers
        self._workers.max_threads += 1  # one more reads
        self._connection = Connection(user=user, announces_lists=True)
        self._limits = limits or Limits()
        self._lines = LineSplitter(self._limits.message_bytes)
        self._messages: deque[RpcMessage] = deque()  # read and not taken yet; for the thread that reads
        self._pending: dict[RequestId, PendingRequest] = {}
        self._pass_on_reading = partial(self._workers.start, self._read)
        self._wakes, self._waker = os.pipe()
        self._is_ended = False
        self._drain_seconds = DRAIN_SECONDS

    @property
    def client_name(self) -> str:
        """What the client called itself in its handshake; empty before, and without one."""
        return str(self._connection.client.get("name") or "")

    def run(self) -> None:
        """Serve until the end, then give running calls a second to finish."""
        gc.freeze()  # the objects made by the start stay: no collection needs to look at them again
        self._pipes = StandardPipes(self._end, most_waiting=self._limits.unread_megabytes * MEGABYTE)
        os.set_blocking(self._waker, False)
        signal.set_wakeup_fd(self._waker, warn_on_full_buffer=False)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._stop)
        with self._changes.listening(self._announce):
            self._pass_on_reading()
            self._wait_for_end()
            self._leave()

    def _read(self, job: Job) -> None:
        """On a worker: read and answer until the input ends, or until the reading is passed on to another worker."""
        is_over = False
        while not self._is_ended:
            while self._messages:
                message = self._messages.popleft()
                if message.method is None or message.id is None:
                    self._take(message)
                elif not self._begin(message.id, message.method, message.params, job):
                    return
            if is_over:
                self._end()
                return
            data = self._pipes.read()
            is_over = not data
            for line in self._lines.finish() if is_over else self._lines.feed(data):
                try:
                    if isinstance(line, RpcError):
                        raise line
                    self._messages.append(parse_message(line))
                except RpcError as error:
                    self._refuse(error.id, error)

    def _take(self, message: RpcMessage) -> None:
        """Take a client's notification in."""
        if message.method is None:
            return  # an answer, and nothing was asked
        if message.method == "notifications/cancelled":
            cancelled: Any = message.params.get("requestId")
            pending = self._pending.get(cancelled) if isinstance(cancelled, str | int | float) else None
            if pending is not None:
                pending.request.cancellation.set()
        else:
            self._protocol.notified(message.method, self._connection)

    def _begin(self, id_: RequestId, method: str, params: Mapping[str, Any], job: Job) -> bool:
        """Answer a request on this thread or, where too many run, on the next one that is free.

        Whether this thread goes on reading.
        """
        if len(self._pending) >= self._limits.requests_in_flight:
            text = f"Too many requests at once: {self._limits.told('requests_in_flight')}."
            self._refuse(id_, RpcError(INVALID_REQUEST, text))
            return True
        try:
            request = self._protocol.make_request(method, params, request_id=id_, connection=self._connection)
        except RpcError as error:
            self._refuse(id_, error)
            return True
        pending = self._pending[id_] = PendingRequest(request, job)
        request.cancellation.add(partial(self._give_up, pending))
        if self._workers.is_full and method in self._protocol.calls:
            pending.job = None
            self._workers.start(partial(self._answer_later, pending))
            return True
        if method == HANDSHAKE:  # what comes behind it depends on who the client is
            self._answer(pending)
            return True
        passing_on = self._executor.timer.after(PASS_ON_SECONDS, self._pass_on_reading)
        self._answer(pending)
        return self._executor.timer.cancel(passing_on)  # else another thread reads by now

    def _answer_later(self, pending: PendingRequest, job: Job) -> None:
        pending.job = job
        self._answer(pending)

    def _answer(self, pending: PendingRequest) -> None:
        request = pending.request
        try:
            line = encode_message({"jsonrpc": "2.0", "id": request.id, "result": self._protocol.answer(request)})
        except RpcError as error:
            line = encode_message({"jsonrpc": "2.0", "id": request.id, "error": error.described()})
        except Exception as error:  # noqa: BLE001  the border of the process: a bug of ours must not end it
            self._executor.journal.note("Internal error", method=request.method, cause=repr(error))
            told = {"code": INTERNAL_ERROR, "message": "Internal error"}
            line = encode_message({"jsonrpc": "2.0", "id": request.id, "error": told})
        if request.cancellation.finish():
            self._forget(pending)
            self._pipes.write(line)

    def _give_up(self, pending: PendingRequest) -> None:
        """Answer for a request whose time is over; one that its client has cancelled gets no answer."""
        request = pending.request
        if pending.job is not None:
            self._workers.abandon(pending.job)
        self._forget(pending)
        if isinstance(request.cancellation.error, Cancelled):
            return
        try:
            result = self._protocol.tell_error(request, request.cancellation.error)
            self._send({"jsonrpc": "2.0", "id": request.id, "result": result})
        except RpcError as error:
            self._refuse(request.id, error)

    def _forget(self, pending: PendingRequest) -> None:
        if self._pending.get(pending.request.id) is pending:
            del self._pending[pending.request.id]

    def _announce(self, changed: ChangedList) -> None:
        """Announce a changed list, unless the client has stopped reading."""
        if self._connection.is_initialized and not self._pipes.is_full:
            self._send({"jsonrpc": "2.0", "method": f"notifications/{changed}/list_changed", "params": {}})

    def _refuse(self, id_: RequestId | None, error: RpcError) -> None:
        self._send({"jsonrpc": "2.0", "id": id_, "error": error.described()})

    def _send(self, message: dict[str, Any]) -> None:
        self._pipes.write(encode_message(message))

    def _end(self) -> None:
        self._is_ended = True
        with suppress(BlockingIOError):
            os.write(self._waker, b"\0")

    def _stop(self, number: int, frame: object) -> None:
        self._drain_seconds = 0.0
        self._is_ended = True

    def _wait_for_end(self) -> None:
        """Wait until somebody says that it is over, or the parent has ended.

        A parent that was killed may leave its end of our pipe open in a sibling of ours. One outside of our process
        namespace has the number 0, and one that is init never ends.
        """
        poll = select.poll()
        poll.register(self._wakes, select.POLLIN)
        parent = os.getppid()
        milliseconds = None
        if parent > 1:
            milliseconds = CHECK_MILLISECONDS
            if sys.platform == "linux":
                with suppress(OSError):  # an older kernel, or a sandbox that forbids it
                    poll.register(os.pidfd_open(parent), select.POLLIN)
                    milliseconds = None
        while not self._is_ended and (parent <= 1 or os.getppid() == parent):
            poll.poll(milliseconds)

    def _leave(self) -> None:
        self._is_ended = True
        until = monotonic() + self._drain_seconds
        while self._pending and monotonic() < until:
            sleep(REST_SECONDS)
        for pending in [*self._pending.values()]:
            if pending.request.cancellation.set():
                self._refuse(pending.request.id, RpcError(INTERNAL_ERROR, "The server is shutting down."))
        self._workers.leave(FLUSH_SECONDS)
        self._pipes.drain(FLUSH_SECONDS)
        self._executor.journal.flush()
