"""Where decisions lie in the picture: a row for each, and on the axis its life, from its day until another took over.

The axis goes with time and is stretched where many decisions were made at once, so that no two begin at one place.
"""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

from fieldguide.picturing.decisions import Decision, by_name

ORDER_SHARE = 0.65  # how much of the axis goes by order, and not by days
MOST_TICKS = 10
STUB = 26.0  # how far the line of a decision goes of which it is not known when it ended
MARGIN = 14.0
TICK_CHARACTER = 6.8


class Shape(NamedTuple):
    """How large a picture is; titles stand left of the lines, or above them where there is no room."""

    name: str
    width: int
    title_width: int
    row_height: int
    top: int

    @property
    def left(self) -> float:
        """Where the axis begins."""
        return self.title_width + MARGIN

    @property
    def right(self) -> float:
        """Where the axis ends."""
        return self.width - MARGIN

    @property
    def line_below(self) -> float:
        """How far below the top of its row a line lies."""
        return self.row_height * (0.5 if self.title_width else 0.72)


WIDE = Shape("wide", 980, 430, 30, 34)
NARROW = Shape("narrow", 350, 0, 50, 30)


class Lifeline(NamedTuple):
    """A decision in the picture; `end` is where its line ends, its own place for none."""

    decision: Decision
    top: float
    middle: float
    start: float
    end: float


class Tick(NamedTuple):
    """A day on the axis."""

    at: float
    text: str


def lifelines(decisions: Sequence[Decision], shape: Shape) -> list[Lifeline]:
    """The lines of decisions in their order, the newest in the topmost row."""
    places = dict(zip((each.name for each in decisions), _places(decisions, shape), strict=True))
    known = by_name(decisions)
    rows: list[Lifeline] = []
    for row, each in enumerate(reversed(decisions)):
        top = shape.top + row * shape.row_height
        start = places[each.name]
        rows.append(Lifeline(each, top, top + shape.line_below, start, _end(each, known, places, shape)))
    return rows


def ticks(decisions: Sequence[Decision], shape: Shape) -> list[Tick]:
    """The days that are named on the axis: of the first decision in each span of time, where there is room."""
    dated = [(each.day, at) for each, at in zip(decisions, _places(decisions, shape), strict=True) if each.day]
    found: list[Tick] = []
    for at, text in _first_of_spans(dated):
        is_free = not found or at >= found[-1].at + _wide(found[-1].text)
        if is_free and at <= shape.right - _wide(text):
            found.append(Tick(at, text))
    return found


def has_room_for_today(found: Sequence[Tick], shape: Shape) -> bool:
    """Whether the last day on the axis leaves room for one word more."""
    return not found or found[-1].at + _wide(found[-1].text) <= shape.right - _wide("today")


def _wide(text: str) -> float:
    """The room that a text on the axis takes, with what lies between it and the next."""
    return len(text) * TICK_CHARACTER + MARGIN


def _places(decisions: Sequence[Decision], shape: Shape) -> list[float]:
    """Where each decision begins on the axis: by its order and by its day."""
    shares = _shares(decisions)
    last = max(len(decisions) - 1, 1)
    room = shape.right - shape.left - STUB
    by_order = 1.0 if not any(shares) else ORDER_SHARE
    return [
        round(shape.left + room * (by_order * at / last + (1 - by_order) * share), 1) for at, share in enumerate(shares)
    ]


def _shares(decisions: Sequence[Decision]) -> list[float]:
    """How far each day lies between the first and the last one; one without a day is where the one before it is."""
    days = [each.day for each in decisions if each.day]
    if not days or days[0] == days[-1]:
        return [0.0] * len(decisions)
    first, whole = min(days), (max(days) - min(days)).days or 1
    shares: list[float] = []
    for each in decisions:
        share = (each.day - first).days / whole if each.day else 0.0
        shares.append(max(share, shares[-1]) if shares else share)
    return shares


def _end(decision: Decision, known: dict[str, Decision], places: dict[str, float], shape: Shape) -> float:
    """How far a decision lives: until another took its place, or until today."""
    start = places[decision.name]
    if decision.standing == "rejected":
        return start
    if decision.standing != "retired":
        return shape.right
    after = [places[name] for name in decision.superseded_by if name in known and places[name] > start]
    return min(after, default=min(start + STUB, shape.right))


def _first_of_spans(dated: Sequence[tuple[date, float]]) -> Iterator[tuple[float, str]]:
    """The first place of each year where there are many, else of each quarter, month or day; and what it is called."""
    if not dated:
        return
    days = [day for day, _ in dated]
    months = _months(max(days)) - _months(min(days))
    step = next((step for step in (1, 3, 12, 24, 60, 120, 240) if months / step <= MOST_TICKS), 1200)
    latest = -1
    for day, at in dated:
        span = day.toordinal() if months < 2 else _months(day) // step
        if span > latest:
            latest = span
            yield at, f"{day.day} {day:%b %Y}" if months < 2 else f"{day.year}" if step >= 12 else f"{day:%b %Y}"


def _months(day: date) -> int:
    return day.year * 12 + day.month - 1
