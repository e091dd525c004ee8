"""Bundles made to hurt: they are refused or passed over, in bounded time and memory."""

import gzip
import time
import tracemalloc
from collections.abc import Callable

import pytest

from fieldguide.text.errors import Unreadable
from fieldguide.toolsets.documents.bundle import take_packed_snapshot
from fieldguide.toolsets.documents.collections import DocumentCollection, take_local_snapshot

WELL = ("a.md", b"# A\n")
MOST_SECONDS = 5.0  # of CPU
MOST_MEMORY_OF_A_BUNDLE = 100_000_000


def block(name: bytes, size: int, kind: bytes) -> bytes:
    """One header of the old format, with the sum that belongs to it."""
    header = bytearray(512)
    header[: len(name)] = name
    header[124:136] = b"%011o\0" % size
    header[148:156] = b" " * 8
    header[156:157] = kind
    header[257:265] = b"ustar\x0000"
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header)


def filled(content: bytes) -> bytes:
    """Content up to the end of its last block."""
    return content + bytes(-len(content) % 512)


def extended(content: bytes, kind: bytes = b"x") -> bytes:
    """A header that tells of the next one."""
    return block(b"h", len(content), kind) + filled(content)


def member(name: str, content: bytes) -> bytes:
    return block(name.encode(), len(content), b"0") + filled(content)


END = bytes(1024)
REFUSED: dict[str, Callable[[], bytes]] = {
    "a header that announces terabytes": lambda: block(b"h", 0o77777777777, b"x"),
    "headers without end": lambda: extended(b"6 a=b\n") * 120_000,
    "long names without end": lambda: extended(b"n" * 200, b"L") * 120_000,
    "a damaged header": lambda: b"x" * 512,
    "a file of nothing but zeros": lambda: block(b"z.bin", 7 << 30, b"0") + bytes(64 << 20),
    "a header of digits alone": lambda: extended(b"9" * (8 << 20)),
    "a file of negative size": lambda: extended(b"13 size=-512\n") + member("a.md", b"# A\n"),
    "names of megabytes": lambda: (extended(b"6011 path=" + b"d/" * 3000 + b"\n") + member("x", b"")) * 8_000,
    "half a file": lambda: block(b"a.md", 4_000, b"0") + b"# A",
}


@pytest.mark.parametrize("make", REFUSED.values(), ids=REFUSED)
def test_a_bundle_that_hurts_is_refused_in_time(make):
    packed = gzip.compress(make() + END, 1)
    started = time.thread_time()

    with pytest.raises(Unreadable):
        take_packed_snapshot(packed, lambda address: None)

    assert time.thread_time() - started < MOST_SECONDS


def test_a_bomb_of_gzip_is_given_up_before_it_fills_the_memory():
    packed = gzip.compress(b"".join(member(f"{number}.md", bytes(7 << 20)) for number in range(60)) + END)
    tracemalloc.start()

    with pytest.raises(Unreadable, match="too large"):
        take_packed_snapshot(packed, lambda address: None)

    assert len(packed) < 1 << 20
    assert tracemalloc.get_traced_memory()[1] < MOST_MEMORY_OF_A_BUNDLE
    tracemalloc.stop()


def test_a_bundle_that_is_too_large_on_disk_is_not_read(tmp_path):
    path = tmp_path / "large.tar.gz"
    with path.open("wb") as file:
        file.truncate(200 << 20)
    tracemalloc.start()

    with pytest.raises(Unreadable) as caught:
        take_local_snapshot(DocumentCollection("large", "file:large", str(path), str(tmp_path)))

    assert caught.value.details["size"] == 200 << 20

    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


def test_what_is_no_document_is_passed_over_and_the_rest_is_read():
    archive = (
        block(b"old-sparse.md", 0, b"S")
        + block(b"link.md", 0, b"2") + block(b"hard.md", 0, b"1") + block(b"device.md", 0, b"3")
        + member("../outside.md", b"# Outside\n") + member("/etc/passwd.md", b"# Root\n")
        + extended(b"11 path=b.md\n"[:0] + b"13 path=b.md\n") + member("other.md", b"# B\n")
        + extended(b"long/" * 30 + b"c.md\0", b"L") + member("cut", b"# C\n")
        + member(*WELL) + END
    )  # fmt: skip

    snapshot = take_packed_snapshot(gzip.compress(archive), lambda address: None)

    assert [entry.name for entry in snapshot.entries] == ["a.md", "b.md", "long/" * 30 + "c.md"]
