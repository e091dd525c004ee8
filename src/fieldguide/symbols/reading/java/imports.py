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
    kinds = [str(each.kind()) for each in node.children()]
    keyword = STATIC if STATIC in kinds else "import"
    line = node.range().start.line + 1
    if not parts:
        return
    texts = [str(each.text()) for each in parts]
    is_all = "asterisk" in kinds
    for number, each in enumerate(parts if is_all else parts[:-1]):
        if texts[number][:1].isupper():
            walk.refer(each, -1, IMPORT, walk.imports(Imported(".".join(texts[: number + 1]), line)))
    if is_all:
        walk.imports(Imported(f"{'.'.join(texts)}.*", line, EVERYTHING, keyword=keyword))
        return
    told = walk.imports(Imported(".".join(texts), line, keyword=keyword))
    walk.refer(parts[-1], -1, IMPORT, told)
    walk.define(parts[-1], IMPORTED, -1, told=told)


def names_of(node: Any) -> list[Any]:
    """The parts of a name with dots."""
    found: list[Any] = []
    while node is not None and node.kind() == "scoped_identifier":
        if (name := node.field("name")) is not None:
            found.append(name)
        node = node.field("scope")
    return [each for each in (node, *reversed(found)) if each is not None]
