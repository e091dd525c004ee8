"""Line plots as SVG, drawn by hand: with logarithmic axes, and with axes that begin at zero."""

import math
from collections.abc import Mapping, Sequence
from html import escape

WIDTH, HEIGHT = 760, 440
LEFT, RIGHT, TOP, BOTTOM = 70, 190, 50, 55
NAME_HEIGHT = 15
FEWEST_STEPS = 4
NEARLY = 0.05  # a point may stand this part of a power of ten beyond the last line
COLOURS = ("#0b6e4f", "#7aa874", "#c1440e", "#4062bb")

Points = Sequence[tuple[float, float]]


def log_plot(lines: Mapping[str, Points], *, title: str, x_label: str, y_label: str) -> str:
    """A drawing with logarithmic axes; each line is named at its end."""
    points = [point for line in lines.values() for point in line]
    powers = decades([x for x, _ in points]), decades([y for _, y in points])
    across = {float(power): f"{10**power:,.0f}" for power in powers[0]}
    up = {float(power): f"{10.0**power:g}" for power in powers[1]}
    scaled = {name: [(math.log10(x), math.log10(y)) for x, y in line] for name, line in lines.items()}
    return draw(scaled, across, up, title=title, x_label=x_label, y_label=y_label)


def plain_plot(lines: Mapping[str, Points], *, title: str, x_label: str, y_label: str) -> str:
    """A drawing with axes that begin at zero; each line is named at its end."""
    points = [point for line in lines.values() for point in line]
    axes = [{step: f"{step:,.0f}" for step in steps(max(values))} for values in zip(*points, strict=True)]
    return draw(lines, axes[0], axes[1], title=title, x_label=x_label, y_label=y_label)


def draw(
    lines: Mapping[str, Points],
    across: Mapping[float, str],
    up: Mapping[float, str],
    *,
    title: str,
    x_label: str,
    y_label: str,
) -> str:
    """Lines on a grid, whose places have names."""
    left, right, low, high = min(across), max(across), min(up), max(up)

    def place(x: float, y: float) -> tuple[float, float]:
        share, height = (x - left) / (right - left), (y - low) / (high - low)
        return LEFT + share * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - height * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'font-family="system-ui, sans-serif" font-size="13">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        text(LEFT, 28, title, size=15),
        text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, x_label, anchor="middle"),
        text(LEFT - 50, TOP - 8, y_label),
    ]
    for value, name in across.items():
        x, y = place(value, low)
        parts += [*grid_line(x, y, *place(value, high)), text(x, y + 20, name, anchor="middle")]
    for value, name in up.items():
        x, y = place(left, value)
        parts += [*grid_line(x, y, *place(right, value)), text(x - 8, y + 4, name, anchor="end")]
    drawn = {name: [place(*point) for point in line] for name, line in lines.items()}
    heights = spread({name: line[-1][1] for name, line in drawn.items()})
    for number, (name, line) in enumerate(drawn.items()):
        colour = COLOURS[number % len(COLOURS)]
        parts += [*drawn_line(line, colour), text(line[-1][0] + 10, heights[name] + 4, name, colour=colour)]
    return "\n".join([*parts, "</svg>\n"])


def steps(highest: float) -> list[float]:
    """Round numbers from zero to at least this one, five to ten of them."""
    width = 10.0 ** math.floor(math.log10(highest))
    while highest / width < FEWEST_STEPS:
        width /= 2
    return [width * number for number in range(math.ceil(highest / width) + 1)]


def decades(values: Sequence[float]) -> range:
    """The powers of ten that hold these values."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)) - NEARLY)
    return range(low, max(high, low + 1) + 1)


def grid_line(x1: float, y1: float, x2: float, y2: float) -> list[str]:
    return [f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#dddddd"/>']


def drawn_line(points: Points, colour: str) -> list[str]:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dots = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>' for x, y in points]
    return [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>', *dots]


def spread(heights: Mapping[str, float]) -> dict[str, float]:
    """The same heights, moved down where two names would stand on each other."""
    placed: dict[str, float] = {}
    lowest = float("-inf")
    for name, height in sorted(heights.items(), key=lambda each: each[1]):
        lowest = placed[name] = max(height, lowest + NAME_HEIGHT)
    return placed


def text(x: float, y: float, said: str, *, anchor: str = "start", size: int = 13, colour: str = "#333333") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}">{escape(said)}</text>'
    )
