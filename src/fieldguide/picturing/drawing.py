"""Decisions over time, drawn as SVG: a line for the life of each, arrows to what it supersedes and amends.

Every row is a link that the keyboard reaches. How a decision stands is told by the form of its mark and in words, never
by its colour alone. The drawing needs no script and has no style of its own.
"""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence

from fieldguide.picturing.decisions import Decision, by_name, shown_status
from fieldguide.picturing.lifelines import NARROW, WIDE, Lifeline, Shape, has_room_for_today, lifelines, ticks
from fieldguide.spine.foreign_text.html_text import as_html

MOST_ROWS = 60
CHARACTER = 7.0  # the width of a usual one, at the size of titles
HEAD = 4.5
MARK = 5.0
BESIDE = 5.0  # an arrow that amends stands so far beside one that supersedes
KINDS = {"in force": "standing", "proposed": "proposed", "rejected": "rejected", "retired": "retired"}


def picture(decisions: Sequence[Decision], *, known: Mapping[str, Decision] | None = None) -> str:
    """The picture of up to 60 decisions (the newest of more), for wide windows and for phones: styles show one of them.

    `known` has all decisions, so that ties to those that are not drawn are told by their titles.
    """
    drawn = [*decisions][-MOST_ROWS:]
    everyone = known or by_name(decisions)
    return "".join(draw(drawn, shape, everyone) for shape in (WIDE, NARROW)) if drawn else ""


def draw(decisions: Sequence[Decision], shape: Shape, known: Mapping[str, Decision]) -> str:
    """One picture in one shape."""
    rows = lifelines(decisions, shape)
    height = shape.top + len(rows) * shape.row_height + 8
    parts = [*_axis(decisions, shape, height), *_arrows(rows), *(_row(each, shape, known) for each in rows)]
    return (
        f'<svg class="decision-picture {shape.name}" viewBox="0 0 {shape.width} {height}" width="{shape.width}" '
        f'height="{height}" role="group" aria-label="{_summary(decisions)}">{"".join(parts)}</svg>'
    )


def legend() -> str:
    """What the marks and arrows mean."""
    marks = "".join(_sample(kind, word) for word, kind in KINDS.items())
    arrows = "".join(_sample_arrow(tie) for tie in ("supersedes", "amends"))
    return f'<ul class="decision-legend">{marks}{arrows}</ul>'


def _sample(kind: str, word: str) -> str:
    line = Lifeline(Decision("", "", "", "", "rejected" if kind == "rejected" else "in force", None), 0, 8, 8, 34)
    life = "" if kind == "rejected" else _life(line)
    return (
        f'<li><svg class="decision-picture sample" viewBox="0 0 36 16" width="36" height="16" aria-hidden="true">'
        f'<g class="record {kind}">{life}{_mark(line)}</g></svg>{as_html(word)}</li>'
    )


def _sample_arrow(tie: str) -> str:
    return (
        f'<li><svg class="decision-picture sample" viewBox="0 0 36 16" width="36" height="16" aria-hidden="true">'
        f'<path class="{tie}" d="M2 8H26"/><path class="head {tie}" d="M33 8L26 {8 - HEAD:g}V{8 + HEAD:g}Z"/></svg>'
        f"{tie}</li>"
    )


def told(decision: Decision, known: Mapping[str, Decision]) -> str:
    """A decision in one line of words, with its ties."""
    said = [called(decision), shown_status(decision)]
    said += [decision.day.isoformat()] if decision.day else ["no date"]
    ties = (
        ("supersedes", decision.supersedes),
        ("superseded by", decision.superseded_by),
        ("amends", decision.amends),
        ("amended by", decision.amended_by),
    )
    said += [f"{tie} {', '.join(_short(name, known) for name in names)}" for tie, names in ties if names]
    return ", ".join(said)


def called(decision: Decision) -> str:
    """A decision's number and title."""
    return f"{decision.label} {decision.title}" if decision.label else decision.title


def fitted(text: str, width: float) -> str:
    """A text cut to a width; what a browser would not show counts as it is shown."""
    room = int(width / CHARACTER)
    used = 0
    for at, character in enumerate(text):
        used += 2 if unicodedata.east_asian_width(character) in "WF" else 1 if character.isprintable() else 6
        if used > room:
            return f"{text[: max(at - 1, 1)].rstrip()}…"
    return text


def _summary(decisions: Sequence[Decision]) -> str:
    days = [each.day for each in decisions if each.day]
    span = f" from {min(days).isoformat()} to {max(days).isoformat()}" if days else ""
    return f"{len(decisions)} decision{'' if len(decisions) == 1 else 's'}{span}, the newest first"


def _short(name: str, known: Mapping[str, Decision]) -> str:
    found = known.get(name)
    return name if found is None else found.label or found.title


def _axis(decisions: Sequence[Decision], shape: Shape, height: int) -> Iterator[str]:
    """The days above, each with a line down; and today at the end."""
    top, bottom = shape.top - 8, height - 4
    days = ticks(decisions, shape)
    last = "today" if has_room_for_today(days, shape) else ""
    marks = [*((each.at, each.text, "start") for each in days), (shape.right, last, "end")]
    lines = "".join(f'<path class="grid" d="M{at:g} {top}V{bottom}"/>' for at, _, _ in marks)
    texts = "".join(
        f'<text class="day" x="{at:g}" y="{top - 8}" text-anchor="{anchor}">{as_html(text)}</text>'
        for at, text, anchor in marks
    )
    yield f'<g aria-hidden="true">{lines}{texts}</g>'


def _arrows(rows: Sequence[Lifeline]) -> Iterator[str]:
    """An arrow from each decision to those in the picture that it supersedes or amends."""
    lines = {each.decision.name: each for each in rows}
    found: list[str] = []
    for each in rows:
        for tie, names, aside in (("supersedes", each.decision.supersedes, 0.0), ("amends", each.decision.amends, 1.0)):
            found += [_arrow(each, lines[name], tie, aside * BESIDE) for name in names if name in lines]
    yield f'<g aria-hidden="true">{"".join(found)}</g>'


def _arrow(later: Lifeline, earlier: Lifeline, tie: str, aside: float) -> str:
    start, end = later.start + aside, max(later.start, earlier.start + MARK) + aside
    down = 1.0 if earlier.middle >= later.middle else -1.0
    begin, tip = later.middle + down * (MARK + 1), earlier.middle - down * 3
    foot = tip - down * HEAD * 1.6
    return (
        f'<path class="{tie}" d="M{start:g} {begin:g}L{end:g} {foot:g}"/>'
        f'<path class="head {tie}" d="M{end:g} {tip:g}L{end - HEAD:g} {foot:g}H{end + HEAD:g}Z"/>'
    )


def _row(line: Lifeline, shape: Shape, known: Mapping[str, Decision]) -> str:
    decision, kind = line.decision, KINDS[line.decision.standing]
    words = as_html(told(decision, known))
    inner = (
        f'<rect class="row" x="1" y="{line.top + 1:g}" width="{shape.width - 2}" height="{shape.row_height - 2}" '
        f'rx="4"/>{_title(line, shape)}{_life(line)}{_mark(line)}<title>{words}</title>'
    )
    if not decision.href:
        return f'<g class="record {kind}" role="img" aria-label="{words}">{inner}</g>'
    return f'<a class="record {kind}" href="{as_html(decision.href)}">{inner}</a>'


def _title(line: Lifeline, shape: Shape) -> str:
    """The number and the title, as much of it as there is room for."""
    beside = shape.title_width > 0
    below = line.middle + 4.5 if beside else line.top + 19
    label = line.decision.label[-6:]
    indent = 10 + (len(label) * 8 + 10 if label else 0)
    room = (shape.title_width or shape.width) - indent - 6
    number = f'<text class="number" x="10" y="{below:g}">{as_html(label)}</text>' if label else ""
    said = as_html(fitted(line.decision.title, room))
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
