"""What Python imports, and what it names for others to take."""

from typing import Any

from fieldguide.symbols.facts import EVERYTHING, IMPORT, IMPORTED, Imported
from fieldguide.symbols.reading.python.binding import ALL, export_names, visit_assignment
from fieldguide.symbols.reading.walk import Walk


def visit_import(walk: Walk, node: Any, within: int, role: str) -> None:
    """`import a.b as c`; without another name it binds the first part."""
    line = node.range().start.line + 1
    for each in node.field_children("name"):
        if each.kind() == "aliased_import":
            text = _plain(each.field("name"))
            walk.define(each.field("alias"), IMPORTED, within, told=walk.imports(Imported(text, line)))
        else:
            first = next(iter(each.named_children()), each)
            walk.bind(first, IMPORTED, within, within=within, told=walk.imports(Imported(str(first.text()), line)))


def visit_from(walk: Walk, node: Any, within: int, role: str) -> None:
    """`from a import b as c`: each name is used here, and bound."""
    module = node.field("module_name")
    if module is None:
        return
    text, line = _plain(module), node.range().start.line + 1
    one = Imported(text, line, "", text.startswith("."), "from")
    if any(each.kind() == "wildcard_import" for each in node.named_children()):
        walk.imports(one._replace(name=EVERYTHING))
        return
    for each in node.field_children("name"):
        _take(walk, each, one, within)


def _take(walk: Walk, node: Any, module: Imported, within: int) -> None:
    """One name out of a module, or `a as b`; `a as a` is another use of it."""
    is_renamed = node.kind() == "aliased_import"
    name = next(iter((node.field("name") if is_renamed else node).named_children()), None)
    if name is None:
        return
    kept = walk.imports(module._replace(name=str(name.text())))
    walk.refer(name, within, IMPORT, kept)
    alias = node.field("alias") if is_renamed else None
    if alias is not None and alias.text() == name.text():
        walk.refer(alias, within, IMPORT, kept)
    walk.define(alias or name, IMPORTED, within, told=kept)


def _plain(node: Any) -> str:
    return "".join(node.text().split())


def visit_exports(walk: Walk, node: Any, within: int, role: str) -> None:
    """An assignment; to `__all__` it names what others may take."""
    left = node.field("left")
    if left is not None and str(left.text()) == ALL:
        export_names(walk, node.field("right"), within)
    visit_assignment(walk, node, within, role)
