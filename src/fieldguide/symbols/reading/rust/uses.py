"""Rust's `use`: every name on its paths is used, and the last one is bound."""

from typing import Any

from fieldguide.symbols.facts import EVERYTHING, IMPORT, IMPORTED, MODULE, TYPE, Definition, Imported
from fieldguide.symbols.reading.walk import Walk, kind_of

MOST_PATHS = 2_000
MOST_MODULES = 50
WORDS = frozenset(("self", "super", "crate"))
Parts = tuple[str, ...]


def visit_use(walk: Walk, node: Any, within: int, role: str) -> None:
    """`use a::{b as c, d::*};`."""
    line = node.range().start.line + 1
    pending: list[tuple[Parts, Any]] = [((), node.field("argument"))]
    for _ in range(MOST_PATHS):
        if not pending:
            return
        before, tree = pending.pop()
        kind = kind_of(tree)
        if kind in ("use_list", "scoped_use_list"):
            pending += reversed(_listed(walk, tree, within, before))
        elif kind == "use_as_clause":
            path = before + _path(walk, tree.field("path"), within, before)
            _bind(walk, tree.field("alias"), path, within, line)
        elif kind == "use_wildcard":
            path = before + _path(walk, next(iter(tree.named_children()), None), within, before, is_last=False)
            walk.imports(
                Imported("::".join(path), line, EVERYTHING, False, "use", "::".join(module_names(walk, within)))
            )
        elif kind and "comment" not in kind:
            path = before + _path(walk, tree, within, before)
            _bind(walk, tree.field("name") or tree, path, within, line)


def _listed(walk: Walk, tree: Any, within: int, before: Parts) -> list[tuple[Parts, Any]]:
    """What stands in `{…}` or in `a::{…}`, each with the path before it."""
    inner = tree
    if tree.kind() == "scoped_use_list":
        before, inner = before + _path(walk, tree.field("path"), within, before, is_last=False), tree.field("list")
    return [(before, each) for each in inner.named_children()] if inner is not None else []


def visit_extern(walk: Walk, node: Any, within: int, role: str) -> None:
    """`extern crate a as b;`."""
    name = node.field("name")
    if name is not None:
        told = walk.imports(
            Imported(
                "",
                node.range().start.line + 1,
                str(name.text()),
                False,
                "extern",
                "::".join(module_names(walk, within)),
            )
        )
        walk.define(node.field("alias") or name, IMPORTED, within, told=told)


def _path(walk: Walk, node: Any, within: int, before: Parts, *, is_last: bool = True) -> Parts:
    """The parts of a path, each of which is used here."""
    found: list[Any] = []
    while node is not None and len(found) < 50:
        kind = str(node.kind())
        found.append(node.field("name") if kind == "scoped_identifier" else node)
        node = node.field("path") if kind == "scoped_identifier" else None
    parts = before
    for each in reversed(found):
        name = str(each.text()).removeprefix("r#")
        if name not in WORDS:
            walk.refer(each, within, IMPORT if is_last and each is found[0] else TYPE, ".".join(parts))
        parts = (*parts, name)
    return parts[len(before) :]


def _bind(walk: Walk, name: Any, path: Parts, within: int, line: int) -> None:
    if path and path[-1] == "self":  # a::{self}
        path = path[:-1]
    if not path or name is None or name.text() == "_":
        return
    told = walk.imports(
        Imported("::".join(path[:-1]), line, path[-1], False, "use", "::".join(module_names(walk, within)))
    )
    if name.text() == "self":
        start = name.range().start
        walk.definitions.append(
            Definition(path[-1], IMPORTED, within, start.line + 1, start.column, start.line + 1, type=told)
        )
    else:
        walk.define(name, IMPORTED, within, told=told)


def module_names(walk: Walk, place: int) -> list[str]:
    """The modules of the file that a place is in, the outermost first."""
    names: list[str] = []
    while place >= 0 and len(names) < MOST_MODULES:
        if walk.definitions[place].kind == MODULE:
            names.append(walk.definitions[place].name)
        place = walk.definitions[place].parent
    return names[::-1]
