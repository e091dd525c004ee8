"""Reads symbols of PHP: classes, traits, functions, constants, calls and routes."""

from typing import Any

from fieldguide.code.symbols.facts import (
    CALL,
    CLASS,
    CONSTANT,
    ENUM,
    FIELD,
    FUNCTION,
    IMPORT,
    IMPORTED,
    INHERIT,
    INTERFACE,
    LOCAL,
    METHOD,
    PARAMETER,
    ROUTE,
    TYPE,
    TYPES,
    UNKNOWN,
    WRITE,
    ImportedSymbol,
)
from fieldguide.code.symbols.readers.table import LanguageTable, kind_of
from fieldguide.code.symbols.readers.walk import SyntaxWalk

KINDS = {
    "class_declaration": CLASS,
    "trait_declaration": CLASS,
    "interface_declaration": INTERFACE,
    "enum_declaration": ENUM,
}
INNER_TYPES = frozenset(("optional_type", "union_type", "type_list"))
PARAMETERS = frozenset(("simple_parameter", "variadic_parameter", "property_promotion_parameter"))
MOST_TYPES = 4


def visit_namespace(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`namespace A\\B;`: what the file's own names belong to."""
    name = node.field("name")
    if name is not None:
        walk.imports(ImportedSymbol(_text(name), node.range().start.line + 1, keyword="namespace"))
    walk.go(node.field("body"), within)


def visit_use(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`use A\\B as C;`, and several at once: `use A\\{B, C};`."""
    children = node.named_children()
    before = next((_text(each) + "\\" for each in children if each.kind() == "namespace_name"), "")
    group = next((each for each in children if each.kind() == "namespace_use_group"), None)
    for clause in group.named_children() if group is not None else children:
        if clause.kind() == "namespace_use_clause":
            _bind_use(walk, clause, before, within)


def _bind_use(walk: SyntaxWalk, clause: Any, before: str, within: int) -> None:
    parts = [each for each in clause.named_children() if each.kind() in ("name", "qualified_name")]
    if not parts:
        return
    path = before + _text(parts[0])
    name = parts[0] if parts[0].kind() == "name" else find_last_name(parts[0])
    told = walk.imports(ImportedSymbol(path, clause.range().start.line + 1, path.rpartition("\\")[2], keyword="use"))
    if name is not None:
        walk.refer(name, within, IMPORT, told)
        walk.define(parts[1] if len(parts) > 1 else name, IMPORTED, within, told=told)


def _text(node: Any) -> str:
    return "".join(str(node.text()).split()).lstrip("\\")


def find_last_name(node: Any) -> Any:
    """The last part of a name with its namespace."""
    names = [each for each in node.named_children() if each.kind() == "name"]
    return names[-1] if names else None


def visit_class(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A class, an interface, a trait or an enum, with what it is made of."""
    name = node.field("name")
    body = node.field("body")
    if name is None:
        walk.go_below(node, within)
        return
    above = [each for clause in _clauses(node, body) for each in clause.named_children()]
    bases = [describe_type(walk, each) for each in above if each.kind() in ("name", "qualified_name")]
    place = walk.define(
        name, KINDS[node.kind()], within, whole=node, body=body, doc=read_doc(node), bases=list(filter(None, bases))
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


def describe_type(walk: SyntaxWalk, node: Any) -> str:
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
        elif kind in INNER_TYPES or kind == "named_type":
            pending += each.named_children()
    return "|".join(found)


def visit_function(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A function or a method."""
    name = node.field("name")
    body = node.field("body")
    returned = node.field("return_type")
    if name is None:
        return
    in_type = within >= 0 and walk.definitions[within].kind in TYPES
    told = describe_type(walk, returned)
    place = walk.define(
        name, METHOD if in_type else FUNCTION, within, whole=node, body=body, doc=read_doc(node),
        told=f":{told}" if told else "",
    )  # fmt: skip
    bind_parameters(walk, node, place, within)
    walk.go(returned, within, TYPE)
    walk.go(body, place)


def bind_parameters(walk: SyntaxWalk, node: Any, place: int, owner: int, visible: tuple[int, int] = (0, 0)) -> None:
    """Parameters; one with a visibility is a field too."""
    given = node.field("parameters")
    for each in given.named_children() if given is not None else ():
        name = each.field("name")
        annotation = each.field("type")
        if each.kind() not in PARAMETERS or name is None:
            continue
        told = describe_type(walk, annotation)
        walk.define(name, PARAMETER, place, told=f":{told}" if told else "", scope=owner, visible=visible)
        if each.kind() == "property_promotion_parameter":
            _field(walk, name, each, owner, told)
        walk.go(annotation, owner, TYPE)
        walk.go(each.field("default_value"), owner)


def visit_closure(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A function without a name: its parameters are seen on its lines."""
    span = node.range()
    bind_parameters(walk, node, within, within, (span.start.line + 1, span.end.line + 1))
    walk.go(node.field("return_type"), within, TYPE)
    walk.go(node.field("body"), within)


def visit_property(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """Fields of a class."""
    annotation = node.field("type")
    walk.go(annotation, within, TYPE)
    told = describe_type(walk, annotation)
    for each in node.named_children():
        name = each.field("name") if each.kind() == "property_element" else None
        if name is not None:
            _field(walk, name, node, within, told)
            walk.go(each.field("default_value"), within)


def _field(walk: SyntaxWalk, variable: Any, whole: Any, owner: int, told: str) -> None:
    name = next(iter(variable.named_children()), None)
    if name is not None and owner >= 0:
        walk.define(name, FIELD, owner, whole=whole, doc=read_doc(whole), told=f":{told}" if told else "")


def visit_constant(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`const A = 1;`, or a case of an enum."""
    name = node.field("name") or next((each for each in node.named_children() if each.kind() == "name"), None)
    if name is not None:
        walk.define(name, CONSTANT, within, whole=node)
    for each in node.named_children()[1:]:
        walk.go(each, within)


def read_doc(node: Any) -> str:
    """The first paragraph of the comment before a definition."""
    before = node.prev()
    if before is None or before.kind() != "comment" or not before.text().startswith("/**"):
        return ""
    lines = [line.strip(" \t*/") for line in str(before.text()).split("\n")]
    told = "\n".join(lines).strip().partition("\n\n")[0].partition("\n@")[0]
    return "" if told.startswith("@") else told.replace("\n", " ")


VERBS = frozenset(("any", "delete", "get", "options", "patch", "post", "put"))


def visit_call(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`f(…)`; `define('A', 1)` makes a constant."""
    called = node.field("function")
    given = node.field("arguments")
    walk.go(called, within, CALL)
    walk.go(given, within)
    if called is not None and called.text() == "define":
        content = _first_string(given)
        if content is not None:
            walk.define(content, CONSTANT, -1, whole=node)


def visit_static_call(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`A::f(…)`; `Route::get('/a', …)` declares a route."""
    before = node.field("scope")
    name = node.field("name")
    given = node.field("arguments")
    walk.go(before, within)
    if name is not None:
        walk.refer(name, within, CALL, walk.expression(before))
    walk.go(given, within)
    if before is not None and before.text() == "Route" and name is not None and name.text() in VERBS:
        content = _first_string(given)
        if content is not None:
            walk.define(content, ROUTE, within, whole=node)


def _first_string(given: Any) -> Any:
    argument = _first(given)
    text = _first(argument)
    return _first(text) if kind_of(text) in ("string", "encapsed_string") else None


def _first(node: Any) -> Any:
    return next(iter(node.named_children()), None) if node is not None else None


def visit_assignment(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`$a = b`."""
    left = node.field("left")
    right = node.field("right")
    if left is not None and left.kind() == "variable_name":
        told = walk.expression(right) if right is not None else UNKNOWN
        walk.bind(left, LOCAL, within, within=within, told=f"={told}" if UNKNOWN not in told else "")
    else:
        walk.go(left, within, WRITE)
    walk.go(right, within)


def visit_each(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`foreach (a as $b)`."""
    parts = node.named_children()
    if len(parts) > 1 and parts[1].kind() == "variable_name":
        told = walk.expression(parts[0])
        walk.bind(parts[1], LOCAL, within, within=within, told=f"={told}[]" if UNKNOWN not in told else "")
    for each in parts:
        walk.go(each, within)


def visit_new(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`new A(…)`."""
    made, *rest = node.named_children() or [None]
    walk.go(made, within, CALL)
    for each in rest:
        walk.go(each, within)


def visit_constant_use(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`A::B`; `A::class` is the class itself."""
    parts = node.named_children()
    walk.go(parts[0] if parts else None, within)
    if len(parts) > 1 and parts[1].kind() == "name" and parts[1].text() != "class":
        walk.refer(parts[1], within, role, walk.expression(parts[0]))


def visit_static_field(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`A::$b`."""
    before = node.field("scope")
    variable = node.field("name")
    walk.go(before, within)
    name = next(iter(variable.named_children()), None) if variable is not None else None
    if name is not None:
        walk.refer(name, within, role, walk.expression(before))


def visit_qualified(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`\\A\\B`: a name with its namespace."""
    name = find_last_name(node)
    if name is not None:
        walk.refer(name, within, role, describe_type(walk, node))


LANGUAGE = LanguageTable(
    "php",
    visits={
        "anonymous_function": visit_closure,
        "anonymous_function_creation_expression": visit_closure,
        "arrow_function": visit_closure,
        "assignment_expression": visit_assignment,
        "class_constant_access_expression": visit_constant_use,
        "class_declaration": visit_class,
        "const_element": visit_constant,
        "enum_case": visit_constant,
        "enum_declaration": visit_class,
        "foreach_statement": visit_each,
        "function_call_expression": visit_call,
        "function_definition": visit_function,
        "interface_declaration": visit_class,
        "method_declaration": visit_function,
        "namespace_definition": visit_namespace,
        "namespace_use_declaration": visit_use,
        "object_creation_expression": visit_new,
        "property_declaration": visit_property,
        "qualified_name": visit_qualified,
        "scoped_call_expression": visit_static_call,
        "scoped_property_access_expression": visit_static_field,
        "trait_declaration": visit_class,
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
    words={"$this": "self", "self": "Self", "static": "Self", "parent": "super"},
    skipped=frozenset(("comment", "primitive_type", "relative_scope", "string", "text", "variable_name")),
)
