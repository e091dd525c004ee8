"""The decisions over time: the picture, what its marks mean, and the ties in words; by years where there are many."""

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from fieldguide.dashboard.components import counted, pager
from fieldguide.dashboard.page_text import address, as_html
from fieldguide.dashboard.views.asked import rows_at
from fieldguide.dashboard.views.decisions.listing import Asked, found_words, head, nothing_fits, wanted
from fieldguide.picturing.decisions import Decision, by_name
from fieldguide.picturing.drawing import MOST_ROWS, legend, picture
from fieldguide.picturing.ties import ties_in_words
from fieldguide.picturing.years import draw_years, years_of

AXIS = "Time goes from left to right, and is stretched where many decisions were made at once."


def over_time_html(path: str, decisions: Sequence[Decision], bodies: Mapping[str, str], asked: Asked) -> str:
    """The picture of the decisions that are wanted; of more than sixty, by pages and years."""
    found = wanted(decisions, bodies, asked)
    top = head(path, decisions, asked)
    if not found:
        return top + nothing_fits(path, asked)
    known = by_name(decisions)
    said = f'<p class="quiet small">{as_html(found_words(len(found), len(decisions)))}. {AXIS}</p>'
    if len(found) <= MOST_ROWS:
        return top + said + _drawn(found, known)
    return top + said + _by_year(path, found, known, asked)


def _by_year(path: str, found: Sequence[Decision], known: Mapping[str, Decision], asked: Asked) -> str:
    """Bars for the years, and the picture of the one that is chosen; of the newest decisions where none is."""
    years = years_of(found)
    year = asked.year if asked.year in years else ""
    newest_first = [*reversed(years[year] if year else found)]
    rows, at = rows_at(newest_first, asked.page, MOST_ROWS)
    bars = draw_years(years, chosen=year, page=f"{path}?{urlencode(asked.query)}&year=")
    pages = pager(path, at=at, total=len(newest_first), size=MOST_ROWS, **asked.query, year=year)
    every = f'<a href="{address(path, **asked.query)}">All years</a>' if year else ""
    said = f'{as_html(year) or "All years"} <span class="quiet">{counted(len(newest_first), "decision")}</span>'
    return (
        f'<div class="scroll bars" role="region" tabindex="0" aria-label="Decisions by year">{bars}</div>'
        f'<section class="stack"><div class="row"><h2>{said}</h2>{every}</div>'
        f"{_drawn([*reversed(rows)], known)}{pages}</section>"
    )


def _drawn(decisions: Sequence[Decision], known: Mapping[str, Decision]) -> str:
    return (
        f'<figure class="over-time">{legend()}{picture(decisions, known=known)}</figure>'
        f'<section class="stack"><h2>The same in words</h2>{ties_in_words(decisions, known)}</section>'
    )
