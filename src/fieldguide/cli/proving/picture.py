"""The figures as bars: in a terminal as text, in a file as SVG."""

from collections.abc import Iterator, Sequence
from html import escape

from fieldguide.cli.proving.measuring import BRIEF, Total
from fieldguide.cli.terminal import Bold, Line

BAR_COLUMNS = 40
WIDTH, LEFT, RIGHT, TOP = 760, 120, 70, 64
BAR_HEIGHT, BAR_GAP, GROUP_GAP = 22, 4, 22
COLOURS = {True: "#0b6e4f", False: "#c1440e"}


def text_bars(totals: Sequence[Total]) -> Iterator[Line]:
    """A bar for each way and budget, as long as the share of files that was found."""
    before = None
    for total in totals:
        budget = "" if total.budget == before else f"{total.budget:,}"
        filled = round(total.share * BAR_COLUMNS)
        bar = "█" * filled + "░" * (BAR_COLUMNS - filled)
        yield [f"{budget:>8}  {total.way:<5} ", Bold(bar) if total.way == BRIEF else bar, f" {total.share:4.0%}"]
        before = total.budget


def svg_bars(totals: Sequence[Total], title: str, note: str) -> str:
    """The same as a drawing."""
    parts, y, before = list[str](), TOP, None
    for total in totals:
        if total.budget != before:
            y += GROUP_GAP if before is not None else 0
            parts.append(_text(LEFT - 60, y + 30, f"{total.budget:,}", anchor="end"))
        width = total.share * (WIDTH - LEFT - RIGHT)
        colour = COLOURS[total.way == BRIEF]
        parts += [
            _text(LEFT - 10, y + 16, total.way, anchor="end"),
            f'<rect x="{LEFT}" y="{y}" width="{width:.1f}" height="{BAR_HEIGHT}" fill="{colour}"/>',
            _text(LEFT + width + 8, y + 16, f"{total.share:.0%}"),
        ]
        y, before = y + BAR_HEIGHT + BAR_GAP, total.budget
    return "\n".join([*_frame(title, note, y + 16), *parts, "</svg>\n"])


def _frame(title: str, note: str, height: int) -> list[str]:
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        'font-family="system-ui, sans-serif" font-size="13">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        _text(20, 28, title, size=15),
        _text(20, 48, note),
    ]


def _text(x: float, y: float, said: str, *, anchor: str = "start", size: int = 13) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="#333333">{escape(said)}</text>'
    )
