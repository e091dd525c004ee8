"""The smallest of many distances, exactly: what may be among them is found as bytes, counted fast."""

from array import array
from collections.abc import Iterator

from fieldguide.search.float_rows import to_signed

LEVELS = 127  # steps in a distance of one; cosine distances go up to two, so that a step fits into a byte
COARSE = 16
ALIKE = 1e-6  # distances this near to each other may be equal but for rounding
_COARSER = bytes(level // COARSE for level in range(256))


def smallest(distances: "array[float] | memoryview[float]", limit: int) -> list[int]:
    """The places of the smallest of these, and of as many again that equal the last of them but for rounding."""
    if len(distances) <= limit:
        return list(range(len(distances)))
    levels = to_signed(distances, LEVELS)
    level = _level_with(levels, limit)
    last = sorted(distances[place] for place in _up_to(levels, level))[limit - 1]
    near = list(_up_to(levels, max(level, round((last + ALIKE) * LEVELS))))
    sure = [place for place in near if distances[place] < last - ALIKE]
    alike = [place for place in near if abs(distances[place] - last) <= ALIKE]
    return sure + alike[: 2 * limit]


def _level_with(levels: bytes, limit: int) -> int:
    """The level up to which at least so many are; steps of sixteen are counted first, so that few must be counted."""
    coarse = levels.translate(_COARSER)
    counted = 0
    for step in range(256 // COARSE):
        held = coarse.count(step)
        if counted + held >= limit:
            return _level_within(levels, step * COARSE, limit - counted)
        counted += held
    return 255


def _level_within(levels: bytes, first: int, limit: int) -> int:
    counted = 0
    for level in range(first, first + COARSE):
        counted += levels.count(level)
        if counted >= limit:
            return level
    return 255


def _up_to(levels: bytes, level: int) -> Iterator[int]:
    """The places of those that are not above a level, in order."""
    marked = levels.translate(bytes(each <= level for each in range(256)))
    place = marked.find(1)
    while place >= 0:
        yield place
        place = marked.find(1, place + 1)
