"""Reads what C++ adds to C: namespaces, classes, templates and methods defined outside their class."""

from typing import Any

from fieldguide.code.symbols.facts import ALIAS, EXTENSION, LOCAL, MODULE, PARAMETER, READ, TYPE, WRITE
from fieldguide.code.symbols.readers import c as c
from fieldguide.code.symbols.readers.c import find_declared_name
from fieldguide.code.symbols.readers.table import (
    Declares,
    LanguageTable,
    Parts,
    Takes,
    Visit,
    find_lines,
    find_part,
    kind_of,
    select,
)
from fieldguide.code.symbols.readers.walk import SyntaxWalk

MOST_SCOPES = 12


def visit_namespace(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`namespace a::b { … }`; what is in one without a name is seen around it."""
    name = node.field("name")
    body = node.field("body")
    place = within
    parts = name.named_children() if name is not None and name.kind() == "nested_namespace_specifier" else [name]
    for each in parts:
        if each is not None:
            place = walk.define(each, MODULE, place, whole=node, body=body)
    walk.go(body, place)


def visit_function(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A function; `void Foo::go() { … }` is a part of a class that is defined elsewhere."""
    qualified, function = find_declared_name(node.field("declarator"))
    if function is None or kind_of(qualified) != "qualified_identifier":
        c.visit_function(walk, node, within, role)
        return
    scopes, name = _taken_apart(qualified)
    if name is None or scopes[-1] is None:
        walk.go_below(node, within)
        return
    texts = [str(each.text()).partition("<")[0] for each in scopes if each is not None]
    extension = walk.define(scopes[-1], EXTENSION, within, whole=node, told=f":{'.'.join(texts)}", scope=within)
    for number, each in enumerate(scopes):
        walk.refer(each, within, TYPE, ".".join(texts[:number]))
    place = c.define_function(walk, node, name, function, extension, node.field("body"))
    walk.read(node, "type:type", within)
    walk.read(node, "#field_initializer_list,compound_statement", place)


def _taken_apart(name: Any) -> tuple[list[Any], Any]:
    """The scopes of `a::b::c`, and what is named in them."""
    scopes: list[Any] = []
    while kind_of(name) == "qualified_identifier" and len(scopes) < MOST_SCOPES:
        scopes.append(name.field("scope"))
        name = name.field("name")
    return scopes, name


def visit_qualified(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`a::b::c`."""
    scopes, name = _taken_apart(node)
    before: list[str] = []
    for scope in scopes:
        if kind_of(scope) == "template_type":
            walk.go(scope, within, TYPE)
        elif scope is not None:
            walk.refer(scope, within, READ, ".".join(before))
        before += filter(None, [str(scope.text()).partition("<")[0] if scope is not None else ""])
    leaf = find_part(name, "name") if kind_of(name) in ("template_function", "template_type") else name
    if leaf is not None:
        is_type = role == READ and leaf.kind() == "type_identifier"
        walk.refer(leaf, within, TYPE if is_type else role, ".".join(before))
    walk.go(find_part(name, "arguments"), within, TYPE)


def visit_field_initializer(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`: amount_(1)`: a field of the object is written to."""
    walk.refer(find_part(node, "0[field_identifier]"), within, WRITE, "self")
    walk.read(node, "1-", within)


def visit_range(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`for (auto& a : b) …`."""
    name, _ = find_declared_name(node.field("declarator"))
    if kind_of(name) == "identifier":
        told = c.TYPES.tell(walk, node.field("type")) or walk.tell_value(node.field("right"), "[]")
        walk.define(name, LOCAL, within, told=told, visible=find_lines(node))
    walk.read(node, "type:type right body", within)


def visit_lambda(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A function without a name: its parameters are seen on its lines."""
    for each in select(node, "declarator/parameters/*"):
        name, _ = find_declared_name(each.field("declarator"))
        walk.go(each.field("type"), within, TYPE)
        if kind_of(name) == "identifier":
            told = c.TYPES.tell(walk, each.field("type"))
            walk.define(name, PARAMETER, within, told=told, visible=find_lines(node))
    walk.read(node, "captures body", within)


def visit_template_parameter(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`typename T`: nobody else's."""
    name = find_part(node, "#type_identifier")
    above = node.parent()
    whole = above.parent() if above is not None else None
    if name is not None and whole is not None:
        walk.define(name, LOCAL, within, visible=find_lines(whole))


TEMPLATE = Parts("name:= arguments:type")
VISITS: dict[str, Visit] = {
    **c.VISITS,
    "alias_declaration": Declares(ALIAS, "^type:type", declared="type", has_doc=False, body="", is_optional=True),
    "class_specifier": c.visit_specifier,
    "field_expression": Takes("argument", "field[template_method]/name|field", "field[template_method]/arguments:type"),
    "field_initializer": visit_field_initializer,
    "for_range_loop": visit_range,
    "function_definition": visit_function,
    "lambda_expression": visit_lambda,
    "namespace_definition": visit_namespace,
    "new_expression": Parts("type:call arguments"),
    "qualified_identifier": visit_qualified,
    "template_function": TEMPLATE,
    "template_method": TEMPLATE,
    "template_type": TEMPLATE,
    "type_parameter_declaration": visit_template_parameter,
    "using_declaration": Parts("*"),
}

LANGUAGE = LanguageTable(
    "cpp for names",
    visits=VISITS,
    names=frozenset(("identifier", "type_identifier", "namespace_identifier")),
    members={"field_expression": ("argument", "field"), "qualified_identifier": ("scope", "name")},
    calls={"call_expression": "function"},
    elements={"subscript_expression": "argument"},
    wrappers={**c.WRAPPERS, "template_function": "name", "template_method": "name", "template_type": "name"},
    words={"this": "self"},
    skipped=c.LANGUAGE.skipped | {"access_specifier", "destructor_name", "operator_name", "raw_string_literal", "this"},
    types=c.TYPES,
    read_doc=c.read_doc,
    prepare=c.LANGUAGE.prepare,
    finish=c.LANGUAGE.finish,
)
