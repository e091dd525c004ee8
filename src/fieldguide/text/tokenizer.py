"""Counts tokens exactly as the `cl100k_base` tokenizer does.

This is the only module that uses `re`: its pattern never backtracks farther than over the blanks just read, and `re`
is ten times as fast as RE2 for so many short matches.

The guide promises answers within a budget, so it counts with a real tokenizer. The table is part of the package and is
read by the first count (some 40 ms, 10 MiB). Other models split text differently; this tokenizer is public and widely
used for measurements.
"""

import re
import zlib
from functools import cache, lru_cache
from heapq import heapify, heappop, heappush
from importlib.resources import files
from unicodedata import category

BLANK = r"\t\n\x0b\x0c\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
ENDINGS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
KEPT_PATTERNS = 64


def split_pieces(text: str) -> list[str]:
    """The pieces of a text, one after the other."""
    if text.isascii():
        return _pattern("").findall(text)
    numerals = {each for each in text if each.isnumeric() and not each.isdecimal() and category(each) in ("Nl", "No")}
    return _pattern("".join(sorted(numerals))).findall(text)


@lru_cache(maxsize=KEPT_PATTERNS)
def _pattern(numerals: str) -> "re.Pattern[str]":
    """The pattern for texts that hold these numerals, which are neither letters nor digits to `re`."""
    other = re.escape(numerals)
    letter = rf"[^\W\d_{other}]"
    digit = rf"[\d{other}]"
    mark = rf"(?:[^{BLANK}\w]|_)" if not other else rf"(?:(?![{other}])[^{BLANK}\w]|_)"
    before = r"(?:[^\r\n\w]|_)"
    return re.compile(
        rf"{ENDINGS}|{before}?{letter}+|{digit}{{1,3}}| ?{mark}+[\r\n]*"
        rf"|[{BLANK}]*[\r\n]+|[{BLANK}]+(?![^{BLANK}])|[{BLANK}]+"
    )


PACKAGE = "fieldguide.text"
TABLE = "cl100k.bin"
TOKENS = 100_256
REMEMBERED_PIECES = 65_536
LONGEST_REMEMBERED = 64  # characters; what is longer is no word that comes again
NONE = -1


def count_exact_tokens(text: str) -> int:
    """The number of tokens of a text."""
    return sum(
        _count_short(piece) if len(piece) <= LONGEST_REMEMBERED else _count(piece) for piece in split_pieces(text)
    )


@cache
def read_ranks() -> dict[bytes, int]:
    """Every token and its rank; the file holds the lengths of all tokens, then the tokens, by rank."""
    data = zlib.decompress(files(PACKAGE).joinpath(TABLE).read_bytes())
    found: dict[bytes, int] = {}
    place = TOKENS
    for rank, length in enumerate(data[:TOKENS]):
        found[data[place : place + length]] = rank
        place += length
    return found


def _count(piece: str) -> int:
    data = piece.encode("utf-8", errors="surrogatepass")
    return 1 if data in read_ranks() else _count_joined(data)


_count_short = lru_cache(maxsize=REMEMBERED_PIECES)(_count)


def _count_joined(data: bytes) -> int:
    """The number of parts of some bytes once no pair can be joined; a heap gives the next pair to join.

    `ends` maps the start of each part to its end, and the start of a joined part to NONE.
    """
    known = read_ranks()
    size = len(data)
    ends = [*range(1, size + 1)]
    before = [*range(NONE, size - 1)]
    heap: list[tuple[int, int, int]] = []
    for at in range(size - 1):
        rank = known.get(data[at : at + 2])
        if rank is not None:
            heap.append((rank, at, at + 2))
    heapify(heap)
    parts = size
    while heap:
        _, at, end = heappop(heap)
        middle = ends[at]
        if middle in (NONE, size) or middle >= end or ends[middle] != end:
            continue  # one of the two was joined with another meanwhile
        ends[at] = end
        ends[middle] = NONE
        parts -= 1
        if end < size:
            before[end] = at
            _offer(heap, known, data, at, ends[end])
        if before[at] != NONE:
            _offer(heap, known, data, before[at], end)
    return parts


def _offer(heap: list[tuple[int, int, int]], known: dict[bytes, int], data: bytes, start: int, end: int) -> None:
    rank = known.get(data[start:end])
    if rank is not None:
        heappush(heap, (rank, start, end))
