"""Java: packages, classes and their members, and imports."""

from typing import Any

from fieldguide.symbols.facts import (
    CALL,
    CLASS,
    CONSTANT,
    ENUM,
    FIELD,
    INHERIT,
    INTERFACE,
    METHOD,
    OPERATOR,
    PARAMETER,
    READ,
    TYPE,
    Definition,
)
from fieldguide.symbols.reading.java.blocks import (
    anonymous,
    bind_parameters,
    typed,
    visit_assignment,
    visit_for_each,
    visit_instance,
    visit_lambda,
    visit_local,
    visit_made,
    visit_method_reference,
    visit_named,
    visit_switch,
    visit_update,
)
from fieldguide.symbols.reading.java.imports import STATIC, visit_import, visit_package
from fieldguide.symbols.reading.java.routes import tell_routes
from fieldguide.symbols.reading.java.types import told_type, told_value, unfold_scoped, visit_scoped_type
from fieldguide.symbols.reading.language import Language
from fieldguide.symbols.reading.walk import Walk

CONSTRUCTOR = "new"
KINDS = {
    "class_declaration": CLASS, "record_declaration": CLASS, "interface_declaration": INTERFACE,
    "annotation_type_declaration": INTERFACE, "enum_declaration": ENUM,
}  # fmt: skip


def visit_class(walk: Walk, node: Any, within: int, role: str) -> None:
    """A class, an interface, an enumeration, a record or an annotation."""
    name, body = node.field("name"), node.field("body")
    if name is None:
        walk.go_below(node, within)
        return
    types = _inherited(node)
    place = walk.define(
        name, KINDS[node.kind()], within, whole=node, body=body, doc=doc_before(node),
        bases=[told for each in types if (told := told_type(each))],
    )  # fmt: skip
    _bounds(walk, node.field("type_parameters"), place)
    _modifiers(walk, node, within)
    for each in types:
        walk.go(each, place, INHERIT)
    for each in node.named_children():
        if each.kind() == "formal_parameters":
            _components(walk, each, place)
        elif each.kind() == "permits":
            walk.go_below(each, within, TYPE)
    walk.go(body, place)


def _inherited(node: Any) -> list[Any]:
    """The types that a class extends or implements, or that an interface extends."""
    above = [node.field("superclass"), node.field("interfaces")]
    above += [each for each in node.named_children() if each.kind() == "extends_interfaces"]
    return [each for part in above if part is not None for each in _types(part)]


def _types(node: Any) -> list[Any]:
    found = list(node.named_children())
    return list(found[0].named_children()) if found and found[0].kind() == "type_list" else found


def _bounds(walk: Walk, node: Any, place: int) -> None:
    """`<T extends Foo>`: what is of that type has what Foo has."""
    for each in node.named_children() if node is not None else ():
        parts = list(each.named_children())
        bound = next((part for part in parts if part.kind() == "type_bound"), None)
        name = next((part for part in parts if part.kind() in ("type_identifier", "identifier")), None)
        told = told_type(bound)
        if name is not None:
            walk.define(name, PARAMETER, place, told=f":{told}" if told else "")
        walk.go(bound, place, TYPE)


def _modifiers(walk: Walk, node: Any, within: int) -> Any:
    found = next((each for each in node.named_children() if each.kind() == "modifiers"), None)
    walk.go(found, within, TYPE)
    return found


def _components(walk: Walk, node: Any, place: int) -> None:
    """What a record holds: a field, and a method that reads it."""
    for each in node.named_children():
        name, declared = each.field("name"), each.field("type")
        if name is not None:
            told = told_type(declared)
            given, line = f":{told}" if told else "", name.range().start.line + 1
            walk.define(name, FIELD, place, whole=each, told=given)
            walk.add(Definition(str(name.text()), OPERATOR, place, line, 0, line, type=given, scope=place))
        walk.go(declared, place, TYPE)
        _modifiers(walk, each, place)


def visit_method(walk: Walk, node: Any, within: int, role: str) -> None:
    """A method, or an element of an annotation."""
    name, body, returned = node.field("name"), node.field("body"), node.field("type")
    if name is None:
        walk.go_below(node, within)
        return
    told = told_type(returned)
    place = walk.define(name, METHOD, within, whole=node, body=body, doc=doc_before(node))
    walk.retype(place, f":{told}" if told else "", place)  # which may be one of its own type parameters
    tell_routes(walk, node, within)
    _inside(walk, node, place)
    walk.go(returned, place, TYPE)
    walk.go(node.field("value"), place)
    walk.go(body, place)


def visit_constructor(walk: Walk, node: Any, within: int, role: str) -> None:
    """A constructor: who calls it names the class, so it has the name that `Foo::new` gives it."""
    name, span, body = node.field("name"), node.range(), node.field("body")
    if name is None:
        walk.go_below(node, within)
        return
    start = name.range().start
    place = walk.add(Definition(
        CONSTRUCTOR, METHOD, within, start.line + 1, start.column, span.end.line + 1, walk.signature(node, body),
        doc_before(node), scope=within,
    ))  # fmt: skip
    _inside(walk, node, place)
    walk.go(body, place)


def _inside(walk: Walk, node: Any, place: int) -> None:
    _bounds(walk, node.field("type_parameters"), place)
    _modifiers(walk, node, walk.definitions[place].parent)
    bind_parameters(walk, node.field("parameters"), place)
    for each in node.named_children():
        if each.kind() == "throws":
            walk.go_below(each, place, TYPE)


def visit_field(walk: Walk, node: Any, within: int, role: str) -> None:
    """Fields of a class; one that is static and final is a constant."""
    declared = node.field("type")
    words = str((_modifiers(walk, node, within) or node).text()).split()
    is_constant = (STATIC in words and "final" in words) or node.kind() == "constant_declaration"
    told = told_type(declared)
    for each in node.named_children():
        if each.kind() == "variable_declarator" and (name := each.field("name")) is not None:
            value = each.field("value")
            given = typed(told, each) or told_value(walk, value)
            walk.define(
                name,
                CONSTANT if is_constant else FIELD,
                within,
                whole=node,
                body=value,
                doc=doc_before(node),
                told=given,
            )
            walk.go(value, within)
    walk.go(declared, within, TYPE)


def visit_constant(walk: Walk, node: Any, within: int, role: str) -> None:
    """A constant of an enumeration, which may have a body of its own."""
    name, body = node.field("name"), node.field("body")
    owner = walk.definitions[within].name if within >= 0 else ""
    if name is not None:
        walk.define(name, CONSTANT, within, whole=node, body=body, doc=doc_before(node), told=f":{owner}")
    _modifiers(walk, node, within)
    walk.go(node.field("arguments"), within)
    if body is not None:
        walk.go(body, anonymous(walk, node, owner, within))


def visit_generic(walk: Walk, node: Any, within: int, role: str) -> None:
    """`Foo<Bar>`: only Foo is used as the whole is."""
    whole, *rest = node.named_children()
    walk.go(whole, within, role)
    for each in rest:
        walk.go_below(each, within, TYPE)


def visit_annotation(walk: Walk, node: Any, within: int, role: str) -> None:
    """`@Foo(bar = 1)`: each key is an element of it."""
    name, given = node.field("name"), node.field("arguments")
    walk.go(name, within, TYPE)
    for each in given.named_children() if given is not None else ():
        if each.kind() == "element_value_pair":
            if (key := each.field("key")) is not None:
                walk.refer(key, within, CALL, "".join(str(name.text()).split()))
            walk.go(each.field("value"), within, READ)
        else:
            walk.go(each, within, READ)


def doc_before(node: Any) -> str:
    """The first paragraph of the comment right above a declaration."""
    above = node.prev()
    if above is None or above.kind() not in ("block_comment", "multiline_comment"):
        return ""
    lines = [line.strip().lstrip("*").strip() for line in str(above.text())[:2000].strip("/*").split("\n")]
    return " ".join(" ".join(lines).split()).partition(" @")[0].partition("<p>")[0].strip()


LANGUAGE = Language(
    "java",
    visits={
        "annotation": visit_annotation,
        "annotation_type_declaration": visit_class,
        "annotation_type_element_declaration": visit_method,
        "assignment_expression": visit_assignment,
        "catch_formal_parameter": visit_named,
        "class_declaration": visit_class,
        "compact_constructor_declaration": visit_constructor,
        "constant_declaration": visit_field,
        "constructor_declaration": visit_constructor,
        "enhanced_for_statement": visit_for_each,
        "enum_constant": visit_constant,
        "enum_declaration": visit_class,
        "field_declaration": visit_field,
        "generic_type": visit_generic,
        "import_declaration": visit_import,
        "instanceof_expression": visit_instance,
        "interface_declaration": visit_class,
        "lambda_expression": visit_lambda,
        "local_variable_declaration": visit_local,
        "marker_annotation": visit_annotation,
        "method_declaration": visit_method,
        "method_reference": visit_method_reference,
        "object_creation_expression": visit_made,
        "package_declaration": visit_package,
        "record_declaration": visit_class,
        "record_pattern_component": visit_named,
        "resource": visit_named,
        "scoped_type_identifier": visit_scoped_type,
        "switch_expression": visit_switch,
        "type_pattern": visit_named,
        "update_expression": visit_update,
    },
    names=frozenset(("identifier", "type_identifier")),
    members={"field_access": ("object", "field"), "scoped_identifier": ("scope", "name")},
    invocations={"method_invocation": ("object", "name")},
    elements={"array_access": "array"},
    wrappers={"parenthesized_expression": "", "generic_type": ""},
    endings={"object_creation_expression": ("type", "()"), "cast_expression": ("type", "()")},
    unfolded={"scoped_type_identifier": unfold_scoped},
    words={"this": "self", "super": "super()"},
    skipped=frozenset((
        "line_comment", "block_comment", "string_literal", "character_literal", "decimal_integer_literal",
        "integral_type", "void_type", "boolean_type", "floating_point_type", "break_statement", "continue_statement",
        "module_declaration",
    )),
    has_calls_apart=True,
)  # fmt: skip
