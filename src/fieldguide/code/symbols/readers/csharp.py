"""Reads symbols of C#: namespaces, types, members, attributes and local variables."""

from collections.abc import Iterator
from typing import Any

from fieldguide.code.symbols.facts import (
    ALIAS,
    CALL,
    CLASS,
    CONSTANT,
    ENUM,
    EVERYTHING,
    FIELD,
    FUNCTION,
    IMPORTED,
    INHERIT,
    INTERFACE,
    LOCAL,
    METHOD,
    PARAMETER,
    READ,
    ROUTE,
    TYPE,
    UNKNOWN,
    WRITE,
    ImportedSymbol,
    SymbolDefinition,
)
from fieldguide.code.symbols.readers.java import CONSTRUCTOR, PACKAGE, STATIC
from fieldguide.code.symbols.readers.walk import (
    LanguageTable,
    SyntaxWalk,
    describe_element,
    find_lines,
    find_visible_lines,
    kind_of,
)

USING = "using"


def visit_using(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """`using A.B;`, `using static A.B.Foo;`, `using Foo = A.B.Bar;`."""
    line = node.range().start.line + 1
    alias = node.field("name")
    texts = [str(each.text()) for each in node.named_children() if alias is None or each.range() != alias.range()]
    text = "".join(texts[-1].split()).removeprefix("global::") if texts else ""
    if not text:
        return
    if alias is not None:
        walk.define(alias, IMPORTED, -1, told=walk.imports(ImportedSymbol(text.partition("<")[0], line, keyword=USING)))
        return
    is_static = any(each.kind() == STATIC for each in node.children())
    walk.imports(ImportedSymbol(text, line, EVERYTHING, keyword=STATIC if is_static else USING))


def visit_namespace(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """A namespace: what is in it is named beside what others have in it."""
    name = node.field("name")
    outer = [each.text for each in walk.imported if each.keyword == PACKAGE]
    if name is not None:
        is_inner = node.parent() is not None and node.parent().kind() == "declaration_list"
        text = f"{outer[-1]}.{name.text()}" if outer and is_inner else str(name.text())
        walk.imports(ImportedSymbol(text, node.range().start.line + 1, keyword=PACKAGE))
    for each in node.named_children():
        if name is None or each.range() != name.range():
            walk.go(each, within)


DEEPEST = 8
MOST_ARGUMENTS = 4
MOST_PARTS = 12
ARRAY = "int"
INNER = frozenset(("nullable_type", "ref_type", "scoped_type", "pointer_type"))


def describe_type(node: Any, depth: int = 0) -> str:
    """A type as an expression; nothing where it says nothing."""
    if node is None or depth > DEEPEST:
        return ""
    kind = str(node.kind())
    if kind == "generic_name":
        return _generic(node, depth)
    if kind == "qualified_name":
        return _qualified(node, depth)
    if kind == "identifier":
        return str(node.text())
    if kind == "array_type":
        return f"{ARRAY}<{describe_type(node.field('type'), depth + 1) or UNKNOWN}>"
    if kind in INNER:
        return describe_type(node.field("type") or next(iter(node.named_children()), None), depth + 1)
    return ""


def _qualified(node: Any, depth: int) -> str:
    before = describe_type(node.field("qualifier"), depth + 1)
    name = describe_type(node.field("name"), depth + 1)
    return f"{before.partition('<')[0]}.{name}" if before and name else name


def _generic(node: Any, depth: int) -> str:
    name, *rest = node.named_children()
    given = [each for part in rest for each in part.named_children()][:MOST_ARGUMENTS]
    inner = [describe_type(each, depth + 1) or UNKNOWN for each in given]
    return f"{name.text()}<{','.join(inner)}>" if inner else str(name.text())


def describe_value(walk: "SyntaxWalk", node: Any) -> str:
    """A value as what a definition's type says; nothing where it is not plain."""
    if node is None:
        return ""
    kind = node.kind()
    if kind in ("object_creation_expression", "cast_expression"):
        told = describe_type(node.field("type"))
        return f":{told}" if told else ""
    if kind == "as_expression":
        told = describe_type(node.field("right"))
        return f":{told}" if told else ""
    told = walk.expression(node)
    return "" if UNKNOWN in told else f"={told}"


def find_name(node: Any) -> Any:
    """The name of a node that may be given types: `Find<T>`."""
    if node is not None and node.kind() == "generic_name":
        return next(iter(node.named_children()), None)
    return node


def unfold_member(node: Any) -> tuple[Any, str]:
    """`a.b`."""
    name = find_name(node.field("name"))
    return node.field("expression"), f".{name.text() if name is not None else UNKNOWN}"


def unfold_awaited(node: Any) -> tuple[Any, str]:
    """`await a`: what a task holds."""
    return next(iter(node.named_children()), None), "[]"


def unfold_conditional(node: Any) -> tuple[Any, str]:
    """`a?.b()`: what is taken out stands in a node beside."""
    tail = ""
    inner = list(node.named_children())[-1]
    for _ in range(MOST_PARTS):
        kind = str(inner.kind())
        if kind == "member_binding_expression":
            name = find_name(inner.field("name"))
            return node.field("condition"), f".{name.text() if name is not None else UNKNOWN}{tail}"
        if kind == "invocation_expression":
            inner = inner.field("function")
            tail = f"(){tail}"
        elif kind == "member_access_expression":
            inner, ending = unfold_member(inner)
            tail = ending + tail
        else:
            break
        if inner is None:
            break
    return None, ""


def find_receiver(node: Any) -> Any:
    """What stands before the question mark of `a?.b`, for the part after it."""
    for _ in range(MOST_PARTS):
        node = node.parent()
        if node is None or node.kind() == "conditional_access_expression":
            return None if node is None else node.field("condition")
    return None


def visit_generic(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """`Foo<Bar>`: only Foo is used as the whole is."""
    name, *rest = node.named_children()
    walk.go(name, within, role)
    for each in rest:
        walk.go_below(each, within, TYPE)


def visit_qualified(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """`A.B.Foo` where a type or a namespace is asked for."""
    before = node.field("qualifier")
    name = find_name(node.field("name"))
    walk.go(before, within, TYPE)
    if name is not None:
        walk.refer(name, within, role, describe_type(before).partition("<")[0])
    if node.field("name") is not name:
        for each in node.field("name").named_children()[1:]:
            walk.go_below(each, within, TYPE)


BLOCKS = frozenset((
    "block", "switch_section", "lambda_expression", "anonymous_method_expression", "for_statement", "using_statement",
    "catch_clause", "method_declaration", "accessor_declaration", "switch_expression_arm", "compilation_unit",
))  # fmt: skip


def visit_variables(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """`Foo a = b, c` in a method."""
    declared = node.field("type")
    visible = find_visible_lines(node, BLOCKS)
    told = describe_type(declared)
    for each in node.named_children():
        if each.kind() == "variable_declarator" and (name := each.field("name")) is not None:
            value = find_value(each)
            walk.define(name, LOCAL, within, told=f":{told}" if told else describe_value(walk, value), visible=visible)
            walk.go(value, within)
    walk.go(declared, within, TYPE)


def find_value(declarator: Any) -> Any:
    """The value after `=`."""
    is_after = False
    for each in declarator.children():
        if is_after and each.is_named():
            return each
        is_after = is_after or each.text() == "="
    return None


def visit_for_each(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """`foreach (var a in b)`."""
    declared = node.field("type")
    name = node.field("left")
    value = node.field("right")
    told = describe_type(declared)
    whole = walk.expression(value)
    given = describe_element(told, whole)
    if name is not None and name.kind() == "identifier":
        walk.define(name, LOCAL, within, told=given, visible=find_lines(node))
    walk.go(declared, within, TYPE)
    walk.go(value, within)
    walk.go(node.field("body"), within)


def visit_named(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """A name with its type on some lines: what is caught, a pattern, `out var x`."""
    name = node.field("name")
    declared = node.field("type")
    told = describe_type(declared)
    if name is not None and name.kind() == "identifier":
        walk.define(name, LOCAL, within, told=f":{told}" if told else "", visible=find_visible_lines(node, BLOCKS))
    walk.go(declared, within, TYPE)
    for each in node.named_children():
        if each.kind().endswith("_clause") and each.kind() != "property_pattern_clause":
            walk.go(each, within)


def visit_lambda(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """A function without a name: a parameter without a type is likely an element of what it is given to."""
    given = node.field("parameters")
    visible = find_lines(node)
    if given is not None and given.kind() == "parameter_list":
        bind_parameters(walk, given, within, visible)
    elif given is not None:
        told = _owner_of(walk, node)
        walk.define(given, PARAMETER, within, told=f"={told}[]" if told else "", visible=visible)
    walk.go(node.field("body"), within)


def _owner_of(walk: "SyntaxWalk", node: Any) -> str:
    call = node.parent()
    for _ in range(3):
        if call is None or call.kind() == "invocation_expression":
            break
        call = call.parent()
    called = call.field("function") if call is not None and call.kind() == "invocation_expression" else None
    whole = called.field("expression") if called is not None and called.kind() == "member_access_expression" else None
    told = walk.expression(whole) if whole is not None else UNKNOWN
    return "" if UNKNOWN in told else told


def bind_parameters(walk: "SyntaxWalk", node: Any, place: int, visible: tuple[int, int] = (0, 0)) -> None:
    """The parameters of a method, or of a function without a name."""
    last: Any = None
    for each in node.named_children() if node is not None else ():
        if each.kind() == "parameter":
            declared = each.field("type")
            name = each.field("name")
            _parameter(walk, name, declared, place, visible)
            walk.go(find_value(each), place)
        elif each.kind() == "identifier" and last is not None:  # the grammar leaves `params Foo[] more` in pieces
            _parameter(walk, each, last, place, visible)
        last = each if each.kind() != "parameter" else None


def _parameter(walk: "SyntaxWalk", name: Any, declared: Any, place: int, visible: tuple[int, int]) -> None:
    told = describe_type(declared)
    if name is not None:
        walk.define(name, PARAMETER, place, told=f":{told}" if told else "", visible=visible)
    walk.go(declared, place, TYPE)


def visit_local_function(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """A function in a method."""
    name = node.field("name")
    told = describe_type(node.field("type"))
    place = within
    if name is not None:
        place = walk.define(
            name, FUNCTION, within, whole=node, body=node.field("body"), told=f":{told}" if told else ""
        )
    bind_parameters(walk, node.field("parameters"), place)
    walk.go(node.field("type"), place, TYPE)
    walk.go(node.field("body"), place)


def visit_call(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """A call; the number of its arguments tells overloads apart."""
    called = node.field("function")
    given = node.field("arguments")
    count = sum(each.kind() == "argument" for each in given.named_children()) if given is not None else -1
    name = find_name(called)
    if name is not None and name.kind() == "identifier":
        if name.text() != "nameof":
            walk.refer(name, within, CALL)
            walk.count_arguments(count)
    elif called is not None and called.kind() in ("member_access_expression", "member_binding_expression"):
        refer_member(walk, called, within, CALL)
        walk.count_arguments(count)
    else:
        walk.go(called, within, CALL)
    _type_arguments(walk, called, within)
    walk.go(given, within)


def _type_arguments(walk: "SyntaxWalk", called: Any, within: int) -> None:
    named = called.field("name") if called is not None and called.kind().startswith("member_") else called
    if named is not None and named.kind() == "generic_name":
        for each in named.named_children()[1:]:
            walk.go_below(each, within, TYPE)


def visit_member(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """`a.b`, and the part after the question mark of `a?.b`."""
    refer_member(walk, node, within, role)
    _type_arguments(walk, node, within)


def refer_member(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """The name that a node takes out of something; what that is comes later."""
    is_bound = node.kind() == "member_binding_expression"
    whole = find_receiver(node) if is_bound else node.field("expression")
    name = find_name(node.field("name"))
    if name is not None:
        walk.refer(name, within, role, walk.expression(whole))
    if not is_bound:
        walk.go(whole, within)


def visit_made(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """`new Foo(…) { A = 1 }`: a use of the class, and of its members."""
    declared = node.field("type")
    filled = node.field("initializer")
    walk.go(declared, within, CALL)
    walk.go(node.field("arguments"), within)
    told = describe_type(declared).partition("<")[0]
    for each in filled.named_children() if filled is not None else ():
        left = each.field("left") if each.kind() == "assignment_expression" else None
        if left is not None and left.kind() == "identifier":
            walk.refer(left, within, WRITE, f"{told}()" if told else UNKNOWN)
            walk.go(each.field("right"), within)
        else:
            walk.go(each, within)


def visit_assignment(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """`a.b = c`."""
    walk.go(node.field("left"), within, WRITE)
    walk.go(node.field("right"), within)


def visit_typed(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """`typeof(Foo)`, `(Foo)a`, `a as Foo`, `Foo[]`."""
    declared = node.field("type") or node.field("right")
    for each in node.named_children():
        is_type = declared is not None and each.range() == declared.range()
        walk.go(each, within, TYPE if is_type else READ)


def visit_argument(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """An argument; what names the parameter is left out."""
    name = node.field("name")
    for each in node.named_children():
        if name is None or each.range() != name.range():
            walk.go(each, within)


MOST_COMMENTS = 12


def visit_field(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """Fields and events of a class; one that is `const` or `static readonly` is a constant."""
    words = {str(each.text()) for each in find_children(node, "modifier")}
    is_constant = "const" in words or {STATIC, "readonly"} <= words
    queue_attributes(walk, node, within)
    for declared in find_children(node, "variable_declaration"):
        told = describe_type(declared.field("type"))
        for each in find_children(declared, "variable_declarator"):
            name = each.field("name")
            value = find_value(each)
            if name is not None:
                given = f":{told}" if told else describe_value(walk, value)
                kind = CONSTANT if is_constant else FIELD
                walk.define(name, kind, within, whole=node, body=value, doc=read_doc(node), told=given)
            walk.go(value, within)
        walk.go(declared.field("type"), within, TYPE)


def visit_property(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """A property, or an event with its own code; an indexer has no name."""
    name = node.field("name")
    declared = node.field("type")
    told = describe_type(declared)
    place = within
    if name is not None:
        body = node.field("accessors") or node.field("value")
        place = walk.define(
            name, FIELD, within, whole=node, body=body, doc=read_doc(node), told=f":{told}" if told else ""
        )
    bind_parameters(walk, node.field("parameters"), within)
    queue_attributes(walk, node, within)
    walk.go(declared, within, TYPE)
    walk.go(node.field("accessors"), place)
    walk.go(node.field("value"), place)


def visit_constant(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """A constant of an enumeration."""
    name = node.field("name")
    owner = walk.definitions[within].name if within >= 0 else ""
    if name is not None:
        walk.define(name, CONSTANT, within, whole=node, doc=read_doc(node), told=f":{owner}" if owner else "")
    queue_attributes(walk, node, within)
    walk.go(node.field("value"), within)


def visit_attribute(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """`[Foo(1, Bar = 2)]`."""
    walk.go(node.field("name"), within, TYPE)
    for each in find_children(node, "attribute_argument_list"):
        walk.go_below(each, within, READ)


def queue_attributes(walk: "SyntaxWalk", node: Any, within: int) -> None:
    """Look at the attributes of a declaration later."""
    for each in find_children(node, "attribute_list"):
        walk.go(each, within, TYPE)


def find_children(node: Any, kind: str) -> list[Any]:
    """The children of a kind."""
    return [each for each in node.named_children() if each.kind() == kind]


def read_doc(node: Any) -> str:
    """The summary in the comments right above a declaration."""
    lines: list[str] = []
    each = node.prev()
    while each is not None and each.kind() == "comment" and len(lines) < MOST_COMMENTS:
        lines.append(str(each.text()).lstrip("/").strip())
        each = each.prev()
    text = " ".join(reversed(lines))
    inside = text.partition("<summary>")[2].partition("</summary>")[0] or text.partition("<")[0]
    return inside.strip()


KINDS = {
    "class_declaration": CLASS, "struct_declaration": CLASS, "record_declaration": CLASS,
    "record_struct_declaration": CLASS, "interface_declaration": INTERFACE, "enum_declaration": ENUM,
}  # fmt: skip
ROUTING = ("Http", "Route")


def visit_class(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A class, a struct, a record, an interface or an enumeration."""
    name = node.field("name")
    body = node.field("body")
    if name is None:
        walk.go_below(node, within)
        return
    above = [each for part in find_children(node, "base_list") for each in part.named_children()]
    types = [_base(each) for each in above if each.kind() != "argument_list"]
    place = walk.define(
        name, KINDS[node.kind()], within, whole=node, body=body, doc=read_doc(node),
        bases=[*filter(None, map(describe_type, types))],
    )  # fmt: skip
    _bounds(walk, node, place)
    queue_attributes(walk, node, within)
    for each in above:
        walk.go(each, place, INHERIT)
    for part in find_children(node, "parameter_list"):
        _components(walk, part, place)
    walk.go(body, place)


def _base(node: Any) -> Any:
    return next(iter(node.named_children()), None) if node.kind() == "primary_constructor_base_type" else node


def _bounds(walk: SyntaxWalk, node: Any, place: int) -> None:
    """`<T> where T : Foo`: what is of that type has what Foo has."""
    bounds = dict(_constraint(walk, each, place) for each in find_children(node, "type_parameter_constraints_clause"))
    for each in [one for part in find_children(node, "type_parameter_list") for one in part.named_children()]:
        name = each.field("name")
        if name is not None:
            told = bounds.get(str(name.text()), "")
            walk.define(name, PARAMETER, place, told=f":{told}" if told else "")


def _constraint(walk: SyntaxWalk, clause: Any, place: int) -> tuple[str, str]:
    """The name of a type parameter, and the first type that it must be of."""
    name, *rest = clause.named_children()
    types = [describe_type(next(iter(each.named_children()), None)) for each in rest]
    for each in rest:
        walk.go_below(each, place, TYPE)
    return str(name.text()), next((each for each in types if each), "")


def _components(walk: SyntaxWalk, node: Any, place: int) -> None:
    """What a record holds."""
    for each in find_children(node, "parameter"):
        name = each.field("name")
        told = describe_type(each.field("type"))
        if name is not None:
            walk.define(name, FIELD, place, whole=each, told=f":{told}" if told else "")
        walk.go(each.field("type"), place, TYPE)
        walk.go(find_value(each), place)


def visit_method(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A method."""
    name = node.field("name")
    body = node.field("body")
    returned = node.field("returns")
    if name is None:
        walk.go_below(node, within)
        return
    told = describe_type(returned)
    place = walk.define(name, METHOD, within, whole=node, body=body, doc=read_doc(node))
    walk.retype(place, f":{told}" if told else "", place)
    _tell_routes(walk, node, name, within)
    _bounds(walk, node, place)
    queue_attributes(walk, node, within)
    bind_parameters(walk, node.field("parameters"), place)
    walk.go(returned, place, TYPE)
    walk.go(body, place)


def _tell_routes(walk: SyntaxWalk, node: Any, name: Any, within: int) -> None:
    """`[HttpGet("pets")]`."""
    for each in [one for part in find_children(node, "attribute_list") for one in find_children(part, "attribute")]:
        said = each.field("name")
        if said is not None and str(said.text()).startswith(ROUTING):
            for content in _texts_given(each):
                walk.define(content, ROUTE, within, whole=node, body=node.field("body"), told=f"={name.text()}")


def _texts_given(attribute: Any) -> Iterator[Any]:
    """What stands in the strings that an attribute is given."""
    for argument in [
        one for part in find_children(attribute, "attribute_argument_list") for one in part.named_children()
    ]:
        text = next(iter(argument.named_children()), None)
        content = next(iter(text.named_children()), None) if text is not None else None
        if kind_of(content) == "string_literal_content":
            yield content


def visit_constructor(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A constructor: who calls it names the class."""
    name = node.field("name")
    span = node.range()
    body = node.field("body")
    start = (name if name is not None else node).range().start
    place = walk.add(SymbolDefinition(
        CONSTRUCTOR, METHOD, within, start.line + 1, start.column, span.end.line + 1, walk.signature(node, body),
        read_doc(node), scope=within,
    ))  # fmt: skip
    bind_parameters(walk, node.field("parameters"), place)
    for each in node.named_children():
        if each.kind() in ("constructor_initializer", "block", "arrow_expression_clause"):
            walk.go(each, place)


def visit_delegate(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """The type of a function."""
    name = node.field("name")
    if name is not None:
        walk.define(name, ALIAS, within, whole=node, doc=read_doc(node))
    walk.go(node.field("type"), within, TYPE)
    for each in [one for part in find_children(node, "parameter_list") for one in find_children(part, "parameter")]:
        walk.go(each.field("type"), within, TYPE)


LANGUAGE = LanguageTable(
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
