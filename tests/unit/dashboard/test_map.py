"""The picture of the packages: where its boxes are, and the arrows between them."""

from itertools import combinations

from fieldguide.code.imports.graph import MapFolder
from fieldguide.pages.map import BOX, WIDTH, draw_packages, place_boxes

LAYERS = {"cli": ("web", "text"), "web": ("store", "text"), "store": ("text", "cli"), "tool": ("text", "store")}


def packages(*names):
    return [MapFolder(name, 3, 0.25, ()) for name in names]


def arrows():
    return {(source, target): 4 for source, targets in LAYERS.items() for target in targets}


def test_no_arrow_leads_behind_a_box_of_another_package():
    layout = place_boxes(packages("cli", "web", "store", "tool", "text"), arrows())
    passing = 0

    for row, middles in enumerate(layout.rows):
        boxes = [box for box in layout.boxes.values() if box.row == row]
        assert all(0 <= box.x <= WIDTH - BOX[0] for box in boxes)
        assert all(abs(one.x - other.x) > BOX[0] for one, other in combinations(boxes, 2))
        for name, middle in middles.items():
            if layout.boxes[name].row != row:
                passing += 1
                assert all(not box.x <= middle <= box.x + BOX[0] for box in boxes)

    assert passing >= 3


def test_what_imports_is_above_what_it_imports_and_a_cycle_is_marked():
    layout = place_boxes(packages("cli", "web", "store", "tool", "text"), arrows())
    picture = draw_packages(packages("cli", "web", "store", "tool", "text"), arrows(), "")
    rows = {name: box.row for name, box in layout.boxes.items()}

    assert rows["cli"] < rows["web"] < rows["store"] < rows["text"]
    assert picture.count('class="arrow ') == len(arrows())
    assert picture.count('class="arrow back ') == 1
