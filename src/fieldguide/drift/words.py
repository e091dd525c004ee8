"""The words of a text, as names are made of them: cut at C speed, since all code of a project is read for them."""

from array import array
from bisect import bisect_left
from collections.abc import Iterable
from zlib import crc32

LONGEST_WORD = 100
SHORTEST_WORD = 3
_LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$") | frozenset(range(128, 256))
_NAMES = bytes(each if each in _LETTERS else 32 for each in range(256))
_HYPHENED = bytes(each if each in _LETTERS or each == 45 else 32 for each in range(256))


def words_in(content: bytes) -> set[bytes]:
    """The words of some bytes: identifiers, and those with hyphens whole as well, as options are written.

    What options begin with that are put together of parts keeps its last hyphen: `ext-` of `f"--ext-{name}"`.
    """
    found = set(content.translate(_NAMES).split())
    if b"-" in content:
        hyphened = {word for word in content.translate(_HYPHENED).split() if b"-" in word}
        found.update(word.strip(b"-") for word in hyphened)
        found.update(word.lstrip(b"-") for word in hyphened if word.startswith(b"--") and word.endswith(b"-"))
    return {word for word in found if SHORTEST_WORD <= len(word) <= LONGEST_WORD}


def hashes_of(words: Iterable[bytes]) -> bytes:
    """Words as sorted numbers of four bytes each: enough to ask whether one is among them."""
    return array("I", sorted(set(map(crc32, words)))).tobytes()


def holds(hashes: bytes, word: bytes) -> bool:
    """Whether a word is among those of one file."""
    found = memoryview(hashes).cast("I")
    wanted = crc32(word)
    at = bisect_left(found, wanted)
    return at < len(found) and found[at] == wanted


class PresentWords:
    """All words that a project's code holds now; a word is among them that is not, once in ten thousand times."""

    def __init__(self, parts: Iterable[bytes]) -> None:
        self._hashes: set[int] = set()
        for part in parts:
            self._hashes.update(memoryview(part).cast("I"))

    def __contains__(self, word: bytes) -> bool:
        return crc32(word) in self._hashes

    def absent(self, words: Iterable[bytes]) -> set[bytes]:
        """Those of some words that no file holds."""
        hashes = self._hashes
        return {word for word in words if crc32(word) not in hashes}
