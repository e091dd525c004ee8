"""MCP over stdio: one JSON-RPC message a line, each request answered once, with its own id, in any order."""

import asyncio
import gc
import os
import signal
from collections import deque
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, NoReturn, cast

from fieldguide.limits import Limits
from fieldguide.server.connection import Connection
from fieldguide.server.jsonrpc import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    Message,
    RequestId,
    RpcError,
    encode,
    legible_id,
    parse,
)
from fieldguide.server.lines import Lines, Oversized
from fieldguide.server.parent import parent_gone
from fieldguide.server.pipes import Pipes
from fieldguide.server.protocol import Protocol
from fieldguide.server.reading import LoneCall, Reading, Work
from fieldguide.spine.executor import Executor

DRAIN_SECONDS = 0.8
FLUSH_SECONDS = 0.4
MEGABYTE = 1_000_000


class StdioServer:
    """Serves one client on the standard pipes until it leaves, a signal comes or the parent dies."""

    def __init__(
        self, protocol: Protocol, executor: Executor, *, user: str | None = None, limits: Limits | None = None
    ) -> None:
        self._protocol = protocol
        self._executor = executor
        self._connection = Connection(outlet=self, user=user)
        self._limits = limits or Limits()
        self._lines = Lines(self._limits.message_bytes)
        self._tasks: dict[RequestId, asyncio.Task[None]] = {}
        self._background: set[asyncio.Task[Any]] = set()
        self._asked: dict[RequestId, asyncio.Future[dict[str, Any]]] = {}
        self._passed_on = self._taken = 0  # reads that the event loop was handed, and those it has gone through
        self._drain_seconds = DRAIN_SECONDS

    async def run(self) -> None:
        """Serve until the end, then let running calls finish for a second and leave."""
        gc.freeze()  # what the start made stays: no collection need look at it again
        loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        self._loop = self._connection.loop = loop
        self._pipes = Pipes(self._ended.set, most_waiting=self._limits.unread_megabytes * MEGABYTE)
        self._reading = Reading(
            self._pipes,
            receive=self._receive,
            adopt=self._adopt,
            end=self._ended.set,
            flush=self._executor.journal.flush,
            workers=self._executor.workers,
        )
        self._reading.start()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._stop)
        self._keep(self._protocol.subscriptions.follow(self._connection))
        self._keep(self._watch_parent())
        await self._ended.wait()
        await self._leave()

    async def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a notification; a client that has stopped reading loses news, not our memory."""
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
        """On the thread that reads: run calls while nothing else is under way; all else is the event loop's.

        Whether the thread may read on: not when a call of its was adopted.
        """
        messages: deque[Message] = deque()
        for line in self._lines.feed(data):
            message = self._parsed(line)
            if message is not None:
                messages.append(message)
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

    def _is_alone(self, message: Message) -> bool:
        """Whether a message is a call, and all that came before it has been answered."""
        return (
            message.method == "tools/call"
            and message.id is not None
            and self._passed_on == self._taken
            and not self._connection.open_requests
        )

    def _parsed(self, line: bytes | Oversized) -> Message | None:
        """The message of a line; where it is none, that is told, and the next line is not touched by it."""
        try:
            return self._too_long(line) if isinstance(line, Oversized) else parse(line)
        except RpcError as error:
            self._send({"jsonrpc": "2.0", "id": error.id, "error": error.described()})
            return None

    def _take_passed_on(self, messages: Iterable[Message]) -> None:
        self._taken += 1
        self._take(messages)

    def _adopt(self, call: LoneCall) -> None:
        """Go on with a call that takes longer than the thread which read it may take, and with what waits behind it."""
        self._go_on(call.id, call.work)
        self._take(call.rest)

    def _take(self, messages: Iterable[Message]) -> None:
        for message in messages:
            if message.method is None:
                self._resolve(message)
            elif message.id is None:
                self._take_notification(message.method, message.params)
            else:
                self._begin(message.id, message)

    def _too_long(self, line: Oversized) -> NoReturn:
        text = f"Invalid request: a message has at most {self._limits.message_bytes} bytes (message_bytes)."
        raise RpcError(INVALID_REQUEST, text, id=legible_id(line.head))

    def _begin(self, id_: RequestId, message: Message) -> None:
        if self._connection.open_requests >= self._limits.requests_in_flight:
            error = RpcError(INVALID_REQUEST, f"Too many requests at once: {self._limits.told('requests_in_flight')}.")
            self._send({"jsonrpc": "2.0", "id": id_, "error": error.described()})
            return
        self._go_on(id_, self._respond(id_, message))

    def _go_on(self, id_: RequestId, work: Work) -> None:
        """Answer a request as a task."""
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

    async def _respond(self, id_: RequestId, message: Message, *, is_alone: bool = False) -> None:
        method = message.method or ""
        try:
            result = await self._protocol.answer(
                method, message.params, request_id=id_, connection=self._connection, outlet=self, is_alone=is_alone
            )
            reply = encode({"jsonrpc": "2.0", "id": id_, "result": result})
        except RpcError as error:
            reply = encode({"jsonrpc": "2.0", "id": id_, "error": error.described()})
        except Exception as error:  # noqa: BLE001  the border of the process: a bug of ours must not end it
            self._executor.journal.note("Internal error", method=method, cause=repr(error))
            told = {"code": INTERNAL_ERROR, "message": "Internal error"}
            reply = encode({"jsonrpc": "2.0", "id": id_, "error": told})
        self._pipes.write(reply)

    def _forget(self, id_: RequestId, task: "asyncio.Task[None]") -> None:
        self._connection.open_requests -= 1
        self._executor.journal.flush_soon()
        if self._tasks.get(id_) is task:
            del self._tasks[id_]

    def _resolve(self, message: Message) -> None:
        waiting = self._asked.get(message.id) if message.id is not None else None
        if waiting is None or waiting.done():
            return
        if message.error is not None:
            waiting.set_exception(RpcError(INTERNAL_ERROR, str(message.error.get("message", "no reason given"))))
        else:
            waiting.set_result(dict(message.result))

    def _send(self, message: dict[str, Any]) -> None:
        self._pipes.write(encode(message))

    def _keep(self, work: Any) -> None:
        self._background.add(asyncio.create_task(work))

    async def _watch_parent(self) -> None:
        """A parent that was killed may leave its end of our pipe open in a sibling of ours."""
        await parent_gone()
        self._ended.set()

    def _stop(self) -> None:
        self._drain_seconds = 0.0
        self._ended.set()

    async def _leave(self) -> None:
        self._reading.stop()
        self._take([last for line in self._lines.finish() if (last := self._parsed(line)) is not None])
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
