"""Lines from a stream of bytes, however they are cut, with an end to how long one may be."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

HEAD_BYTES = 4096


class Oversized(NamedTuple):
    """A line longer than allowed, of which only the beginning was kept."""

    head: bytes


class Lines:
    """Collects bytes and gives out whole lines; a line that is too long is passed over up to its end."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> Sequence[bytes | Oversized]:
        """The lines that these bytes complete, most often just one."""
        if not self._size and data.find(b"\n") == len(data) - 1 <= self._max_bytes and not data.isspace():
            return (data,)
        lines: list[bytes | Oversized] = []
        *whole, rest = data.split(b"\n")
        for part in whole:
            self._keep(part)
            lines += self.finish()
        self._keep(rest)
        return lines

    def finish(self) -> Iterator[bytes | Oversized]:
        """The line that has begun, as if it had ended here."""
        line, size = b"".join(self._parts), self._size
        self._parts, self._size = [], 0
        if size > self._max_bytes:
            yield Oversized(line[:HEAD_BYTES])
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
