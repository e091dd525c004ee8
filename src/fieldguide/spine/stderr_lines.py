"""Lines to stderr that never make a call wait: a client that does not read our log loses lines, not answers."""

import os
import select
import threading

STDERR = 2
SAFE_WRITE_BYTES = 4096  # a pipe that is ready takes this much without blocking (PIPE_BUF)


class StderrLines:
    """Writes lines while stderr takes them; drops them while it does not, and says how many when it does again."""

    def __init__(self, descriptor: int = STDERR) -> None:
        self._descriptor = descriptor
        self._dropped = 0
        self._lock = threading.Lock()  # between the look whether there is room and the write, nobody else may take it
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLOUT)

    def __call__(self, lines: list[str]) -> None:
        """Write these lines, in as few writes as they fit into; from any thread."""
        with self._lock:
            self._write_all(lines)

    def _write_all(self, lines: list[str]) -> None:
        if self._dropped:
            lines = [f'{{"message": "Log lines dropped", "count": {self._dropped}}}', *lines]
            self._dropped = 0
        chunk: list[bytes] = []
        size = 0
        for line in lines:
            text = line.encode()[: SAFE_WRITE_BYTES - 1]
            if size + len(text) >= SAFE_WRITE_BYTES:
                self._write(chunk)
                chunk, size = [], 0
            chunk.append(text)
            size += len(text) + 1
        self._write(chunk)

    def _write(self, lines: list[bytes]) -> None:
        try:
            if self._poll.poll(0):
                os.write(self._descriptor, b"\n".join(lines) + b"\n")
            else:
                self._dropped += len(lines)
        except OSError:  # nobody reads our log any more; that must not end a call
            self._dropped += len(lines)
