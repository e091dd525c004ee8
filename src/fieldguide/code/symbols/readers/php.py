"""Reads symbols of PHP: classes, traits, functions, constants, calls and routes."""

from typing import Any

from fieldguide.code.symbols import facts
from fieldguide.code.symbols.facts import ImportedSymbol
from fieldguide.code.symbols.readers.nodes import find_lines, find_part, kind_of, select
from fieldguide.code.symbols.readers.table import (
    Declares,
    LanguageTable,
    Package,
    Parts,
    Takes,
    TypeTable,
    choose_method,
)
from fieldguide.code.symbols.readers.walk import SyntaxWalk

HOLDING_TYPES = frozenset(("named_type", "optional_type", "union_type", "type_list"))
MOST_TYPES = 4


def visit_use(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`use A\\B as C;`, and several at once: `use A\\{B, C};`."""
    before = find_part(node, "#namespace_name")
    for clause in select(node, "#namespace_use_group/#namespace_use_clause|#namespace_use_clause"):
        _bind_use(walk, clause, "" if before is None else f"{_text(before)}\\", within)


def _bind_use(walk: SyntaxWalk, clause: Any, before: str, within: int) -> None:
    parts = select(clause, "#name,qualified_name")
    if not parts:
        return
    path = before + _text(parts[0])
    name = parts[0] if parts[0].kind() == "name" else find_last_name(parts[0])
    told = walk.imports(ImportedSymbol(path, clause.range().start.line + 1, path.rpartition("\\")[2], keyword="use"))
    if name is not None:
        walk.refer(name, within, facts.IMPORT, told)
        walk.define(parts[1] if len(parts) > 1 else name, facts.IMPORTED, within, told=told)


def _text(node: Any) -> str:
    return "".join(str(node.text()).split()).lstrip("\\")


def find_last_name(node: Any) -> Any:
    """The last part of a name with its namespace."""
    return next(reversed(select(node, "#name")), None)


def describe_type(walk: SyntaxWalk, node: Any, depth: int = 0) -> str:
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
            found.append(walk.imports(ImportedSymbol(path, line, path.rpartition("\\")[2], keyword="use")))
        elif kind in HOLDING_TYPES:
            pending += each.named_children()
    return "|".join(found)


def bind_parameters(walk: SyntaxWalk, node: Any, place: int, owner: int, visible: tuple[int, int] = (0, 0)) -> None:
    """Parameters; one with a visibility is a field too."""
    for each in select(node, "parameters/#simple_parameter,variadic_parameter,property_promotion_parameter"):
        name = each.field("name")
        told = TYPES.tell(walk, each.field("type"))
        walk.define(name, facts.PARAMETER, place, told=told, scope=owner, visible=visible)
        if each.kind() == "property_promotion_parameter":
            _field(walk, name, each, owner, told)
        walk.read(each, "type:type default_value", owner)


def visit_closure(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A function without a name: its parameters are seen on its lines."""
    bind_parameters(walk, node, within, within, find_lines(node))
    walk.read(node, "return_type:type body", within)


def visit_property(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """Fields of a class."""
    walk.read(node, "type:type #property_element/default_value", within)
    for name in select(node, "#property_element/name"):
        _field(walk, name, node, within, TYPES.tell(walk, node.field("type")))


def _field(walk: SyntaxWalk, variable: Any, whole: Any, owner: int, told: str) -> None:
    if owner >= 0:
        walk.define(find_part(variable, "0"), facts.FIELD, owner, whole=whole, doc=read_doc(whole), told=told)


def read_doc(node: Any) -> str:
    """The first paragraph of the comment before a definition."""
    before = node.prev()
    if kind_of(before) != "comment" or not before.text().startswith("/**"):
        return ""
    lines = [line.strip(" \t*/") for line in str(before.text()).split("\n")]
    told = "\n".join(lines).strip().partition("\n\n")[0].partition("\n@")[0]
    return "" if told.startswith("@") else told.replace("\n", " ")


FIRST_STRING = "arguments/0/0[string,encapsed_string]/0"
VERBS = frozenset(("any", "delete", "get", "options", "patch", "post", "put"))


def define_constant(walk: SyntaxWalk, node: Any, within: int) -> None:
    """`define('A', 1)` makes a constant."""
    if node.field("function").text() == "define":
        content = find_part(node, FIRST_STRING)
        walk.define(content, facts.CONSTANT, -1, whole=node)


def define_route(walk: SyntaxWalk, node: Any, within: int) -> None:
    """`Route::get('/a', …)` declares a route."""
    before = node.field("scope")
    name = node.field("name")
    content = find_part(node, FIRST_STRING)
    if content is not None and before.text() == "Route" and name.text() in VERBS:
        walk.define(content, facts.ROUTE, within, whole=node)


def visit_assignment(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`$a = b`."""
    left = node.field("left")
    right = node.field("right")
    if kind_of(left) == "variable_name":
        walk.bind(left, facts.LOCAL, within, within=within, told=walk.describe_value(right))
    else:
        walk.go(left, within, facts.WRITE)
    walk.go(right, within)


def visit_each(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`foreach (a as $b)`."""
    parts = node.named_children()
    if len(parts) > 1 and parts[1].kind() == "variable_name":
        told = walk.tell_value(parts[0], "[]")
        walk.bind(parts[1], facts.LOCAL, within, within=within, told=told)
    walk.go_below(node, within)


def visit_constant_use(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`A::B`; `A::class` is the class itself."""
    parts = node.named_children()
    walk.go(parts[0] if parts else None, within)
    if len(parts) > 1 and parts[1].kind() == "name" and parts[1].text() != "class":
        walk.refer(parts[1], within, role, walk.expression(parts[0]))


def visit_qualified(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`\\A\\B`: a name with its namespace."""
    walk.refer(find_last_name(node), within, role, describe_type(walk, node))


TYPES = TypeTable(other=describe_type)
BASES = "#base_clause/* #class_interface_clause/* body/#use_declaration/*"
CLASS_PARTS = (
    "^#base_clause/*:inherit ^#class_interface_clause/*:inherit ^body/#use_declaration/*:inherit body/~use_declaration"
)
CLASS = Declares(facts.CLASS, CLASS_PARTS, bases=BASES)
CONSTANT = Declares(facts.CONSTANT, "^1-", name="name|#name", has_doc=False, is_optional=True)
FUNCTION = Declares(choose_method, "^return_type:type body", declared="return_type", then=bind_parameters)
LANGUAGE = LanguageTable(
    "php",
    visits={
        "anonymous_function": visit_closure,
        "anonymous_function_creation_expression": visit_closure,
        "arrow_function": visit_closure,
        "assignment_expression": visit_assignment,
        "class_constant_access_expression": visit_constant_use,
        "class_declaration": CLASS,
        "const_element": CONSTANT,
        "enum_case": CONSTANT,
        "enum_declaration": Declares(facts.ENUM, CLASS_PARTS, bases=BASES),
        "foreach_statement": visit_each,
        "function_call_expression": Parts("function:call arguments", define_constant),
        "function_definition": FUNCTION,
        "interface_declaration": Declares(facts.INTERFACE, CLASS_PARTS, bases=BASES),
        "method_declaration": FUNCTION,
        "namespace_definition": Package("name", "namespace"),
        "namespace_use_declaration": visit_use,
        "object_creation_expression": Parts("0:call 1-"),
        "property_declaration": visit_property,
        "qualified_name": visit_qualified,
        "scoped_call_expression": Takes("scope", "name", "arguments", role=facts.CALL, then=define_route),
        "scoped_property_access_expression": Takes("scope", "name/0"),
        "trait_declaration": CLASS,
    },
    names=frozenset(("name", "relative_scope", "variable_name")),
    members={
        "member_access_expression": ("object", "name"),
        "nullsafe_member_access_expression": ("object", "name"),
    },
    calls={"function_call_expression": "function"},
    invocations={
        "member_call_expression": ("object", "name"),
        "nullsafe_member_call_expression": ("object", "name"),
        "scoped_call_expression": ("scope", "name"),
    },
    endings={"object_creation_expression": ("", "()"), "subscript_expression": ("", "[]")},
    wrappers={"parenthesized_expression": ""},
    types=TYPES,
    read_doc=read_doc,
    words={"$this": "self", "self": "Self", "static": "Self", "parent": "super"},
    skipped=frozenset(("comment", "primitive_type", "relative_scope", "string", "text", "variable_name")),
)
