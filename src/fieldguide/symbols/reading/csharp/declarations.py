"""C#: namespaces, classes and their members, and what a file uses."""

from collections.abc import Iterator
from typing import Any

from fieldguide.symbols.facts import (
    ALIAS,
    CLASS,
    ENUM,
    FIELD,
    INHERIT,
    INTERFACE,
    METHOD,
    PARAMETER,
    ROUTE,
    TYPE,
    Definition,
)
from fieldguide.symbols.reading.csharp.blocks import (
    bind_parameters,
    value_of,
    visit_argument,
    visit_assignment,
    visit_call,
    visit_for_each,
    visit_lambda,
    visit_local_function,
    visit_made,
    visit_member,
    visit_named,
    visit_typed,
    visit_variables,
)
from fieldguide.symbols.reading.csharp.fields import (
    doc_before,
    go_attributes,
    parts_of,
    visit_attribute,
    visit_constant,
    visit_field,
    visit_property,
)
from fieldguide.symbols.reading.csharp.namespaces import visit_namespace, visit_using
from fieldguide.symbols.reading.csharp.types import (
    told_type,
    unfold_awaited,
    unfold_conditional,
    unfold_member,
    visit_generic,
    visit_qualified,
)
from fieldguide.symbols.reading.java.declarations import CONSTRUCTOR
from fieldguide.symbols.reading.language import Language
from fieldguide.symbols.reading.walk import Walk, kind_of

KINDS = {
    "class_declaration": CLASS, "struct_declaration": CLASS, "record_declaration": CLASS,
    "record_struct_declaration": CLASS, "interface_declaration": INTERFACE, "enum_declaration": ENUM,
}  # fmt: skip
ROUTING = ("Http", "Route")


def visit_class(walk: Walk, node: Any, within: int, role: str) -> None:
    """A class, a struct, a record, an interface or an enumeration."""
    name, body = node.field("name"), node.field("body")
    if name is None:
        walk.go_below(node, within)
        return
    above = [each for part in parts_of(node, "base_list") for each in part.named_children()]
    types = [_base(each) for each in above if each.kind() != "argument_list"]
    place = walk.define(
        name, KINDS[node.kind()], within, whole=node, body=body, doc=doc_before(node),
        bases=[told for each in types if (told := told_type(each))],
    )  # fmt: skip
    _bounds(walk, node, place)
    go_attributes(walk, node, within)
    for each in above:
        walk.go(each, place, INHERIT)
    for part in parts_of(node, "parameter_list"):
        _components(walk, part, place)
    walk.go(body, place)


def _base(node: Any) -> Any:
    return next(iter(node.named_children()), None) if node.kind() == "primary_constructor_base_type" else node


def _bounds(walk: Walk, node: Any, place: int) -> None:
    """`<T> where T : Foo`: what is of that type has what Foo has."""
    bounds = dict(_constraint(walk, each, place) for each in parts_of(node, "type_parameter_constraints_clause"))
    for each in [one for part in parts_of(node, "type_parameter_list") for one in part.named_children()]:
        name = each.field("name")
        if name is not None:
            told = bounds.get(str(name.text()), "")
            walk.define(name, PARAMETER, place, told=f":{told}" if told else "")


def _constraint(walk: Walk, clause: Any, place: int) -> tuple[str, str]:
    """The name of a type parameter, and the first type that it must be of."""
    name, *rest = clause.named_children()
    types = [told_type(next(iter(each.named_children()), None)) for each in rest]
    for each in rest:
        walk.go_below(each, place, TYPE)
    return str(name.text()), next((each for each in types if each), "")


def _components(walk: Walk, node: Any, place: int) -> None:
    """What a record holds."""
    for each in parts_of(node, "parameter"):
        name, told = each.field("name"), told_type(each.field("type"))
        if name is not None:
            walk.define(name, FIELD, place, whole=each, told=f":{told}" if told else "")
        walk.go(each.field("type"), place, TYPE)
        walk.go(value_of(each), place)


def visit_method(walk: Walk, node: Any, within: int, role: str) -> None:
    """A method."""
    name, body, returned = node.field("name"), node.field("body"), node.field("returns")
    if name is None:
        walk.go_below(node, within)
        return
    told = told_type(returned)
    place = walk.define(name, METHOD, within, whole=node, body=body, doc=doc_before(node))
    walk.retype(place, f":{told}" if told else "", place)
    _tell_routes(walk, node, name, within)
    _bounds(walk, node, place)
    go_attributes(walk, node, within)
    bind_parameters(walk, node.field("parameters"), place)
    walk.go(returned, place, TYPE)
    walk.go(body, place)


def _tell_routes(walk: Walk, node: Any, name: Any, within: int) -> None:
    """`[HttpGet("pets")]`."""
    for each in [one for part in parts_of(node, "attribute_list") for one in parts_of(part, "attribute")]:
        said = each.field("name")
        if said is not None and str(said.text()).startswith(ROUTING):
            for content in _texts_given(each):
                walk.define(content, ROUTE, within, whole=node, body=node.field("body"), told=f"={name.text()}")


def _texts_given(attribute: Any) -> Iterator[Any]:
    """What stands in the strings that an attribute is given."""
    for argument in [one for part in parts_of(attribute, "attribute_argument_list") for one in part.named_children()]:
        text = next(iter(argument.named_children()), None)
        content = next(iter(text.named_children()), None) if text is not None else None
        if kind_of(content) == "string_literal_content":
            yield content


def visit_constructor(walk: Walk, node: Any, within: int, role: str) -> None:
    """A constructor: who calls it names the class."""
    name, span, body = node.field("name"), node.range(), node.field("body")
    start = (name if name is not None else node).range().start
    place = walk.add(Definition(
        CONSTRUCTOR, METHOD, within, start.line + 1, start.column, span.end.line + 1, walk.signature(node, body),
        doc_before(node), scope=within,
    ))  # fmt: skip
    bind_parameters(walk, node.field("parameters"), place)
    for each in node.named_children():
        if each.kind() in ("constructor_initializer", "block", "arrow_expression_clause"):
            walk.go(each, place)


def visit_delegate(walk: Walk, node: Any, within: int, role: str) -> None:
    """The type of a function."""
    name = node.field("name")
    if name is not None:
        walk.define(name, ALIAS, within, whole=node, doc=doc_before(node))
    walk.go(node.field("type"), within, TYPE)
    for each in [one for part in parts_of(node, "parameter_list") for one in parts_of(part, "parameter")]:
        walk.go(each.field("type"), within, TYPE)


LANGUAGE = Language(
    "csharp",
    visits={
        "anonymous_method_expression": visit_lambda,
        "argument": visit_argument,
        "array_type": visit_typed,
        "as_expression": visit_typed,
        "assignment_expression": visit_assignment,
        "attribute": visit_attribute,
        "cast_expression": visit_typed,
        "catch_declaration": visit_named,
        "class_declaration": visit_class,
        "constructor_declaration": visit_constructor,
        "declaration_expression": visit_named,
        "declaration_pattern": visit_named,
        "delegate_declaration": visit_delegate,
        "destructor_declaration": visit_constructor,
        "enum_declaration": visit_class,
        "enum_member_declaration": visit_constant,
        "event_declaration": visit_property,
        "event_field_declaration": visit_field,
        "field_declaration": visit_field,
        "file_scoped_namespace_declaration": visit_namespace,
        "foreach_statement": visit_for_each,
        "generic_name": visit_generic,
        "indexer_declaration": visit_property,
        "interface_declaration": visit_class,
        "invocation_expression": visit_call,
        "lambda_expression": visit_lambda,
        "local_function_statement": visit_local_function,
        "member_access_expression": visit_member,
        "member_binding_expression": visit_member,
        "method_declaration": visit_method,
        "namespace_declaration": visit_namespace,
        "object_creation_expression": visit_made,
        "property_declaration": visit_property,
        "qualified_name": visit_qualified,
        "record_declaration": visit_class,
        "recursive_pattern": visit_named,
        "struct_declaration": visit_class,
        "typeof_expression": visit_typed,
        "using_directive": visit_using,
        "variable_declaration": visit_variables,
    },
    calls={"invocation_expression": "function"},
    elements={"element_access_expression": "expression"},
    wrappers={"parenthesized_expression": "", "postfix_unary_expression": "", "generic_name": ""},
    endings={
        "object_creation_expression": ("type", "()"),
        "cast_expression": ("type", "()"),
        "as_expression": ("right", "()"),
    },
    unfolded={
        "member_access_expression": unfold_member,
        "conditional_access_expression": unfold_conditional,
        "await_expression": unfold_awaited,
    },
    words={"this": "self", "base": "super()", "_": "_"},
    skipped=frozenset((
        "comment", "modifier", "predefined_type", "implicit_type", "string_literal", "integer_literal",
        "verbatim_string_literal", "character_literal", "preproc_region", "preproc_endregion", "null_literal",
        "boolean_literal", "label_name", "goto_statement",
    )),
)  # fmt: skip
