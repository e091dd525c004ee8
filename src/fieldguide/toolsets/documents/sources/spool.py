"""What was fetched, until it is indexed: in one file without a name, not in memory."""

import os
from collections.abc import Callable
from functools import partial
from tempfile import TemporaryFile
from types import TracebackType


class Spool:
    """Contents one after another in a file that is gone when the block ends."""

    def __init__(self) -> None:
        self._file = TemporaryFile(prefix="fieldguide-", buffering=0)  # noqa: SIM115  closed with the block of this object
        self._size = 0

    def __enter__(self) -> "Spool":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def put(self, content: bytes) -> Callable[[], bytes]:
        """Put a content away; the function gives it again."""
        start, rest = self._size, memoryview(content)
        while rest:
            written = os.pwrite(self._file.fileno(), rest, self._size)
            self._size += written
            rest = rest[written:]
        return partial(self._content, start, len(content))

    def _content(self, start: int, size: int) -> bytes:
        parts: list[bytes] = []
        while size > 0 and (part := os.pread(self._file.fileno(), size, start)):
            parts.append(part)
            start, size = start + len(part), size - len(part)
        return b"".join(parts)
