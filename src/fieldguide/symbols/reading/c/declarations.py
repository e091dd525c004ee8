"""C and C++: functions, types, fields, constants and macros; a declaration is read as a definition of the same name."""

from typing import Any

from fieldguide.symbols.facts import (
    ALIAS,
    CLASS,
    CONSTANT,
    ENUM,
    EVERYTHING,
    FIELD,
    FUNCTION,
    LOCAL,
    METHOD,
    PARAMETER,
    READ,
    TYPE,
    TYPES,
    UNKNOWN,
    VARIABLE,
    WRITE,
    Imported,
)
from fieldguide.symbols.reading.c.contents import doc_above, visit_initializers, visit_macro
from fieldguide.symbols.reading.c.preparing import refer_to_conditions, without_conditions
from fieldguide.symbols.reading.c.types import SPECIFIERS, declared, told_type
from fieldguide.symbols.reading.language import Language, Visit
from fieldguide.symbols.reading.walk import Walk

DECLARATORS = frozenset((
    "array_declarator", "field_identifier", "function_declarator", "identifier", "init_declarator",
    "parenthesized_declarator", "pointer_declarator", "qualified_identifier", "reference_declarator", "type_identifier",
))  # fmt: skip
OWNERS = frozenset((FUNCTION, METHOD))


def visit_function(walk: Walk, node: Any, within: int, role: str) -> None:
    """A function with its body."""
    name, function = declared(node.field("declarator"))
    body = node.field("body")
    if name is None or function is None:
        walk.go_below(node, within)
        return
    place = define_function(walk, node, name, function, within, body)
    walk.go(node.field("type"), within, TYPE)
    for each in node.named_children():
        if each.kind() == "field_initializer_list":
            walk.go(each, place)
    walk.go(body, place)


def define_function(walk: Walk, node: Any, name: Any, function: Any, within: int, body: Any = None) -> int:
    """A function or a method, here or elsewhere, with its parameters."""
    told = told_type(walk, node.field("type"))
    in_type = within >= 0 and walk.definitions[within].kind in TYPES | {"extension"}
    place = walk.define(
        name, METHOD if in_type else FUNCTION, within, whole=node, body=body, doc=doc_above(node),
        told=f":{told}" if told else "",
    )  # fmt: skip
    given = function.field("parameters")
    for each in given.named_children() if given is not None else ():
        _parameter(walk, each, place, within)
    return place


def _parameter(walk: Walk, node: Any, place: int, within: int) -> None:
    name, _ = declared(node.field("declarator"))
    annotation = node.field("type")
    told = told_type(walk, annotation)
    walk.go(annotation, within, TYPE)
    walk.go(node.field("default_value"), within)
    if name is not None and name.kind() == "identifier":
        walk.define(name, PARAMETER, place, told=f":{told}" if told else "", scope=within)


def visit_declaration(walk: Walk, node: Any, within: int, role: str) -> None:
    """Variables and functions that are declared together: `int a, *b = c, f(void);`."""
    annotation = node.field("type")
    walk.go(annotation, within, TYPE)
    told = told_type(walk, annotation)
    for each in node.named_children():
        if each.kind() not in DECLARATORS or _is_same(each, annotation):
            continue
        name, function = declared(each)
        value = each.field("value") if each.kind() == "init_declarator" else None
        if name is None or name.kind() != "identifier":
            walk.go(each, within)
        elif function is not None:
            define_function(walk, node, name, function, within)
        else:
            _variable(walk, node, name, within, told or _made(walk, value))
            _sizes(walk, each, within)
        walk.go(value, within)


def _is_same(node: Any, other: Any) -> bool:
    return other is not None and node.range().start.index == other.range().start.index


def _variable(walk: Walk, node: Any, name: Any, within: int, told: str) -> None:
    is_inner = walk.around(within, OWNERS) >= 0
    given = told if told.startswith("=") else f":{told}" if told else ""
    if is_inner:
        block = node.parent()
        last = (block or node).range().end.line + 1
        walk.define(name, LOCAL, within, told=given, visible=(node.range().start.line + 1, last))
    else:
        walk.define(name, VARIABLE, within, whole=node, doc=doc_above(node), told=given)


def _made(walk: Walk, value: Any) -> str:
    """What `auto` stands for."""
    if value is None:
        return ""
    if value.kind() == "new_expression":
        return told_type(walk, value.field("type"))
    told = walk.expression(value)
    return f"={told}" if UNKNOWN not in told else ""


def _sizes(walk: Walk, node: Any, within: int) -> None:
    """The sizes of arrays: `int a[MAX]`."""
    for _ in range(8):
        if node is None:
            return
        if node.kind() == "array_declarator":
            walk.go(node.field("size"), within)
        node = node.field("declarator")


def visit_type_definition(walk: Walk, node: Any, within: int, role: str) -> None:
    """`typedef struct { … } a, *b;`: a struct without a name of its own has the first."""
    meant = node.field("type")
    names = [declared(each)[0] for each in node.field_children("declarator")]
    names = [each for each in names if each is not None]
    is_nameless = meant is not None and meant.kind() in SPECIFIERS and meant.field("name") is None
    if is_nameless and names:
        _type(walk, meant, names.pop(0), node, within)
    else:
        walk.go(meant, within, TYPE)
    told = told_type(walk, meant)
    for name in names:
        walk.define(name, ALIAS, within, whole=node, doc=doc_above(node), told=f":{told}" if told else "")


def visit_specifier(walk: Walk, node: Any, within: int, role: str) -> None:
    """A struct, a union, an enum or a class: its definition, or a use of its name."""
    name, body = node.field("name"), node.field("body")
    if body is not None:
        _type(walk, node, name, node, within)
    else:
        walk.go(name, within, TYPE)


def _type(walk: Walk, node: Any, name: Any, whole: Any, within: int) -> None:
    body = node.field("body")
    kind = ENUM if node.kind() == "enum_specifier" else CLASS
    bases = [told_type(walk, each) for each in _bases(node)]
    place = within
    if name is not None and name.kind() == "type_identifier":
        place = walk.define(
            name, kind, within, whole=whole, body=body, doc=doc_above(whole), bases=[each for each in bases if each]
        )
    elif name is not None:
        walk.go(name, within, TYPE)
    for each in _bases(node):
        walk.go(each, within, "inherit")
    walk.go_below(body, place)


def _bases(node: Any) -> list[Any]:
    clause = next((each for each in node.named_children() if each.kind() == "base_class_clause"), None)
    inside: list[Any] = list(clause.named_children()) if clause is not None else []
    return [each for each in inside if each.kind() in ("type_identifier", "qualified_identifier", "template_type")]


def visit_field(walk: Walk, node: Any, within: int, role: str) -> None:
    """Fields of a struct, and in C++ methods that are only declared."""
    annotation = node.field("type")
    walk.go(annotation, within, TYPE)
    told = told_type(walk, annotation)
    for each in node.field_children("declarator"):
        name, function = declared(each)
        if name is None or name.kind() not in ("field_identifier", "identifier"):
            continue
        if function is not None:
            define_function(walk, node, name, function, within)
        else:
            walk.define(name, FIELD, within, whole=node, doc=doc_above(node), told=f":{told}" if told else "")
            _sizes(walk, each, within)
    walk.go(node.field("default_value"), within)


def visit_enumerator(walk: Walk, node: Any, within: int, role: str) -> None:
    """A constant of an enum: its name is seen where the enum's is."""
    name = node.field("name")
    outer = within
    if within >= 0 and walk.definitions[within].kind == ENUM and "enum class" not in walk.definitions[within].signature:
        outer = walk.definitions[within].parent
    if name is not None:
        walk.define(name, CONSTANT, outer, whole=node, doc=doc_above(node))
    walk.go(node.field("value"), within)


def visit_include(walk: Walk, node: Any, within: int, role: str) -> None:
    """`#include "a.h"`: all of it is seen from here."""
    written = node.field("path")
    text = str(written.text()) if written is not None else ""
    if len(text) > 2 and text[0] in '"<':
        keyword = "include"
        walk.imports(Imported(text[1:-1], node.range().start.line + 1, EVERYTHING, text[0] == '"', keyword))


def visit_assignment(walk: Walk, node: Any, within: int, role: str) -> None:
    """`a = b`, `a += b`."""
    walk.go(node.field("left"), within, WRITE)
    walk.go(node.field("right"), within)


def visit_type_name(walk: Walk, node: Any, within: int, role: str) -> None:
    """The name of a type."""
    walk.refer(node, within, TYPE if role == READ else role)


def visit_cast(walk: Walk, node: Any, within: int, role: str) -> None:
    """`(T) a`."""
    walk.go(node.field("type"), within, TYPE)
    walk.go(node.field("value"), within)


VISITS: dict[str, Visit] = {
    "assignment_expression": visit_assignment,
    "cast_expression": visit_cast,
    "declaration": visit_declaration,
    "enum_specifier": visit_specifier,
    "enumerator": visit_enumerator,
    "field_declaration": visit_field,
    "function_definition": visit_function,
    "initializer_list": visit_initializers,
    "preproc_def": visit_macro,
    "preproc_function_def": visit_macro,
    "preproc_include": visit_include,
    "struct_specifier": visit_specifier,
    "type_definition": visit_type_definition,
    "type_identifier": visit_type_name,
    "union_specifier": visit_specifier,
}

WRAPPERS = {
    "cast_expression": "type", "compound_literal_expression": "type", "parenthesized_expression": "",
    "pointer_expression": "argument", "struct_specifier": "name", "type_descriptor": "type", "union_specifier": "name",
    "update_expression": "argument",
}  # fmt: skip
"""What is cast has what the type has."""

LANGUAGE = Language(
    "c for names",
    visits=VISITS,
    names=frozenset(("identifier", "type_identifier")),
    members={"field_expression": ("argument", "field")},
    calls={"call_expression": "function"},
    elements={"subscript_expression": "argument"},
    wrappers=WRAPPERS,
    skipped=frozenset(("comment", "primitive_type", "statement_identifier", "string_literal", "system_lib_string")),
    prepare=without_conditions,
    finish=refer_to_conditions,
)
