"""Kotlin: the package of a file, and what it imports."""

from typing import TYPE_CHECKING, Any

from fieldguide.symbols.facts import EVERYTHING, IMPORT, IMPORTED, Imported
from fieldguide.symbols.reading.java.imports import PACKAGE
from fieldguide.symbols.reading.kotlin.parts import first, part, parts

if TYPE_CHECKING:
    from fieldguide.symbols.reading.walk import Walk


def visit_package(walk: "Walk", node: Any, within: int, role: str) -> None:
    """The package of the file."""
    name = part(node, "identifier")
    if name is not None:
        walk.imports(Imported(str(name.text()).replace("`", ""), node.range().start.line + 1, keyword=PACKAGE))


def visit_import(walk: "Walk", node: Any, within: int, role: str) -> None:
    """`import a.B as C`."""
    names = parts(part(node, "identifier"), "simple_identifier")
    texts, line = [str(each.text()).strip("`") for each in names], node.range().start.line + 1
    if not names:
        return
    if part(node, "wildcard_import") is not None:
        walk.imports(Imported(f"{'.'.join(texts)}.*", line, EVERYTHING))
        return
    told = walk.imports(Imported(".".join(texts), line))
    walk.refer(names[-1], -1, IMPORT, told)
    alias = first(part(node, "import_alias"))
    walk.define(alias if alias is not None else names[-1], IMPORTED, -1, told=told)
