"""The picture of the packages: where its boxes are, and the arrows between them."""

from itertools import combinations

from fieldguide.code.imports.graph import MapFolder
from fieldguide.pages.map import BOX, WIDTH, draw_packages, place_boxes
from tests.proves import proves

LAYERS = {"cli": ("web", "text"), "web": ("store", "text"), "store": ("text", "cli"), "tool": ("text", "store")}


@proves("Z-255")
def test_what_imports_is_above_what_it_imports_and_a_cycle_is_marked():
    packages = [MapFolder(name, 3, 0.25, ()) for name in ("cli", "web", "store", "tool", "text")]
    arrows = {(source, target): 4 for source, targets in LAYERS.items() for target in targets}

    boxes = place_boxes(packages, arrows)
    picture = draw_packages(packages, arrows, "")

    assert boxes["cli"].row < boxes["web"].row < boxes["store"].row < boxes["text"].row
    assert all(0 <= box.x <= WIDTH - BOX[0] for box in boxes.values())
    assert all(one.y != other.y or abs(one.x - other.x) > BOX[0] for one, other in combinations(boxes.values(), 2))
    assert picture.count('class="arrow ') == len(arrows)
    assert picture.count('class="arrow back ') == 1
