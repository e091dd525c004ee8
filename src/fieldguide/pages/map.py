"""The map of a project and of each folder: packages and their imports as a picture, hot spots, owners, files."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from math import log2
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from fieldguide.code.imports.graph import FolderMap, MapFolder
from fieldguide.pages.components import (
    CODE,
    Html,
    build_code_address,
    render_empty_state,
    render_file_link,
    render_group,
    render_source_link,
    render_table,
)
from fieldguide.pages.site import PageSite
from fieldguide.text.display import escape_html, format_count

SHOWN = "guide.map"
LEAD = "The packages of this project, what they import and what changes most."
AXIS = (
    "An arrow leads from a package to what it imports; thicker means more imports, dashed means a cycle. "
    "The bar in a box is its share of recent changes."
)
NOTHING = "There is no file here that may be shown."
MOST_DRAWN = 14
MOST_ARROWS = 3  # of a package; weaker ones are drawn if they are many of its imports
LEAST_SHARE = 0.15
IN_A_ROW = 4
WIDTH = 980
BOX = (176, 50)
ROW = 98
MARGIN = 8
GAP = 14
PASS_WIDTH = 10  # of an arrow that passes a row
HEAD = 7
TO_MIDDLE = 0.3  # how far a box leaves what is above it for the middle of the picture
CHARACTER = 8.4  # the width of a usual one in a title
TOP_NAME = "top folder"
PLAIN = frozenset(("src", "lib", "main", "source", "java", "kotlin", "scala", "python", "go", "js", "ts"))
"""Folders whose name says nothing about a package: the folder above does."""
TABLE_HEADS = ("Package", "Files", "Changes", "Imports", "Owners")
MOST_NAMED = 4
MOST_FILES = 60


class PlacedBox(NamedTuple):
    """A package in the picture: its number there, where its box is, and in which row."""

    package: MapFolder
    number: int
    x: float
    y: float
    row: int


class MapLayout(NamedTuple):
    """The boxes by package; and of each row the middles of its boxes and of the arrows that pass, by their target."""

    boxes: dict[str, PlacedBox]
    rows: list[dict[str, float]]


async def show_top(site: PageSite, request: Request) -> Response:
    """The map of the whole project."""
    found: FolderMap | None = await site.ask(SHOWN, "")
    if found is None:
        main = f'<div class="heading"><h1>Code</h1></div>{render_empty_state("Nothing to show", NOTHING)}'
        return site.page("Code", Html(main), at=CODE)
    return show_folder(site, "", found)


def show_folder(site: PageSite, folder: str, found: FolderMap) -> Response:
    """A folder: its packages, hot spots, owners and files."""
    main = render_folder(site.served.project, folder, found)
    return site.page(folder or "Code", Html(main), at=CODE)


def render_folder(project: str, folder: str, found: FolderMap) -> str:
    """The whole view of a folder."""
    title = folder.rpartition("/")[2] or "Code"
    lead = f'<p class="lead">{LEAD}</p>'
    trail = ""
    if folder:
        lead = ""
        trail = render_trail(project, folder.rpartition("/")[0])
    total = len(found.files) + sum(found.subfolders.values())
    owners = ", ".join(f"<bdi>{escape_html(each)}</bdi>" for each in found.owners)
    facts = f"<span>{format_count(total, 'file')}</span>"
    if owners:
        facts += f"<span>Owners: {owners}</span>"
    picture = draw_packages(found.packages, found.imports, folder)
    if picture:
        caption = f'<figcaption class="quiet small">{AXIS}</figcaption>'
        picture = f'<figure class="map-figure">{picture}{caption}</figure>'
    return (
        f'<div class="heading wide">{trail}<h1>{escape_html(title)}</h1>{lead}'
        f'<div class="row quiet small">{facts}</div></div>{picture}'
        f'<div class="halves">{render_hot(found.hot)}{_render_files(folder, found)}</div>'
        f"{_render_packages(folder, found)}"
    )


def render_trail(project: str, folder: str, *, file: str = "") -> str:
    """The folders above something as links, and the file that a symbol is in."""
    parts = [f'<a href="{CODE}">{escape_html(project)}</a>']
    names = folder.split("/") if folder else []
    for depth, each in enumerate(names, 1):
        parts.append(f'<a href="{build_code_address("/".join(names[:depth]))}">{escape_html(each)}</a>')
    if file:
        parts.append(f'<a href="{build_code_address(file)}">{escape_html(file.rpartition("/")[2])}</a>')
    return f'<nav class="trail small" aria-label="Folders">{" / ".join(parts)}</nav>'


def render_hot(hot: Sequence[tuple[str, int]]) -> str:
    """The files that change most, with how often they did."""
    if not hot:
        return ""
    ordered = sorted(hot, key=lambda each: -each[1])
    most = ordered[0][1]
    items = ""
    for path, times in ordered:
        items += (
            f'<li><div>{render_file_link(path)}</div><span class="quiet">{format_count(times, "commit")}</span>'
            f'<progress value="{times}" max="{most}" aria-hidden="true"></progress></li>'
        )
    return f'<section class="stack"><h2>What changes most</h2><ol class="hot" role="list">{items}</ol></section>'


def _render_files(folder: str, found: FolderMap) -> str:
    begin = len(folder) + 1 if folder else 0
    items: list[str] = []
    for name, number in found.subfolders.items():
        link = f'<a href="{build_code_address(name)}">{escape_html(name[begin:])}/</a>'
        items.append(f'{link} <span class="quiet">{number:,}</span>')
    items += [render_source_link(path, label=path[begin:]) for path in found.files]
    items.sort(key=lambda each: ">." in each)  # what is hidden comes last
    listed = render_group("Folders and files", items, most=MOST_FILES)
    return f'<section class="entries">{listed}</section>' if listed else ""


def _render_packages(folder: str, found: FolderMap) -> str:
    if len(found.packages) < 2:
        return ""
    rows: list[str] = []
    for package in found.packages:
        needs: list[tuple[int, str]] = []
        for (source, target), number in found.imports.items():
            if source == package.folder:
                needs.append((number, target))
        needs.sort(reverse=True)
        named = ", ".join(f"{_link(to, folder)} {number:,}" for number, to in needs[:MOST_NAMED])
        if len(needs) > MOST_NAMED:
            named += f" and {len(needs) - MOST_NAMED} more"
        owners = ", ".join(f"<bdi>{escape_html(each)}</bdi>" for each in package.owners[:2])
        rows.append(
            f'<tr><th scope="row">{_link(package.folder, folder)}</th><td class="number">{package.files:,}</td>'
            f'<td class="number">{package.activity:.0%}</td><td>{named}</td><td>{owners}</td></tr>'
        )
    shown = render_table(TABLE_HEADS, rows[:MOST_DRAWN], numbers=(1, 2))
    if len(rows) > MOST_DRAWN:
        rest = render_table(TABLE_HEADS, rows[MOST_DRAWN:], numbers=(1, 2))
        shown += f"<details><summary>{len(rows) - MOST_DRAWN} smaller ones</summary>{rest}</details>"
    return f'<section class="stack"><h2>Packages</h2>{shown}</section>'


def _link(package: str, folder: str) -> str:
    return f'<a href="{build_code_address(package)}">{escape_html(_name(package, folder))}</a>'


def _name(package: str, folder: str) -> str:
    """A package as it is called below a folder; files right in the folder are the top of it."""
    if package == folder:
        return TOP_NAME
    return package[len(folder) + 1 :] if folder else package


def draw_packages(packages: Sequence[MapFolder], imports: Mapping[tuple[str, str], int], folder: str) -> str:
    """The picture of the packages that import another or are imported; empty where fewer than three are."""
    linked = set(chain.from_iterable(imports))
    drawn = [each for each in packages if each.folder in linked][:MOST_DRAWN]
    arrows = _choose_arrows({each.folder for each in drawn}, imports)
    joined = set(chain.from_iterable(arrows))
    layout = place_boxes([each for each in drawn if each.folder in joined], arrows)
    if len(layout.boxes) < 3:
        return ""
    lines = ""
    for (source, target), number in arrows.items():
        lines += _draw_arrow(layout, source, target, number)
    most = max(each.activity for each in drawn) or 1.0
    nodes = ""
    for box in layout.boxes.values():
        nodes += _draw_box(box, folder, most)
    left = min(0.0, *(min(row.values()) for row in layout.rows))
    width = WIDTH - left
    height = MARGIN + len(layout.rows) * ROW - (ROW - BOX[1]) + MARGIN
    label = f"{format_count(len(layout.boxes), 'package')} and their imports"
    return (
        f'<svg class="map" viewBox="{left:g} 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" '
        f'role="group" aria-label="{label}"><g aria-hidden="true">{lines}</g>{nodes}</svg>'
    )


def _choose_arrows(names: set[str], imports: Mapping[tuple[str, str], int]) -> dict[tuple[str, str], int]:
    """The strongest imports of each package: a few, and what is a good part of all that it imports."""
    by_source: dict[str, list[tuple[int, str]]] = {}
    for (source, target), number in imports.items():
        if source in names and target in names:
            by_source.setdefault(source, []).append((number, target))
    chosen: dict[tuple[str, str], int] = {}
    for source, targets in by_source.items():
        total = sum(number for number, _ in targets)
        for place, (number, target) in enumerate(sorted(targets, reverse=True)):
            if place < MOST_ARROWS or number >= LEAST_SHARE * total:
                chosen[source, target] = number
    return chosen


def place_boxes(packages: Sequence[MapFolder], arrows: Mapping[tuple[str, str], int]) -> MapLayout:
    """Boxes in rows: what imports is above what it imports, as far as there is no cycle.

    An arrow that skips rows gets a place of its own in each of them, so that it leads past their boxes. All arrows to
    one package share these places.
    """
    known = {each.folder: each for each in packages}
    names = _arrange_rows(known, arrows)
    row_of: dict[str, int] = {}
    for row, some in enumerate(names):
        row_of.update(dict.fromkeys(some, row))
    passing: list[set[str]] = [set() for _ in names]
    for source, target in arrows:
        upper, lower = sorted((row_of[source], row_of[target]))
        for row in range(upper + 1, lower):
            passing[row].add(target)
    rows: list[dict[str, float]] = []
    boxes: dict[str, PlacedBox] = {}
    for row, some in enumerate(names):
        widths = dict.fromkeys(sorted(passing[row]), PASS_WIDTH) | dict.fromkeys(some, BOX[0])
        above = rows[-1] if rows else {}
        sources = set(names[row - 1]) if row else set[str]()
        wanted: dict[str, float] = {}
        for place, name in enumerate(widths):
            near = [above[source] for source, target in arrows if target == name and source in sources]
            if name in above:
                near.append(above[name])
            wanted[name] = WIDTH * (place + 0.5) / len(widths)
            if near:
                wanted[name] = sum(near) / len(near) * (1 - TO_MIDDLE) + WIDTH / 2 * TO_MIDDLE
        rows.append(_spread(widths, wanted))
        for name in some:
            boxes[name] = PlacedBox(known[name], len(boxes), rows[row][name] - BOX[0] / 2, MARGIN + row * ROW, row)
    return MapLayout(boxes, rows)


def _arrange_rows(names: Collection[str], arrows: Mapping[tuple[str, str], int]) -> list[list[str]]:
    """The packages by row, from those that nothing imports to those that import nothing."""
    order = _order_packages(names, arrows)
    rank = {name: place for place, name in enumerate(order)}
    level = dict.fromkeys(names, 0)
    for name in order:
        for source, target in arrows:
            if target == name and rank[source] < rank[name]:
                level[name] = max(level[name], level[source] + 1)
    rows: list[list[str]] = []
    for depth in range(max(level.values(), default=-1) + 1):
        some = [name for name in order if level[name] == depth]
        while some:
            rows.append(some[:IN_A_ROW])
            some = some[IN_A_ROW:]
    return rows


def _spread(widths: Mapping[str, float], wanted: Mapping[str, float]) -> dict[str, float]:
    """The middles of what is in a row, as near as possible to where each is wanted, and none over another."""
    order = sorted(widths, key=lambda name: (wanted[name], name))
    centers: dict[str, float] = {}
    edge = 0.0
    for name in order:
        centers[name] = max(wanted[name], edge + widths[name] / 2)
        edge = centers[name] + widths[name] / 2 + GAP
    pushed = (sum(centers.values()) - sum(wanted.values())) / len(order)
    back = min(pushed, centers[order[0]] - widths[order[0]] / 2)
    edge = WIDTH
    for name in reversed(order):
        centers[name] = min(centers[name] - back, edge - widths[name] / 2)
        edge = centers[name] - widths[name] / 2 - GAP
    return centers


def _order_packages(names: Iterable[str], arrows: Mapping[tuple[str, str], int]) -> list[str]:
    """Each package before what it imports; where a circle is left, the one that imports most comes first."""
    stronger = {pair: number for pair, number in arrows.items() if number >= arrows.get((pair[1], pair[0]), 0)}
    waiting = sorted(names)
    order: list[str] = []
    while waiting:
        imported = {target for source, target in stronger if source in waiting and target in waiting}
        free = [name for name in waiting if name not in imported]
        if not free:
            free = [max(waiting, key=lambda name: _weigh(name, waiting, stronger))]
        order += free
        waiting = [name for name in waiting if name not in free]
    return order


def _weigh(name: str, among: Sequence[str], arrows: Mapping[tuple[str, str], int]) -> int:
    """How much more a package imports of others than they import of it."""
    total = 0
    for (source, target), number in arrows.items():
        if source == name and target in among:
            total += number
        elif target == name and source in among:
            total -= number
    return total


def _draw_arrow(layout: MapLayout, source: str, target: str, number: int) -> str:
    start = layout.boxes[source]
    end = layout.boxes[target]
    is_down = end.row > start.row
    step = 1 if is_down else -1
    points_down = is_down or end.row == start.row
    x = start.x + BOX[0] / 2
    y = start.y + BOX[1] if is_down else start.y
    path = f"M{x:g} {y:g}"
    for row in range(start.row + step, end.row, step):
        to_x = layout.rows[row][target]
        to_y = float(MARGIN + row * ROW)
        if not is_down:
            to_y += BOX[1]
        path += f"{_curve(x, y, to_x, to_y)}v{step * BOX[1]}"
        x = to_x
        y = to_y + step * BOX[1]
    to_x = end.x + BOX[0] / 2
    to_y = end.y - HEAD if points_down else end.y + BOX[1] + HEAD
    if end.row == start.row:  # beside each other: over the top
        bend = end.y - ROW / 2.6
        path += f"C{x:g} {bend:g} {to_x:g} {bend:g} {to_x:g} {to_y:g}"
    else:
        path += _curve(x, y, to_x, to_y)
    width = min(1 + log2(number) / 2, 4.5)
    kind = "arrow" if is_down else "arrow back"
    head = f"M{to_x:g} {to_y + (HEAD if points_down else -HEAD):g}l-4.5 {-8 if points_down else 8}h9z"
    ends = f"s{start.number} t{end.number}"
    return f'<path class="{kind} {ends}" stroke-width="{width:.1f}" d="{path}"/><path class="head {ends}" d="{head}"/>'


def _curve(x: float, y: float, to_x: float, to_y: float) -> str:
    """A line that leaves and arrives upright."""
    bend = (y + to_y) / 2
    return f"C{x:g} {bend:g} {to_x:g} {bend:g} {to_x:g} {to_y:g}"


def _draw_box(box: PlacedBox, folder: str, most: float) -> str:
    package = box.package
    name = _name(package.folder, folder)
    parts = name.split("/")
    while len(parts) > 1 and parts[-1] in PLAIN:
        parts.pop()
    last = parts.pop()
    room = int((BOX[0] - 20) / CHARACTER)
    below = format_count(package.files, "file")
    if parts:
        above = "/".join(parts)
        left = room + 5 - len(below)
        if len(above) > left:
            above = f"…{above[-left:]}"
        below += f" · {above}"
    words = f"{name}, {format_count(package.files, 'file')}, {package.activity:.0%} of changes"
    if package.owners:
        words += f", owners {', '.join(package.owners)}"
    words = escape_html(words)
    bar = (BOX[0] - 20) * package.activity / most
    return (
        f'<a class="node n{box.number}" href="{build_code_address(package.folder)}" aria-label="{words}">'
        f"<title>{words}</title>"
        f'<rect class="box" x="{box.x:g}" y="{box.y:g}" width="{BOX[0]}" height="{BOX[1]}" rx="8"/>'
        f'<text class="title" x="{box.x + 10:g}" y="{box.y + 19:g}">{escape_html(_cut(last, room))}</text>'
        f'<text class="files" x="{box.x + 10:g}" y="{box.y + 35:g}">{escape_html(below)}</text>'
        f'<rect class="bar" x="{box.x + 10:g}" y="{box.y + 41:g}" width="{bar:.1f}" height="3" rx="1.5"/></a>'
    )


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[: room - 1]}…"
