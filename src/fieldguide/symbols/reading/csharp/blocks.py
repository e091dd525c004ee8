"""C#: what the statements of a method bind, and for which lines; calls, members and what is made."""

from typing import TYPE_CHECKING, Any

from fieldguide.symbols.facts import CALL, FUNCTION, LOCAL, PARAMETER, READ, TYPE, UNKNOWN, WRITE
from fieldguide.symbols.reading.csharp.types import bound_to, name_in, told_type, told_value
from fieldguide.symbols.reading.visible import lines_of, visible_from

if TYPE_CHECKING:
    from fieldguide.symbols.reading.walk import Walk

BLOCKS = frozenset((
    "block", "switch_section", "lambda_expression", "anonymous_method_expression", "for_statement", "using_statement",
    "catch_clause", "method_declaration", "accessor_declaration", "switch_expression_arm", "compilation_unit",
))  # fmt: skip


def visit_variables(walk: "Walk", node: Any, within: int, role: str) -> None:
    """`Foo a = b, c` in a method."""
    declared, visible = node.field("type"), visible_from(node, BLOCKS)
    told = told_type(declared)
    for each in node.named_children():
        if each.kind() == "variable_declarator" and (name := each.field("name")) is not None:
            value = value_of(each)
            walk.define(name, LOCAL, within, told=f":{told}" if told else told_value(walk, value), visible=visible)
            walk.go(value, within)
    walk.go(declared, within, TYPE)


def value_of(declarator: Any) -> Any:
    """The value after `=`."""
    is_after = False
    for each in declarator.children():
        if is_after and each.is_named():
            return each
        is_after = is_after or each.text() == "="
    return None


def visit_for_each(walk: "Walk", node: Any, within: int, role: str) -> None:
    """`foreach (var a in b)`."""
    declared, name, value = node.field("type"), node.field("left"), node.field("right")
    told, whole = told_type(declared), walk.expression(value)
    given = f":{told}" if told else "" if UNKNOWN in whole else f"={whole}[]"
    if name is not None and name.kind() == "identifier":
        walk.define(name, LOCAL, within, told=given, visible=lines_of(node))
    walk.go(declared, within, TYPE)
    walk.go(value, within)
    walk.go(node.field("body"), within)


def visit_named(walk: "Walk", node: Any, within: int, role: str) -> None:
    """A name with its type on some lines: what is caught, a pattern, `out var x`."""
    name, declared = node.field("name"), node.field("type")
    told = told_type(declared)
    if name is not None and name.kind() == "identifier":
        walk.define(name, LOCAL, within, told=f":{told}" if told else "", visible=visible_from(node, BLOCKS))
    walk.go(declared, within, TYPE)
    for each in node.named_children():
        if each.kind().endswith("_clause") and each.kind() != "property_pattern_clause":
            walk.go(each, within)


def visit_lambda(walk: "Walk", node: Any, within: int, role: str) -> None:
    """A function without a name: a parameter without a type is likely an element of what it is given to."""
    given, visible = node.field("parameters"), lines_of(node)
    if given is not None and given.kind() == "parameter_list":
        bind_parameters(walk, given, within, visible)
    elif given is not None:
        told = _owner_of(walk, node)
        walk.define(given, PARAMETER, within, told=f"={told}[]" if told else "", visible=visible)
    walk.go(node.field("body"), within)


def _owner_of(walk: "Walk", node: Any) -> str:
    call = node.parent()
    for _ in range(3):
        if call is None or call.kind() == "invocation_expression":
            break
        call = call.parent()
    called = call.field("function") if call is not None and call.kind() == "invocation_expression" else None
    whole = called.field("expression") if called is not None and called.kind() == "member_access_expression" else None
    told = walk.expression(whole) if whole is not None else UNKNOWN
    return "" if UNKNOWN in told else told


def bind_parameters(walk: "Walk", node: Any, place: int, visible: tuple[int, int] = (0, 0)) -> None:
    """The parameters of a method, or of a function without a name."""
    last: Any = None
    for each in node.named_children() if node is not None else ():
        if each.kind() == "parameter":
            declared, name = each.field("type"), each.field("name")
            _parameter(walk, name, declared, place, visible)
            walk.go(value_of(each), place)
        elif each.kind() == "identifier" and last is not None:  # the grammar leaves `params Foo[] more` in pieces
            _parameter(walk, each, last, place, visible)
        last = each if each.kind() != "parameter" else None


def _parameter(walk: "Walk", name: Any, declared: Any, place: int, visible: tuple[int, int]) -> None:
    told = told_type(declared)
    if name is not None:
        walk.define(name, PARAMETER, place, told=f":{told}" if told else "", visible=visible)
    walk.go(declared, place, TYPE)


def visit_local_function(walk: "Walk", node: Any, within: int, role: str) -> None:
    """A function in a method."""
    name, told = node.field("name"), told_type(node.field("type"))
    place = within
    if name is not None:
        place = walk.define(
            name, FUNCTION, within, whole=node, body=node.field("body"), told=f":{told}" if told else ""
        )
    bind_parameters(walk, node.field("parameters"), place)
    walk.go(node.field("type"), place, TYPE)
    walk.go(node.field("body"), place)


def visit_call(walk: "Walk", node: Any, within: int, role: str) -> None:
    """A call; the number of its arguments tells overloads apart."""
    called, given = node.field("function"), node.field("arguments")
    count = sum(each.kind() == "argument" for each in given.named_children()) if given is not None else -1
    name = name_in(called)
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


def _type_arguments(walk: "Walk", called: Any, within: int) -> None:
    named = called.field("name") if called is not None and called.kind().startswith("member_") else called
    if named is not None and named.kind() == "generic_name":
        for each in named.named_children()[1:]:
            walk.go_below(each, within, TYPE)


def visit_member(walk: "Walk", node: Any, within: int, role: str) -> None:
    """`a.b`, and the part after the question mark of `a?.b`."""
    refer_member(walk, node, within, role)
    _type_arguments(walk, node, within)


def refer_member(walk: "Walk", node: Any, within: int, role: str) -> None:
    """The name that a node takes out of something; what that is comes later."""
    is_bound = node.kind() == "member_binding_expression"
    whole, name = bound_to(node) if is_bound else node.field("expression"), name_in(node.field("name"))
    if name is not None:
        walk.refer(name, within, role, walk.expression(whole))
    if not is_bound:
        walk.go(whole, within)


def visit_made(walk: "Walk", node: Any, within: int, role: str) -> None:
    """`new Foo(…) { A = 1 }`: a use of the class, and of its members."""
    declared, filled = node.field("type"), node.field("initializer")
    walk.go(declared, within, CALL)
    walk.go(node.field("arguments"), within)
    told = told_type(declared).partition("<")[0]
    for each in filled.named_children() if filled is not None else ():
        left = each.field("left") if each.kind() == "assignment_expression" else None
        if left is not None and left.kind() == "identifier":
            walk.refer(left, within, WRITE, f"{told}()" if told else UNKNOWN)
            walk.go(each.field("right"), within)
        else:
            walk.go(each, within)


def visit_assignment(walk: "Walk", node: Any, within: int, role: str) -> None:
    """`a.b = c`."""
    walk.go(node.field("left"), within, WRITE)
    walk.go(node.field("right"), within)


def visit_typed(walk: "Walk", node: Any, within: int, role: str) -> None:
    """`typeof(Foo)`, `(Foo)a`, `a as Foo`, `Foo[]`."""
    declared = node.field("type") or node.field("right")
    for each in node.named_children():
        is_type = declared is not None and each.range() == declared.range()
        walk.go(each, within, TYPE if is_type else READ)


def visit_argument(walk: "Walk", node: Any, within: int, role: str) -> None:
    """An argument; what names the parameter is left out."""
    name = node.field("name")
    for each in node.named_children():
        if name is None or each.range() != name.range():
            walk.go(each, within)
