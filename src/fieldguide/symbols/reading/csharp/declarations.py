"""C#: namespaces, classes and their members, and what a file uses."""

from typing import Any

from fieldguide.symbols.facts import (
    ALIAS,
    CLASS,
    CONSTANT,
    ENUM,
    EVERYTHING,
    FIELD,
    IMPORTED,
    INHERIT,
    INTERFACE,
    METHOD,
    PARAMETER,
    READ,
    ROUTE,
    TYPE,
    Definition,
    Imported,
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
from fieldguide.symbols.reading.csharp.types import (
    told_type,
    told_value,
    unfold_awaited,
    unfold_conditional,
    unfold_member,
    visit_generic,
    visit_qualified,
)
from fieldguide.symbols.reading.java.declarations import CONSTRUCTOR, PACKAGE
from fieldguide.symbols.reading.language import Language
from fieldguide.symbols.reading.walk import Walk

STATIC, USING = "static", "using"
KINDS = {
    "class_declaration": CLASS, "struct_declaration": CLASS, "record_declaration": CLASS,
    "record_struct_declaration": CLASS, "interface_declaration": INTERFACE, "enum_declaration": ENUM,
}  # fmt: skip
ROUTING = ("Http", "Route")
MOST_COMMENTS = 12


def visit_using(walk: Walk, node: Any, within: int, role: str) -> None:
    """`using A.B;`, `using static A.B.Foo;`, `using Foo = A.B.Bar;`."""
    line, alias = node.range().start.line + 1, node.field("name")
    texts = [str(each.text()) for each in node.named_children() if alias is None or each.range() != alias.range()]
    text = "".join(texts[-1].split()).removeprefix("global::") if texts else ""
    if not text:
        return
    if alias is not None:
        walk.define(alias, IMPORTED, -1, told=walk.imports(Imported(text.partition("<")[0], line, keyword=USING)))
        return
    is_static = any(each.kind() == STATIC for each in node.children())
    walk.imports(Imported(text, line, EVERYTHING, keyword=STATIC if is_static else USING))


def visit_namespace(walk: Walk, node: Any, within: int, role: str) -> None:
    """A namespace: what is in it is named beside what others have in it."""
    name = node.field("name")
    outer = [each.text for each in walk.imported if each.keyword == PACKAGE]
    if name is not None:
        is_inner = node.parent() is not None and node.parent().kind() == "declaration_list"
        text = f"{outer[-1]}.{name.text()}" if outer and is_inner else str(name.text())
        walk.imports(Imported(text, node.range().start.line + 1, keyword=PACKAGE))
    for each in node.named_children():
        if name is None or each.range() != name.range():
            walk.go(each, within)


def visit_class(walk: Walk, node: Any, within: int, role: str) -> None:
    """A class, a struct, a record, an interface or an enumeration."""
    name, body = node.field("name"), node.field("body")
    if name is None:
        walk.go_below(node, within)
        return
    above = [each for part in _parts(node, "base_list") for each in part.named_children()]
    types = [_base(each) for each in above if each.kind() != "argument_list"]
    place = walk.define(
        name, KINDS[node.kind()], within, whole=node, body=body, doc=doc_before(node),
        bases=[told for each in types if (told := told_type(each))],
    )  # fmt: skip
    _bounds(walk, node, place)
    _attributes(walk, node, within)
    for each in above:
        walk.go(each, place, INHERIT)
    for part in _parts(node, "parameter_list"):
        _components(walk, part, place)
    walk.go(body, place)


def _parts(node: Any, kind: str) -> list[Any]:
    return [each for each in node.named_children() if each.kind() == kind]


def _base(node: Any) -> Any:
    return next(iter(node.named_children()), None) if node.kind() == "primary_constructor_base_type" else node


def _bounds(walk: Walk, node: Any, place: int) -> None:
    """`<T> where T : Foo`: what is of that type has what Foo has."""
    bounds: dict[str, str] = {}
    for clause in _parts(node, "type_parameter_constraints_clause"):
        name, *rest = clause.named_children()
        told = [told_type(next(iter(each.named_children()), None)) for each in rest]
        bounds[str(name.text())] = next((each for each in told if each), "")
        for each in rest:
            walk.go_below(each, place, TYPE)
    for each in [one for part in _parts(node, "type_parameter_list") for one in part.named_children()]:
        name = each.field("name")
        if name is not None:
            told = bounds.get(str(name.text()), "")
            walk.define(name, PARAMETER, place, told=f":{told}" if told else "")


def _attributes(walk: Walk, node: Any, within: int) -> None:
    for each in _parts(node, "attribute_list"):
        walk.go(each, within, TYPE)


def _components(walk: Walk, node: Any, place: int) -> None:
    """What a record holds."""
    for each in _parts(node, "parameter"):
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
    _attributes(walk, node, within)
    bind_parameters(walk, node.field("parameters"), place)
    walk.go(returned, place, TYPE)
    walk.go(body, place)


def _tell_routes(walk: Walk, node: Any, name: Any, within: int) -> None:
    """`[HttpGet("pets")]`."""
    for each in [one for part in _parts(node, "attribute_list") for one in _parts(part, "attribute")]:
        said = each.field("name")
        if said is None or not str(said.text()).startswith(ROUTING):
            continue
        for argument in [one for part in _parts(each, "attribute_argument_list") for one in part.named_children()]:
            text = next(iter(argument.named_children()), None)
            content = next(iter(text.named_children()), None) if text is not None else None
            if content is not None and content.kind() == "string_literal_content":
                walk.define(content, ROUTE, within, whole=node, body=node.field("body"), told=f"={name.text()}")


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


def visit_field(walk: Walk, node: Any, within: int, role: str) -> None:
    """Fields and events of a class; one that is `const` or `static readonly` is a constant."""
    words = {str(each.text()) for each in _parts(node, "modifier")}
    is_constant = "const" in words or {STATIC, "readonly"} <= words
    _attributes(walk, node, within)
    for declared in _parts(node, "variable_declaration"):
        told = told_type(declared.field("type"))
        for each in _parts(declared, "variable_declarator"):
            name, value = each.field("name"), value_of(each)
            if name is not None:
                given = f":{told}" if told else told_value(walk, value)
                kind = CONSTANT if is_constant else FIELD
                walk.define(name, kind, within, whole=node, body=value, doc=doc_before(node), told=given)
            walk.go(value, within)
        walk.go(declared.field("type"), within, TYPE)


def visit_property(walk: Walk, node: Any, within: int, role: str) -> None:
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
    _attributes(walk, node, within)
    walk.go(declared, within, TYPE)
    walk.go(node.field("accessors"), place)
    walk.go(node.field("value"), place)


def visit_constant(walk: Walk, node: Any, within: int, role: str) -> None:
    """A constant of an enumeration."""
    name, owner = node.field("name"), walk.definitions[within].name if within >= 0 else ""
    if name is not None:
        walk.define(name, CONSTANT, within, whole=node, doc=doc_before(node), told=f":{owner}" if owner else "")
    _attributes(walk, node, within)
    walk.go(node.field("value"), within)


def visit_delegate(walk: Walk, node: Any, within: int, role: str) -> None:
    """The type of a function."""
    name = node.field("name")
    if name is not None:
        walk.define(name, ALIAS, within, whole=node, doc=doc_before(node))
    walk.go(node.field("type"), within, TYPE)
    for each in [one for part in _parts(node, "parameter_list") for one in _parts(part, "parameter")]:
        walk.go(each.field("type"), within, TYPE)


def visit_attribute(walk: Walk, node: Any, within: int, role: str) -> None:
    """`[Foo(1, Bar = 2)]`."""
    walk.go(node.field("name"), within, TYPE)
    for each in _parts(node, "attribute_argument_list"):
        walk.go_below(each, within, READ)


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
