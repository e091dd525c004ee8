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
    place = walk.define(
        name, kind, within, whole=node, body=declared if kind != ALIAS else None, doc=doc_before(node),
        told=f":{told}" if is_other_name and told else "",
        bases=_embedded(walk, declared) if is_other_name or not _is_base(told) else [told], scope=within,
    )  # fmt: skip
    bind_type_parameters(walk, node.field("type_parameters"), place)
    _operator(walk, ELEMENT, place, _of_type("" if is_other_name else element_of(told)))
    if declared.kind() == "function_type":
        _operator(walk, RESULT, place, told_result(walk, declared.field("result")))
    walk.go(declared, place, TYPE)


def _is_base(told: str) -> bool:
    """Whether a type that another one is declared as has members that it could take over."""
    return bool(told) and not told.startswith("map<") and not element_of(told)


def _of_type(told: str) -> str:
    return f":{told}" if told else ""


def _operator(walk: "Walk", name: str, place: int, told: str) -> None:
    """What an element or a call of a type gives, where that is known."""
    if told:
        line = walk.definitions[place].line
        walk.add(Definition(name, OPERATOR, place, line, 0, line, type=told))


def _embedded(walk: "Walk", declared: Any) -> list[str]:
    """What a struct or an interface embeds."""
    types: list[Any] = []
    if declared.kind() == "interface_type":
        types = [each for each in declared.named_children() if _is_alone(each)]
    elif declared.kind() == "struct_type":
        types = [each.field("type") for each in _fields(declared) if each.field("name") is None]
    return [told for each in types if (told := told_type(walk, each))]


def _is_alone(node: Any) -> bool:
    """Whether an element of an interface is one type, not a choice between some."""
    return bool(node.kind() == "type_elem" and len(node.named_children()) == 1)


def _fields(struct: Any) -> list[Any]:
    fields = next(iter(struct.named_children()), None)
    return [] if fields is None else [each for each in fields.named_children() if each.kind() == "field_declaration"]


def visit_field(walk: "Walk", node: Any, within: int, role: str) -> None:
    """Fields of a struct; one without a name is embedded, and called as its type is."""
    declared = node.field("type")
    names = [each for each in node.field_children("name") if each.kind() == "field_identifier"]
    place = _define_fields(walk, node, names, within)
    is_nested = declared is not None and "struct_type" in (declared.kind(), *_inner_kinds(declared))
    walk.go(declared, place if is_nested else within, INHERIT if not names else TYPE)


def _define_fields(walk: "Walk", node: Any, names: list[Any], within: int) -> int:
    """The place of the last field that has a name; that of what they are in where none has."""
    given, around = _of_type(told_type(walk, node.field("type"))), walk.definitions[within].kind if within >= 0 else ""
    place = within
    for each in names if around in TYPES or around == FIELD else ():
        place = walk.define(each, FIELD, within, whole=node, told=given, scope=-1)
    embedded = _embedded_name(node.field("type")) if not names and around in TYPES else None
    if embedded is not None:
        walk.define(embedded, FIELD, within, whole=node, told=given, scope=-1)
    return place


def _embedded_name(declared: Any) -> Any:
    """What an embedded type is called as a field: `T` of `*T`, and of `a.T`."""
    if declared is None or declared.kind() != "qualified_type":
        return owner_in(declared)
    return (list(declared.named_children()) or [declared])[-1]


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
