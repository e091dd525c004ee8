"""The smallest of many distances, exactly: what may be among them is found as bytes, counted fast."""

from fieldguide.search.float_rows import Row as Floats
from fieldguide.search.float_rows import to_signed

LEVELS = 127  # steps in a distance of one; cosine distances go up to two, so that a step fits into a byte
COARSE = 16
ALIKE = 1e-6  # distances this near to each other may be equal but for rounding
_NOT_ABOVE = b"\x01" * 256 + bytes(255)  # read from 255 - level on: one up to the level, nothing above it
_COARSER = bytes(level // COARSE for level in range(256))


def smallest(distances: Floats, limit: int) -> list[int]:
    """The places of the smallest of these, and of as many again that equal the last of them but for rounding."""
    if len(distances) <= limit:
        return list(range(len(distances)))
    levels = to_signed(distances, LEVELS)
    level = _level_with(levels, limit)
    near = _up_to(levels, level, distances)
    last = sorted(distance for _, distance in near)[limit - 1]
    if round((last + ALIKE) * LEVELS) > level:  # what lies just beyond the step may be as good
        near = _up_to(levels, level + 1, distances)
    sure = [place for place, distance in near if distance < last - ALIKE]
    alike = [place for place, distance in near if abs(distance - last) <= ALIKE]
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


def _up_to(levels: bytes, level: int, distances: Floats) -> list[tuple[int, float]]:
    """The places of those that are not above a level, in order, with their distances."""
    marked = levels.translate(_NOT_ABOVE[255 - level : 511 - level])
    found: list[tuple[int, float]] = []
    place = marked.find(1)
    while place >= 0:
        found.append((place, distances[place]))
        place = marked.find(1, place + 1)
    return found
