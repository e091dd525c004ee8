"""The tokens of each piece: its bytes, and of all neighbours that may be joined always those of the lowest rank."""

import zlib
from functools import cache, lru_cache
from heapq import heapify, heappop, heappush
from importlib.resources import files

from fieldguide.spine.answers.tokenizer.pieces import pieces

PACKAGE, TABLE = "fieldguide.spine.answers.tokenizer", "cl100k.bin"
TOKENS = 100_256
REMEMBERED_PIECES = 65_536
LONGEST_REMEMBERED = 64  # characters; what is longer is no word that comes again
NONE = -1


def count(text: str) -> int:
    """The number of tokens of a text."""
    return sum(_count_short(piece) if len(piece) <= LONGEST_REMEMBERED else _count(piece) for piece in pieces(text))


@cache
def ranks() -> dict[bytes, int]:
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
    return 1 if data in ranks() else _count_joined(data)


_count_short = lru_cache(maxsize=REMEMBERED_PIECES)(_count)


def _count_joined(data: bytes) -> int:
    """What is left of some bytes when nothing can be joined any more; a heap gives the next pair to join.

    `ends` has, for each place where a part begins, the place where it ends; a part that was joined begins nowhere.
    """
    known, size = ranks(), len(data)
    ends = [*range(1, size + 1)]
    before = [*range(NONE, size - 1)]
    heap = [(known[pair], at, at + 2) for at in range(size - 1) if (pair := data[at : at + 2]) in known]
    heapify(heap)
    parts = size
    while heap:
        _, at, end = heappop(heap)
        middle = ends[at]
        if middle in (NONE, size) or middle >= end or ends[middle] != end:
            continue  # one of the two was joined with another meanwhile
        ends[at], ends[middle] = end, NONE
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
