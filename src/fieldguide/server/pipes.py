"""Standard input and output taken away from everybody else, so that nothing but protocol ever reaches the client.

The client's pipes move to descriptors of our own; in their place a tool that prints writes to stderr, and a child
process that reads gets nothing.
"""

import asyncio
import os
import select
import threading
from collections.abc import Callable
from contextlib import suppress

CHUNK_BYTES = 65536
SAFE_WRITE_BYTES = 4096  # a pipe that is ready takes this much without blocking (PIPE_BUF)


class Pipes:
    """The two pipes of a stdio server, read and written on the event loop without ever blocking it."""

    def __init__(self, on_data: Callable[[bytes], None], on_end: Callable[[], None], *, most_waiting: int) -> None:
        self._on_data = on_data
        self._on_end = on_end
        self._loop = asyncio.get_running_loop()
        self._input, self._output = os.dup(0), os.dup(1)
        nowhere = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nowhere, 0)
        os.dup2(2, 1)
        os.close(nowhere)
        self._waiting = bytearray()
        self._most_waiting = most_waiting
        self._is_paused = False
        self._has_reader = False
        self._is_writer_added = False
        self._poll = select.poll()
        self._poll.register(self._output, select.POLLOUT)

    @property
    def is_full(self) -> bool:
        """Whether so much waits to be sent that nothing more is read: the client asks, and takes no answers."""
        return len(self._waiting) > self._most_waiting

    def open(self) -> None:
        """Begin to read."""
        try:
            self._loop.add_reader(self._input, self._read)
            self._has_reader = True
        except (OSError, NotImplementedError):  # a regular file: no readiness to wait for
            threading.Thread(target=self._read_blocking, daemon=True).start()

    def close(self) -> None:
        """Stop reading for good."""
        self._is_paused = False
        self._stop_reading()

    def write(self, data: bytes) -> None:
        """Send bytes, now as far as the pipe takes them and later for the rest."""
        self._waiting += data
        if not self._is_writer_added:
            self._flush()
        if self.is_full and self._has_reader:
            self._is_paused = True
            self._stop_reading()

    async def drain(self, seconds: float) -> None:
        """Wait until everything is sent, but not longer than this."""
        until = self._loop.time() + seconds
        while self._waiting and self._loop.time() < until:
            await asyncio.sleep(0.01)

    def _stop_reading(self) -> None:
        self._has_reader = False
        with suppress(OSError, NotImplementedError):
            self._loop.remove_reader(self._input)

    def _read(self) -> None:
        try:
            data = os.read(self._input, CHUNK_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self._on_data(data)
            return
        self.close()
        self._on_end()

    def _read_blocking(self) -> None:
        with suppress(OSError, RuntimeError):  # RuntimeError: the loop has closed
            while data := os.read(self._input, CHUNK_BYTES):
                self._loop.call_soon_threadsafe(self._on_data, data)
            self._loop.call_soon_threadsafe(self._on_end)

    def _flush(self) -> None:
        sent = 0
        try:
            while sent < len(self._waiting) and self._poll.poll(0):
                sent += os.write(self._output, self._waiting[sent : sent + SAFE_WRITE_BYTES])
        except BlockingIOError:
            pass
        except OSError:  # the client is gone
            self._waiting.clear()
            self._on_end()
            return
        del self._waiting[:sent]
        self._await_readiness(bool(self._waiting))
        if self._is_paused and not self.is_full:
            self._is_paused = False
            self.open()

    def _await_readiness(self, is_needed: bool) -> None:
        if is_needed == self._is_writer_added:
            return
        self._is_writer_added = is_needed
        if is_needed:
            self._loop.add_writer(self._output, self._flush)
        else:
            self._loop.remove_writer(self._output)
