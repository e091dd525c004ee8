"""Which of several definitions of a name in one scope is seen on a line."""

from bisect import bisect_right
from collections.abc import Sequence

from fieldguide.symbols.facts import INNER, PARAMETER, Definition
from fieldguide.symbols.resolving.view import Shape

MOST_ALIKE = 64


def visible_of(shape: Shape, places: Sequence[int], line: int) -> Sequence[int]:
    """Those definitions that are seen on a line: the innermost, and of a name that is given several values the last."""
    if not places or (len(places) == 1 and not shape.definitions[places[0]].visible[0]):
        return places
    seen = [p for p in _near(shape, places, line) if covers(shape.definitions[p], line)]
    return _innermost(shape, seen) or (_last_given(shape, seen, line) if line else seen)


def covers(definition: Definition, line: int) -> bool:
    """Whether a line is among those that see a definition; 0 for any line."""
    first, last = definition.visible
    return not first or not line or first <= line <= last


def _near(shape: Shape, places: Sequence[int], line: int) -> Sequence[int]:
    """Of very many definitions, which are in the order of the text, those right before a line."""
    if not line or len(places) <= MOST_ALIKE:
        return places

    def begins(place: int) -> int:
        return max(shape.definitions[place].line, shape.definitions[place].visible[0])

    end = bisect_right(places, line, key=begins)
    return places[max(0, end - MOST_ALIKE) : end]


def _innermost(shape: Shape, places: Sequence[int]) -> list[int]:
    """Those that only some lines see, where those lines begin last."""
    latest = max((shape.definitions[p].visible[0] for p in places), default=0)
    return [p for p in places if shape.definitions[p].visible[0] == latest] if latest else []


def _last_given(shape: Shape, places: list[int], line: int) -> list[int]:
    """What a local may hold on a line: what was given last in a block around it, and in blocks that ended since."""
    found: list[int] = []
    for place in places:
        each = shape.definitions[place]
        if each.kind not in INNER or each.line > line:
            found += [] if each.kind in INNER and found else [place]
        elif each.line <= line <= each.end_line or each.kind == PARAMETER:
            found = [place]
        else:
            found.append(place)
    return found
