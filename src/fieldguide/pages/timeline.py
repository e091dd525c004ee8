"""Draws decisions over time as SVG and describes their ties in words.

The axis goes with time and is stretched where many decisions were made at once, so that no two begin at one place.

Every row is a link that the keyboard reaches. How a decision stands is told by the form of its mark and in words, never
by its colour alone. The drawing needs no script and has no style of its own.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from fieldguide.knowledge.decisions.lineage import STANDINGS, DatedDecision, describe_status, index_by_name
from fieldguide.text.display import escape_html

ORDER_SHARE = 0.65  # how much of the axis goes by order, and not by days
MOST_TICKS = 10
STUB = 26.0  # how far the line of a decision goes of which it is not known when it ended
MARGIN = 14.0
TICK_CHARACTER = 6.8
MOST_ROWS = 60
CHARACTER = 7.0  # the width of a usual one, at the size of titles
HEAD = 4.5
MARK = 5.0
BESIDE = 5.0  # an arrow that amends stands so far beside one that supersedes
KINDS = {"in force": "standing", "proposed": "proposed", "rejected": "rejected", "retired": "retired"}
MOST_TIES = 200
NONE = "<p>None of these decisions supersedes or amends another.</p>"
UNDATED = "undated"
MOST_YEARS = 40
HEIGHT = 150
BASE = 122
COLUMN = 56
BAR = 36
LEAST_COLUMNS = 6


class TimelineShape(NamedTuple):
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


WIDE = TimelineShape("wide", 980, 430, 30, 34)
NARROW = TimelineShape("narrow", 350, 0, 50, 30)


class Lifeline(NamedTuple):
    """A decision in the picture; `end` is where its line ends, its own place for none."""

    decision: DatedDecision
    top: float
    middle: float
    start: float
    end: float


def place_lifelines(decisions: Sequence[DatedDecision], shape: TimelineShape) -> list[Lifeline]:
    """The lines of decisions in their order, the newest in the topmost row."""
    places = dict(zip((each.name for each in decisions), _places(decisions, shape), strict=True))
    known = index_by_name(decisions)
    rows: list[Lifeline] = []
    for row, each in enumerate(reversed(decisions)):
        top = shape.top + row * shape.row_height
        start = places[each.name]
        rows.append(Lifeline(each, top, top + shape.line_below, start, _end(each, known, places, shape)))
    return rows


def place_ticks(decisions: Sequence[DatedDecision], shape: TimelineShape) -> list[tuple[float, str]]:
    """The days that are named on the axis, each with its place: of the first decision in each span of time, where
    there is room."""
    dated = [(each.day, at) for each, at in zip(decisions, _places(decisions, shape), strict=True) if each.day]
    found: list[tuple[float, str]] = []
    end = 0.0
    for at, text in _first_of_spans(dated):
        if at >= end and at <= shape.right - _wide(text):
            found.append((at, text))
            end = at + _wide(text)
    return found


def _wide(text: str) -> float:
    """The room that a text on the axis takes, with what lies between it and the next."""
    return len(text) * TICK_CHARACTER + MARGIN


def _places(decisions: Sequence[DatedDecision], shape: TimelineShape) -> list[float]:
    """Where each decision begins on the axis: by its order and by its day."""
    shares = _shares(decisions)
    last = max(len(decisions) - 1, 1)
    room = shape.right - shape.left - STUB
    by_order = 1.0 if not any(shares) else ORDER_SHARE
    return [
        round(shape.left + room * (by_order * at / last + (1 - by_order) * share), 1) for at, share in enumerate(shares)
    ]


def _shares(decisions: Sequence[DatedDecision]) -> list[float]:
    """How far each day lies between the first and the last one; one without a day is where the one before it is."""
    days = [each.day for each in decisions if each.day]
    if not days or days[0] == days[-1]:
        return [0.0] * len(decisions)
    first = min(days)
    whole = (max(days) - min(days)).days or 1
    shares: list[float] = []
    for each in decisions:
        share = (each.day - first).days / whole if each.day else 0.0
        shares.append(max(share, shares[-1]) if shares else share)
    return shares


def _end(
    decision: DatedDecision, known: dict[str, DatedDecision], places: dict[str, float], shape: TimelineShape
) -> float:
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
        if span <= latest:
            continue
        latest = span
        if months < 2:
            yield at, f"{day.day} {day:%b %Y}"
        else:
            yield at, f"{day.year}" if step >= 12 else f"{day:%b %Y}"


def _months(day: date) -> int:
    return day.year * 12 + day.month - 1


def draw_timelines(decisions: Sequence[DatedDecision], *, known: Mapping[str, DatedDecision] | None = None) -> str:
    """The picture of up to 60 decisions (the newest of more), for wide windows and for phones: styles show one of them.

    `known` has all decisions, so that ties to those that are not drawn are told by their titles.
    """
    drawn = [*decisions][-MOST_ROWS:]
    everyone = known or index_by_name(decisions)
    return "".join(draw_timeline(drawn, shape, everyone) for shape in (WIDE, NARROW)) if drawn else ""


def draw_timeline(decisions: Sequence[DatedDecision], shape: TimelineShape, known: Mapping[str, DatedDecision]) -> str:
    """One picture in one shape."""
    rows = place_lifelines(decisions, shape)
    height = shape.top + len(rows) * shape.row_height + 8
    drawn = "".join(_row(each, shape, known) for each in rows)
    days = [each.day for each in decisions if each.day]
    span = f" from {min(days).isoformat()} to {max(days).isoformat()}" if days else ""
    summary = f"{len(decisions)} decision{'' if len(decisions) == 1 else 's'}{span}, the newest first"
    return (
        f'<svg class="decision-picture {shape.name}" viewBox="0 0 {shape.width} {height}" width="{shape.width}" '
        f'height="{height}" role="group" aria-label="{summary}">'
        f"{_axis(decisions, shape, height)}{_arrows(rows)}{drawn}</svg>"
    )


def draw_legend() -> str:
    """What the marks and arrows mean."""
    samples: list[tuple[str, str]] = []
    for word, kind in KINDS.items():
        is_rejected = kind == "rejected"
        decision = DatedDecision("", "", "", "", "rejected" if is_rejected else "in force", None)
        line = Lifeline(decision, 0, 8, 8, 34)
        life = "" if is_rejected else _life(line)
        samples.append((word, f'<g class="record {kind}">{life}{_mark(line)}</g>'))
    for tie in ("supersedes", "amends"):
        head = f'<path class="head {tie}" d="M33 8L26 {8 - HEAD:g}V{8 + HEAD:g}Z"/>'
        samples.append((tie, f'<path class="{tie}" d="M2 8H26"/>{head}'))
    items = "".join(
        f'<li><svg class="decision-picture sample" viewBox="0 0 36 16" width="36" height="16" aria-hidden="true">'
        f"{drawing}</svg>{escape_html(word)}</li>"
        for word, drawing in samples
    )
    return f'<ul class="decision-legend">{items}</ul>'


def describe_decision(decision: DatedDecision, known: Mapping[str, DatedDecision]) -> str:
    """A decision in one line of words, with its ties."""
    parts = [name_decision(decision), describe_status(decision)]
    parts.append(decision.day.isoformat() if decision.day else "no date")
    ties = (
        ("supersedes", decision.supersedes),
        ("superseded by", decision.superseded_by),
        ("amends", decision.amends),
        ("amended by", decision.amended_by),
    )
    for tie, names in ties:
        labels = [known[name].label or known[name].title if name in known else name for name in names]
        if labels:
            parts.append(f"{tie} {', '.join(labels)}")
    return ", ".join(parts)


def name_decision(decision: DatedDecision) -> str:
    """A decision's number and title."""
    return f"{decision.label} {decision.title}" if decision.label else decision.title


def fit_text(text: str, width: float) -> str:
    """A text cut to a width; what a browser would not show counts as it is shown."""
    room = int(width / CHARACTER)
    used = 0
    for at, character in enumerate(text):
        if unicodedata.east_asian_width(character) in "WF":
            used += 2
        else:
            used += 1 if character.isprintable() else 6
        if used > room:
            return f"{text[: max(at - 1, 1)].rstrip()}…"
    return text


def _axis(decisions: Sequence[DatedDecision], shape: TimelineShape, height: int) -> str:
    """The days above, each with a line down; and today at the end."""
    top = shape.top - 8
    bottom = height - 4
    days = place_ticks(decisions, shape)
    has_room = not days or days[-1][0] + _wide(days[-1][1]) <= shape.right - _wide("today")
    marks = [*((at, text, "start") for at, text in days), (shape.right, "today" if has_room else "", "end")]
    lines = "".join(f'<path class="grid" d="M{at:g} {top}V{bottom}"/>' for at, _, _ in marks)
    texts = "".join(
        f'<text class="day" x="{at:g}" y="{top - 8}" text-anchor="{anchor}">{escape_html(text)}</text>'
        for at, text, anchor in marks
    )
    return f'<g aria-hidden="true">{lines}{texts}</g>'


def _arrows(rows: Sequence[Lifeline]) -> str:
    """An arrow from each decision to those in the picture that it supersedes or amends."""
    lines = {each.decision.name: each for each in rows}
    found: list[str] = []
    for each in rows:
        for tie, names, aside in (("supersedes", each.decision.supersedes, 0.0), ("amends", each.decision.amends, 1.0)):
            found += [_arrow(each, lines[name], tie, aside * BESIDE) for name in names if name in lines]
    return f'<g aria-hidden="true">{"".join(found)}</g>'


def _arrow(later: Lifeline, earlier: Lifeline, tie: str, aside: float) -> str:
    start = later.start + aside
    end = max(later.start, earlier.start + MARK) + aside
    down = 1.0 if earlier.middle >= later.middle else -1.0
    begin = later.middle + down * (MARK + 1)
    tip = earlier.middle - down * 3
    foot = tip - down * HEAD * 1.6
    return (
        f'<path class="{tie}" d="M{start:g} {begin:g}L{end:g} {foot:g}"/>'
        f'<path class="head {tie}" d="M{end:g} {tip:g}L{end - HEAD:g} {foot:g}H{end + HEAD:g}Z"/>'
    )


def _row(line: Lifeline, shape: TimelineShape, known: Mapping[str, DatedDecision]) -> str:
    decision = line.decision
    kind = KINDS[line.decision.standing]
    words = escape_html(describe_decision(decision, known))
    inner = (
        f'<rect class="row" x="1" y="{line.top + 1:g}" width="{shape.width - 2}" height="{shape.row_height - 2}" '
        f'rx="4"/>{_title(line, shape)}{_life(line)}{_mark(line)}<title>{words}</title>'
    )
    if not decision.href:
        return f'<g class="record {kind}" role="img" aria-label="{words}">{inner}</g>'
    return f'<a class="record {kind}" href="{escape_html(decision.href)}">{inner}</a>'


def _title(line: Lifeline, shape: TimelineShape) -> str:
    """The number and the title, as much of it as there is room for."""
    beside = shape.title_width > 0
    below = line.middle + 4.5 if beside else line.top + 19
    label = line.decision.label[-6:]
    indent = 10 + (len(label) * 8 + 10 if label else 0)
    room = (shape.title_width or shape.width) - indent - 6
    number = f'<text class="number" x="10" y="{below:g}">{escape_html(label)}</text>' if label else ""
    said = escape_html(fit_text(line.decision.title, room))
    return f'{number}<text class="title" x="{indent}" y="{below:g}">{said}</text>'


def _life(line: Lifeline) -> str:
    if line.end <= line.start:
        return ""
    cap = f"M{line.end:g} {line.middle - 4:g}v8" if line.decision.standing == "retired" else ""
    return f'<path class="life" d="M{line.start:g} {line.middle:g}H{line.end:g}{cap}"/>'


def _mark(line: Lifeline) -> str:
    """A disc for what holds, a ring for what is proposed or retired, a cross for what was rejected."""
    if line.decision.standing == "rejected":
        at = f"{line.start - 4:g} {line.middle - 4:g}"
        return f'<path class="mark" d="M{at}l8 8m0 -8l-8 8"/>'
    return f'<circle class="mark" cx="{line.start:g}" cy="{line.middle:g}" r="{MARK:g}"/>'


def render_ties(decisions: Sequence[DatedDecision], known: Mapping[str, DatedDecision]) -> str:
    """What each decision supersedes and amends, as a list, the newest first."""
    items = [*_sentences(decisions, known)]
    if not items:
        return NONE
    more = f"<p>And {len(items) - MOST_TIES} more.</p>" if len(items) > MOST_TIES else ""
    return f'<ul class="ties">{"".join(f"<li>{each}</li>" for each in items[:MOST_TIES])}</ul>{more}'


def link_decision(decision: DatedDecision) -> str:
    """A decision's number and title, as a link where it can be read."""
    text = escape_html(name_decision(decision))
    return f'<a href="{escape_html(decision.href)}">{text}</a>' if decision.href else text


def _sentences(decisions: Sequence[DatedDecision], known: Mapping[str, DatedDecision]) -> Iterator[str]:
    """Each tie once: from the later decision, or from the earlier where the later is not among these."""
    here = {each.name for each in decisions}
    for each in reversed(decisions):
        ties = (
            ("supersedes", each.supersedes),
            ("amends", each.amends),
            ("is superseded by", [name for name in each.superseded_by if name not in here]),
            ("is amended by", [name for name in each.amended_by if name not in here]),
        )
        for tie, names in ties:
            yield from (f"{link_decision(each)} {tie} {link_decision(known[name])}" for name in names if name in known)


def count_years(decisions: Sequence[DatedDecision]) -> dict[str, list[DatedDecision]]:
    """Decisions by year, the earliest year first; those without a day come last."""
    found: dict[str, list[DatedDecision]] = {}
    for each in decisions:
        found.setdefault(str(each.day.year) if each.day else UNDATED, []).append(each)
    return dict(sorted(found.items()))


def draw_years(years: Mapping[str, Sequence[DatedDecision]], *, chosen: str, page: str) -> str:
    """A bar for each of the latest years, in parts by how the decisions stand; `page` takes the year at its end."""
    shown = [*years.items()][-MOST_YEARS:]
    most = max((len(each) for _, each in shown), default=1)
    bars = "".join(
        _bar(place, year, each, most, page=page, is_chosen=year == chosen) for place, (year, each) in enumerate(shown)
    )
    width = max(len(shown), LEAST_COLUMNS) * COLUMN
    return (
        f'<svg class="decision-years" viewBox="0 0 {width} {HEIGHT}" width="{width}" height="{HEIGHT}" role="group" '
        f'aria-label="Decisions by year">{bars}</svg>'
    )


def _bar(place: int, year: str, decisions: Sequence[DatedDecision], most: int, *, page: str, is_chosen: bool) -> str:
    counted = Counter(each.standing for each in decisions)
    left = place * COLUMN + (COLUMN - BAR) / 2
    middle = place * COLUMN + COLUMN / 2
    parts: list[str] = []
    below = float(BASE)
    for standing in STANDINGS:
        height = (BASE - 24) * counted[standing] / most
        below -= height
        if height:
            parts.append(
                f'<rect class="part {KINDS[standing]}" x="{left:g}" y="{below:.1f}" width="{BAR}" '
                f'height="{max(height, 1.0):.1f}"/>'
            )
    said = ", ".join(f"{counted[each]} {each}" for each in STANDINGS if counted[each])
    label = escape_html(f"{year}: {len(decisions)} decisions, {said}")
    current = ' aria-current="true"' if is_chosen else ""
    return (
        f'<a class="year" href="{escape_html(page + year)}" aria-label="{label}"{current}><title>{label}</title>'
        f'<rect class="row" x="{place * COLUMN + 2}" y="2" width="{COLUMN - 4}" height="{HEIGHT - 4}" rx="4"/>'
        f'{"".join(parts)}<text class="count" x="{middle:g}" y="{below - 6:.1f}" text-anchor="middle">'
        f'{len(decisions)}</text><text class="day" x="{middle:g}" y="{BASE + 18}" text-anchor="middle">'
        f"{escape_html(year)}</text></a>"
    )
