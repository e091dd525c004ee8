"""Kotlin: functions, with what they take and give; one that extends a type; constructors."""

from typing import TYPE_CHECKING, Any

from fieldguide.symbols.facts import FUNCTION, METHOD, PARAMETER, ROUTE, TYPE, TYPES, UNKNOWN, Definition
from fieldguide.symbols.reading.java.declarations import CONSTRUCTOR
from fieldguide.symbols.reading.java.declarations import doc_before as doc_of
from fieldguide.symbols.reading.java.routes import is_route, strings_in
from fieldguide.symbols.reading.kotlin.parts import part, parts, told_type, type_of, value_of

if TYPE_CHECKING:
    from fieldguide.symbols.reading.walk import Walk


def visit_function(walk: "Walk", node: Any, within: int, role: str) -> None:
    """A function; one that extends a type says so by what it has as a base."""
    name, body = part(node, "simple_identifier"), part(node, "function_body")
    if name is None:
        walk.go_below(node, within)
        return
    in_class = within >= 0 and walk.definitions[within].kind in TYPES
    receiver, returned = part(node, "receiver_type"), _returned(node)
    extended = told_type(receiver)
    place = walk.define(
        name, METHOD if in_class else FUNCTION, within, whole=node, body=body, doc=doc_of(node),
        bases=[extended] if extended else (),
    )  # fmt: skip
    _tell_routes(walk, node, name, within)
    told, value = told_type(returned), value_of(body) if body is not None else None
    said = walk.expression(value) if value is not None else UNKNOWN
    walk.retype(place, f":{told}" if told else "" if UNKNOWN in said else f"={said}", place)
    bind_types(walk, node, place)
    walk.go(part(node, "modifiers"), within, TYPE)
    walk.go(receiver, place, TYPE)
    _parameters(walk, part(node, "function_value_parameters"), place)
    walk.go(returned, place, TYPE)
    walk.go(body, place)


def _returned(node: Any) -> Any:
    is_after = False
    for each in node.named_children():
        if is_after and each.kind() in ("user_type", "nullable_type", "function_type", "parenthesized_type"):
            return each
        is_after = is_after or each.kind() == "function_value_parameters"
    return None


def _parameters(walk: "Walk", node: Any, place: int) -> None:
    is_several = False
    for each in node.named_children() if node is not None else ():
        if each.kind() != "parameter":
            is_several = "vararg" in str(each.text())
            walk.go(each, place)
            continue
        name, declared = part(each, "simple_identifier"), type_of(each)
        told = told_type(declared)
        told = f"Array<{told}>" if told and is_several else told
        if name is not None:
            walk.define(name, PARAMETER, place, told=f":{told}" if told else "")
        walk.go(declared, place, TYPE)
        is_several = False


def _tell_routes(walk: "Walk", node: Any, name: Any, within: int) -> None:
    for each in parts(part(node, "modifiers"), "annotation"):
        made = part(each, "constructor_invocation")
        if made is not None and is_route(told_type(type_of(made))):
            for path in strings_in(made):
                walk.define(path, ROUTE, within, whole=node, body=part(node, "function_body"), told=f"={name.text()}")


def visit_constructor(walk: "Walk", node: Any, within: int, role: str) -> None:
    """Another constructor."""
    span = node.range()
    line, end = span.start.line + 1, span.end.line + 1
    made = Definition(CONSTRUCTOR, METHOD, within, line, span.start.column, end, walk.signature(node), scope=within)
    place = walk.add(made)
    _parameters(walk, part(node, "function_value_parameters"), place)
    for each in node.named_children():
        if each.kind() != "function_value_parameters":
            walk.go(each, place)


def bind_types(walk: "Walk", node: Any, place: int) -> None:
    """`<T : Foo>`: what is of that type has what Foo has."""
    for each in parts(part(node, "type_parameters"), "type_parameter"):
        name, told = part(each, "type_identifier"), told_type(type_of(each))
        if name is not None:
            walk.define(name, PARAMETER, place, told=f":{told}" if told else "")
        walk.go(type_of(each), place, TYPE)
