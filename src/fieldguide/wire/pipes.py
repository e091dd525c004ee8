"""Takes over standard input and output for the protocol, and splits input into bounded lines.

The client's pipes move to descriptors of our own; in their place a tool that prints writes to stderr, and a child
process that reads gets nothing.
"""

import asyncio
import os
import select
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

HEAD_BYTES = 4096


class OversizedLine(NamedTuple):
    """A line longer than allowed, of which only the beginning was kept."""

    head: bytes


class LineSplitter:
    """Collects bytes and gives out whole lines; a line that is too long is passed over up to its end."""

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


SAFE_WRITE_BYTES = 4096  # a pipe that is ready takes this much without blocking (PIPE_BUF)


class StandardPipes:
    """The two pipes of a stdio server; written from any thread, without ever blocking it."""

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
        """Whether so much waits to be sent that nothing more is read: the client asks, and takes no answers."""
        return len(self._waiting) > self._most_waiting

    def wait_for_room(self) -> None:
        """Block the thread that reads for as long as too much waits to be sent."""
        if self.is_full:
            self._has_room.wait()

    def write(self, data: bytes) -> None:
        """Send bytes, now as far as the pipe takes them and later for the rest."""
        with self._lock:
            if self._waiting:
                self._waiting += data
            else:
                rest = data[self._sent(data) :]
                if not rest:
                    return
                self._waiting += rest
                self._tell(self._await_readiness)
            if self.is_full:
                self._has_room.clear()

    async def drain(self, seconds: float) -> None:
        """Wait until everything is sent, but not longer than this."""
        until = self._loop.time() + seconds
        while self._waiting and self._loop.time() < until:
            await asyncio.sleep(0.01)

    def _sent(self, data: bytes | bytearray) -> int:
        """How much of this the pipe took; all of it where nobody is there to take any."""
        sent = 0
        try:
            while sent < len(data) and self._poll.poll(0):
                sent += os.write(self._output, data[sent : sent + SAFE_WRITE_BYTES])
        except BlockingIOError:
            pass
        except OSError:  # the client is gone
            self._tell(self._on_end)
            return len(data)
        return sent

    def _await_readiness(self) -> None:
        self._loop.add_writer(self._output, self._flush)

    def _flush(self) -> None:
        with self._lock:
            del self._waiting[: self._sent(self._waiting)]
            if not self._waiting:
                self._loop.remove_writer(self._output)
            if not self.is_full:
                self._has_room.set()

    def _tell(self, function: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # the loop has closed: the process is ending
            self._loop.call_soon_threadsafe(function)
