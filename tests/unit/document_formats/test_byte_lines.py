"""The lines of a file as bytes are the lines of its text."""

from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldguide.text.citation import hash_lines, hash_text
from fieldguide.text.windows import (
    ByteLines,
    count_lines,
    decode_document,
    decode_readable,
    split_lines,
    strip_line_end,
)

PIECES = st.sampled_from(["a", "é", "漢", "\n", "\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\ufeff", "🦊"])
TEXTS = st.lists(PIECES, max_size=30).map("".join)
ENCODINGS = {"utf-8": b"", "utf-16-le": BOM_UTF16_LE, "utf-16-be": BOM_UTF16_BE}


@given(TEXTS, st.sampled_from([*ENCODINGS]), st.integers(1, 12), st.integers(0, 12))
def test_the_bytes_of_lines_are_the_lines_of_the_text(text, encoding, start, more):
    content = ENCODINGS[encoding] + text.encode(encoding)
    lines = split_lines(text)
    wanted = "".join(lines[start - 1 : start + more])
    wanted = wanted.removesuffix("\n").removesuffix("\r")
    found = ByteLines(content).between(start, start + more)

    mark = ENCODINGS[encoding] if start == 1 else b""
    assert found == mark + wanted.encode(encoding)
    assert len(ByteLines(content)) == max(len(lines), bool(ENCODINGS[encoding]))


@given(st.binary(max_size=60))
def test_whatever_the_bytes_are_they_have_the_lines_of_their_text(content):
    lines = ByteLines(content)

    if not content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        assert len(lines) == count_lines(decode_readable(content)) == count_lines(decode_document(content))
        assert lines.between(1, len(lines)) == content.removesuffix(b"\n").removesuffix(b"\r")


@pytest.mark.parametrize(
    ("content", "start", "end", "bytes_"),
    [
        (b"one\ntwo\nthree\n", 2, 3, b"two\nthree"),
        (b"one\ntwo", 2, 2, b"two"),
        (b"one\r\ntwo\r\n", 1, 2, b"one\r\ntwo"),
        (b"one\rtwo\rthree", 2, 2, b"two"),
        (b"one\x0ctwo\x0b\xe2\x80\xa8three\n", 1, 1, b"one\x0ctwo\x0b\xe2\x80\xa8three"),
        (BOM_UTF8 + b"one\ntwo\n", 1, 1, BOM_UTF8 + b"one"),
        (b"caf\xe9\n\xff\xfe\n", 1, 2, b"caf\xe9\n\xff\xfe"),
        (b"\n\n\n", 2, 2, b""),
        (b"one\n", 5, 9, b""),
        (b"", 1, 1, b""),
    ],
)
def test_a_hash_is_of_the_bytes_up_to_the_end_of_the_last_line(content, start, end, bytes_):
    found = ByteLines(content).between(start, end)

    assert found == bytes_
    assert hash_lines(found) == sha256(bytes_).hexdigest()[:8]


@given(TEXTS, st.integers(1, 12), st.integers(0, 12))
def test_a_text_that_lies_in_no_file_is_hashed_alike(text, start, more):
    lines = strip_line_end("".join(split_lines(text)[start - 1 : start + more]))

    assert hash_text(lines) == hash_lines(ByteLines(text.encode()).between(start, start + more))
