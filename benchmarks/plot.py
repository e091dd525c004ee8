"""A line plot with logarithmic axes as SVG, drawn by hand: enough for figures that grow by powers of ten."""

import math
from collections.abc import Mapping, Sequence
from html import escape

WIDTH, HEIGHT = 760, 440
LEFT, RIGHT, TOP, BOTTOM = 70, 190, 50, 55
NAME_HEIGHT = 15
NEARLY = 0.05  # a point may stand this part of a power of ten beyond the last line
COLOURS = ("#0b6e4f", "#7aa874", "#c1440e", "#4062bb")

Points = Sequence[tuple[float, float]]


def log_plot(lines: Mapping[str, Points], *, title: str, x_label: str, y_label: str) -> str:
    """The drawing; each line is named at its end."""
    points = [point for line in lines.values() for point in line]
    x_range, y_range = decades([x for x, _ in points]), decades([y for _, y in points])

    def place(x: float, y: float) -> tuple[float, float]:
        across = (math.log10(x) - x_range[0]) / (x_range[-1] - x_range[0])
        up = (math.log10(y) - y_range[0]) / (y_range[-1] - y_range[0])
        return LEFT + across * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'font-family="system-ui, sans-serif" font-size="13">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        text(LEFT, 28, title, size=15),
        text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, x_label, anchor="middle"),
        text(LEFT - 50, TOP - 8, y_label),
    ]
    for power in x_range:
        parts += grid_line(*place(10**power, 10 ** y_range[0]), *place(10**power, 10 ** y_range[-1]))
        x, y = place(10**power, 10 ** y_range[0])
        parts.append(text(x, y + 20, f"{10**power:,.0f}", anchor="middle"))
    for power in y_range:
        parts += grid_line(*place(10 ** x_range[0], 10**power), *place(10 ** x_range[-1], 10**power))
        x, y = place(10 ** x_range[0], 10**power)
        parts.append(text(x - 8, y + 4, f"{10.0**power:g}", anchor="end"))
    drawn = {name: [place(*point) for point in line] for name, line in lines.items()}
    heights = spread({name: line[-1][1] for name, line in drawn.items()})
    for number, (name, line) in enumerate(drawn.items()):
        colour = COLOURS[number % len(COLOURS)]
        parts += [*drawn_line(line, colour), text(line[-1][0] + 10, heights[name] + 4, name, colour=colour)]
    return "\n".join([*parts, "</svg>\n"])


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
