"""C#: fields, properties, events and constants of a class."""

from typing import TYPE_CHECKING, Any

from fieldguide.symbols.facts import CONSTANT, FIELD, READ, TYPE
from fieldguide.symbols.reading.csharp.blocks import bind_parameters, value_of
from fieldguide.symbols.reading.csharp.types import told_type, told_value
from fieldguide.symbols.reading.java.imports import STATIC

if TYPE_CHECKING:
    from fieldguide.symbols.reading.walk import Walk

MOST_COMMENTS = 12


def visit_field(walk: "Walk", node: Any, within: int, role: str) -> None:
    """Fields and events of a class; one that is `const` or `static readonly` is a constant."""
    words = {str(each.text()) for each in parts_of(node, "modifier")}
    is_constant = "const" in words or {STATIC, "readonly"} <= words
    go_attributes(walk, node, within)
    for declared in parts_of(node, "variable_declaration"):
        told = told_type(declared.field("type"))
        for each in parts_of(declared, "variable_declarator"):
            name, value = each.field("name"), value_of(each)
            if name is not None:
                given = f":{told}" if told else told_value(walk, value)
                kind = CONSTANT if is_constant else FIELD
                walk.define(name, kind, within, whole=node, body=value, doc=doc_before(node), told=given)
            walk.go(value, within)
        walk.go(declared.field("type"), within, TYPE)


def visit_property(walk: "Walk", node: Any, within: int, role: str) -> None:
    """A property, or an event with its own code; an indexer has no name."""
    name, declared = node.field("name"), node.field("type")
    told = told_type(declared)
    place = within
    if name is not None:
        body = node.field("accessors") or node.field("value")
        place = walk.define(
            name, FIELD, within, whole=node, body=body, doc=doc_before(node), told=f":{told}" if told else ""
        )
    bind_parameters(walk, node.field("parameters"), within)
    go_attributes(walk, node, within)
    walk.go(declared, within, TYPE)
    walk.go(node.field("accessors"), place)
    walk.go(node.field("value"), place)


def visit_constant(walk: "Walk", node: Any, within: int, role: str) -> None:
    """A constant of an enumeration."""
    name, owner = node.field("name"), walk.definitions[within].name if within >= 0 else ""
    if name is not None:
        walk.define(name, CONSTANT, within, whole=node, doc=doc_before(node), told=f":{owner}" if owner else "")
    go_attributes(walk, node, within)
    walk.go(node.field("value"), within)


def visit_attribute(walk: "Walk", node: Any, within: int, role: str) -> None:
    """`[Foo(1, Bar = 2)]`."""
    walk.go(node.field("name"), within, TYPE)
    for each in parts_of(node, "attribute_argument_list"):
        walk.go_below(each, within, READ)


def go_attributes(walk: "Walk", node: Any, within: int) -> None:
    """Look at the attributes of a declaration later."""
    for each in parts_of(node, "attribute_list"):
        walk.go(each, within, TYPE)


def parts_of(node: Any, kind: str) -> list[Any]:
    """The children of a kind."""
    return [each for each in node.named_children() if each.kind() == kind]


def doc_before(node: Any) -> str:
    """The summary in the comments right above a declaration."""
    lines: list[str] = []
    each = node.prev()
    while each is not None and each.kind() == "comment" and len(lines) < MOST_COMMENTS:
        lines.append(str(each.text()).lstrip("/").strip())
        each = each.prev()
    text = " ".join(reversed(lines))
    inside = text.partition("<summary>")[2].partition("</summary>")[0] or text.partition("<")[0]
    return inside.strip()
