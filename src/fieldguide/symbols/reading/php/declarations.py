"""PHP: classes, interfaces, traits and enums with their members, functions, constants and routes."""

from typing import Any

from fieldguide.symbols.facts import (
    CLASS,
    CONSTANT,
    ENUM,
    FIELD,
    FUNCTION,
    IMPORT,
    IMPORTED,
    INHERIT,
    INTERFACE,
    METHOD,
    PARAMETER,
    TYPE,
    TYPES,
    Imported,
)
from fieldguide.symbols.reading.walk import Walk, kind_of

KINDS = {
    "class_declaration": CLASS,
    "trait_declaration": CLASS,
    "interface_declaration": INTERFACE,
    "enum_declaration": ENUM,
}
INNER_TYPES = frozenset(("optional_type", "union_type", "type_list"))
PARAMETERS = frozenset(("simple_parameter", "variadic_parameter", "property_promotion_parameter"))
MOST_TYPES = 4


def visit_namespace(walk: Walk, node: Any, within: int, role: str) -> None:
    """`namespace A\\B;`: what the file's own names belong to."""
    name = node.field("name")
    if name is not None:
        walk.imports(Imported(_text(name), node.range().start.line + 1, keyword="namespace"))
    walk.go(node.field("body"), within)


def visit_use(walk: Walk, node: Any, within: int, role: str) -> None:
    """`use A\\B as C;`, and several at once: `use A\\{B, C};`."""
    children = node.named_children()
    before = next((_text(each) + "\\" for each in children if each.kind() == "namespace_name"), "")
    group = next((each for each in children if each.kind() == "namespace_use_group"), None)
    for clause in group.named_children() if group is not None else children:
        if clause.kind() == "namespace_use_clause":
            _bind_use(walk, clause, before, within)


def _bind_use(walk: Walk, clause: Any, before: str, within: int) -> None:
    parts = [each for each in clause.named_children() if each.kind() in ("name", "qualified_name")]
    if not parts:
        return
    path = before + _text(parts[0])
    name = parts[0] if parts[0].kind() == "name" else last_name(parts[0])
    told = walk.imports(Imported(path, clause.range().start.line + 1, path.rpartition("\\")[2], keyword="use"))
    if name is not None:
        walk.refer(name, within, IMPORT, told)
        walk.define(parts[1] if len(parts) > 1 else name, IMPORTED, within, told=told)


def _text(node: Any) -> str:
    return "".join(str(node.text()).split()).lstrip("\\")


def last_name(node: Any) -> Any:
    """The last part of a name with its namespace."""
    names = [each for each in node.named_children() if each.kind() == "name"]
    return names[-1] if names else None


def visit_class(walk: Walk, node: Any, within: int, role: str) -> None:
    """A class, an interface, a trait or an enum, with what it is made of."""
    name, body = node.field("name"), node.field("body")
    if name is None:
        walk.go_below(node, within)
        return
    above = [each for clause in _clauses(node, body) for each in clause.named_children()]
    bases = [told_type(walk, each) for each in above if each.kind() in ("name", "qualified_name")]
    place = walk.define(
        name, KINDS[node.kind()], within, whole=node, body=body, doc=doc_above(node), bases=list(filter(None, bases))
    )  # fmt: skip
    for each in above:
        walk.go(each, within, INHERIT)
    for each in body.named_children() if body is not None else ():
        if each.kind() != "use_declaration":
            walk.go(each, place)


def _clauses(node: Any, body: Any) -> list[Any]:
    clauses = [each for each in node.named_children() if each.kind() in ("base_clause", "class_interface_clause")]
    traits = [each for each in body.named_children() if each.kind() == "use_declaration"] if body is not None else []
    return clauses + traits


def told_type(walk: Walk, node: Any) -> str:
    """A type as an expression; empty where it says nothing."""
    found: list[str] = []
    pending = [node]
    while pending and len(found) < MOST_TYPES:
        each = pending.pop(0)
        kind = kind_of(each)
        if kind == "name":
            found.append(walk.language.words.get(str(each.text()), str(each.text())))
        elif kind == "qualified_name":
            path = _text(each)
            line = each.range().start.line + 1
            found.append(walk.imports(Imported(path, line, path.rpartition("\\")[2], keyword="use")))
        elif kind in INNER_TYPES or kind == "named_type":
            pending += each.named_children()
    return "|".join(found)


def visit_function(walk: Walk, node: Any, within: int, role: str) -> None:
    """A function or a method."""
    name, body, returned = node.field("name"), node.field("body"), node.field("return_type")
    if name is None:
        return
    in_type = within >= 0 and walk.definitions[within].kind in TYPES
    told = told_type(walk, returned)
    place = walk.define(
        name, METHOD if in_type else FUNCTION, within, whole=node, body=body, doc=doc_above(node),
        told=f":{told}" if told else "",
    )  # fmt: skip
    bind_parameters(walk, node, place, within)
    walk.go(returned, within, TYPE)
    walk.go(body, place)


def bind_parameters(walk: Walk, node: Any, place: int, owner: int, visible: tuple[int, int] = (0, 0)) -> None:
    """Parameters; one with a visibility is a field too."""
    given = node.field("parameters")
    for each in given.named_children() if given is not None else ():
        name, annotation = each.field("name"), each.field("type")
        if each.kind() not in PARAMETERS or name is None:
            continue
        told = told_type(walk, annotation)
        walk.define(name, PARAMETER, place, told=f":{told}" if told else "", scope=owner, visible=visible)
        if each.kind() == "property_promotion_parameter":
            _field(walk, name, each, owner, told)
        walk.go(annotation, owner, TYPE)
        walk.go(each.field("default_value"), owner)


def visit_closure(walk: Walk, node: Any, within: int, role: str) -> None:
    """A function without a name: its parameters are seen on its lines."""
    span = node.range()
    bind_parameters(walk, node, within, within, (span.start.line + 1, span.end.line + 1))
    walk.go(node.field("return_type"), within, TYPE)
    walk.go(node.field("body"), within)


def visit_property(walk: Walk, node: Any, within: int, role: str) -> None:
    """Fields of a class."""
    annotation = node.field("type")
    walk.go(annotation, within, TYPE)
    told = told_type(walk, annotation)
    for each in node.named_children():
        name = each.field("name") if each.kind() == "property_element" else None
        if name is not None:
            _field(walk, name, node, within, told)
            walk.go(each.field("default_value"), within)


def _field(walk: Walk, variable: Any, whole: Any, owner: int, told: str) -> None:
    name = next(iter(variable.named_children()), None)
    if name is not None and owner >= 0:
        walk.define(name, FIELD, owner, whole=whole, doc=doc_above(whole), told=f":{told}" if told else "")


def visit_constant(walk: Walk, node: Any, within: int, role: str) -> None:
    """`const A = 1;`, or a case of an enum."""
    name = node.field("name") or next((each for each in node.named_children() if each.kind() == "name"), None)
    if name is not None:
        walk.define(name, CONSTANT, within, whole=node)
    for each in node.named_children()[1:]:
        walk.go(each, within)


def doc_above(node: Any) -> str:
    """The first paragraph of the comment before a definition."""
    before = node.prev()
    if before is None or before.kind() != "comment" or not before.text().startswith("/**"):
        return ""
    lines = [line.strip(" \t*/") for line in str(before.text()).split("\n")]
    told = "\n".join(lines).strip().partition("\n\n")[0].partition("\n@")[0]
    return "" if told.startswith("@") else told.replace("\n", " ")
