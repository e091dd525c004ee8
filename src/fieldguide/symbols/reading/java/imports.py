"""Java: the package of a file, and what it imports."""

from typing import TYPE_CHECKING, Any

from fieldguide.symbols.facts import EVERYTHING, IMPORT, IMPORTED, Imported

if TYPE_CHECKING:
    from fieldguide.symbols.reading.walk import Walk

PACKAGE, STATIC = "package", "static"


def visit_package(walk: "Walk", node: Any, within: int, role: str) -> None:
    """The package of the file."""
    name = next((each for each in node.named_children() if each.kind() in ("identifier", "scoped_identifier")), None)
    if name is not None:
        walk.imports(Imported("".join(str(name.text()).split()), node.range().start.line + 1, keyword=PACKAGE))


def visit_import(walk: "Walk", node: Any, within: int, role: str) -> None:
    """`import a.B.C;`: each class in it is used here, and the last one bound."""
    parts = names_of(next((each for each in node.named_children() if each.kind() == "scoped_identifier"), None))
    if not parts:
        return
    kinds = [str(each.kind()) for each in node.children()]
    keyword = STATIC if STATIC in kinds else "import"
    name, line = ".".join(str(each.text()) for each in parts), node.range().start.line + 1
    if "asterisk" in kinds:
        _refer_classes(walk, parts, line)
        walk.imports(Imported(f"{name}.*", line, EVERYTHING, keyword=keyword))
        return
    _refer_classes(walk, parts[:-1], line)
    told = walk.imports(Imported(name, line, keyword=keyword))
    walk.refer(parts[-1], -1, IMPORT, told)
    walk.define(parts[-1], IMPORTED, -1, told=told)


def _refer_classes(walk: "Walk", parts: list[Any], line: int) -> None:
    """The classes that a name goes through: what is written large."""
    before = ""
    for each in parts:
        name = f"{before}{each.text()}"
        if str(each.text())[:1].isupper():
            walk.refer(each, -1, IMPORT, walk.imports(Imported(name, line)))
        before = f"{name}."


def names_of(node: Any) -> list[Any]:
    """The parts of a name with dots."""
    found: list[Any] = []
    while node is not None and node.kind() == "scoped_identifier":
        if (name := node.field("name")) is not None:
            found.append(name)
        node = node.field("scope")
    return [each for each in (node, *reversed(found)) if each is not None]
