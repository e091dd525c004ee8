"""How many decisions were made in each year, drawn as bars that are links: the way into a long history."""

from collections import Counter
from collections.abc import Mapping, Sequence

from fieldguide.picturing.decisions import STANDINGS, Decision
from fieldguide.picturing.drawing import KINDS
from fieldguide.spine.foreign_text.html_text import as_html

UNDATED = "undated"
MOST_YEARS = 40
HEIGHT, BASE, COLUMN, BAR, LEAST_COLUMNS = 150, 122, 56, 36, 6


def year_of(decision: Decision) -> str:
    """The year that a decision belongs to; `undated` where it tells none."""
    return str(decision.day.year) if decision.day else UNDATED


def years_of(decisions: Sequence[Decision]) -> dict[str, list[Decision]]:
    """Decisions by year, the earliest year first; those without a day come last."""
    found: dict[str, list[Decision]] = {}
    for each in decisions:
        found.setdefault(year_of(each), []).append(each)
    return dict(sorted(found.items()))


def draw_years(years: Mapping[str, Sequence[Decision]], *, chosen: str, page: str) -> str:
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


def _bar(place: int, year: str, decisions: Sequence[Decision], most: int, *, page: str, is_chosen: bool) -> str:
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
    label = as_html(f"{year}: {len(decisions)} decisions, {said}")
    current = ' aria-current="true"' if is_chosen else ""
    return (
        f'<a class="year" href="{as_html(page + year)}" aria-label="{label}"{current}><title>{label}</title>'
        f'<rect class="row" x="{place * COLUMN + 2}" y="2" width="{COLUMN - 4}" height="{HEIGHT - 4}" rx="4"/>'
        f'{"".join(parts)}<text class="count" x="{middle:g}" y="{below - 6:.1f}" text-anchor="middle">'
        f'{len(decisions)}</text><text class="day" x="{middle:g}" y="{BASE + 18}" text-anchor="middle">'
        f"{as_html(year)}</text></a>"
    )
