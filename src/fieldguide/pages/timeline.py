"""Draws decisions over time as SVG and describes their ties in words.

The axis goes by order, so that no two decisions begin at one place, and names the years.

Every row is a link that the keyboard reaches. How a decision stands is told by the form of its mark and in words, never
by its colour alone. The drawing needs no script and has no style of its own.
"""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from fieldguide.knowledge.decisions.lineage import DatedDecision, describe_status, index_by_name
from fieldguide.text.display import escape_html

WIDTH = 980
TITLE_WIDTH = 430
LEFT = 444.0
RIGHT = 966.0
ROW_HEIGHT = 30
TOP = 34
STUB = 26.0  # how far the line of a decision goes of which it is not known when it ended
YEAR_WIDTH = 41.0
MOST_ROWS = 60
CHARACTER = 7.0  # the width of a usual one, at the size of titles
HEAD = 4.5
MARK = 5.0
BESIDE = 5.0  # an arrow that amends stands so far beside one that supersedes
KINDS = {"in force": "standing", "proposed": "proposed", "rejected": "rejected", "retired": "retired"}
TIES = (
    ("supersedes", "supersedes"),
    ("superseded_by", "superseded by"),
    ("amends", "amends"),
    ("amended_by", "amended by"),
)
"""The fields of a decision that name others, and the words for them."""
NONE = "<p>None of these decisions supersedes or amends another.</p>"


class Lifeline(NamedTuple):
    """A decision in the picture; `end` is where its line ends, its own place for none."""

    decision: DatedDecision
    top: float
    start: float
    end: float

    @property
    def middle(self) -> float:
        """How far down its line is."""
        return self.top + ROW_HEIGHT / 2


def place_lifelines(decisions: Sequence[DatedDecision]) -> list[Lifeline]:
    """The lines of decisions in their order, the newest in the topmost row.

    A decision lives until another took its place, or until today.
    """
    step = (RIGHT - LEFT - STUB) / max(len(decisions) - 1, 1)
    places: dict[str, float] = {}
    for at, each in enumerate(decisions):
        places[each.name] = round(LEFT + at * step, 1)
    rows: list[Lifeline] = []
    for row, each in enumerate(reversed(decisions)):
        start = places[each.name]
        end = RIGHT
        if each.standing == "rejected":
            end = start
        elif each.standing == "retired":
            after = [places[name] for name in each.superseded_by if places.get(name, 0.0) > start]
            end = min(after, default=min(start + STUB, RIGHT))
        rows.append(Lifeline(each, TOP + row * ROW_HEIGHT, start, end))
    return rows


def place_years(rows: Sequence[Lifeline]) -> list[tuple[float, str]]:
    """The years that are named on the axis, each at its first decision, where there is room."""
    found: list[tuple[float, str]] = []
    latest = 0
    room_from = 0.0
    for row in reversed(rows):
        day = row.decision.day
        if day is not None and day.year > latest:
            latest = day.year
            if room_from <= row.start <= RIGHT - YEAR_WIDTH:
                found.append((row.start, str(day.year)))
                room_from = row.start + YEAR_WIDTH
    return found


def draw_timeline(decisions: Sequence[DatedDecision], *, known: Mapping[str, DatedDecision] | None = None) -> str:
    """The picture of up to 60 decisions, the newest of more.

    `known` has all decisions, so that ties to those that are not drawn are told by their titles.
    """
    drawn = decisions[-MOST_ROWS:]
    if not drawn:
        return ""
    everyone = known or index_by_name(decisions)
    rows = place_lifelines(drawn)
    height = TOP + len(rows) * ROW_HEIGHT + 8
    content = "".join(_row(each, everyone) for each in rows)
    days = [each.day for each in drawn if each.day]
    span = f" from {min(days).isoformat()} to {max(days).isoformat()}" if days else ""
    summary = f"{len(drawn)} decision{'' if len(drawn) == 1 else 's'}{span}, the newest first"
    return (
        f'<svg class="decision-picture" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="group" '
        f'aria-label="{summary}">{_axis(rows, height)}{_arrows(rows)}{content}</svg>'
    )


def draw_legend() -> str:
    """What the marks and arrows mean."""
    samples: list[tuple[str, str]] = []
    for word, kind in KINDS.items():
        is_rejected = kind == "rejected"
        decision = DatedDecision("", "", "", "", "rejected" if is_rejected else "in force", None)
        line = Lifeline(decision, 8 - ROW_HEIGHT / 2, 8, 34)
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
    for field, tie in TIES:
        names: Sequence[str] = getattr(decision, field)
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


def _axis(rows: Sequence[Lifeline], height: int) -> str:
    """The years above, each with a line down; and today at the end."""
    top = TOP - 8
    marks = [(at, year, "start") for at, year in place_years(rows)]
    marks.append((RIGHT, "today", "end"))
    drawn = ""
    for at, text, anchor in marks:
        drawn += (
            f'<path class="grid" d="M{at:g} {top}V{height - 4}"/>'
            f'<text class="day" x="{at:g}" y="{top - 8}" text-anchor="{anchor}">{text}</text>'
        )
    return f'<g aria-hidden="true">{drawn}</g>'


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


def _row(line: Lifeline, known: Mapping[str, DatedDecision]) -> str:
    decision = line.decision
    kind = KINDS[line.decision.standing]
    words = escape_html(describe_decision(decision, known))
    inner = (
        f'<rect class="row" x="1" y="{line.top + 1:g}" width="{WIDTH - 2}" height="{ROW_HEIGHT - 2}" '
        f'rx="4"/>{_title(line)}{_life(line)}{_mark(line)}<title>{words}</title>'
    )
    if not decision.href:
        return f'<g class="record {kind}" role="img" aria-label="{words}">{inner}</g>'
    return f'<a class="record {kind}" href="{escape_html(decision.href)}">{inner}</a>'


def _title(line: Lifeline) -> str:
    """The number and the title, as much of it as there is room for."""
    below = line.middle + 4.5
    label = line.decision.label[-6:]
    indent = 10
    number = ""
    if label:
        indent = len(label) * 8 + 20
        number = f'<text class="number" x="10" y="{below:g}">{escape_html(label)}</text>'
    said = escape_html(fit_text(line.decision.title, TITLE_WIDTH - indent - 6))
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
    items = "".join(f"<li>{each}</li>" for each in _sentences(decisions, known))
    return f'<ul class="ties">{items}</ul>' if items else NONE


def link_decision(decision: DatedDecision) -> str:
    """A decision's number and title, as a link where it can be read."""
    text = escape_html(name_decision(decision))
    return f'<a href="{escape_html(decision.href)}">{text}</a>' if decision.href else text


def _sentences(decisions: Sequence[DatedDecision], known: Mapping[str, DatedDecision]) -> Iterator[str]:
    """Each tie once: from the later decision, or from the earlier where the later is not among these."""
    here = {each.name for each in decisions}
    for each in reversed(decisions):
        for field, tie in TIES:
            names: Sequence[str] = getattr(each, field)
            is_later = field in ("supersedes", "amends")
            for name in names:
                if name in known and (is_later or name not in here):
                    verb = tie if is_later else f"is {tie}"
                    yield f"{link_decision(each)} {verb} {link_decision(known[name])}"
