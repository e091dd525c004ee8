"""Vectors that were paid for, kept on disk by the hash of their text: indexing again asks for none of them twice.

One file for each model, of records of one size, which only grows. Several processes may add to it at once. A record
that was torn by a power loss is seen by its checksum and counts as absent; a cache that can't be used is no error.
"""

import hashlib
import os
import struct
import threading
import zlib
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress

from fieldguide.platform_files import lock

MAGIC = b"FGVECTOR"
HEADER = struct.Struct("<8sI")  # magic, dimensions
DIGEST_BYTES = 32
CHECKSUM = struct.Struct("<I")
LARGEST_BYTES = 1 << 30  # then it begins anew: texts that are gone are never taken out one by one
RECORDS_AT_ONCE = 1024


class EmbeddingCache:
    """The vectors of one model; every method may be called from any thread."""

    def __init__(self, path: str, *, largest_bytes: int = LARGEST_BYTES) -> None:
        self._path = path
        self._largest_bytes = largest_bytes
        self._lock = threading.Lock()
        self._places: dict[bytes, int] = {}
        self._read_to = HEADER.size

    @property
    def dimensions(self) -> int | None:
        """How wide the vectors are that are kept here; None when there are none."""
        with suppress(OSError), self._opened(os.O_RDONLY) as file:
            return _dimensions(file)
        return None

    def find(self, texts: Sequence[str]) -> dict[str, bytes]:
        """Those of these texts whose vectors are here."""
        with self._lock, suppress(OSError), self._opened(os.O_RDONLY) as file:
            dimensions = _dimensions(file)
            if dimensions is None:
                return {}
            self._read_new(file, _record_bytes(dimensions))
            found = ((text, self._read(file, digest_of(text), dimensions)) for text in texts)
            return {text: vector for text, vector in found if vector is not None}
        return {}

    def add(self, vectors: Mapping[str, bytes]) -> None:
        """Keep the vectors of these texts, all of one width."""
        if not vectors:
            return
        with suppress(OSError):
            os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
            with self._opened(os.O_RDWR | os.O_CREAT) as file:
                lock(file)  # ends with the descriptor
                self._append(file, vectors)

    @contextmanager
    def _opened(self, flags: int) -> Generator[int]:
        file = os.open(self._path, flags | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            yield file
        finally:
            os.close(file)

    def _append(self, file: int, vectors: Mapping[str, bytes]) -> None:
        dimensions = len(next(iter(vectors.values())))
        size = os.fstat(file).st_size
        if _dimensions(file) != dimensions or size > self._largest_bytes:
            os.ftruncate(file, 0)
            os.pwrite(file, HEADER.pack(MAGIC, dimensions), 0)
            size = HEADER.size
        size -= (size - HEADER.size) % _record_bytes(dimensions)  # somebody was killed in the middle of a record
        os.ftruncate(file, size)
        os.pwrite(file, b"".join(_record(digest_of(text), vector) for text, vector in vectors.items()), size)

    def _read_new(self, file: int, record_bytes: int) -> None:
        """Learn where the vectors are that were added since the last look."""
        size = os.fstat(file).st_size
        if size < self._read_to:
            self._places, self._read_to = {}, HEADER.size
        while size - self._read_to >= record_bytes:
            block = os.pread(file, record_bytes * RECORDS_AT_ONCE, self._read_to)
            whole = len(block) // record_bytes
            if not whole:
                return
            for number in range(whole):
                start = number * record_bytes
                self._places[block[start : start + DIGEST_BYTES]] = self._read_to + start
            self._read_to += whole * record_bytes

    def _read(self, file: int, digest: bytes, dimensions: int) -> bytes | None:
        place = self._places.get(digest)
        if place is None:
            return None
        record = os.pread(file, _record_bytes(dimensions), place)
        vector = record[DIGEST_BYTES : DIGEST_BYTES + dimensions]
        return vector if record == _record(digest, vector) else None


def digest_of(text: str) -> bytes:
    """The key of a text."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).digest()


def _dimensions(file: int) -> int | None:
    header = os.pread(file, HEADER.size, 0)
    if len(header) < HEADER.size:
        return None
    magic, dimensions = HEADER.unpack(header)
    return int(dimensions) if magic == MAGIC and dimensions else None


def _record_bytes(dimensions: int) -> int:
    return DIGEST_BYTES + dimensions + CHECKSUM.size


def _record(digest: bytes, vector: bytes) -> bytes:
    return digest + vector + CHECKSUM.pack(zlib.crc32(vector, zlib.crc32(digest)))
