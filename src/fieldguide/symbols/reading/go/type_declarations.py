"""Go: what types are declared, with their fields, methods and embedded types."""

from typing import TYPE_CHECKING, Any

from fieldguide.symbols.facts import (
    ALIAS,
    CLASS,
    EXTENSION,
    FIELD,
    INHERIT,
    INTERFACE,
    METHOD,
    OPERATOR,
    PARAMETER,
    TYPE,
    TYPES,
    Definition,
)
from fieldguide.symbols.reading.go.types import element_of, told_result, told_type

if TYPE_CHECKING:
    from fieldguide.symbols.reading.walk import Walk

ELEMENT, RESULT = "[]", "()"
ALONE = frozenset(("type_declaration", "const_declaration", "var_declaration"))
MOST_COMMENTS = 10
KINDS = {"struct_type": CLASS, "interface_type": INTERFACE}


def visit_type(walk: "Walk", node: Any, within: int, role: str) -> None:
    """`type X struct {…}`, `type X Y`, `type X = Y`."""
    name, declared = node.field("name"), node.field("type")
    if name is None or declared is None:
        walk.go_below(node, within)
        return
    kind, told = KINDS.get(declared.kind(), ALIAS), told_type(walk, declared)
    is_other_name = node.kind() == "type_alias"
    is_plain = bool(told) and not element_of(told) and not is_other_name and not told.startswith("map<")
    place = walk.define(
        name, kind, within, whole=node, body=declared if kind != ALIAS else None, doc=doc_before(node),
        told=f":{told}" if is_other_name and told else "", bases=[told] if is_plain else _bases(walk, declared),
        scope=within,
    )  # fmt: skip
    bind_type_parameters(walk, node.field("type_parameters"), place)
    if element_of(told) and not is_other_name:
        _operator(walk, ELEMENT, place, f":{element_of(told)}")
    elif declared.kind() == "function_type" and (result := told_result(walk, declared.field("result"))):
        _operator(walk, RESULT, place, result)
    walk.go(declared, place, TYPE)


def _operator(walk: "Walk", name: str, place: int, told: str) -> None:
    line = walk.definitions[place].line
    walk.add(Definition(name, OPERATOR, place, line, 0, line, type=told))


def _bases(walk: "Walk", declared: Any) -> list[str]:
    """What a struct or an interface embeds."""
    if declared.kind() == "interface_type":
        parts = [each for each in declared.named_children() if each.kind() == "type_elem"]
        return [told for each in parts if len(each.named_children()) == 1 and (told := told_type(walk, each))]
    if declared.kind() != "struct_type":
        return []
    fields = next(iter(declared.named_children()), None)
    found = [each for each in fields.named_children() if each.kind() == "field_declaration"] if fields else []
    return [told for each in found if each.field("name") is None and (told := told_type(walk, each.field("type")))]


def visit_field(walk: "Walk", node: Any, within: int, role: str) -> None:
    """Fields of a struct; one without a name is embedded, and called as its type is."""
    declared, names = node.field("type"), list(node.field_children("name"))
    told = told_type(walk, declared)
    given = f":{told}" if told else ""
    names = [each for each in names if each.kind() == "field_identifier"]
    is_type = within >= 0 and walk.definitions[within].kind in TYPES
    place = within
    for each in names if is_type or _is_field(walk, within) else ():
        place = walk.define(each, FIELD, within, whole=node, told=given, scope=-1)
    if not names and declared is not None and is_type:
        last = list(declared.named_children())[-1:] or [declared]
        embedded = owner_in(declared) if declared.kind() != "qualified_type" else last[0]
        if embedded is not None:
            walk.define(embedded, FIELD, within, whole=node, told=given, scope=-1)
    is_nested = declared is not None and "struct_type" in (declared.kind(), *_inner_kinds(declared))
    walk.go(declared, place if is_nested else within, INHERIT if not names else TYPE)


def _is_field(walk: "Walk", place: int) -> bool:
    return place >= 0 and walk.definitions[place].kind == FIELD


def _inner_kinds(node: Any) -> list[str]:
    return [str(each.kind()) for each in node.named_children()]


def visit_interface_method(walk: "Walk", node: Any, within: int, role: str) -> None:
    """A method that an interface asks for."""
    name = node.field("name")
    if name is not None:
        told = told_result(walk, node.field("result"))
        walk.define(name, METHOD, within, whole=node, doc=doc_before(node), told=told, scope=-1)
    visit_function_type(walk, node, within, role)


def visit_embedded(walk: "Walk", node: Any, within: int, role: str) -> None:
    """What an interface embeds; elsewhere an argument of a type."""
    parent = node.parent()
    is_embedded = parent is not None and parent.kind() == "interface_type"
    walk.go_below(node, within, INHERIT if is_embedded else TYPE)


def visit_function_type(walk: "Walk", node: Any, within: int, role: str) -> None:
    """The type of a function: the names of its parameters bind nothing."""
    for field in ("parameters", "result"):
        part = node.field(field)
        if part is not None and part.kind() == "parameter_list":
            for each in part.named_children():
                walk.go(each.field("type"), within, TYPE)
        else:
            walk.go(part, within, TYPE)


def extension(walk: "Walk", owner: Any) -> int:
    """What stands for a type in a file that has methods of it."""
    name, line = str(owner.text()), owner.range().start.line + 1
    key = f"{EXTENSION} {name}"
    known = walk.bound(-1, key)
    made = Definition(name, EXTENSION, -1, line, 0, line, type=f":{name}")
    return known if known is not None else walk.add(made, key)


def owner_in(node: Any) -> Any:
    """The name of the type of a receiver, or of what is embedded."""
    for _ in range(4):
        if node is None or node.kind() == "type_identifier":
            return node
        node = node.field("type") or next(iter(node.named_children()), None)
    return None


def bind_type_parameters(walk: "Walk", node: Any, place: int) -> None:
    """`[K comparable]`: names of types that a type or a function is given."""
    for each in node.named_children() if node is not None else ():
        told = told_type(walk, each.field("type"))
        for name in each.field_children("name"):
            if name.kind() == "identifier":
                walk.define(name, PARAMETER, place, told=f":{told}" if told else "")
        walk.go(each.field("type"), place, TYPE)


def doc_before(node: Any) -> str:
    """The comment right above a declaration."""
    lines: list[str] = []
    around, last, each = node.parent(), node, node.prev()
    if around is not None and around.kind() in ALONE and (each is None or not each.is_named()):
        last, each = around, around.prev()
    while each is not None and each.kind() == "comment" and len(lines) < MOST_COMMENTS:
        if each.range().end.line + 1 < last.range().start.line:
            break
        lines.append(str(each.text()).strip("/* \t\n"))
        last, each = each, each.prev()
    return " ".join(reversed(lines))
