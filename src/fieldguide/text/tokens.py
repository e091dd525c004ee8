"""Counts the tokens of a text: an estimate that is quick and never too low, and the exact number of `cl100k_base`.

The estimate is never below what a tokenizer in use counts. A plain lower-case letter or a blank counts a third of a
token, every other byte two thirds: what is dense in marks, digits, capitals or other scripts is cut into shorter
tokens.

The guide promises answers within a budget, so it counts with a real tokenizer. The table is part of the package and is
read by the first count (some 40 ms, 10 MiB). Other models split text differently; this tokenizer is public and widely
used for measurements.

This is the only module that uses `re`: its pattern never backtracks farther than over the blanks just read, and `re`
is ten times as fast as RE2 for so many short matches. A start imports it, so it imports nothing heavy.
"""

import re
import string
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from heapq import heapify, heappop, heappush
from typing import TypeVar

TOKEN_SAMPLE = 20_000
"""Characters of an answer that tell how many of them are a token."""
MOST_TOKENS = 20_000
LIGHT = (string.ascii_lowercase + " ").encode()
MOST_PER_CHARACTER = 8 / 3  # four bytes, two thirds each
Item = TypeVar("Item")


def count_tokens(text: str) -> int:
    """The most tokens that a text counts for."""
    return (count_thirds(text) + 2) // 3


def count_thirds(text: str) -> int:
    """The same in thirds of a token, which can be added up: those of the parts are those of the whole."""
    data = text.encode("utf-8", errors="surrogatepass")
    return len(data) + len(data.translate(None, LIGHT))


def fits(text: str, most: int) -> bool:
    """Whether a text counts for no more tokens than that; a short one is not even counted."""
    return len(text) * MOST_PER_CHARACTER <= most or count_tokens(text) <= most


def fit(items: Sequence[Item], budget: int, write: Callable[[Sequence[Item]], str]) -> Sequence[Item]:
    """The first of these items, as many as fit a budget of tokens when they are written together."""
    if not items or count_tokens(write(items)) <= budget:
        return items
    sizes = range(1, len(items))
    return items[: bisect_left(sizes, True, key=lambda size: count_tokens(write(items[:size])) > budget)]


def truncate_to_tokens(text: str, most: int) -> str:
    """The longest beginning of a text that fits."""
    longest = min(len(text), 3 * max(most, 0))  # no character counts less than a third
    return find_longest_beginning(text, 0, longest, lambda beginning: fits(beginning, most))


def find_longest_beginning(text: str, shortest: int, longest: int, is_fitting: Callable[[str], bool]) -> str:
    """The longest beginning of a text that fits, of these lengths; found by bisection."""
    lengths = range(shortest + 1, longest + 1)
    return text[: shortest + bisect_left(lengths, True, key=lambda length: not is_fitting(text[:length]))]


def estimate_tokens(characters: int, latest_text: str) -> int:
    """How many tokens so many characters are, if all of them count as those of the latest answer do.

    Counting each answer would take longer than many a call.
    """
    sample = latest_text[:TOKEN_SAMPLE]
    return round(characters * count_exact_tokens(sample) / len(sample)) if sample else 0


BLANK = r"\t\n\x0b\x0c\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
ENDINGS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
KEPT_PATTERNS = 64


def split_pieces(text: str) -> list[str]:
    """The pieces of a text, one after the other."""
    if text.isascii():
        return _pattern("").findall(text)
    from unicodedata import category

    used = set(text)
    numerals = {each for each in used if each.isnumeric() and not each.isdecimal() and category(each) in ("Nl", "No")}
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
    import zlib
    from importlib.resources import files

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
