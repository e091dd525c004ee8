"""Kotlin: packages, classes, functions and properties, and imports."""

from typing import Any

from fieldguide.symbols.facts import (
    ALIAS,
    CLASS,
    CONSTANT,
    ENUM,
    FIELD,
    INHERIT,
    INTERFACE,
    LOCAL,
    TYPE,
    TYPES,
    VARIABLE,
    Definition,
)
from fieldguide.symbols.reading.java.declarations import doc_before as doc_of
from fieldguide.symbols.reading.kotlin.blocks import (
    bind_local,
    told_value,
    visit_assignment,
    visit_call,
    visit_callable,
    visit_catch,
    visit_for,
    visit_lambda,
    visit_navigation,
)
from fieldguide.symbols.reading.kotlin.functions import bind_types, visit_constructor, visit_function
from fieldguide.symbols.reading.kotlin.imports import visit_import, visit_package
from fieldguide.symbols.reading.kotlin.parts import (
    first,
    part,
    parts,
    told_type,
    type_of,
    unfold_call,
    unfold_cast,
    unfold_index,
    unfold_navigation,
    value_of,
)
from fieldguide.symbols.reading.language import Language
from fieldguide.symbols.reading.walk import Walk


def visit_class(walk: Walk, node: Any, within: int, role: str) -> None:
    """A class, an interface, an enumeration or an object."""
    name, body = part(node, "type_identifier"), part(node, "class_body", "enum_class_body")
    if name is None:
        walk.go_below(node, within)
        return
    words = {str(each.text()) for each in node.children()}
    kind = INTERFACE if "interface" in words else ENUM if "enum" in words else CLASS
    above = parts(node, "delegation_specifier")
    place = walk.define(
        name, kind, within, whole=node, body=body, doc=doc_of(node),
        bases=[told for each in above if (told := told_type(_base(each)))],
    )  # fmt: skip
    bind_types(walk, node, place)
    walk.go(part(node, "modifiers"), within, TYPE)
    _constructor(walk, part(node, "primary_constructor"), place)
    for each in above:
        walk.go(each, place, INHERIT)
    walk.go(body, place)


def _base(node: Any) -> Any:
    made = part(node, "constructor_invocation", "explicit_delegation")
    return type_of(made if made is not None else node)


def _constructor(walk: Walk, node: Any, place: int) -> None:
    """What a class is made with: with `val` or `var` it is a property too."""
    for each in parts(node, "class_parameter"):
        name, declared = part(each, "simple_identifier"), type_of(each)
        told = told_type(declared)
        is_property = part(each, "binding_pattern_kind") is not None
        if name is not None:
            given = f":{told}" if told else ""
            walk.define(name, FIELD if is_property else LOCAL, place, whole=each, told=given)
        walk.go(part(each, "modifiers"), place, TYPE)
        walk.go(declared, place, TYPE)
        walk.go(value_of(each), place)


def visit_companion(walk: Walk, node: Any, within: int, role: str) -> None:
    """What is in a companion is named as what is in its class."""
    for each in parts(node, "delegation_specifier"):
        walk.go(each, within, TYPE)
    walk.go(part(node, "class_body"), within)


def visit_made(walk: Walk, node: Any, within: int, role: str) -> None:
    """A class that is inherited from with arguments, or an annotation with some."""
    walk.go(type_of(node), within, role)
    walk.go(part(node, "value_arguments"), within)


def visit_user_type(walk: Walk, node: Any, within: int, role: str) -> None:
    """A type: each part of its name may be a class."""
    names, before = parts(node, "type_identifier"), ""
    for number, each in enumerate(names):
        walk.refer(each, within, role if number == len(names) - 1 and role != "read" else TYPE, before)
        before = f"{before}.{each.text()}" if before else str(each.text())
    for each in parts(node, "type_arguments"):
        walk.go_below(each, within, TYPE)


def visit_object(walk: Walk, node: Any, within: int, role: str) -> None:
    """An object of a class without a name."""
    walk.go(part(node, "class_body"), _anonymous(walk, node, within))


def _anonymous(walk: Walk, node: Any, within: int) -> int:
    above, span = parts(node, "delegation_specifier"), node.range()
    bases = tuple(told for each in above if (told := told_type(_base(each))))
    line, end = span.start.line + 1, span.end.line + 1
    name = f"object {bases[0].partition('<')[0]}" if bases else "object"
    place = walk.add(Definition(name, CLASS, within, line, span.start.column, end, bases=bases, scope=within))
    for each in above:
        walk.go(each, within, INHERIT)
    return place


def visit_call_or_object(walk: Walk, node: Any, within: int, role: str) -> None:
    """A call; the grammar takes the body of an object without a name for a function that it is called with."""
    called = first(node)
    if called is not None and called.kind() == "object_literal":
        walk.go_below(part(part(node, "call_suffix"), "annotated_lambda"), _anonymous(walk, called, within))
        return
    visit_call(walk, node, within, role)


def visit_property(walk: Walk, node: Any, within: int, role: str) -> None:
    """`val x: Foo = …`: of a class, of the file, or of a function alone."""
    if within >= 0 and walk.definitions[within].kind not in TYPES:
        bind_local(walk, node, within)
        return
    declared, value = part(node, "variable_declaration"), value_of(node)
    name = part(declared, "simple_identifier")
    place = within if name is None else _define_property(walk, node, name, within)
    for each in (part(node, "modifiers"), part(node, "receiver_type"), type_of(declared)):
        walk.go(each, within, TYPE)
    for each in (value, part(node, "property_delegate"), part(node, "getter"), part(node, "setter")):
        walk.go(each, place)


def _define_property(walk: Walk, node: Any, name: Any, within: int) -> int:
    kind = FIELD if within >= 0 else VARIABLE
    if "const " in str((part(node, "modifiers") or node).text())[:80] + " ":
        kind = CONSTANT
    value, told = value_of(node), told_type(type_of(part(node, "variable_declaration")))
    extended = told_type(part(node, "receiver_type"))
    return walk.define(
        name, kind, within, whole=node, body=value, doc=doc_of(node),
        told=f":{told}" if told else told_value(walk, value), bases=[extended] if extended else (),
    )  # fmt: skip


def visit_entry(walk: Walk, node: Any, within: int, role: str) -> None:
    """A constant of an enumeration."""
    name, owner = part(node, "simple_identifier"), walk.definitions[within].name if within >= 0 else ""
    if name is not None:
        walk.define(name, CONSTANT, within, whole=node, doc=doc_of(node), told=f":{owner}" if owner else "")
    walk.go(part(node, "value_arguments"), within)
    walk.go(part(node, "class_body"), within)


def visit_alias(walk: Walk, node: Any, within: int, role: str) -> None:
    """`typealias X = Y`."""
    name, declared = part(node, "type_identifier"), type_of(node)
    told = told_type(declared)
    if name is not None:
        walk.define(name, ALIAS, within, whole=node, doc=doc_of(node), told=f":{told}" if told else "")
    walk.go(declared, within, TYPE)


def visit_infix(walk: Walk, node: Any, within: int, role: str) -> None:
    """`a go b`: the name between is called."""
    children = list(node.named_children())
    for number, each in enumerate(children):
        if number == 1 and each.kind() == "simple_identifier":
            walk.refer(each, within, "call", walk.expression(children[0]))
            walk.count_arguments(1)
        else:
            walk.go(each, within)


LANGUAGE = Language(
    "kotlin",
    visits={
        "assignment": visit_assignment,
        "call_expression": visit_call_or_object,
        "callable_reference": visit_callable,
        "catch_block": visit_catch,
        "class_declaration": visit_class,
        "companion_object": visit_companion,
        "constructor_invocation": visit_made,
        "enum_entry": visit_entry,
        "for_statement": visit_for,
        "function_declaration": visit_function,
        "import_header": visit_import,
        "infix_expression": visit_infix,
        "lambda_literal": visit_lambda,
        "navigation_expression": visit_navigation,
        "object_declaration": visit_class,
        "object_literal": visit_object,
        "package_header": visit_package,
        "property_declaration": visit_property,
        "secondary_constructor": visit_constructor,
        "type_alias": visit_alias,
        "user_type": visit_user_type,
    },
    names=frozenset(("simple_identifier", "type_identifier")),
    wrappers={"parenthesized_expression": "", "postfix_expression": "", "elvis_expression": ""},
    unfolded={
        "navigation_expression": unfold_navigation,
        "call_expression": unfold_call,
        "indexing_expression": unfold_index,
        "as_expression": unfold_cast,
    },
    words={
        "this_expression": "self", "super_expression": "super()", "this": "self", "super": "super()", "field": "field",
    },
    skipped=frozenset((
        "line_comment", "multiline_comment", "string_content", "integer_literal", "label", "binding_pattern_kind",
        "class_modifier", "member_modifier", "visibility_modifier", "function_modifier", "property_modifier",
        "inheritance_modifier", "parameter_modifier", "variance_modifier",
    )),
)  # fmt: skip
