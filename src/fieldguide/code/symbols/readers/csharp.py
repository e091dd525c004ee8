"""Reads symbols of C#: namespaces, types, members, attributes and local variables."""

from typing import Any

from fieldguide.code.symbols import facts
from fieldguide.code.symbols.facts import PACKAGE, PARAMETER, TYPE, UNKNOWN, ImportedSymbol
from fieldguide.code.symbols.readers.java import ARRAY, CONSTRUCTOR, STATIC
from fieldguide.code.symbols.readers.nodes import (
    find_above,
    find_lines,
    find_part,
    kind_of,
    list_comments_above,
    select,
)
from fieldguide.code.symbols.readers.table import Declares, LanguageTable, Parts, TypeTable, describe_owner
from fieldguide.code.symbols.readers.walk import SyntaxWalk

USING = "using"
MOST_PARTS = 12
NAME = "name[generic_name]/0|name"  # without the types that it may be given: `Find<T>`
GIVEN_TYPES = "name[generic_name]/1-/*:type"
MEMBERS = ("member_access_expression", "member_binding_expression")


def visit_using(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`using A.B;`, `using static A.B.Foo;`, `using Foo = A.B.Bar;`."""
    line = node.range().start.line + 1
    alias = node.field("name")
    texts = [str(each.text()) for each in select(node, "!name")]
    text = "".join(texts[-1].split()).removeprefix("global::") if texts else ""
    if text and alias is not None:
        told = walk.imports(ImportedSymbol(text.partition("<")[0], line, keyword=USING))
        walk.define(alias, facts.IMPORTED, -1, told=told)
    elif text:
        is_static = any(each.kind() == STATIC for each in node.children())
        walk.imports(ImportedSymbol(text, line, facts.EVERYTHING, keyword=STATIC if is_static else USING))


def visit_namespace(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A namespace: what is in it is named beside what others have in it."""
    name = node.field("name")
    outer = [each.text for each in walk.imported if each.keyword == PACKAGE]
    if name is not None:
        is_inner = kind_of(node.parent()) == "declaration_list"
        text = f"{outer[-1]}.{name.text()}" if outer and is_inner else str(name.text())
        walk.imports(ImportedSymbol(text, node.range().start.line + 1, keyword=PACKAGE))
    walk.read(node, "!name", within)


def _describe_qualified(walk: SyntaxWalk, node: Any, depth: int) -> str:
    """`A.Foo<B>`."""
    before = TYPES.describe(walk, node.field("qualifier"), depth)
    name = TYPES.describe(walk, node.field("name"), depth)
    return f"{before.partition('<')[0]}.{name}" if before and name else name


def unfold_member(node: Any) -> tuple[Any, str]:
    """`a.b`."""
    name = find_part(node, NAME)
    return node.field("expression"), f".{name.text() if name is not None else UNKNOWN}"


def unfold_conditional(node: Any) -> tuple[Any, str]:
    """`a?.b()`: what is taken out stands in a node beside."""
    tail = ""
    inner = list(node.named_children())[-1]
    for _ in range(MOST_PARTS):
        kind = kind_of(inner)
        if kind == "member_binding_expression":
            return node.field("condition"), unfold_member(inner)[1] + tail
        if kind == "invocation_expression":
            inner = inner.field("function")
            tail = f"(){tail}"
        elif kind == "member_access_expression":
            inner, ending = unfold_member(inner)
            tail = ending + tail
        else:
            break
    return None, ""


def visit_lambda(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A function without a name: a parameter without a type is likely an element of what it is given to."""
    given = node.field("parameters")
    if kind_of(given) == "parameter_list":
        walk.go(given, within)
    elif given is not None:
        taker = find_above(node, ("invocation_expression",), 4)
        told = walk.tell_value(find_part(taker, "function[member_access_expression]/expression"), "[]")
        walk.define(given, PARAMETER, within, told=told, visible=find_lines(node))
    walk.go(node.field("body"), within)


def visit_parameters(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """The parameters of a method or a function; the grammar leaves `params Foo[] more` in pieces."""
    last: Any = None
    is_bound = node.parent().kind() in WITH_PARAMETERS
    for each in node.named_children():
        if each.kind() == "parameter" and is_bound:
            BOUND(walk, each, within, TYPE)
        elif not is_bound:
            walk.go_below(each, within)
        elif each.kind() == "identifier" and last is not None:
            is_closure = node.parent().kind() in walk.language.closures
            visible = find_lines(node.parent()) if is_closure else (0, 0)
            walk.define(each, PARAMETER, within, told=TYPES.tell(walk, last), visible=visible)
            walk.go(last, within, TYPE)
        last = each if each.kind() != "parameter" else None


def visit_call(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A call; the number of its arguments tells overloads apart."""
    called = node.field("function")
    given = node.field("arguments")
    name = find_part(called, ".[generic_name]/0|.")
    if kind_of(name) == "identifier":
        if name.text() != "nameof":
            walk.refer(name, within, facts.CALL, "", given)
        walk.read(called, ".[generic_name]/1-/*:type", within)
    elif kind_of(called) in MEMBERS:
        visit_member(walk, called, within, facts.CALL)
        walk.count_arguments(-1 if given is None else len(select(given, "#argument")))
    else:
        walk.go(called, within, facts.CALL)
    walk.go(given, within)


def visit_member(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`a.b`, and the part after the question mark of `a?.b`."""
    whole = node.field("expression")
    walk.go(whole, within)
    if node.kind() == "member_binding_expression":
        whole = find_part(find_above(node, ("conditional_access_expression",), MOST_PARTS), "condition")
    walk.refer(find_part(node, NAME), within, role, walk.expression(whole))
    walk.read(node, GIVEN_TYPES, within)


def visit_qualified(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`A.B.Foo` where a type or a namespace is asked for."""
    walk.read(node, "qualifier:type", within)
    before = TYPES.describe(walk, node.field("qualifier"))
    walk.refer(find_part(node, NAME), within, role, before.partition("<")[0])
    walk.read(node, GIVEN_TYPES, within)


def visit_made(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`new Foo(…) { A = 1 }`: a use of the class, and of its members."""
    walk.read(node, "type:call arguments", within)
    told = TYPES.describe(walk, node.field("type")).partition("<")[0]
    for each in select(node, "initializer/*"):
        left = find_part(each, "left[identifier]") if each.kind() == "assignment_expression" else None
        walk.refer(left, within, facts.WRITE, f"{told}()" if told else UNKNOWN)
        walk.read(each, "." if left is None else "right", within)


MOST_COMMENTS = 12


def choose_field(walk: SyntaxWalk, node: Any, within: int) -> str:
    """The kind of a field; one that is `const` or `static readonly` is a constant."""
    words = {str(each.text()) for each in select(node, "#modifier")}
    return facts.CONSTANT if "const" in words or {STATIC, "readonly"} <= words else facts.FIELD


def read_doc(node: Any) -> str:
    """The summary in the comments right above a declaration."""
    lines = list_comments_above(node, MOST_COMMENTS, is_near=False)
    text = " ".join(each.lstrip("/").strip() for each in lines)
    inside = text.partition("<summary>")[2].partition("</summary>")[0] or text.partition("<")[0]
    return inside.strip()


def bind_types(walk: SyntaxWalk, node: Any, place: int, within: int) -> None:
    """`<T> where T : Foo`: what is of that type has what Foo has."""
    bounds: dict[str, str] = {}
    for clause in select(node, "#type_parameter_constraints_clause"):
        name, *rest = clause.named_children()
        types = [TYPES.tell(walk, find_part(each, "0")) for each in rest]
        bounds[str(name.text())] = next(filter(None, types), "")
        walk.read(clause, "1-/*:type", place)
    for name in select(node, "#type_parameter_list/*/name"):
        walk.define(name, PARAMETER, place, told=bounds.get(str(name.text()), ""))


def define_components(walk: SyntaxWalk, node: Any, place: int, within: int) -> None:
    """The types that a class takes, and what a record holds."""
    bind_types(walk, node, place, within)
    for each in select(node, "#parameter_list/#parameter"):
        COMPONENT(walk, each, place, TYPE)


def define_routes(walk: SyntaxWalk, node: Any, place: int, within: int) -> None:
    """The types that a method takes, and the routes that it handles: `[HttpGet("pets")]`."""
    bind_types(walk, node, place, within)
    for each in select(node, "#attribute_list/#attribute"):
        said = each.field("name")
        if said is not None and str(said.text()).startswith(ROUTING):
            told = f"={node.field('name').text()}"
            for content in select(each, "#attribute_argument_list/*/0/0"):
                if content.kind() == "string_literal_content":
                    walk.define(content, facts.ROUTE, within, whole=node, body=node.field("body"), told=told)


ROUTING = ("Http", "Route")
CLOSURES = frozenset(("lambda_expression", "anonymous_method_expression"))
WITH_PARAMETERS = CLOSURES | {
    "constructor_declaration", "destructor_declaration", "indexer_declaration", "local_function_statement",
    "method_declaration",
}  # fmt: skip
TYPES = TypeTable(
    names=frozenset(("identifier",)),
    generic={"generic_name": ("0", "1-/*")},
    holders={"array_type": (ARRAY, "type")},
    inner={
        **dict.fromkeys(("nullable_type", "ref_type", "scoped_type", "pointer_type"), "type|0"),
        "primary_constructor_base_type": "0",
    },
    special={"qualified_name": _describe_qualified},
    values={"object_creation_expression": "type", "cast_expression": "type", "as_expression": "right"},
)
BOUND = Declares(PARAMETER, "type:type =", declared="type", visible="closure")
COMPONENT = Declares(facts.FIELD, "^type:type ^=", declared="type", has_doc=False, is_optional=True)
CLASS_PARTS = "^#attribute_list:type #base_list/*:inherit body"
CLASS = Declares(facts.CLASS, CLASS_PARTS, bases="#base_list/*", then=define_components)
NAMED = Declares(
    facts.LOCAL, "type:type #positional_pattern_clause", name="name[identifier]", declared="type", visible="block"
)
CONSTRUCTOR_PARTS = "parameters #constructor_initializer,block,arrow_expression_clause"
FIELD = Declares(
    choose_field, "#attribute_list:type #variable_declaration/type:type", declared="#variable_declaration/type",
    each="#variable_declaration/#variable_declarator", value="=", body="=",
)  # fmt: skip
PROPERTY = Declares(
    facts.FIELD, "^parameters ^#attribute_list:type ^type:type accessors value", declared="type",
    body="accessors|value", is_optional=True,
)  # fmt: skip
LANGUAGE = LanguageTable(
    "csharp",
    visits={
        "anonymous_method_expression": visit_lambda,
        "argument": Parts("!name"),
        "array_type": Parts("!type type:type"),
        "as_expression": Parts("!right right:type"),
        "assignment_expression": Parts("left:write right"),
        "attribute": Parts("name:type #attribute_argument_list/*"),
        "bracketed_parameter_list": visit_parameters,
        "cast_expression": Parts("!type type:type"),
        "catch_declaration": NAMED,
        "class_declaration": CLASS,
        "constructor_declaration": Declares(facts.METHOD, CONSTRUCTOR_PARTS, name="name|.", called=CONSTRUCTOR),
        "declaration_expression": NAMED,
        "declaration_pattern": NAMED,
        "delegate_declaration": Declares(
            facts.ALIAS, "^type:type ^#parameter_list/#parameter/type:type", is_optional=True
        ),
        "destructor_declaration": Declares(facts.METHOD, CONSTRUCTOR_PARTS, name="name|.", called=CONSTRUCTOR),
        "enum_declaration": Declares(facts.ENUM, CLASS_PARTS, bases="#base_list/*", then=define_components),
        "enum_member_declaration": Declares(
            facts.CONSTANT, "^#attribute_list:type ^value", told=describe_owner, is_optional=True
        ),
        "event_declaration": PROPERTY,
        "event_field_declaration": FIELD,
        "field_declaration": FIELD,
        "file_scoped_namespace_declaration": visit_namespace,
        "foreach_statement": Declares(
            facts.LOCAL, "type:type right body", name="left[identifier]", declared="type", element_of="right",
            visible="lines",
        ),
        "generic_name": Parts("0:= 1-/*:type"),
        "indexer_declaration": PROPERTY,
        "interface_declaration": Declares(facts.INTERFACE, CLASS_PARTS, bases="#base_list/*", then=define_components),
        "invocation_expression": visit_call,
        "lambda_expression": visit_lambda,
        "local_function_statement": Declares(
            facts.FUNCTION, "parameters type:type body", declared="type", has_doc=False, is_optional=True
        ),
        "member_access_expression": visit_member,
        "member_binding_expression": visit_member,
        "method_declaration": Declares(
            facts.METHOD, "^#attribute_list:type parameters returns:type body", declared="returns",
            has_own_types=True, then=define_routes,
        ),
        "namespace_declaration": visit_namespace,
        "object_creation_expression": visit_made,
        "parameter_list": visit_parameters,
        "property_declaration": PROPERTY,
        "qualified_name": visit_qualified,
        "record_declaration": CLASS,
        "recursive_pattern": NAMED,
        "struct_declaration": CLASS,
        "typeof_expression": Parts("!type type:type"),
        "using_directive": visit_using,
        "variable_declaration": Declares(
            facts.LOCAL, "type:type", declared="type", each="#variable_declarator", value="=", visible="block"
        ),
    },
    calls={"invocation_expression": "function"},
    elements={"element_access_expression": "expression"},
    wrappers={"parenthesized_expression": "", "postfix_unary_expression": "", "generic_name": ""},
    endings={
        "await_expression": ("", "[]"),
        "object_creation_expression": ("type", "()"),
        "cast_expression": ("type", "()"),
        "as_expression": ("right", "()"),
    },
    unfolded={"member_access_expression": unfold_member, "conditional_access_expression": unfold_conditional},
    types=TYPES,
    read_doc=read_doc,
    blocks=frozenset((
        "block", "switch_section", "lambda_expression", "anonymous_method_expression", "for_statement",
        "using_statement", "catch_clause", "method_declaration", "accessor_declaration", "switch_expression_arm",
        "compilation_unit",
    )),
    closures=CLOSURES,
    words={"this": "self", "base": "super()", "_": "_"},
    skipped=frozenset((
        "comment", "modifier", "predefined_type", "implicit_type", "string_literal", "integer_literal",
        "verbatim_string_literal", "character_literal", "preproc_region", "preproc_endregion", "null_literal",
        "boolean_literal", "label_name", "goto_statement",
    )),
)  # fmt: skip
