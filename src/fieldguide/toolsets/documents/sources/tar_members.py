"""The regular files of a tar archive, read in one pass: no header is believed further than a name and a size.

The standard library reads headers that other headers announce by calling itself, keeps what every one of them says,
and has had holes in all of that. A bundle of documents needs none of it: names up to a length, sizes up to a limit;
links, devices, sparse files and what the headers say besides are passed over.
"""

from collections.abc import Iterator
from time import monotonic
from typing import NamedTuple, Protocol

BLOCK = 512
LARGEST_HEADER_BYTES = 64 << 10
PLAIN, LONG_NAME, OWN_HEADER = b"0\x00", b"L", b"x"
EMPTY = bytes(BLOCK)


class Budget(NamedTuple):
    """How much of an archive is read at most: headers of any kind, bytes, bytes of one file, and seconds."""

    headers: int
    total_bytes: int
    file_bytes: int
    seconds: float


class Stream(Protocol):
    """Unpacked bytes, one after another."""

    def read(self, size: int, /) -> bytes:
        """So many bytes, or fewer at the end."""
        ...


class BrokenArchive(ValueError):
    """What is no archive, or a damaged one."""


class TooMuch(ValueError):
    """An archive beyond its budget."""


def regular_files(stream: Stream, budget: Budget) -> Iterator[tuple[str, bytes]]:
    """Each regular file with its name as it is written, in the order of the archive; too large ones are passed over."""
    reader = _Reader(stream, budget)
    said: dict[str, str] = {}
    while (header := reader.header()) is not None:
        kind, size = header[156:157], _number(header[124:136])
        if kind in (LONG_NAME, OWN_HEADER):
            content = reader.content(size, LARGEST_HEADER_BYTES)
            said |= {"path": _text(content)} if kind == LONG_NAME else dict(_records(content))
            continue
        size = _size(said, size)
        name, is_sparse = said.get("path") or _name(header), any(key.startswith("GNU.sparse") for key in said)
        said = {}
        if kind in PLAIN and not is_sparse and size <= budget.file_bytes and not name.endswith("/"):
            yield name, reader.content(size, budget.file_bytes)
        else:
            reader.skip(size)


class _Reader:
    """Reads blocks and counts what is left of the budget."""

    def __init__(self, stream: Stream, budget: Budget) -> None:
        self._stream = stream
        self._is_begun = False
        self._headers = budget.headers
        self._bytes = budget.total_bytes
        self._until = monotonic() + budget.seconds

    def header(self) -> bytes | None:
        """The next header; None at the end."""
        self._headers -= 1
        if self._headers < 0 or monotonic() > self._until:
            raise TooMuch
        block = self._read(BLOCK)
        if block == EMPTY or (not block and self._is_begun):
            return None
        self._is_begun = True
        if len(block) < BLOCK or not _is_right_sum(block, _number(block[148:156])):
            raise BrokenArchive
        return block

    def content(self, size: int, most: int) -> bytes:
        """What a header announces, without what fills its last block."""
        if size > most:
            raise TooMuch
        whole = self._read(_padded(size))
        if len(whole) < size:
            raise BrokenArchive
        return whole[:size]

    def skip(self, size: int) -> None:
        """Pass over what a header announces."""
        left = _padded(size)
        if left > self._bytes:
            raise TooMuch
        while left > 0:
            passed = len(self._read(min(left, 1 << 20)))
            if not passed:
                raise BrokenArchive
            left -= passed

    def _read(self, size: int) -> bytes:
        self._bytes -= size
        if self._bytes < 0 or monotonic() > self._until:
            raise TooMuch
        return self._stream.read(size)


def _padded(size: int) -> int:
    return -(-size // BLOCK) * BLOCK


def _is_right_sum(block: bytes, told: int) -> bool:
    """Whether a header adds up, in one of the two ways that are in use; the sum in it counts as spaces."""
    rest = block[:148] + block[156:]
    unsigned = sum(rest) + 8 * 32
    return told == unsigned or told == unsigned - 256 * sum(byte > 127 for byte in rest)


def _number(field: bytes) -> int:
    """A number in octal digits, or in binary behind a mark."""
    if field[0] == 0x80:
        return int.from_bytes(field[1:], "big")
    digits = field.split(b"\0", 1)[0].strip()
    try:
        number = int(digits or b"0", 8)
    except ValueError:
        raise BrokenArchive from None
    if number < 0:
        raise BrokenArchive
    return number


def _name(header: bytes) -> str:
    name, prefix = _text(header[:100]), _text(header[345:500]) if header[257:263] == b"ustar\0" else ""
    return f"{prefix}/{name}" if prefix else name


def _text(field: bytes) -> str:
    return field.split(b"\0", 1)[0].decode("utf-8", errors="surrogateescape")


def _size(said: dict[str, str], size: int) -> int:
    written = said.get("size", "")
    if not written:
        return size
    if not (written.isascii() and written.isdecimal()) or len(written) > 15:
        raise BrokenArchive
    return int(written)


def _records(content: bytes) -> Iterator[tuple[str, str]]:
    """The records of an extended header, `LENGTH KEY=VALUE`, each behind the other."""
    at = 0
    while at < len(content):
        space = content.find(b" ", at, at + 8)
        digits = content[at:space] if space > at else b""
        if not digits.isdigit():
            raise BrokenArchive
        end = at + int(digits)
        if not space < end <= len(content):
            raise BrokenArchive
        key, equals, value = content[space + 1 : end - 1].partition(b"=")
        if not equals:
            raise BrokenArchive
        yield _text(key), value.decode("utf-8", errors="surrogateescape")
        at = end
