"""Serves MCP over stdio, with one JSON-RPC message per line.

The thread that reads a lone call also runs it: most calls are done before another thread or the event loop could have
been woken. The event loop adopts a longer call as a task while it continues on its thread, and another thread takes
over the reading. So reading stops for four milliseconds at most, and time limits and cancellation hold.
"""

import asyncio
import gc
import os
import select
import signal
import threading
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from time import sleep
from typing import Any, NamedTuple, cast

from fieldguide.settings.limits import Limits
from fieldguide.spine.executor import Executor
from fieldguide.spine.tool import INTERNAL_ERROR
from fieldguide.spine.workers import Job, Workers
from fieldguide.text.errors import Failure
from fieldguide.wire.connection import Connection
from fieldguide.wire.jsonrpc import (
    HEAD_BYTES,
    INVALID_REQUEST,
    RequestId,
    RpcError,
    RpcMessage,
    encode_message,
    parse_message,
    read_id,
    settle_answer,
)
from fieldguide.wire.protocol import Protocol

SAFE_WRITE_BYTES = 4096  # a pipe that is ready takes this much without blocking (PIPE_BUF)
CHECK_SECONDS = 1.0
CHUNK_BYTES = 65536
LOOK_SECONDS = 0.002
LOOKS_TO_FLUSH = 10
DRAIN_SECONDS = 0.8
FLUSH_SECONDS = 0.4
MEGABYTE = 1_000_000

Work = Coroutine[Any, Any, None]


class OversizedLine(NamedTuple):
    """The beginning of a line that is longer than allowed."""

    head: bytes


class LineSplitter:
    """Splits incoming bytes into lines, and skips the rest of a line that is too long."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> Sequence[bytes | OversizedLine]:
        """The lines that these bytes complete, most often just one."""
        if not self._size and data.find(b"\n") == len(data) - 1 <= self._max_bytes and not data.isspace():
            return (data,)
        lines: list[bytes | OversizedLine] = []
        *whole, rest = data.split(b"\n")
        for part in whole:
            self._keep(part)
            lines += self.finish()
        self._keep(rest)
        return lines

    def finish(self) -> Iterator[bytes | OversizedLine]:
        """The line that has begun, as if it had ended here."""
        line = b"".join(self._parts)
        size = self._size
        self._parts = []
        self._size = 0
        if size > self._max_bytes:
            yield OversizedLine(line[:HEAD_BYTES])
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
        self._loop = asyncio.get_running_loop()
        self.input = os.dup(0)
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

    def wait_for_room(self) -> None:
        """Block the reading thread while too much output is unsent."""
        if self.is_full:
            self._has_room.wait()

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
                _call_on(self._loop, self._loop.add_writer, self._output, self._flush)
            if self.is_full:
                self._has_room.clear()

    async def drain(self, seconds: float) -> None:
        """Wait at most this long until everything is sent."""
        until = self._loop.time() + seconds
        while self._waiting and self._loop.time() < until:
            await asyncio.sleep(0.01)

    def _sent(self, data: bytes | bytearray) -> int:
        """How many bytes the pipe took; all of them if the client is gone."""
        sent = 0
        try:
            while sent < len(data) and self._poll.poll(0):
                sent += os.write(self._output, data[sent : sent + SAFE_WRITE_BYTES])
        except BlockingIOError:
            pass
        except OSError:  # the client is gone
            _call_on(self._loop, self._on_end)
            return len(data)
        return sent

    def _flush(self) -> None:
        with self._lock:
            del self._waiting[: self._sent(self._waiting)]
            if not self._waiting:
                self._loop.remove_writer(self._output)
            if not self.is_full:
                self._has_room.set()


def _call_on(loop: asyncio.AbstractEventLoop, function: Callable[..., Any], *arguments: Any) -> None:
    """Call a function on the event loop, from any thread."""
    with suppress(RuntimeError):  # the loop has closed: the process is ending
        loop.call_soon_threadsafe(function, *arguments)


async def wait_for_parent_end() -> None:
    """Return when the parent process has ended; uses a pidfd where there is one, else polls.

    A parent outside of our process namespace has the number 0, and one that is init never ends.
    """
    parent = os.getppid()
    if parent <= 1:
        await asyncio.get_running_loop().create_future()
    try:
        descriptor = os.pidfd_open(parent)
    except (AttributeError, OSError):  # no such call here
        while os.getppid() == parent:
            await asyncio.sleep(CHECK_SECONDS)
        return
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    loop.add_reader(descriptor, ended.set)
    try:
        if os.getppid() == parent:  # it was still the same when we opened it
            await ended.wait()
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)


class LoneCall(NamedTuple):
    """A call that runs on the thread which read it, and the messages read with it that wait."""

    id: RequestId
    work: Work
    job: Job[Any]
    rest: deque[RpcMessage]


class StdinReader:
    """Reads stdin to its end and runs the calls that came alone; no thread wakes while there is nothing to do."""

    def __init__(
        self,
        pipes: StandardPipes,
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
        self._wakes: SimpleQueue[None] = SimpleQueue()
        self._begun = 0
        self._has_watch = False
        self._is_watch_asleep = False
        self._running: LoneCall | None = None
        self._is_stopped = False

    def stop(self) -> None:
        """On the event loop: stop reading, and adopt the running call."""
        self._is_stopped = True
        self._turn = object()
        running = self._running
        if running is not None and running.job.takes_permit():
            self._adopt(running)

    def run(self, id_: RequestId, work: Work, rest: deque[RpcMessage]) -> bool:
        """On the reading thread: run a call, and return whether it was done before it was adopted.

        A thread whose call was adopted has lost its turn, even if no other thread has taken it yet.
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

    def pass_on_turn(self) -> None:
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
                    _call_on(self._loop, self._end)
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
            self._wakes.put(None)
        elif not self._has_watch:
            self._has_watch = True
            threading.Thread(target=self._watch, name="fieldguide-watch", daemon=True).start()

    def _watch(self) -> None:
        """Check now and then whether a call takes long; sleep while no calls come."""
        while True:
            begun = self._begun
            for _ in range(LOOKS_TO_FLUSH):
                self._look()
            self._flush()
            self._is_watch_asleep = True
            if self._begun == begun:  # else one has begun that saw us awake
                self._wakes.get()
            self._is_watch_asleep = False

    def _look(self) -> None:
        running = self._running
        sleep(LOOK_SECONDS)
        if running is not None and self._running is running and running.job.takes_permit():
            self._running = None
            _call_on(self._loop, self._adopt, running)
            self.pass_on_turn()


class StdioServer:
    """Serves one client on the standard pipes until it leaves, a signal comes or the parent dies."""

    def __init__(
        self, protocol: Protocol, executor: Executor, *, user: str | None = None, limits: Limits | None = None
    ) -> None:
        self._protocol = protocol
        self._executor = executor
        self._connection = Connection(outlet=self, user=user)
        self._limits = limits or Limits()
        self._lines = LineSplitter(self._limits.message_bytes)
        self._tasks: dict[RequestId, asyncio.Task[None]] = {}
        self._background: set[asyncio.Task[Any]] = set()
        self._asked: dict[RequestId, asyncio.Future[dict[str, Any]]] = {}
        self._passed_on = self._taken = 0  # reads that the event loop was handed, and those it has gone through
        self._drain_seconds = DRAIN_SECONDS

    async def run(self) -> None:
        """Serve until the end, then give running calls a second to finish."""
        gc.freeze()  # the objects made by the start stay: no collection needs to look at them again
        loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        self._loop = self._connection.loop = loop
        self._pipes = StandardPipes(self._ended.set, most_waiting=self._limits.unread_megabytes * MEGABYTE)
        self._reading = StdinReader(
            self._pipes,
            receive=self._receive,
            adopt=self._adopt,
            end=self._ended.set,
            flush=self._executor.journal.flush,
            workers=self._executor.workers,
        )
        self._reading.pass_on_turn()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._stop)
        for work in (self._protocol.subscriptions.follow(self._connection), self._watch_parent()):
            self._background.add(asyncio.create_task(work))
        await self._ended.wait()
        await self._leave()

    async def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a notification, unless the client has stopped reading."""
        if not self._pipes.is_full:
            self._send({"jsonrpc": "2.0", "method": method, "params": params})

    async def request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request and wait for the client's answer."""
        id_ = f"fieldguide-{os.urandom(6).hex()}"
        answered: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._asked[id_] = answered
        self._send({"jsonrpc": "2.0", "id": id_, "method": method, "params": params})
        try:
            return await answered
        finally:
            del self._asked[id_]

    def _receive(self, data: bytes) -> bool:
        """On the reading thread: run lone calls, and hand all other messages to the event loop.

        Returns whether the thread may read on: not when its call was adopted.
        """
        messages = deque(self._parse(self._lines.feed(data)))
        while messages:
            if not self._is_alone(messages[0]):
                self._passed_on += 1
                self._loop.call_soon_threadsafe(self._take_passed_on, messages)
                return True
            message = messages.popleft()
            id_ = cast("RequestId", message.id)
            if not self._reading.run(id_, self._respond(id_, message, is_alone=True), messages):
                return False
        return True

    def _is_alone(self, message: RpcMessage) -> bool:
        """Whether a message is a call, and all that came before it has been answered."""
        return (
            message.method == "tools/call"
            and message.id is not None
            and self._passed_on == self._taken
            and not self._connection.open_requests
        )

    def _parse(self, lines: Iterable[bytes | OversizedLine]) -> Iterator[RpcMessage]:
        """Parse each line; one that is no message is answered with an error."""
        for line in lines:
            if isinstance(line, OversizedLine):
                text = f"Invalid request: a message has at most {self._limits.message_bytes} bytes (message_bytes)."
                self._refuse(RpcError(INVALID_REQUEST, text, id=read_id(line.head)))
                continue
            try:
                message = parse_message(line)
            except RpcError as error:
                self._refuse(error)
            else:
                yield message

    def _refuse(self, error: RpcError) -> None:
        self._send({"jsonrpc": "2.0", "id": error.id, "error": error.described()})

    def _take_passed_on(self, messages: Iterable[RpcMessage]) -> None:
        self._taken += 1
        self._take(messages)

    def _adopt(self, call: LoneCall) -> None:
        """Continue a long call as a task, and take the messages that wait behind it."""
        self._start_task(call.id, call.work)
        self._take(call.rest)

    def _take(self, messages: Iterable[RpcMessage]) -> None:
        for message in messages:
            if message.method is None:
                self._resolve(message)
            elif message.id is None:
                self._take_notification(message.method, message.params)
            else:
                self._begin(message.id, message)

    def _begin(self, id_: RequestId, message: RpcMessage) -> None:
        if self._connection.open_requests >= self._limits.requests_in_flight:
            text = f"Too many requests at once: {self._limits.told('requests_in_flight')}."
            self._refuse(RpcError(INVALID_REQUEST, text, id=id_))
            return
        self._start_task(id_, self._respond(id_, message))

    def _start_task(self, id_: RequestId, work: Work) -> None:
        self._connection.open_requests += 1
        task = self._tasks[id_] = asyncio.create_task(work)
        task.add_done_callback(partial(self._forget, id_))

    def _take_notification(self, method: str, params: Mapping[str, Any]) -> None:
        if method != "notifications/cancelled":
            self._protocol.notified(method, self._connection)
            return
        cancelled = params.get("requestId")
        if isinstance(cancelled, str | int | float) and (task := self._tasks.get(cancelled)) is not None:
            task.cancel()

    async def _respond(self, id_: RequestId, message: RpcMessage, *, is_alone: bool = False) -> None:
        method = message.method or ""
        try:
            result = await self._protocol.answer(
                method, message.params, request_id=id_, connection=self._connection, outlet=self, is_alone=is_alone
            )
            reply = encode_message({"jsonrpc": "2.0", "id": id_, "result": result})
        except RpcError as error:
            reply = encode_message({"jsonrpc": "2.0", "id": id_, "error": error.described()})
        except Exception as error:  # noqa: BLE001  the border of the process: a bug of ours must not end it
            self._executor.journal.note("Internal error", method=method, cause=repr(error))
            told = {"code": INTERNAL_ERROR, "message": "Internal error"}
            reply = encode_message({"jsonrpc": "2.0", "id": id_, "error": told})
        self._pipes.write(reply)

    def _forget(self, id_: RequestId, task: "asyncio.Task[None]") -> None:
        self._connection.open_requests -= 1
        self._executor.journal.flush_soon()
        if self._tasks.get(id_) is task:
            del self._tasks[id_]

    def _resolve(self, message: RpcMessage) -> None:
        waiting = self._asked.get(message.id) if message.id is not None else None
        if waiting is not None and not waiting.done():
            settle_answer(waiting, message)

    def _send(self, message: dict[str, Any]) -> None:
        self._pipes.write(encode_message(message))

    async def _watch_parent(self) -> None:
        """A parent that was killed may leave its end of our pipe open in a sibling of ours."""
        await wait_for_parent_end()
        self._ended.set()

    def _stop(self) -> None:
        self._drain_seconds = 0.0
        self._ended.set()

    async def _leave(self) -> None:
        self._reading.stop()
        self._take(self._parse(self._lines.finish()))
        self._protocol.subscriptions.close()
        running = dict(self._tasks)
        if running:
            await asyncio.wait(running.values(), timeout=self._drain_seconds)
        for id_, task in running.items():
            if not task.done():
                task.cancel()
                error = {"code": INTERNAL_ERROR, "message": "The server is shutting down."}
                self._send({"jsonrpc": "2.0", "id": id_, "error": error})
        for task in self._background:
            task.cancel()
        await asyncio.gather(*self._tasks.values(), *self._background, return_exceptions=True)
        await self._executor.workers.leave(FLUSH_SECONDS)
        await self._pipes.drain(FLUSH_SECONDS)
        self._executor.journal.flush()
