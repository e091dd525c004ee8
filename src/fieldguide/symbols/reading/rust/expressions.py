"""Rust's names, paths, calls and what is made of them."""

from typing import Any

from fieldguide.symbols.facts import CALL, TYPE, WRITE
from fieldguide.symbols.reading.rust.binding import bind_closure, closure_gets
from fieldguide.symbols.reading.rust.macros import PARTS, refer_to_own_type
from fieldguide.symbols.reading.walk import Walk


def visit_name(walk: Walk, node: Any, within: int, role: str) -> None:
    """A bare name; `Self` is the type around it."""
    if node.text() == "Self":
        start = node.range().start
        refer_to_own_type(walk, start.line + 1, start.column, within)
        return
    walk.refer(node, within, role)


def visit_path(walk: Walk, node: Any, within: int, role: str) -> None:
    """`a::b`."""
    before, name = node.field("path"), node.field("name")
    walk.go(before, within, TYPE)
    if name is not None:
        walk.refer(name, within, role, walk.expression(before) if before is not None else "crate")


def visit_generic(walk: Walk, node: Any, within: int, role: str) -> None:
    """`f::<T>`, `Foo<T>`."""
    walk.go(node.field("function") or node.field("type"), within, role)
    walk.go(node.field("type_arguments"), within, TYPE)


def visit_call(walk: Walk, node: Any, within: int, role: str) -> None:
    """A call; a closure that it is given may be given what is in the receiver."""
    called, given = node.field("function"), node.field("arguments")
    walk.go(called, within, CALL)
    for each in given.named_children() if given is not None else ():
        if each.kind() == "closure_expression":
            bind_closure(walk, each, within, closure_gets(walk, called))
        else:
            walk.go(each, within)


def visit_made(walk: Walk, node: Any, within: int, role: str) -> None:
    """`Foo { a: b, c }`: its fields are written to."""
    made, body = node.field("name"), node.field("body")
    walk.go(made, within, CALL)
    told = walk.expression(made)
    for each in body.named_children() if body is not None else ():
        kind = str(each.kind())
        field = each.field("field") if kind == "field_initializer" else None
        if kind == "shorthand_field_initializer":
            field = next((inner for inner in each.named_children() if inner.kind() == "identifier"), None)
            walk.go(field, within)
        if field is not None:
            walk.refer(field, within, WRITE, f"{told}.{PARTS}")
        walk.go(each.field("value") if kind == "field_initializer" else None, within)
        if kind == "base_field_initializer":
            walk.go_below(each, within)


def visit_assignment(walk: Walk, node: Any, within: int, role: str) -> None:
    """`a = b`, `a += b`."""
    walk.go(node.field("left"), within, WRITE)
    walk.go(node.field("right"), within)


def visit_argument(walk: Walk, node: Any, within: int, role: str) -> None:
    """`Item = T` between angles: the name is the trait's."""
    walk.go(node.field("type"), within, TYPE)
